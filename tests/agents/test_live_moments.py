"""Lessons for a moment in the real Claude Code and Codex: they reach the model's request next to the call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.agents import test_live_claude_code as claude
from tests.agents import test_live_codex as codex
from tests.agents.scripted_model import Turn, Use
from wisen.testing.transcripts import ClaudeTranscript

if TYPE_CHECKING:
    from pathlib import Path

QUOTE = "before the pears are counted"
COMMAND = "python3 pears.py count --all"
TOLD = f'after you ran "{COMMAND}", the user said: "'


def refused(home: Path, project: Path) -> None:
    """An earlier session in which the user refused the call and said why."""
    log = ClaudeTranscript(1, cwd=str(project))
    log.prompt("get going")
    log.reject(log.call("Bash", command=COMMAND), f"no, that's wrong: ask me {QUOTE}")
    log.bash("ls")
    log.write(home / ".claude" / "projects" / "earlier")


def came_beside_the_call(requests: list[str]) -> bool:
    """Whether the lesson was in no request before the call, and in the next one."""
    first, *_, last = [each for each in requests if "do the harvest" in each]
    return TOLD not in first and TOLD in last and QUOTE in last[last.index(TOLD) :]


@pytest.mark.needs("claude-code")
@pytest.mark.requirement("N5")
def test_what_the_user_said_to_a_refused_call_reaches_claude_code_beside_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use = Use("Bash", {"command": COMMAND, "description": "Count"})
    monkeypatch.setitem(claude.SCRIPT, "do the harvest", [Turn("", (use,)), Turn("Done.")])
    with claude.a_world(tmp_path) as world:
        world.client.environment["WISEN_DELIVER_MOMENTS"] = "2"
        refused(world.client.home, world.client.project)
        world.wisen("install", "claude-code")
        world.cycle()
        assert came_beside_the_call(world.asked("do the harvest"))


@pytest.mark.needs("codex")
@pytest.mark.requirement("N5")
def test_what_the_user_said_to_a_refused_call_reaches_codex_beside_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use = Use("exec_command", {"cmd": COMMAND})
    monkeypatch.setitem(codex.SCRIPT, "do the harvest", [Turn("", (use,)), Turn("Done.")])
    with codex.a_world(tmp_path) as world:
        world.client.environment["WISEN_DELIVER_MOMENTS"] = "2"
        refused(world.client.home, world.client.project)
        world.wisen("install", "codex")
        world.trust()
        world.cycle()
        assert came_beside_the_call(world.asked("do the harvest"))
