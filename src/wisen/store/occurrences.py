"""Where entries were seen, in the ledger: the port, and its SQL. Recorded with `Entries.record`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from wisen.model.entry import Occurrence, Sighting
from wisen.store.escapes import escape, from_microseconds, microseconds, unescape
from wisen.store.moves import split_occurrences
from wisen.store.sealed_rows import Table, add_row, as_int, as_text, read_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from wisen.store.database_port import Database, Value

OCCURRENCES = Table("occurrences", ("id", "entry", "machine", "context", "agent", "session", "message", "at", "quote"))
_CHUNK = 500
"""How many ids one statement holds."""


class Occurrences(Protocol):
    """The occurrences of entries in sessions."""

    def all(self) -> tuple[Occurrence, ...]:
        """Return all occurrences, oldest first."""
        ...

    def of(self, entry: str) -> tuple[Occurrence, ...]:
        """Return the occurrences of one entry, oldest first."""
        ...

    def of_messages(self, messages: Iterable[str]) -> tuple[Occurrence, ...]:
        """Return the occurrences in some messages, by the agents' ids of the messages, oldest first."""
        ...

    def ids(self) -> frozenset[str]:
        """Return the ids of all occurrences."""
        ...

    def sightings(self) -> tuple[Sighting, ...]:
        """Return where entries were seen, in no order; for listings, without checking every row."""
        ...


class SqlOccurrences:
    """Occurrences in a database."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def all(self) -> tuple[Occurrence, ...]:
        """Return all occurrences, oldest first."""
        return self._read(None)

    def of(self, entry: str) -> tuple[Occurrence, ...]:
        """Return the occurrences of one entry, oldest first."""
        return self._read(entry)

    def _read(self, entry: str | None) -> tuple[Occurrence, ...]:
        split = split_occurrences(self._db)
        rows = [*read_rows(self._db, OCCURRENCES, *(("",) if entry is None else ("WHERE entry = ?", (escape(entry),))))]
        if entry is not None:
            for some in packed_ids(id_ for id_, into in split.items() if into == entry):
                rows += read_rows(
                    self._db, OCCURRENCES, f"WHERE id IN ({placeholders(some)}) AND entry <> ?", (*some, escape(entry))
                )
        return tuple(each for each in _sorted_occurrences(rows, split) if entry in (None, each.entry))

    def of_messages(self, messages: Iterable[str]) -> tuple[Occurrence, ...]:
        """Return the occurrences in some messages, oldest first."""
        rows: list[dict[str, Value]] = []
        for some in packed_ids(messages):
            rows += read_rows(self._db, OCCURRENCES, f"WHERE message IN ({placeholders(some)})", some)
        return tuple(_sorted_occurrences(rows, split_occurrences(self._db)))

    def ids(self) -> frozenset[str]:
        """Return the ids of all occurrences."""
        return frozenset(unescape(str(row[0])) for row in self._db.run("SELECT id FROM occurrences"))

    def sightings(self) -> tuple[Sighting, ...]:
        """Return where entries were seen. Without seals."""
        split = split_occurrences(self._db)
        rows = cast(
            "list[tuple[str, str, str, str, str, int, str]]",
            self._db.run("SELECT id, entry, agent, session, message, at, quote FROM occurrences"),
        )
        return tuple(
            Sighting(
                split.get(unescape(id_)) or unescape(entry),
                unescape(agent),
                unescape(session),
                unescape(message),
                from_microseconds(at),
                unescape(quote),
            )
            for id_, entry, agent, session, message, at, quote in rows
        )

    def as_recorded(self) -> Iterator[Occurrence]:
        """Yield every occurrence as recorded, whatever was decided about it since."""
        for row in read_rows(self._db, OCCURRENCES):
            texts = {name: as_text(row[name]) for name in OCCURRENCES.columns if name != "at"}
            yield Occurrence(**texts, at=from_microseconds(as_int(row["at"])))


def _sorted_occurrences(rows: Iterable[dict[str, Value]], split: Mapping[str, str]) -> list[Occurrence]:
    """Return occurrences, oldest first; `split` names the entries that some of them belong to now."""
    found = (
        Occurrence(
            **{name: as_text(row[name]) for name in OCCURRENCES.columns if name not in ("at", "entry")},
            entry=split.get(as_text(row["id"]), as_text(row["entry"])),
            at=from_microseconds(as_int(row["at"])),
        )
        for row in rows
    )
    return sorted(found, key=lambda each: (each.at, escape(each.id)))


def add_occurrence(db: Database, row: Occurrence) -> None:
    """In a transaction: add an occurrence."""
    values: dict[str, Value] = {name: getattr(row, name) for name in OCCURRENCES.columns}
    add_row(db, OCCURRENCES, values | {"at": microseconds(row.at)})


def packed_ids(ids: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Yield ids as they are stored, as many as one statement may hold."""
    wanted = sorted(set(ids))
    for start in range(0, len(wanted), _CHUNK):
        yield tuple(map(escape, wanted[start : start + _CHUNK]))


def placeholders(values: tuple[str, ...]) -> str:
    """Return the SQL placeholders of these values."""
    return ", ".join("?" * len(values))
