"""The calls of an in-memory index, and where the evidence of its fixes stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.event import PROSE_EVENTS, Call
from wisen.model.report import Selection
from wisen.store.fix_marks import FixAttempted
from wisen.store.recorded_calls import FoundCall
from wisen.testing.fake_findings import whole_milliseconds

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from datetime import datetime

    from wisen.store.fix_marks import FixMark
    from wisen.store.recorded_calls import CallWords
    from wisen.testing.fake_index_rows import IndexRows


class MemoryRecordedCalls:
    """Calls in memory."""

    def __init__(self, rows: IndexRows) -> None:
        self._rows = rows

    def find(self, wanted: Sequence[CallWords]) -> Iterator[FoundCall]:
        """Yield every call: the caller compares each itself."""
        for filtered in self._rows.kept.values() if wanted else ():
            if isinstance(event := filtered.event, Call):
                yield FoundCall(self._rows.sessions[event.session], event.tool, event.arguments)

    def sessions_of(self, calls: Collection[tuple[str, str]]) -> frozenset[int]:
        """Return the numbers of the sessions that hold these calls."""
        kept = self._rows.kept
        return frozenset(self._rows.sessions[kept[call].event.session] for call in calls if call in kept)

    def count_sessions(self, since: datetime | None = None) -> int:
        """Return how many sessions hold a call or something that the user did."""
        histories = (self._rows.history(number, Selection(since=since)) for number in self._rows.sessions.values())
        return sum(bool(each.steps or each.turns) for each in histories)

    def last_event(self) -> datetime | None:
        """Return when the last event happened."""
        events = (each for each in self._rows.events() if not isinstance(each, PROSE_EVENTS))
        return max((whole_milliseconds(each.at) for each in events), default=None)

    def unmined_sessions(self) -> frozenset[int]:
        """Return the numbers of the sessions with events that were not mined yet."""
        seen = {number: size for number, (size, _) in self._rows.seen.items()}
        return frozenset(number for number, size in self._rows.sizes.items() if seen.get(number) != size)


class MemoryFixMarks:
    """Where the evidence of fixes stands, in memory."""

    def __init__(self, rows: IndexRows) -> None:
        self._rows = rows

    def all(self) -> Mapping[tuple[str, int], FixMark]:
        """Return the mark of each fix, by the id of the fix and the version of its signature."""
        newest = {session: revision for revision, session in enumerate(self._rows.changes, 1)}
        newest |= dict.fromkeys(MemoryRecordedCalls(self._rows).unmined_sessions(), -1)
        return self._rows.findings(Selection()).fix_marks(newest)

    def attempts(self, fixes: Collection[str]) -> Iterator[FixAttempted]:
        """Yield every time that one of these fixes was tried."""
        findings = self._rows.findings(Selection())
        for fix in {fix.id for fix in findings.fixes()}.intersection(fixes):
            for each in findings.evidence(fix):
                yield FixAttempted(fix, each.agent, each.session, each.call)
