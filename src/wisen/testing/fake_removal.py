"""How an index in memory forgets."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from msgspec import structs

from wisen.model.archive import EVENT_BYTES, ArchivedSession, ArchiveSize
from wisen.model.context import NOWHERE
from wisen.model.event import PROSE_EVENTS, Call, Message, Outcome
from wisen.model.report import Selection
from wisen.model.source import SourceMark
from wisen.model.tombstone import EVERY_TEXT, FORGOTTEN, IndexedText, is_in_scope
from wisen.testing.fake_findings import whole_milliseconds

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from datetime import datetime

    from wisen.model.event import Event, SessionKey
    from wisen.model.tombstone import TextSearch
    from wisen.testing.fake_folds import MemoryFolds
    from wisen.testing.fake_index_rows import IndexRows


class MemoryIndexRemoval:
    """Removes texts and sessions from memory."""

    def __init__(self, rows: IndexRows, folds: MemoryFolds) -> None:
        self._rows, self._folds = rows, folds

    def indexed_texts(self, search: TextSearch = EVERY_TEXT) -> Iterator[IndexedText]:
        """Yield every text that is stored because of an event, and the lessons taken from it."""
        del search
        for filtered in self._rows.kept.values():
            if (text := text_of(filtered.event)) is not None:
                session = filtered.event.session
                yield IndexedText(session.agent, session.native, filtered.event.id, filtered.context or "", text)
        for each in self._rows.findings(Selection()).signals():
            if each.said.signal.lesson is not None:
                lesson = each.said.signal.lesson.text
                yield IndexedText(each.agent, each.native, each.said.message, each.context, lesson)

    def redact(self, events: Collection[tuple[str, str]]) -> int:
        """Delete the texts of events, and whatever was derived from their sessions."""
        many = 0
        wanted = set(events)
        contexts: set[str] = set()
        for key, filtered in self._rows.kept.items():
            if not {key, (key[0], getattr(filtered.event, "call", None))} & wanted:
                continue
            number = self._rows.sessions[filtered.event.session]
            contexts |= self._contexts_of(filtered.event.session)
            many += text_of(filtered.event) is not None
            self._rows.kept[key] = filtered._replace(event=_redacted(filtered.event), withheld=FORGOTTEN)
            self._rows.found.pop(number, None)
            self._rows.seen.pop(number, None)
            self._rows.memories.replace({f"session:{number}": []})
        self._folds.clear_texts(contexts)
        return many

    def _contexts_of(self, session: SessionKey) -> set[str]:
        """Return the contexts in which anything happened in a session, or was found in it."""
        found = self._rows.found.get(self._rows.sessions[session])
        runs = {run.context for run in found.runs} if found is not None else set[str]()
        return runs | {each.context or "" for each in self._rows.kept.values() if each.event.session == session}

    def move_context(self, old: str, new: str) -> None:
        """Move what happened in one context to another."""
        self._folds.clear_context_texts({old, new})
        for key, filtered in self._rows.kept.items():
            if filtered.context == old:
                self._rows.kept[key] = filtered._replace(context=new)
                number = self._rows.sessions[filtered.event.session]
                self._rows.found.pop(number, None)
                self._rows.seen.pop(number, None)

    def remove_scope(self, scope: str, until: datetime) -> None:
        """Delete the sessions completely within a scope, and redact what else happened there until a moment."""
        of: dict[SessionKey, set[str]] = {}
        for filtered in self._rows.kept.values():
            if not isinstance(filtered.event, PROSE_EVENTS):
                of.setdefault(filtered.event.session, set()).add(filtered.context or NOWHERE)
        within = {session for session, there in of.items() if all(is_in_scope(scope, each) for each in there)}
        self._folds.clear_texts({context for session in within for context in self._contexts_of(session)})
        self._drop(within)
        left = [key for key, filtered in self._rows.kept.items() if is_in_scope(scope, filtered.context or NOWHERE)]
        self.redact([key for key in left if self._rows.kept[key].event.at <= until])

    def archived_sessions(self) -> tuple[ArchivedSession, ...]:
        """Return every stored session."""
        return tuple(map(self._stored, {filtered.event.session for filtered in self._rows.kept.values()}))

    def archive_size(self) -> ArchiveSize:
        """Return the total of all stored sessions."""
        stored = self.archived_sessions()
        moments = [whole_milliseconds(each.event.at) for each in self._rows.kept.values()]
        return ArchiveSize(
            len(stored),
            sum(each.events for each in stored),
            sum(each.size for each in stored),
            min(moments, default=None),
            max(moments, default=None),
            min((each.last for each in stored), default=None),
        )

    def remove_sessions(self, sessions: Collection[tuple[str, str, int]]) -> None:
        """Delete whole sessions."""
        gone = {each for each in self._rows.sessions if (each.agent, each.native, each.segment) in sessions}
        self._folds.clear_context_texts({context for session in gone for context in self._contexts_of(session)})
        self._drop(gone)

    def _stored(self, session: SessionKey) -> ArchivedSession:
        filtered = [each for each in self._rows.kept.values() if each.event.session == session]
        contexts = Counter("" if isinstance(each.event, PROSE_EVENTS) else each.context or "" for each in filtered)
        texts = [text_of(each.event) or "" for each in filtered]
        number = self._rows.sessions[session]
        return ArchivedSession(
            session.agent,
            session.native,
            session.segment,
            min(contexts, key=lambda each: (-contexts[each], each)),
            max(whole_milliseconds(each.event.at) for each in filtered),
            len(filtered),
            sum(len(text.encode("utf-8", "surrogatepass")) for text in texts) + len(filtered) * EVENT_BYTES,
            self._rows.seen.get(number, (0, 0))[0] != self._rows.sizes[number],
            number,
        )

    def _drop(self, whole_ones: set[SessionKey]) -> None:
        for key in [key for key, filtered in self._rows.kept.items() if filtered.event.session in whole_ones]:
            del self._rows.kept[key]
        for session in whole_ones:
            number = self._rows.sessions.pop(session)
            self._rows.changes.append(number)
            for numbers in (self._rows.sizes, self._rows.seen, self._rows.found, self._rows.handed):
                numbers.pop(number, None)
            self._rows.memories.replace({f"session:{number}": []})
        self._rows.holdings = {each for each in self._rows.holdings if each[1] not in whole_ones}
        self._rows.places = {each for each in self._rows.places if each[0] not in whole_ones}

    def unredact(self, events: Collection[tuple[str, str]]) -> None:
        """Delete the stubs of events, and mark the sources of their sessions as unread."""
        wanted = set(events)
        sessions: set[SessionKey] = set()
        for key, filtered in [*self._rows.kept.items()]:
            named = {key, (key[0], getattr(filtered.event, "call", None))} & wanted
            if named and filtered.withheld == FORGOTTEN:
                sessions.add(filtered.event.session)
                self._rows.sizes[self._rows.sessions[filtered.event.session]] -= 1
                del self._rows.kept[key]
        unread = {path for path, session in self._rows.holdings if session in sessions}
        for owner, path in [*self._rows.marks]:
            if path in unread or not events:
                self._rows.marks[owner, path] = SourceMark(size=-1, modified_ns=0, cursor="")

    def scrub(self, *, thoroughly: bool = True) -> None:
        """Do nothing: memory keeps no deleted data."""


def text_of(event: Event) -> str | None:
    """Return the text of a message or outcome, or the arguments of a call."""
    return event.arguments if isinstance(event, Call) else getattr(event, "text", None)


def _redacted(event: Event) -> Event:
    if isinstance(event, Call):
        return structs.replace(event, arguments=None)
    return structs.replace(event, text=None) if isinstance(event, Message | Outcome) else event
