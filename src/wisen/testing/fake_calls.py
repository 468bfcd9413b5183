"""What sessions called, in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from wisen.model.call_summary import CalledSession
from wisen.model.failure import SessionFindings

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from datetime import datetime

    from wisen.model.call_summary import CallSummary
    from wisen.testing.fake_index_rows import IndexRows


class MemoryCallSummaries:
    """Call summaries in memory."""

    def __init__(self, rows: IndexRows) -> None:
        self._rows = rows

    def newest(self) -> datetime | None:
        """Return when the newest call was made."""
        return max((calls.ended for _, calls in self._known(None) if calls.ended is not None), default=None)

    def missing(self) -> frozenset[int]:
        """Return the sessions without a summary."""
        found = self._rows.found
        return frozenset(each for each in self._rows.sizes if each not in found or found[each].calls is None)

    def add(self, summaries: Mapping[int, CallSummary]) -> None:
        """Store the summaries of sessions that have none."""
        for session in self.missing() & summaries.keys():
            before = self._rows.found.get(session, SessionFindings(session=session))
            self._rows.found[session] = replace(before, calls=summaries[session])

    def sessions(self, numbers: Collection[int] | None = None) -> list[CalledSession]:
        """Return all sessions that called something, or some of them, by their first call."""
        called = [
            CalledSession(number, calls.started, calls.ended, calls.failures)
            for number, calls in self._known(numbers)
            if calls.started is not None and calls.ended is not None
        ]
        return sorted(called, key=lambda each: (each.started, each.session))

    def calls(self, numbers: Collection[int]) -> Iterator[tuple[int, str]]:
        """Yield the encoded calls of sessions that called something."""
        return ((number, calls.calls) for number, calls in self._known(numbers))

    def places(self, numbers: Collection[int] | None = None) -> list[tuple[int, str]]:
        """Return the directories that all sessions worked in, or some of them."""
        numbered = ((self._rows.sessions[session], place) for session, place in self._rows.places)
        return [each for each in numbered if numbers is None or each[0] in numbers]

    def sessions_of(self, calls: Collection[str]) -> frozenset[int]:
        """Return the sessions of calls."""
        return frozenset(self._rows.sessions[each.session] for each in self._rows.events() if each.id in calls)

    def _known(self, numbers: Collection[int] | None) -> list[tuple[int, CallSummary]]:
        found = sorted(self._rows.found.items())
        known = [(number, each.calls) for number, each in found if numbers is None or number in numbers]
        return [(number, calls) for number, calls in known if calls is not None]
