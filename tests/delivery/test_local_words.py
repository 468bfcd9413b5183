"""What was typed to a local model is not delivered to other agents, unless the user allows it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.agents import codex_rollouts, openclaw_sessions
from tests.commands import run
from tests.hooks import fire
from wisen import app
from wisen.feedback import open_turns
from wisen.surfaces.mcp.tool_answers import ToolAnswers
from wisen.surfaces.mcp.tool_arguments import Context, Explain, Forget, Proposals, Recall, Rules

SAID = "From now on always name the ledger after the Quince account."
KEPT = "From now on always write dates as year, month and day."


@pytest.fixture
def project(home: Path) -> Path:
    folder = home / "books"
    folder.mkdir()
    return folder


def codex(home: Path, project: Path, number: int, provider: str, *message: str) -> None:
    """A thread of Codex with a provider."""
    log = codex_rollouts.Rollout(number, cwd=str(project), meta={"model_provider": provider})
    for text in message:
        log.prompt(text)
        log.shell("make books")
    log.write(home)


def openclaw(home: Path, project: Path, number: int, provider: str, *message: str) -> None:
    """A session of OpenClaw with a provider."""
    log = openclaw_sessions.Transcript(number, version=4, cwd=str(project))
    log.entry("model_change", provider=provider, modelId="some-model")
    for text in message:
        log.prompt(text)
        log.shell("make books")
    openclaw_sessions.Database(home).save(log, f"agent:main:{number}")


def allow(home: Path) -> None:
    """The user's word, once."""
    (home / "wisen" / "config.toml").write_text("[deliver]\nlocal_words = true\n")


def start(home: Path, project: Path, session: str, agent: str = "") -> str:
    event = {"session_id": session, "cwd": str(project), "source": "startup"}
    return fire(home / "wisen", "session-start", event, agent=agent)


def recalled(home: Path, project: Path, session: str, question: str) -> str:
    event = {"session_id": session, "cwd": str(project), "prompt": question}
    return fire(home / "wisen", "prompt", event)


@pytest.mark.parametrize("write", [codex, openclaw])
@pytest.mark.requirement("X7")
def test_words_for_a_local_model_are_delivered_to_agents_only_when_the_user_allows_it(
    home: Path, project: Path, write: object
) -> None:
    assert callable(write)
    write(home, project, 1, "ollama", SAID)
    write(home, project, 2, "openai", KEPT)
    run("cycle", "--quick")
    delivered = start(home, project, "a")
    assert "year, month and day" in delivered
    assert "Quince" not in delivered
    for question in (
        "what did I say about the Quince ledger?",
        "之前说过什么 Quince",
        "what did you learn?",
        "show my rules",
    ):
        assert "Quince" not in recalled(home, project, f"r{question[:6]}", question)
    answers = ToolAnswers(start=project)
    for name, call in (
        ("recall", Recall(question="Quince ledger")),
        ("context", Context(task="name the ledger of the Quince account")),
        ("rules", Rules()),
        ("proposals", Proposals()),
        ("forget", Forget(what="Quince")),
    ):
        assert "Quince account" not in json.dumps(answers.answer(name, call, "claude-code")), name
    shown = run("recall", "Quince ledger", cwd=project).stdout
    assert "Quince" in shown, "the user finds what they said"
    allow(home)
    run("cycle", "--quick")
    assert "Quince" in start(home, project, "b")
    assert "Quince" in recalled(home, project, "s", "what did I say about the Quince ledger?")
    for name, call in (("recall", Recall(question="Quince ledger")), ("forget", Forget(what="Quince"))):
        assert "Quince account" in json.dumps(answers.answer(name, call, "claude-code"))


@pytest.mark.requirement("X7")
def test_what_is_said_to_a_hosted_model_as_well_is_delivered_as_it_was_said_there(home: Path, project: Path) -> None:
    codex(home, project, 1, "ollama", SAID)
    run("cycle", "--quick")
    assert start(home, project, "a") == ""
    again = "Always name the ledger after the Quince account, from now on."
    codex(home, project, 2, "openai", again)
    run("cycle", "--quick")
    delivered = start(home, project, "b")
    assert again in delivered
    assert SAID not in delivered
    with app.wire().open_for_queries() as learner:
        (state,) = learner.lessons.all()
        assert (state.local, state.text) == (False, again)
    delivered = json.dumps(ToolAnswers(start=project).answer("explain", Explain(id=state.entry.name), "claude-code"))
    assert again in delivered
    assert SAID not in delivered


def test_the_user_sees_why_it_is_not_delivered_and_what_changes_that(home: Path, project: Path) -> None:
    codex(home, project, 1, "ollama", SAID)
    run("cycle", "--quick")
    why = "Not delivered to agents: you typed it to a local model only."
    with app.wire().open_for_queries() as learner:
        (state,) = learner.lessons.all()
        assert (state.local, state.is_private) == (True, True)
        name = state.entry.name
    assert why in " ".join(run("entries", "show", name).stdout.split())
    assert why in " ".join(run("learned", cwd=project).stdout.split())
    assert "1 lesson was typed to local models only" in run("status").stdout
    with pytest.raises(Exception, match="Nothing here has the id"):
        ToolAnswers(start=project).answer("explain", Explain(id=name), "claude-code")
    allow(home)
    assert why not in " ".join(run("entries", "show", name).stdout.split())
    assert "typed to local models only" not in run("status").stdout


def test_a_rule_that_a_person_approves_is_delivered_to_everybody(home: Path, project: Path) -> None:
    codex(home, project, 1, "ollama", SAID)
    run("cycle", "--quick")
    with app.wire().open_for_queries() as learner:
        (waiting,) = [each.proposal for each in learner.proposals.all() if each.is_waiting]
    run("proposals", "approve", waiting.id)
    with app.wire().open_for_queries() as learner:
        (state,) = learner.lessons.all()
        assert (state.local, state.is_private) == (True, False)
    assert any("Quince" in path.read_text() for path in project.glob("*.md"))


@pytest.mark.requirement("X7")
def test_agents_are_not_asked_about_turns_that_were_typed_to_a_local_model(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_turns, "is_worth_asking", lambda delivered, model: bool(delivered.text and model))
    doubtful = "hm, the Quince column looks odd, the other way round maybe"
    plain = "hm, the Pear column looks odd, the other way round maybe"
    codex(home, project, 1, "ollama", "count the books", doubtful)
    codex(home, project, 2, "openai", "count the pens", plain)
    (home / "wisen").mkdir(exist_ok=True)
    (home / "wisen" / "config.toml").write_text("[feedback]\npointing = true\n")
    run("cycle", "--quick")
    with app.wire().open_for_queries() as learner:
        texts = [each.text for each in learner.feedback.settlement.open_turns()]
    assert plain in texts, "such a turn is in doubt"
    assert doubtful not in texts
    (home / "wisen" / "config.toml").write_text("[feedback]\npointing = true\n[deliver]\nlocal_words = true\n")
    with app.wire().open_for_queries() as learner:
        assert doubtful in [each.text for each in learner.feedback.settlement.open_turns()]
