"""Sessions and folds of an index in memory, for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from wisen.model.event import PROSE_EVENTS, Call, Message, Provenance
from wisen.model.report import Selection
from wisen.store.sessions import CallText, Request
from wisen.testing.fake_findings import whole_milliseconds

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from datetime import datetime

    from wisen.model.event import Status
    from wisen.store.folds import Fold
    from wisen.testing.fake_index_rows import IndexRows


class MemorySessions:
    """Sessions in memory."""

    def __init__(self, rows: IndexRows) -> None:
        self._rows = rows

    def contexts_of(self, sessions: Collection[int]) -> frozenset[str]:
        """Return the contexts in which sessions took place."""
        return frozenset(
            each.context or ""
            for each in self._rows.kept.values()
            if self._rows.sessions[each.event.session] in sessions and not isinstance(each.event, PROSE_EVENTS)
            if each.context or each.event.place
        )

    def keys(self, selection: Selection) -> frozenset[tuple[str, str]]:
        """Return agent and own id of each selected session."""
        selected = self._rows.selected_events(replace(selection, since=None))
        return frozenset((each.event.session.agent, each.event.session.native) for each in selected)

    def numbers_of(self, keys: Collection[tuple[str, str]]) -> frozenset[int]:
        """Return the numbers of sessions by agent and own id."""
        return frozenset(number for key, number in self._rows.sessions.items() if (key.agent, key.native) in keys)

    def newest(self, context: str | None, limit: int) -> frozenset[int]:
        """Return the mined sessions of a context that were active last."""
        last: dict[int, datetime] = {}
        for each in self._rows.kept.values():
            number, at = self._rows.sessions[each.event.session], whole_milliseconds(each.event.at)
            there = "" if isinstance(each.event, PROSE_EVENTS) else each.context or ""
            if number in self._rows.found and context in (None, there):
                last[number] = max(last.get(number, at), at)
        return frozenset(sorted(last, key=lambda each: (last[each], each), reverse=True)[:limit])

    def last_active(self) -> datetime | None:
        """Return when the newest event of a mined session happened."""
        moments = (
            whole_milliseconds(each.event.at)
            for each in self._rows.kept.values()
            if self._rows.sessions[each.event.session] in self._rows.found
        )
        return max(moments, default=None)

    def requests(self, since: datetime, contexts: Collection[str] | None = None) -> Iterator[Request]:
        """Yield what was requested since a moment, in the order of sessions."""
        for number, mined in sorted(self._rows.found.items()):
            turns = {turn.id: turn for turn in self._rows.history(number, Selection()).turns}
            for goal in mined.goals:
                if goal.request in turns and whole_milliseconds(goal.at) >= whole_milliseconds(since):
                    turn = turns[goal.request]
                    if contexts is None or turn.context in contexts:
                        text = turn.text or ""
                        calls, failed = bool(goal.calls), goal.failed > 0
                        yield Request(number, turn.id, text, turn.context, calls, failed)

    def calls_with(self, words: Sequence[Collection[str]] = ()) -> Iterator[CallText]:
        """Yield the calls whose arguments were kept."""
        for number, each in enumerate(self._rows.events()):
            if not isinstance(each, Call) or each.arguments is None:
                continue
            if not words or any(all(word in each.arguments for word in some) for some in words):
                yield CallText(number, self._rows.sessions[each.session], each.tool, each.arguments)

    def outcomes_of(self, calls: Collection[int]) -> dict[int, Status]:
        """Return how calls ended in their session, by their numbers."""
        events = [*self._rows.events()]
        steps = {
            (number, step.call): step.status
            for number in self._rows.sessions.values()
            for step in self._rows.history(number, Selection()).steps
        }
        found = {number: steps[self._rows.sessions[events[number].session], events[number].id] for number in calls}
        return {number: status for number, status in found.items() if status is not None}

    def typed_texts(self) -> Iterator[tuple[int, str]]:
        """Yield what users typed, each with its session."""
        for each in self._rows.events():
            if isinstance(each, Message) and each.text is not None and each.provenance is Provenance.TYPED:
                yield self._rows.sessions[each.session], each.text


class MemoryFolds:
    """Folds in memory."""

    def __init__(self, rows: IndexRows) -> None:
        self._rows = rows
        self._folds: dict[str, tuple[str, Fold, bool, str | None]] = {}

    def revision(self) -> int:
        """Return the number of the newest change of a session."""
        return len(self._rows.changes)

    def changed_sessions(self, since: int) -> frozenset[int]:
        """Return the sessions that were mined or deleted after a revision."""
        return frozenset(self._rows.changes[since:])

    def load(self, name: str, version: str) -> Fold | None:
        """Return a fold; None if there is none of this version."""
        stored = self._folds.get(name)
        return stored[1] if stored is not None and stored[0] == version else None

    def save(
        self, name: str, version: str, fold: Fold, *, holds_text: bool = False, context: str | None = None
    ) -> None:
        """Store a fold."""
        self._folds[name] = version, fold, holds_text, context

    def clear(self, *, only_with_text: bool = False) -> None:
        """Delete the folds."""
        self._folds = {name: each for name, each in self._folds.items() if only_with_text and not each[2]}

    def clear_texts(self, contexts: Collection[str]) -> None:
        """Delete the folds that may contain text of sessions in these contexts."""
        self._folds = {name: each for name, each in self._folds.items() if not each[2] or each[3] is not None}
        self.clear_context_texts(contexts)

    def clear_context_texts(self, contexts: Collection[str]) -> None:
        """Delete the folds with text of these contexts alone."""
        self._folds = {name: each for name, each in self._folds.items() if not each[2] or each[3] not in contexts}
