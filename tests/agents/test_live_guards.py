"""Guards in the real Claude Code: a known mistake is stopped before the call, and shadow mode changes nothing."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.agents.abilities import shows
from tests.agents.scripted_model import Turn, Use
from tests.agents.test_live_claude_code import SCRIPT, World, a_world

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.needs("claude-code")

WRONG, RIGHT = "python3 count.py --everything", "python3 count.py"


@pytest.fixture(autouse=True)
def _script(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that makes the mistake, and then does what it is told."""
    count = [Turn("", (_bash(WRONG),)), Turn("", (_bash(RIGHT),)), Turn("Counted.")]
    monkeypatch.setitem(SCRIPT, "count the pears", count)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with a_world(tmp_path) as world:
        world.wisen("install", "claude-code")
        before = world.settings.read_bytes()
        yield world
        for each in _guards(world):
            world.wisen("guards", "remove", each["id"])
        assert world.settings.read_bytes() == before, "without guards nothing is called before calls"
        world.wisen("uninstall", "claude-code")
        assert not world.settings.exists()
        assert world.outside == []


def _bash(command: str) -> Use:
    return Use("Bash", {"command": command, "description": "Run it"})


def _denial(world: World) -> str:
    """What the log of the newest session shows, and the user with it, as the result of the call that was stopped."""
    newest = max(world.client.transcripts(), key=lambda path: path.stat().st_mtime)
    results = [
        block
        for line in newest.read_text().splitlines()
        for block in _blocks(json.loads(line))
        if block.get("type") == "tool_result" and block.get("is_error")
    ]
    return str(results[-1]["content"])


def _blocks(record: dict[str, Any]) -> list[dict[str, Any]]:
    content = (record.get("message") or {}).get("content")
    return [each for each in content if isinstance(each, dict)] if isinstance(content, list) else []


def _guards(world: World) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(world.wisen("guards", "list", "--all", "--json"))["guards"]
    return found


def _shown(world: World) -> dict[str, Any]:
    """The only guard, with what it decided, once the log was read."""
    world.cycle()
    (guard,) = _guards(world)
    shown: dict[str, Any] = json.loads(world.wisen("guards", "show", guard["id"], "--json"))
    return shown


@pytest.mark.requirement("F6", "F4", "X2")
@shows("claude-code", "deny")
def test_what_failed_and_was_fixed_three_times_is_stopped_the_fourth_time(world: World) -> None:
    for _ in range(3):
        world.asked("count the pears")
    world.cycle()
    (proposal,) = json.loads(world.wisen("proposals", "--json"))["proposals"]
    assert (proposal["type"], proposal["sessions"], proposal["backtest"]["good"]) == ("guard", 3, 0)
    assert proposal["text"].startswith(f"warn shell: {WRONG} -> {RIGHT}")
    (shadow,) = _guards(world)
    assert shadow["mode"] == "shadow"
    world.wisen("proposals", "approve", proposal["id"], "--text", proposal["text"].replace("warn", "deny", 1))
    requests = world.asked("count the pears")
    delivered = requests[-1][requests[-1].rindex("count the pears") :]
    assert "unrecognized arguments" not in delivered, "the bad call was made"
    assert f"Instead: {RIGHT}" in delivered
    begins = _denial(world)
    assert "A guard of the user's stops this call: " in begins.split("<wisen51902")[0].splitlines()[0], "what is read"
    assert re.search(r"overrule G-[0-9a-f]{8}\n<wisen51902-[0-9a-f]{16} \d/>", begins), "the mark comes last"
    assert not re.search(r"(?:warn|deny) shell: | -> ", begins), "no raw guard"
    assert delivered.index("Instead:") < delivered.index("\n7\n"), "the better call was not made, or did not succeed"
    shown = _shown(world)
    assert shown["fared"]["stopped"] == 1
    assert [(each["arm"], each["mode"], each["status"]) for each in shown["log"]] == [("given", "deny", "cancelled")]
    world.cycle()
    (failure,) = json.loads(world.wisen("fixes", "--all", "--json"))["fixes"]
    assert failure["calls"] == 3, "a call that was stopped counts as no failure"


@pytest.mark.requirement("F4")
def test_in_shadow_nothing_is_changed_and_the_log_shows_what_would_have_been(world: World) -> None:
    with (world.home / "config.toml").open("a") as config:
        config.write(
            "[deliver]\nfix_sessions = 9\n"
        )  # else the second session is told the fix that the first one taught
    plain = [_from_prompt(each) for each in world.asked("count the pears")]
    world.wisen("guards", "add", f"deny {WRONG} -> {RIGHT} # no such option", "--shadow")
    assert [_from_prompt(each) for each in world.asked("count the pears")] == plain
    shown = _shown(world)
    assert shown["fared"] == {
        "decisions": 1, "sessions": 1, "failed": 1, "went_well": 0, "stopped": 0, "open": 0, "overruled": 0,
    }  # fmt: skip
    (logged,) = shown["log"]
    assert (logged["arm"], logged["mode"], logged["status"]) == ("withheld", "deny", "failed")
    assert WRONG in logged["arguments"]


@shows("claude-code", "warn")
def test_a_warning_lets_the_call_pass_and_is_said_once_in_a_session(world: World) -> None:
    world.wisen("guards", "add", f"warn {WRONG} -> {RIGHT} # no such option")
    last = world.asked("count the pears")[-1]
    assert "unrecognized arguments" in last
    assert last.count("warns about this call") == 1
    assert last.count(f"Instead: {RIGHT}") == 1
    world.asked("count the pears", "--resume", world.client.transcripts()[0].stem)
    assert [each["mode"] for each in _shown(world)["log"]] == ["warn"]


@pytest.mark.requirement("F6")
def test_a_file_that_must_not_be_touched_is_not_written(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    file = world.client.project / "migrations" / "0001.sql"
    write = Use("Write", {"file_path": str(file), "content": "DROP TABLE shops;"})
    monkeypatch.setitem(SCRIPT, "mend the migration", [Turn("", (write,)), Turn("Done.")])
    world.wisen("guards", "add", "deny edit: migrations/** # they were applied already")
    last = world.asked("mend the migration", "--permission-mode", "acceptEdits")[-1]
    assert "they were applied already" in last
    assert not file.exists()
    (guard,) = _guards(world)
    world.wisen("guards", "disable", guard["id"])
    world.asked("mend the migration", "--permission-mode", "acceptEdits")
    assert file.read_text() == "DROP TABLE shops;", "without the guard it is written"


@pytest.mark.requirement("F6")
def test_who_types_overrule_has_their_way_in_that_session(world: World) -> None:
    world.wisen("guards", "add", f"deny {WRONG} -> {RIGHT} # no such option")
    (guard,) = _guards(world)
    world.asked("count the pears")
    session = world.client.transcripts()[0].stem
    world.asked(f"overrule {guard['id']}", "--resume", session)
    again = world.asked("count the pears", "--resume", session)[-1]
    assert "unrecognized arguments" in again[again.rindex("count the pears") :]
    assert _shown(world)["fared"]["overruled"] == 1


def _from_prompt(request: str) -> str:
    """What a request says from the prompt on, without what is made by chance or tells the time."""
    delivered = request[request.rindex("count the pears") :] if "count the pears" in request else ""
    return re.sub(r"toolu_\w+|\d{4}-\d\d-\d\d", "", delivered)
