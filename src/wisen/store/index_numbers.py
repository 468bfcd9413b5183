"""Caches the numbers by which index rows refer to agents, sources, sessions, scenes and shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from wisen.model.event import (
    Call,
    Citation,
    Concession,
    Event,
    Interrupt,
    Message,
    Outcome,
    Provenance,
    Rejection,
)
from wisen.store.escapes import escape
from wisen.store.interned_rows import find_or_add_number

if TYPE_CHECKING:
    from wisen.model.event import SessionKey
    from wisen.store.database_port import Value
    from wisen.store.sqlite import SqliteDatabase

Shape: TypeAlias = tuple[type[Event], Provenance, str, str, str]
"""Kind, provenance, how, tool and withheld of an event."""


EVENT_KINDS: dict[type[Event], str] = {
    Message: "message",
    Call: "call",
    Outcome: "outcome",
    Rejection: "rejection",
    Interrupt: "interrupt",
    Concession: "concession",
    Citation: "citation",
}
"""The stored kinds of events; these values never change, whatever the classes are called."""


_MAX_SESSIONS = 500
"""How many sessions are remembered: enough for those that are read at the same time."""


class IndexNumbers:
    """The numbers in one file that this process knows, so that it does not look them up for each event."""

    def __init__(self, db: SqliteDatabase) -> None:
        self._db = db
        self._agents: dict[str, int] = {}
        self.sources: dict[tuple[str, str], int] = {}
        self._sessions: dict[SessionKey, int] = {}
        self._scenes: dict[tuple[SessionKey, str | None, str], int] = {}
        self.shapes: dict[Shape, int] = {}
        self.version = -1
        """SQLite's counter of other connections' writes: if it changed, cached numbers may be gone."""
        self.handed_out: dict[int, int] = {}
        """By session, its last event when it was handed out for mining."""

    def clear(self) -> None:
        """Discard all cached numbers."""
        for numbers in (self._agents, self.sources, self._sessions, self._scenes, self.shapes):
            numbers.clear()

    def limit(self) -> None:
        """Discard what grows with the number of sessions if it has become much; all is found again in the file."""
        if len(self._sessions) > _MAX_SESSIONS:
            for numbers in (self.sources, self._sessions, self._scenes):
                numbers.clear()

    def reset(self) -> None:
        """Discard everything: it is another file."""
        self.clear()
        self.handed_out.clear()
        self.version = -1

    def agent(self, name: str) -> int:
        """Return the number of an agent."""
        number = self._agents.get(name)
        if number is None:
            number = self._agents[name] = find_or_add_number(self._db, "agents", {"name": escape(name)})
        return number

    def session(self, key: SessionKey) -> int:
        """Return the number of a session."""
        number = self._sessions.get(key)
        if number is None:
            values: dict[str, Value] = {
                "agent": self.agent(key.agent),
                "native": escape(key.native),
                "segment": key.segment,
            }
            number = self._sessions[key] = find_or_add_number(self._db, "sessions", values)
        return number

    def scene(self, key: tuple[SessionKey, str | None, str]) -> int:
        """Return the number of a session in a context and place."""
        number = self._scenes.get(key)
        if number is None:
            session, context, place = key
            values: dict[str, Value] = {
                "session": self.session(session),
                "context": escape(context or ""),
                "place": escape(place),
            }
            number = self._scenes[key] = find_or_add_number(self._db, "scenes", values)
        return number

    def shape(self, key: Shape) -> int:
        """Return the number of a shape; known ones are in `shapes`."""
        kind, *rest = key
        values = zip(("provenance", "how", "tool", "withheld"), map(escape, map(str, rest)), strict=True)
        number = self.shapes[key] = find_or_add_number(self._db, "shapes", {"kind": EVENT_KINDS[kind], **dict(values)})
        return number
