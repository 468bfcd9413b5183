"""Shared by all index queries: a selection as SQL conditions, and error reporting for garbled values."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING

from msgspec import Struct

from wisen.store.escapes import escape, milliseconds
from wisen.store.sqlite import damage_error

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from wisen.model.report import Selection
    from wisen.store.database_port import Value
    from wisen.store.sqlite import SqliteDatabase

# Names in these statements are constants; user text is only passed as a value.
_HELD = "SELECT holdings.session FROM sources JOIN holdings ON source = sources.number WHERE {sources}"
_HELD_SCENES = "SELECT scenes.number FROM scenes WHERE session IN ({held})"
# "0" follows "/" in ASCII: exactly what is below a folder lies in between.
_PLACED = """
    SELECT scenes.session FROM scenes JOIN json_each(:places) AS named
    ON place = named.value OR (place >= named.value || '/' AND place < named.value || '0')
"""
_NUMBERED = "SELECT value FROM json_each(:sessions)"
_HOLDING_SOURCES = "sources.number IN (SELECT source FROM holdings WHERE {sessions})"
_SINCE = "SELECT session FROM events JOIN scenes ON scenes.number = scene WHERE at >= :since"


class SqlSelection(Struct, frozen=True):
    """A selection as SQL conditions, with their values."""

    source_condition: str
    """The condition on a row of `sources`, whatever it holds."""
    values: Mapping[str, Value]
    has_places: bool
    """Whether places were selected."""
    has_numbers: bool
    """Whether sessions were selected by number."""
    since: bool

    @property
    def sources(self) -> str:
        """Return the condition on a row of `sources`."""
        chosen = [_PLACED] * self.has_places + [_NUMBERED] * self.has_numbers
        if not chosen:
            return self.source_condition
        sessions = " AND ".join(f"session IN ({each})" for each in chosen)
        return f"{self.source_condition} AND {_HOLDING_SOURCES.format(sessions=sessions)}"

    @property
    def is_narrowed(self) -> bool:
        """Return whether only some sessions are selected, whenever their events happened."""
        return self.has_places or self.has_numbers or self.source_condition != "1"

    def events(self, alias: str) -> str:
        """Return the condition on one event."""
        conditions = [f"{alias}.at >= :since"] if self.since else []
        if self.is_narrowed:
            conditions.append(f"{alias}.scene IN ({_HELD_SCENES.format(held=self._held())})")
        return " AND ".join(conditions) or "1"

    def sessions(self, column: str) -> str:
        """Return the condition on the number of a session, whenever its events happened."""
        return f"{column} IN ({self._held()})" if self.is_narrowed else "1"

    def findings(self, alias: str) -> str:
        """Return the condition on a finding at a moment of a session."""
        since = f" AND {alias}.at >= :since" if self.since else ""
        return self.sessions(f"{alias}.session") + since

    def active_sessions(self, column: str) -> str:
        """Return the condition on the number of a session that holds a selected event."""
        return self.sessions(column) + (f" AND {column} IN ({_SINCE})" if self.since else "")

    def _held(self) -> str:
        if self.has_numbers and self.source_condition == "1" and not self.has_places:
            return _NUMBERED
        sessions = _HELD.format(sources=self.source_condition)
        # A source may hold sessions of several places.
        for chosen, those in ((self.has_places, _PLACED), (self.has_numbers, _NUMBERED)):
            sessions += f" AND holdings.session IN ({those})" if chosen else ""
        return sessions


def sql_selection(selection: Selection) -> SqlSelection:
    """Return the conditions of a selection."""
    values: dict[str, Value] = {}
    if selection.since is not None:
        values["since"] = milliseconds(selection.since)
    sources = "1"
    if selection.under is not None:
        under = escape(str(selection.under))
        folder = under if under.endswith("/") else f"{under}/"
        values |= {"under": under, "first": folder, "beyond": f"{folder[:-1]}0"}
        sources = "(path = :under OR (path >= :first AND path < :beyond))"
    if selection.agent is not None:
        values["agent"] = escape(selection.agent)
        sources += " AND sources.agent = (SELECT number FROM agents WHERE name = :agent)"
    if selection.places:
        values["places"] = json.dumps([escape(place.rstrip("/")) for place in selection.places])
    if selection.sessions is not None:
        values["sessions"] = json.dumps(sorted(selection.sessions))
    has_numbers, since = selection.sessions is not None, selection.since is not None
    return SqlSelection(sources, values, bool(selection.places), has_numbers, since)


@contextmanager
def report_garbled(db: SqliteDatabase) -> Iterator[None]:
    """Raise StoreDamaged for a garbled value: index rows have no seal, so it only shows when the value is used."""
    try:
        yield
    except (ValueError, TypeError, OverflowError, LookupError) as error:
        raise damage_error(db.path, "it holds a value that was never written") from error
