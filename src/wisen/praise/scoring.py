"""What a Learner tells of how sessions went."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from wisen.errors import UsageError
from wisen.model.report import Selection
from wisen.model.score import Score
from wisen.model.signal import SignalKind

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from wisen.parts import Parts


class Scorer:
    """What a Learner tells of how sessions went. A part of the Learner."""

    _parts: Parts

    def scores(self, place: Path, *, days: int = 30) -> tuple[Score, Score]:
        """How the last days went in the project around a directory, and how as many days before them did.

        Raises:
            UsageError: `days` is not a number that makes sense, or no session was read of such a project.
        """
        if not 0 < days <= 3650:
            raise UsageError(f"{days} days cannot be looked at. Give a number from 1 to 3650.")
        parts = self._parts
        now, long, context = parts.clock.now(), timedelta(days=days), parts.context_of(place)
        places = tuple(each.path for each in parts.aliases() if context and each.context == context)
        if not places:
            raise UsageError(f"No session was read in {place} so far. Name a project's folder in which agents work.")
        late = self._since(now - long, now, places)
        both = self._since(now - 2 * long, now, places)
        fields = ("sessions", "typed_turns", "corrections", "praises", "calls", "failed", "rejected", "interrupts")
        early = {name: getattr(both, name) - getattr(late, name) for name in fields}
        return late, Score(since=both.since, until=late.since, **early)

    def _since(self, since: datetime, until: datetime, places: tuple[str, ...]) -> Score:
        selection = Selection(since=since, places=places)
        index = self._parts.index
        counts, said = index.counts(selection), index.signals(selection)
        turns = {
            kind: {(each.session, each.said.message) for each in said if each.said.signal.kind is kind}
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
