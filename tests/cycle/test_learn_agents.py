"""One command learns from the sessions of every agent: a correction, and the fix of a failing call."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import wisen
from tests.agents import hermes_sessions
from tests.agents.gemini_chats import Chat
from tests.agents.opencode_sessions import Talk
from tests.agents.openhands_events import Conversation
from wisen.model.signal import SignalKind

pytestmark = [pytest.mark.requirement("F1"), pytest.mark.requirement("S19")]


def gemini_cli(home: Path, number: int) -> None:
    chat = Chat(number)
    chat.prompt("run the tests")
    chat.shell("npm test", "npm error use pnpm", 1)
    chat.shell("pnpm test", "ok")
    chat.prompt("no, don't use npm here, use pnpm instead")
    chat.say("You're right, I should have used pnpm.")
    chat.write(home)


def opencode(home: Path, number: int) -> None:
    talk = Talk(number)
    talk.prompt("run the tests")
    talk.shell("npm test", "npm error use pnpm", 1)
    talk.shell("pnpm test", "ok")
    talk.prompt("no, don't use npm here, use pnpm instead")
    talk.say("You're right, I should have used pnpm.")
    talk.save(home)


def hermes(home: Path, number: int) -> None:
    talk = hermes_sessions.Talk(number)
    talk.prompt("run the tests")
    talk.shell("npm test", "npm error use pnpm", 1)
    talk.shell("pnpm test", "ok")
    talk.prompt("no, don't use npm here, use pnpm instead")
    talk.say("You're right, I should have used pnpm.")
    talk.save(home)


def openhands(home: Path, number: int) -> None:
    talk = Conversation(number, home / ".openhands" / "conversations")
    talk.prompt("run the tests")
    talk.shell("npm test", "npm error use pnpm", 1)
    talk.shell("pnpm test", "ok")
    talk.prompt("no, don't use npm here, use pnpm instead")
    talk.say("You're right, I should have used pnpm.")
    talk.save()


WRITERS = {"gemini-cli": gemini_cli, "opencode": opencode, "hermes": hermes, "openhands": openhands}


@pytest.mark.parametrize(("agent", "write"), WRITERS.items())
def test_a_correction_and_a_fix_are_learnt_from(agent: str, write: Callable[[Path, int], None], home: Path) -> None:
    for number in (1, 2, 3):
        write(home, number)
    with wisen.open_learner() as learner:
        report = learner.learn()
        again = learner.learn()
    assert report.troubles == ()
    assert {name for name, found in report.found.items() if found} == {agent}
    assert (report.counts.sessions, report.counts.typed_turns) == (3, 6)
    (kind,) = report.failures
    assert (kind.signature.description, kind.calls, kind.sessions) == ("npm: npm error use pnpm", 3, 3)
    (fix,) = report.fixes
    assert (fix.change.removed, fix.change.added, fix.sessions) == (("npm",), ("pnpm",), 3)
    assert report.signals[SignalKind.CORRECTION] == 3
    (theme,) = report.themes
    assert "use pnpm" in repr(theme)
    assert (again.new_events, again.read_bytes) == (0, 0)
