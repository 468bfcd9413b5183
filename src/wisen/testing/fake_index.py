"""An index in memory for tests. It counts in plain Python, and so verifies the SQL too."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from wisen.model.citation import CitedId
from wisen.model.event import (
    PROSE_EVENTS,
    Call,
    Citation,
    Interrupt,
    Message,
    MessageOrigin,
    Outcome,
    Provenance,
    Rejection,
)
from wisen.model.report import Counts, Selection, ToolUse
from wisen.model.source import ReadProblemCount, ReadProblemKind, SourceMark
from wisen.store.index import Index
from wisen.testing.fake_calls import MemoryCallSummaries
from wisen.testing.fake_findings import MemoryFixExamples, whole_milliseconds
from wisen.testing.fake_folds import MemoryFolds, MemorySessions
from wisen.testing.fake_index_rows import IndexRows
from wisen.testing.fake_models import MemoryModelAnswers
from wisen.testing.fake_recorded_calls import MemoryFixMarks, MemoryRecordedCalls
from wisen.testing.fake_removal import MemoryIndexRemoval
from wisen.testing.fake_storage import NoIndexFile
from wisen.testing.fake_workflow_runs import MemoryWorkflowRuns

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from wisen.model.event import Event, SessionKey
    from wisen.model.failure import Goal, SessionFindings
    from wisen.model.fix import Evidence, FailureKind, Fix
    from wisen.model.history import History
    from wisen.model.index_batch import IndexBatch
    from wisen.model.signal import SignalKind, SourcedSignal
    from wisen.model.source import Source


class MemoryIndex(Index):
    """An index that is kept in memory."""

    def __init__(self) -> None:
        rows = IndexRows()
        folds = MemoryFolds(rows)
        super().__init__(
            events=MemoryEvents(rows),
            recorded_calls=MemoryRecordedCalls(rows),
            fix_marks=MemoryFixMarks(rows),
            findings=MemoryFindings(rows),
            calls=MemoryCallSummaries(rows),
            runs=MemoryWorkflowRuns(rows),
            fix_examples=MemoryFixExamples(rows),
            removal=MemoryIndexRemoval(rows, folds),
            memories=rows.memories,
            model_answers=MemoryModelAnswers(),
            sessions=MemorySessions(rows),
            folds=folds,
            storage=NoIndexFile(),
        )


class MemoryEvents:
    """Events in memory."""

    def __init__(self, rows: IndexRows) -> None:
        self._rows = rows

    def marks(self, agent: str) -> Mapping[str, SourceMark]:
        """Return how far each source of an agent was read, by path."""
        return {path: mark for (owner, path), mark in self._rows.marks.items() if owner == agent}

    def store(self, batches: Sequence[IndexBatch]) -> int:
        """Store batches; events already there are kept. Returns how many events were new."""
        new = 0
        for batch in batches:
            self._store_problems(batch)
            self._rows.marks[batch.source.agent, str(batch.source.path)] = batch.mark
            for filtered in batch.events:
                session = filtered.event.session
                number = self._rows.sessions.setdefault(session, max(self._rows.sessions.values(), default=0) + 1)
                self._rows.holdings.add((str(batch.source.path), session))
                self._rows.places.add(
                    (session, "" if isinstance(filtered.event, PROSE_EVENTS) else filtered.event.place)
                )
                if (session.agent, filtered.event.id) not in self._rows.kept:
                    self._rows.kept[session.agent, filtered.event.id] = filtered
                    self._rows.sizes[number] += 1
                    new += 1
        return new

    def counts(self, selection: Selection) -> Counts:
        """Return counts over the selected sessions."""
        filtered = [each for each in self._rows.selected_events(selection) if not isinstance(each.event, PROSE_EVENTS)]
        events = [each.event for each in filtered]
        rejected = {(each.session.agent, each.call) for each in self._rows.events() if isinstance(each, Rejection)}
        interrupts = [each for each in events if isinstance(each, Interrupt)]
        messages = [each for each in events if isinstance(each, Message)]
        return Counts(
            sources=sum(self._rows.is_selected(agent, path, selection) for agent, path in self._rows.marks),
            sessions=len({each.session for each in events}),
            contexts=len({each.context for each in filtered if each.context}),
            typed_turns=sum(each.provenance is Provenance.TYPED for each in messages),
            rejections=sum(isinstance(each, Rejection) for each in events),
            rejections_with_reason=sum(each.origin is MessageOrigin.REJECTION for each in messages),
            interrupts=len(interrupts),
            interrupts_by_rejection=sum((each.session.agent, each.call) in rejected for each in interrupts),
            tools=_tools(events),
            withheld=Counter(each.withheld for each in filtered if each.withheld),
            first=min((whole_milliseconds(each.at) for each in events), default=None),
            last=max((whole_milliseconds(each.at) for each in events), default=None),
        )

    def unmined(self, version: int) -> Sequence[int]:
        """Return the sessions that are to be mined."""
        return [history.session for history in MemoryFindings(self._rows).take_unmined(version)]

    def histories(self, selection: Selection) -> Iterator[History]:
        """Yield the selected sessions, with calls, outcomes and the user's turns in order."""
        numbers = {self._rows.sessions[filtered.event.session] for filtered in self._rows.selected_events(selection)}
        for number in sorted(numbers):
            history = self._rows.history(number, selection)
            if history.steps or history.turns:
                yield history

    def read_problems(self, selection: Selection) -> tuple[ReadProblemCount, ...]:
        """Return what could not be read in the selected sources."""
        found = (
            each
            for key, each in self._rows.read_problems.items()
            if self._rows.is_selected(key[0], each.path, selection)
        )
        return tuple(sorted(found, key=lambda each: (each.path, each.first_offset, each.kind.value, each.detail)))

    def citations(self) -> tuple[CitedId, ...]:
        """Return the ids that assistants mentioned in each mined session, and when last."""
        citations: dict[tuple[str, SessionKey], CitedId] = {}
        for filtered in self._rows.kept.values():
            event, session = filtered.event, filtered.event.session
            if isinstance(event, Citation) and self._rows.sessions[session] in self._rows.found:
                before = citations.get((event.name, session))
                last = (
                    whole_milliseconds(event.at) if before is None else max(before.last, whole_milliseconds(event.at))
                )
                there = [each for each in self._rows.kept.values() if each.event.session == session]
                contexts = frozenset(
                    "" if isinstance(each.event, PROSE_EVENTS) else each.context or "" for each in there
                )
                citations[event.name, session] = CitedId(event.name, session.agent, session.native, contexts, last)
        return tuple(citations[key] for key in sorted(citations, key=lambda key: (key[0], self._rows.sessions[key[1]])))

    def _store_problems(self, batch: IndexBatch) -> None:
        source: Source = batch.source
        owner = (source.agent, str(source.path))
        self._rows.read_problems = {
            key: count
            for key, count in self._rows.read_problems.items()
            if key[:2] != owner
            or not (batch.from_start or key[2] in (ReadProblemKind.UNFINISHED, ReadProblemKind.UNREADABLE))
        }
        for problem in batch.problems:
            key = (*owner, problem.kind, problem.detail)
            before = self._rows.read_problems.get(key)
            self._rows.read_problems[key] = ReadProblemCount(
                path=owner[1],
                kind=problem.kind,
                detail=problem.detail,
                count=1 + (0 if before is None else before.count),
                first_offset=problem.offset if before is None else min(before.first_offset, problem.offset),
            )


class MemoryFindings:
    """Findings in memory."""

    def __init__(self, rows: IndexRows) -> None:
        self._rows = rows

    def take_unmined(self, version: int, only: Iterable[int] | None = None) -> Iterator[History]:
        """Yield the sessions that this version of the miner has not seen in their current state."""
        for number in sorted(self._rows.sizes) if only is None else only:
            if self._rows.seen.get(number) != (self._rows.sizes[number], version):
                self._rows.handed[number] = self._rows.sizes[number]
                yield self._rows.history(number, Selection())

    def store_findings(self, found: Sequence[SessionFindings], version: int) -> None:
        """Store the findings of sessions, replacing their earlier findings."""
        for each in found:
            if each.session in self._rows.sessions.values():
                self._rows.found[each.session] = each
            if self._rows.handed.pop(each.session, None) == self._rows.sizes.get(each.session, -1):
                self._rows.seen[each.session] = self._rows.sizes[each.session], version
            self._rows.changes.append(each.session)

    def mine_again(self, sessions: Collection[int]) -> None:
        """Queue sessions to be mined again."""
        for session in sessions:
            self._rows.seen.pop(session, None)

    def failures(self, selection: Selection, *, alive: datetime | None = None) -> tuple[FailureKind, ...]:
        """Return failures by signature; transient ones count from `alive` on."""
        return self._rows.findings(selection).failures(alive)

    def fixes(self, selection: Selection) -> tuple[Fix, ...]:
        """Return the changes that made failing calls work, most sessions first."""
        return self._rows.findings(selection).fixes()

    def evidence(self, fix_id: str) -> tuple[Evidence, ...]:
        """Return every attempt of a fix, newest first."""
        return self._rows.findings(Selection()).evidence(fix_id)

    def goals(self, selection: Selection) -> Iterator[Goal]:
        """Yield the goals of the selected sessions and how they ended, oldest first."""
        return iter(self._rows.findings(selection).goals())

    def signals(self, selection: Selection, kind: SignalKind | None = None) -> tuple[SourcedSignal, ...]:
        """Return the user's signals in the selected sessions, of one kind or of all, newest first."""
        every = self._rows.findings(selection).signals()
        return tuple(each for each in every if kind in (None, each.said.signal.kind))

    def count_signals(self, selection: Selection) -> dict[SignalKind, int]:
        """Count the turns with each kind of signal that is not doubtful, the most frequent first."""
        turns = {
            (each.session, each.said.message, each.said.signal.kind)
            for each in self.signals(selection)
            if not each.said.signal.is_doubtful
        }
        counts = Counter(kind for _, _, kind in turns)
        return dict(sorted(counts.items(), key=lambda each: (-each[1], each[0])))


def _tools(events: list[Event]) -> tuple[ToolUse, ...]:
    calls = {(each.session.agent, each.id): each for each in events if isinstance(each, Call)}
    ends: Counter[tuple[str, str]] = Counter()
    for each in events:
        if isinstance(each, Outcome | Rejection) and (call := calls.get((each.session.agent, each.call))) is not None:
            ends[call.tool, each.status.value if isinstance(each, Outcome) else "rejected"] += 1
    uses = (
        ToolUse(
            tool=tool,
            calls=many,
            ok=ends[tool, "ok"],
            failed=ends[tool, "failed"],
            masked=ends[tool, "masked"],
            cancelled=ends[tool, "cancelled"],
            rejected=ends[tool, "rejected"],
            sessions=len({call.session for call in calls.values() if call.tool == tool}),
        )
        for tool, many in Counter(call.tool for call in calls.values()).items()
    )
    return tuple(sorted(uses, key=lambda use: (-use.calls, use.tool)))
