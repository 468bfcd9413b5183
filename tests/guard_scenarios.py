"""Sessions with a failed call and its fix, and the hook payload of a shell call, for tests of guards."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from wisen import app
from wisen.testing.transcripts import ClaudeTranscript

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime
    from pathlib import Path

    from wisen.learner import Learner

WRONG, RIGHT = "shopctl count --everything", "shopctl count"
ERROR_OUTPUT = "shopctl: error: unrecognized arguments: --everything"
WATCH = f"shell: {WRONG}"


def record_fixed_failures(home: Path, project: Path, numbers: Iterable[int], *, start: datetime | None = None) -> None:
    """Write sessions in which the same call failed, and then worked without one of its arguments."""
    project.mkdir(exist_ok=True)
    for number in numbers:
        log = ClaudeTranscript(number, cwd=str(project), start=start)
        log.prompt("count the pears")
        log.bash(WRONG, ERROR_OUTPUT, exit_code=2)
        log.bash(RIGHT, "7")
        log.write(home / ".claude" / "projects" / project.name)


def shell_call(command: str, cwd: Path, *, session: str = "s", number: str = "t1") -> dict[str, object]:
    """The payload of a shell call before it is made, as Claude Code sends it."""
    fields = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": number}
    return {"session_id": session, "cwd": str(cwd), "hook_event_name": "PreToolUse", **fields}


@contextmanager
def open_learner(home: Path) -> Iterator[Learner]:
    """Open a learner as a program does."""
    with app.wire(home / "wisen").learner() as learner:
        yield learner
