"""Session outcomes are counted by project and period, recent days next to earlier ones."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

import wisen
from wisen.errors import UsageError
from wisen.testing.transcripts import ClaudeTranscript

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.requirement("S14")


def _session(home: Path, number: int, project: Path, days_ago: int) -> None:
    log = ClaudeTranscript(number, cwd=str(project), start=datetime.now(UTC) - timedelta(days=days_ago))
    log.prompt("list the pears")
    log.bash("ls pears", "ls: no such file", exit_code=2)
    if days_ago > 10:
        log.prompt("No, that's wrong. I told you to use find, not ls.")
        log.reject(log.call("Bash", command="ls"))
    log.bash("find . -name pears", "./pears")
    log.write(home / ".claude" / "projects" / f"p{number}")


def test_the_last_days_stand_beside_as_many_before_them(home: Path) -> None:
    shop, barn = home / "shop", home / "barn"
    for folder in (shop, barn):
        folder.mkdir()
    _session(home, 1, shop, 12)
    _session(home, 2, shop, 3)
    _session(home, 3, barn, 3)
    with wisen.open_learner() as learner:
        learner.learn()
        late, early = learner.praise.scores(shop, days=10)
        assert (late.sessions, late.typed_turns, late.calls, late.failed, late.rejected) == (1, 1, 2, 1, 0)
        assert (early.sessions, early.typed_turns, early.calls, early.failed, early.rejected) == (1, 2, 3, 1, 1)
        assert (late.corrections, early.corrections) == (0, 1)
        assert (late.failure_rate, early.correction_rate) == (0.5, 0.5)
        with pytest.raises(UsageError, match="0 days"):
            learner.praise.scores(shop, days=0)
        with pytest.raises(UsageError, match="No session was read"):
            learner.praise.scores(home / "meadow")
