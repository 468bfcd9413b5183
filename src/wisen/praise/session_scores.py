"""Counts how sessions went in a period: corrections, praise and failed calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.report import Selection
from wisen.model.score import Score
from wisen.model.signal import SignalKind

if TYPE_CHECKING:
    from datetime import datetime

    from wisen.store.index import Index


def score_of(index: Index, since: datetime, until: datetime, places: tuple[str, ...]) -> Score:
    """How sessions in some places went in a period."""
    selection = Selection(since=since, places=places)
    counts, signals = index.events.counts(selection), index.findings.signals(selection)
    turns = {
        kind: {(each.session, each.said.message) for each in signals if each.said.signal.kind is kind}
        for kind in (SignalKind.CORRECTION, SignalKind.PRAISE)
    }
    return Score(
        since=since,
        until=until,
        sessions=counts.sessions,
        typed_turns=counts.typed_turns,
        corrections=len(turns[SignalKind.CORRECTION]),
        praises=len(turns[SignalKind.PRAISE]),
        calls=sum(each.calls for each in counts.tools),
        failed=sum(each.failed + each.masked for each in counts.tools),
        rejected=sum(each.rejected for each in counts.tools),
        interrupts=counts.interrupts,
    )
