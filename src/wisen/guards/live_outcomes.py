"""Counts what became of the calls that guards decided about, according to the agents' own logs."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from wisen.model.entry import MoveKind
from wisen.model.event import Status
from wisen.model.exposure import Arm
from wisen.model.guard import GuardStats, Mode

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from wisen.model.entry import Move
    from wisen.model.exposure import Exposure
    from wisen.model.history import History, Step

CALL_WINDOW = timedelta(hours=1)
"""How long before the hook's record of it a call may have been logged."""


def calls_by_id(histories: Iterable[History]) -> dict[tuple[str, str], Step]:
    """Return every call by agent and call id."""
    return {(history.agent, step.call): step for history in histories for step in history.steps}


def count_outcomes(
    exposures: Sequence[Exposure], calls: Mapping[tuple[str, str], Step], moves: Iterable[Move], since: datetime
) -> GuardStats:
    """Count what became of the calls that a guard decided about.

    It was overruled where the user said so, or allowed a call that it asked about, since its mode was last set.
    """
    overruled = sum(move.kind is MoveKind.OVERRULE and move.at >= since for move in moves)
    failed = succeeded = stopped = not_run = 0
    for each in exposures:
        step = calls.get((each.agent, each.call or ""))
        status = step.status if step is not None else None
        ran = status in (Status.OK, Status.FAILED, Status.MASKED)
        if each.mode == Mode.DENY and each.arm is Arm.GIVEN:
            stopped += 1
        elif not ran:
            not_run += 1
        elif status is Status.OK:
            succeeded += 1
        else:
            failed += 1
        if each.mode == Mode.ASK and each.arm is Arm.GIVEN and ran and each.at >= since:
            overruled += 1
    return GuardStats(
        decisions=len(exposures),
        sessions=len({(each.agent, each.session) for each in exposures}),
        failed=failed,
        went_well=succeeded,
        stopped=stopped,
        open=not_run,
        overruled=overruled,
    )
