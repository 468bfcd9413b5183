"""Typed requests to wisen in a language that the user added: answered by the hook, confirmed by the log."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.commands import run
from tests.hooks import fire, write_lesson_sessions
from wisen.feedback.language import format_language, merge, read_language
from wisen.feedback.language_requests import build_request_table
from wisen.kernel.request_hints import recall_query
from wisen.kernel.request_reading import phrase_request, read_request
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.requirement("C2", "N8")

DUTCH = """
code = "nl"
name = "Dutch"
[requests]
learnt = ["wat heb je [van mij] geleerd"]
approve = ["keur {n} goed"]
forget = ["vergeet {what}"]
for_agent = ["vergeet (het|dat)"]
yes = ["ja"]
before = ["de", "het", "alles", "over", "regel"]
recall = ["wat hebben wij"]
[requests.scopes]
global = ["globaal"]
[requests.say]
approve = "keur {n} goed"
"""
THAI = """
code = "th"
name = "Thai"
[requests]
spaced = false
forget = ["ลืม{what}"]
"""


@pytest.fixture
def project(home: Path) -> Path:
    """A project with a lesson, and a language of the user's."""
    folder = home / "shop"
    write_lesson_sessions(home, folder)
    file = home / "wisen" / "languages" / "nl.toml"
    file.parent.mkdir(parents=True)
    file.write_text(DUTCH, encoding="utf-8")
    run("cycle", "--quick")
    return folder


def typed(home: Path, project: Path, text: str, *, logged: str) -> str:
    """What the hook tells of a prompt; the agent's log shows another one where they differ."""
    log = ClaudeTranscript(7, cwd=str(project), start=datetime.now(UTC))
    log.prompt(logged)
    log.bash("ls")
    log.write(home / ".claude" / "projects" / "shop")
    return fire(home / "wisen", "prompt", {"session_id": log.session, "cwd": str(project), "prompt": text})


def test_what_was_learnt_is_delivered_by_the_hook(home: Path, project: Path) -> None:
    asked = {"session_id": "s", "cwd": str(project)}
    assert "pnpm instead of npm" in fire(home / "wisen", "prompt", {**asked, "prompt": "Wat heb je van mij geleerd?"})
    assert "Noted" in fire(home / "wisen", "prompt", {**asked, "prompt": "keur 1 goed"})
    assert fire(home / "wisen", "prompt", {**asked, "prompt": "vergeet het"}) == "", "it is meant for the agent"
    assert "pnpm instead of npm" in fire(home / "wisen", "prompt", {**asked, "prompt": "what did you learn?"})


def test_what_is_to_be_forgotten_is_borne_out_by_the_log_in_the_cycle(home: Path, project: Path) -> None:
    delivered = typed(home, project, "vergeet alles over pnpm", logged="vergeet alles over pnpm")
    assert "Noted" in delivered
    (done,) = json.loads(run("cycle", "--quick", "--json").stdout)["answered"]
    assert done.startswith("forgotten for good: ")
    entries = json.loads(run("entries", "list", "--all", "--json").stdout)["entries"]
    assert not any("pnpm" in each["text"] for each in entries)


@pytest.mark.parametrize("words", ["keur 1 goed", "vergeet pnpm"])
def test_what_the_log_does_not_show_is_not_done(home: Path, project: Path, words: str) -> None:
    typed(home, project, words, logged="maak een knop")
    assert json.loads(run("cycle", "--quick", "--json").stdout)["answered"] == []


def test_without_its_file_such_a_message_is_for_the_agent(home: Path, project: Path) -> None:
    (home / "wisen" / "languages" / "nl.toml").unlink()
    run("cycle", "--quick")
    asked = {"session_id": "t", "cwd": str(project), "prompt": "wat heb je geleerd"}
    assert fire(home / "wisen", "prompt", asked) == ""


def test_forms_by_which_nothing_can_be_read_are_reported_with_their_file(home: Path, project: Path) -> None:
    broken = home / "wisen" / "languages" / "nl.toml"
    broken.write_text(DUTCH.replace('"keur {n} goed"]', '"keur goed"]'), encoding="utf-8")
    output = "".join(run("learn").stdout.split())
    assert "[requests]:approveholds'keurgoed'" in output
    asked = {"session_id": "u", "cwd": str(project), "prompt": "what did you learn"}
    run("cycle", "--quick")
    assert "pnpm instead of npm" in fire(home / "wisen", "prompt", asked), "the rest goes on"


def test_a_file_extends_or_replaces_what_is_shipped_and_without_forms_changes_nothing() -> None:
    german = 'code = "de"\nname = "German"\n'
    shipped = read_request("vergiss pnpm", build_request_table([]))
    assert (shipped.kind, shipped.language) == ("forget", "de")
    more = read_language(german + 'extends = true\n[requests]\nforget = ["streich {what}"]\n', "de.toml")
    table = build_request_table([more])
    assert read_request("vergiss pnpm", table).kind == read_request("streich pnpm", table).kind == "forget"
    other = read_language(german + '[requests]\nforget = ["streich {what}"]\n', "de.toml")
    assert read_request("vergiss pnpm", build_request_table([other])).kind == ""
    assert build_request_table([read_language(german, "de.toml")]) is build_request_table([])


def test_chat_forms_are_written_read_and_joined_as_they_are() -> None:
    thai, dutch = read_language(THAI, "th.toml"), read_language(DUTCH, "nl.toml")
    for language in (thai, dutch):
        assert read_language(format_language(language), "x") == language
        assert (
            merge(language, read_language(f'code = "{language.code}"\nname = "x"\n', "x")).requests == language.requests
        )
    table = build_request_table([thai, dutch])
    assert read_request("ลืมpnpm", table).subject == "pnpm"
    assert read_request("vergeet pnpm globaal", table).scope == "global"
    assert phrase_request(table, "nl", "approve", n="3") == "keur 3 goed"
    assert recall_query("wat hebben wij over de cache besloten", table) is not None
