"""Forgetting and the off switches in the real Claude Code: what is forgotten is gone, what is off is not recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.agents.scripted_model import Turn
from tests.agents.test_live_claude_code import SCRIPT, World, a_world
from tests.planted_secrets import find_residues

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.needs("claude-code"), pytest.mark.requirement("N8")]

WORD = "quickbeamux"
SAID = f"No, not pip. Always use {WORD} for packages, never pip."


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.setitem(SCRIPT, f"forget {WORD}", [Turn("I tell you what wisen says.")])
    monkeypatch.setitem(SCRIPT, "memory stats", [Turn("These are they.")])
    with a_world(tmp_path) as world:
        world.wisen("install", "claude-code")
        yield world
        world.wisen("uninstall", "claude-code")
        assert world.outside == []


def _newest(world: World) -> str:
    return max(world.client.transcripts(), key=lambda path: path.stat().st_mtime_ns).stem


def test_what_is_typed_is_gone_by_bytes_and_from_the_next_sessions_request(world: World) -> None:
    world.asked("make the environment")
    world.asked(SAID, "--resume", _newest(world))
    world.cycle()
    before = next(request for request in world.asked("say hello") if "say hello" in request)
    assert WORD in before
    session = _newest(world)
    unasked = world.asked(f"yes forget {WORD}", "--resume", session)[-1]
    assert "answers no pending question" in unasked[unasked.rindex("<wisen") :]
    world.cycle()
    assert find_residues(world.home, [WORD]), "a yes to no question is none"
    delivered = world.asked(f"forget {WORD}", "--resume", session)[-1]
    answer = delivered[delivered.rindex("<wisen") :]
    assert "Noted" in answer
    assert f"yes forget {WORD} everywhere" in answer, "it is asked about the rest"
    assert "R-" in answer, "what goes, with its source"
    world.cycle()
    world.cycle()
    assert find_residues(world.home, [WORD]) == {}
    after = next(request for request in world.asked("say hello") if "say hello" in request)
    assert WORD not in after
    world.wisen("learn", "--recheck")
    assert find_residues(world.home, [WORD]) == {}


def test_memory_stats_are_shown(world: World) -> None:
    world.asked("From now on always write dates as year, month, day.")
    world.cycle()
    assert "this project (" in (delivered := world.asked("memory stats")[-1])
    assert "last update: " in delivered


@pytest.mark.parametrize("switch", ["session", "marker"])
def test_a_session_that_is_off_is_told_nothing_and_leaves_nothing(world: World, switch: str) -> None:
    world.asked("From now on always write dates as year, month, day.")
    world.cycle()
    assert any("year, month" in request for request in world.asked("say hello"))
    world.cycle()
    marker = world.client.project / ".wisen-off"
    if switch == "session":
        world.client.environment["WISEN_OFF"] = "1"
    else:
        world.wisen("off")
    requests = world.asked(SAID)
    assert not any("<wisen" in request for request in requests)
    world.client.environment.pop("WISEN_OFF", None)
    world.cycle()
    world.wisen("learn", "--recheck")
    assert find_residues(world.home, [WORD]) == {}
    marker.unlink(missing_ok=True)
    assert any("year, month" in request for request in world.asked("say hello")), "others are told as ever"
