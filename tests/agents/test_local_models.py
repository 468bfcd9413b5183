"""Which messages were typed to a local model, as far as the agents' logs say so."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.agents import aider_chats, codex_rollouts, hermes_sessions, openclaw_sessions, opencode_sessions
from wisen.agents.aider import Aider
from wisen.agents.codex import Codex
from wisen.agents.local_models import is_local_model, is_local_model_name
from wisen.model.event import Event, Message
from wisen.model.source import SourceMark
from wisen.testing.agent_contract import read_all

FIRST, SECOND = "Always name the ledger after its year.", "Never print the totals twice."


def to_local(events: list[Event]) -> dict[str, bool]:
    """By what was typed, whether it was typed to a local model."""
    return {each.text or "": each.local for each in events if isinstance(each, Message)}


@pytest.mark.parametrize(
    ("provider", "model", "address", "local"),
    [
        ("ollama", "qwen3:8b", "", True),
        ("LMStudio", None, None, True),
        ("oss", "gpt-oss:20b", None, True),
        ("ollama", "gpt-oss:120b-cloud", None, False),
        ("ollama", "glm-4.6:cloud", None, False),
        ("ollama-cloud", "qwen3-coder", None, False),
        ("vllm", "qwen3", None, False),
        ("vllm", "qwen3", "http://127.0.0.1:8000/v1", True),
        ("custom", "qwen3", "http://localhost:11434/v1", True),
        ("custom", "qwen3", "http://[::1]:1234", True),
        ("custom", "qwen3", "localhost:1234", True),
        ("ollama", "qwen3", "http://10.0.0.7:11434", False),
        ("custom", "qwen3", "https://localhost.example.com/v1", False),
        ("custom", "qwen3", "http://[oops", False),
        ("anthropic", "claude-sonnet-4-6", None, False),
        ("", "", "", False),
        (None, None, None, False),
    ],
)
@pytest.mark.requirement("X7")
def test_only_what_is_known_to_run_on_the_own_machine_is_local(
    provider: str | None, model: str | None, address: str | None, *, local: bool
) -> None:
    assert is_local_model(provider, model, address) is local


def test_a_name_is_local_by_the_provider_in_front_of_it() -> None:
    assert is_local_model_name("ollama_chat/qwen2.5-coder:32b")
    assert is_local_model_name("lm_studio/qwen3")
    assert not is_local_model_name("openrouter/ollama/qwen3")
    assert not is_local_model_name("qwen2.5-coder:32b"), "a tag alone says nothing: hosted models have such names, too"
    assert not is_local_model_name(None)


@pytest.mark.parametrize(
    ("meta", "model", "local"),
    [
        ({"model_provider": "ollama"}, "gpt-oss:20b", True),
        ({"model_provider": "ollama"}, "gpt-oss:120b-cloud", False),
        ({"model_provider": "openai"}, "gpt-5", False),
        ({}, "gpt-5", False),
    ],
)
def test_codex_names_the_provider_of_a_thread(
    tmp_path: Path, meta: dict[str, object], model: str, *, local: bool
) -> None:
    log = codex_rollouts.Rollout(meta=meta)
    log.line("turn_context", {"cwd": log.cwd, "model": model})
    log.prompt(FIRST)
    log.write(tmp_path)
    events, problems = read_all(Codex(tmp_path, {}))
    assert (to_local(events), problems) == ({FIRST: local}, [])


def test_a_codex_thread_that_is_read_on_is_still_local(tmp_path: Path) -> None:
    log = codex_rollouts.Rollout(meta={"model_provider": "lmstudio"})
    log.prompt(FIRST)
    log.write(tmp_path)
    agent = Codex(tmp_path, {})
    (source,) = agent.sources()
    *_, last = agent.read(source, None)
    log.prompt(SECOND)
    log.write(tmp_path)
    (source,) = agent.sources()
    mark = SourceMark(size=0, modified_ns=0, cursor=last.cursor)
    later = [event for batch in agent.read(source, mark) for event in batch.events]
    assert to_local(later) == {SECOND: True}


@pytest.mark.parametrize("version", [3, 4])
def test_openclaw_says_when_the_model_changes(tmp_path: Path, version: int) -> None:
    log = openclaw_sessions.Transcript(version=version)
    log.entry("model_change", provider="ollama", modelId="qwen3:8b")
    log.prompt(FIRST)
    log.entry("model_change", provider="anthropic", modelId="claude-sonnet-4-6")
    log.prompt(SECOND)
    events, problems = openclaw_sessions.read(log, tmp_path)
    assert (to_local(events), problems) == ({FIRST: True, SECOND: False}, [])


@pytest.mark.parametrize("version", [3, 4])
def test_an_openclaw_session_that_is_read_on_is_still_local(tmp_path: Path, version: int) -> None:
    following = openclaw_sessions.Following(tmp_path)
    log = openclaw_sessions.Transcript(version=version)
    log.entry("model_change", provider="ollama", modelId="qwen3:8b")
    log.prompt(FIRST)
    save = openclaw_sessions.Database(tmp_path).save if version == 4 else None
    for text in (FIRST, SECOND):
        if save is None:
            log.write(tmp_path / openclaw_sessions.SESSIONS)
        else:
            save(log)
        assert to_local(following.look()) == {text: True}
        log.prompt(SECOND)


def test_an_openclaw_record_of_another_shape_costs_nothing(tmp_path: Path) -> None:
    log = openclaw_sessions.Transcript()
    log.entry("model_change", provider=["ollama"], modelId=7)
    log.prompt(FIRST)
    events, problems = openclaw_sessions.read(log, tmp_path)
    assert (to_local(events), problems) == ({FIRST: False}, [])


def test_opencode_tells_the_provider_of_each_prompt(tmp_path: Path) -> None:
    talk = opencode_sessions.Talk()
    talk.prompt(FIRST)
    talk.prompt(SECOND)
    talk.prompt("Sort the years, newest first.")
    talk.prompt("Count them.")
    to = ({"providerID": "lmstudio", "modelID": "qwen3"}, {"providerID": "anthropic", "modelID": "x"}, "oops", None)
    for message, model in zip(talk.messages.values(), to, strict=True):
        message.update({} if model is None else {"model": model})
    events, problems = opencode_sessions.read(talk, tmp_path)
    assert [*to_local(events).values()] == [True, False, False, False]
    assert problems == []


@pytest.mark.parametrize(
    ("about", "local"),
    [
        ({"model": "qwen3", "billing_provider": "custom", "billing_base_url": "http://127.0.0.1:11434/v1"}, True),
        ({"model": "qwen3", "billing_provider": "ollama"}, True),
        ({"model": "hermes-4", "billing_provider": "nous", "billing_base_url": "https://api.example.com/v1"}, False),
        ({}, False),
    ],
)
def test_hermes_tells_who_answers_in_a_session(tmp_path: Path, about: dict[str, object], *, local: bool) -> None:
    first = hermes_sessions.Talk(1)
    first.prompt(SECOND)
    path = first.save(tmp_path)
    with closing(sqlite3.connect(path)) as database, database:
        for name in ("model", "billing_provider", "billing_base_url"):
            database.execute(f"ALTER TABLE sessions ADD COLUMN {name} TEXT")
    talk = hermes_sessions.Talk(2, **about)
    talk.prompt(FIRST)
    events, _ = hermes_sessions.read(talk, tmp_path)
    assert to_local(events) == {SECOND: False, FIRST: local}


def test_aider_says_which_model_it_speaks_to(tmp_path: Path) -> None:
    project = aider_chats.Project(tmp_path)
    project.start()
    project.prompt(SECOND)
    project.reply("Done.")
    project.tell("Main model: ollama_chat/qwen2.5-coder:32b with whole edit format")
    project.prompt(FIRST)
    project.reply("Done.")
    project.start()
    project.prompt("Count the years.")
    project.save()
    events, _ = read_all(Aider(Path("/nowhere"), {}), tmp_path)
    assert to_local(events) == {SECOND: False, FIRST: True, "Count the years.": False}
