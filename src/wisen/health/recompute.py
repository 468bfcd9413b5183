"""Works out every total again from all sessions, and compares it with what was kept from run to run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.model.entry import Actor

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.model.report import Report
    from wisen.store.home import Home

_COMPARED = ("counts", "failures", "fixes", "signals")
_DECIDED = ("undecided", "themes", "proposals")
"""Parts of the report that also depend on what the user decided."""


class Recomputed(NamedTuple):
    """The result of working everything out again."""

    sessions: int
    differences: tuple[str, ...]
    """The parts of the report that are different now; empty if all are as they were."""
    recorded: bool
    """Whether something was recorded in the ledger that was not there."""
    decided: bool = False
    """Whether a person or another process recorded something meanwhile, so that lessons cannot be compared."""
    forgotten: bool = False
    """Whether something was forgotten meanwhile: then nothing was compared."""


def recompute(home: Home, learn: Callable[[], Report]) -> Recomputed:
    """Mine every session again, drop all totals, learn, and compare. What is new in the logs is learned first."""
    before, mark, moves = learn(), home.ledger.mark(), home.ledger.moves.all()
    tombstones = home.ledger.tombstones.all_keys()
    sessions = home.index.folds.changed_sessions(0)
    home.index.findings.mine_again(sessions)
    home.index.folds.clear()
    between = home.ledger.mark()
    after = learn()
    known = {each.id for each in moves}
    forgotten = home.ledger.tombstones.all_keys() != tombstones
    has_new_moves = any(each.by is Actor.USER and each.id not in known for each in home.ledger.moves.all())
    decided = has_new_moves or between != mark
    # What was forgotten meanwhile is counted no more.
    compared = () if forgotten else _COMPARED if decided else (*_COMPARED, *_DECIDED)
    differences = tuple(name for name in compared if getattr(before, name) != getattr(after, name))
    return Recomputed(after.counts.sessions, differences, home.ledger.mark() != mark, decided, forgotten)
