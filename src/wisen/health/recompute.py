"""Works out every total again from all sessions, and compares it with what was kept from run to run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.model.report import Report
    from wisen.store.home import Home

_COMPARED = ("counts", "failures", "fixes", "undecided", "signals", "themes", "proposals")


class Recomputed(NamedTuple):
    """The result of working everything out again."""

    sessions: int
    differences: tuple[str, ...]
    """The parts of the report that are different now; empty if all are as they were."""
    recorded: bool
    """Whether something was recorded in the ledger that was not there."""


def recompute(home: Home, learn: Callable[[], Report]) -> Recomputed:
    """Mine every session again, drop all totals, learn, and compare. What is new in the logs is learned first."""
    before, mark = learn(), home.ledger.mark()
    sessions = home.index.folds.changed_sessions(0)
    home.index.findings.mine_again(sessions)
    home.index.folds.clear()
    after = learn()
    differences = tuple(name for name in _COMPARED if getattr(before, name) != getattr(after, name))
    return Recomputed(after.counts.sessions, differences, home.ledger.mark() != mark)
