"""Splitting entries that were merged automatically, by session or occurrence, permanently."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.commands import run
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.requirement("S2")

SAID = ("no, use pnpm, not npm", "again: please use pnpm here, not npm", "I told you to use pnpm, not npm")


def say(home: Path, number: int, words: str) -> None:
    project = home / "shop"
    project.mkdir(exist_ok=True)
    s = ClaudeTranscript(number, cwd=str(project), start=datetime(2026, 3, 1, 8 + number, 0, tzinfo=UTC))
    s.prompt("run the tests")
    s.bash("npm test", "npm error use pnpm", exit_code=1)
    s.prompt(words)
    s.write(home / ".claude" / "projects" / "p")


def entries() -> dict[str, tuple[str, int]]:
    found = json.loads(run("entries", "list", "--all", "--json").stdout)["entries"]
    return {each["name"]: (each["text"], each["sessions"]) for each in found}


def seen_of(name: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads(run("entries", "show", name, "--json").stdout)["occurrences"]
    return found


@pytest.fixture
def entry(home: Path) -> str:
    """An entry that three sessions were joined in."""
    for number, words in enumerate(SAID, 1):
        say(home, number, words)
    run("learn")
    ((name, (_, sessions)),) = entries().items()
    assert sessions == 3
    return name


def test_a_session_is_taken_out_and_stays_out(home: Path, entry: str) -> None:
    session = seen_of(entry)[1]["session"]
    again = ("entries", "split", entry, "--seen", session, "--text", "In the shop pnpm is pinned.")
    assert "Would be LRN-" in run(*again, "--dry-run").stdout
    assert len(entries()) == 1
    run(*again)
    parts = entries()
    assert sorted(parts.values()) == [("In the shop pnpm is pinned.", 1), (SAID[0], 2)]
    other = next(name for name in parts if name != entry)
    assert [each["session"] for each in seen_of(other)] == [session]
    assert json.loads(run("entries", "show", other, "--json").stdout)["details"] == f"Taken out of {entry}."
    run("learn", "--recheck")
    assert entries() == parts
    say(home, 4, "I told you to use pnpm, not npm")
    run("learn")
    assert entries() == parts | {entry: (SAID[0], 3)}


def test_an_occurrence_is_taken_out_by_its_id_and_keeps_its_words(home: Path, entry: str) -> None:
    run("entries", "split", entry, "--seen", seen_of(entry)[2]["id"], "--json")
    assert sorted(entries().values()) == [(SAID[2], 1), (SAID[0], 2)]
    say(home, 4, SAID[2])
    run("learn")
    assert sorted(entries().values()) == [(SAID[2], 2), (SAID[0], 2)]


def test_what_cannot_be_removed_is_reported(home: Path, entry: str) -> None:
    assert "was not seen in 'nowhere'" in run("entries", "split", entry, "--seen", "nowhere", expect=1).stderr
    every = [part for each in seen_of(entry) for part in ("--seen", each["id"])]
    assert "Nothing of" in run("entries", "split", entry, *every, expect=1).stderr
    assert "is not merged into another lesson" in run("entries", "split", entry, expect=1).stderr
    assert len(entries()) == 1
