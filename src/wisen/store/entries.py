"""Entries in the ledger, and the single way to record what was learned and decided: the port, and its SQL."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Protocol, cast

from wisen.errors import StoreBusy
from wisen.model.entry import Entry, EntryStatus, Move, MoveKind, Proposal, Tally, recount_tally
from wisen.model.entry_identity import find_known_entries, founding_occurrences, replace_known_entries
from wisen.model.guard import Guard
from wisen.store.escapes import escape, from_microseconds, microseconds, unescape
from wisen.store.guards import add_guard
from wisen.store.last_read import LastRead
from wisen.store.moves import add_move, split_occurrences, standing_values
from wisen.store.occurrences import SqlOccurrences, add_occurrence, packed_ids, placeholders
from wisen.store.proposals import add_proposal
from wisen.store.row_bodies import body_of, read_body
from wisen.store.sealed_rows import DecodedRows, Table, add_row, read_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from wisen.model.guard import LearnedRow
    from wisen.store.database_port import Database, Value

ENTRIES = Table("entries", ("id", "name", "context", "at", "body", "founded"))
_ACTIVE = (EntryStatus.PENDING, EntryStatus.IN_PROGRESS, EntryStatus.PROMOTED, EntryStatus.PROMOTED_TO_SKILL)
_ATTEMPTS = 8
_OWNERS = "SELECT id, entry FROM (SELECT o.id, o.entry FROM occurrences AS o JOIN entries AS e ON e.id = o.entry) AS w"


class Entries(Protocol):
    """The entries. Decisions about them are recorded here too, so that both are written together."""

    def record(self, rows: Iterable[LearnedRow]) -> dict[str, str]:
        """Record what was learned and decided in one transaction; recording it again changes nothing.

        An entry whose occurrences are already recorded is the entry they belong to, and rows that refer to it are
        changed to refer to that one; a proposal with the same question as a concurrent one is left out. Returns the
        entries that were already recorded, each with the id it has.
        """
        ...

    def all(self) -> tuple[Entry, ...]:
        """Return every entry, oldest first."""
        ...

    def of(self, ids: Iterable[str]) -> tuple[Entry, ...]:
        """Return the entries with these ids, oldest first."""
        ...

    def tallies(self, ids: Iterable[str] | None = None) -> tuple[Tally, ...]:
        """Return how often each entry was seen, or each of some, by its id."""
        ...

    def ids(self) -> frozenset[str]:
        """Return the ids of all entries."""
        ...

    def ranked_ids(self, context: str | None = None) -> tuple[str, ...]:
        """Return the ids of all entries, or of one context, most sessions first, then the newest."""
        ...

    def closed_entries(self) -> dict[str, str]:
        """Return the entries no longer in use, by id, with the entry that each was merged into, if any."""
        ...


class _RecordedConcurrently(Exception):
    """Another process recorded the same at the same time."""


class SqlEntries:
    """Entries in a database."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._rows = DecodedRows(db, ENTRIES, lambda row: read_body(row, Entry))
        self._every, self._tallies = LastRead[tuple[Entry, ...]](db), LastRead[tuple[Tally, ...]](db)

    def record(self, rows: Iterable[LearnedRow]) -> dict[str, str]:
        """Record what was learned and decided in one transaction; recording it again changes nothing.

        Returns the entries whose occurrences were already recorded, each with the id it has.
        """
        every = tuple(rows)
        occurrences = founding_occurrences(every)
        for _ in range(_ATTEMPTS):
            with suppress(_RecordedConcurrently):
                return self._try_record(every, occurrences)
        raise StoreBusy(
            f"{self._db.location}: other processes are recording the same rows. Run this again in a moment."
        )

    def _try_record(self, rows: Sequence[LearnedRow], occurrences: Mapping[str, Sequence[str]]) -> dict[str, str]:
        with self._db.transaction():
            before = self._owners(occurrences)
            known = find_known_entries(occurrences, before)
            for row in replace_known_entries(rows, known):
                self._add_row(row, occurrences)
            after = self._owners(occurrences)
            new = ((id_, sight) for id_, seen in occurrences.items() if id_ not in known for sight in seen)
            if any(sight not in before and after.get(sight, id_) != id_ for id_, sight in new):
                raise _RecordedConcurrently  # another machine recorded the same just now: the next attempt sees it
        return known

    def _add_row(self, row: LearnedRow, occurrences: Mapping[str, Sequence[str]]) -> None:
        if isinstance(row, Entry):
            founded = occurrences[row.id][0] if row.id in occurrences else None
            values: dict[str, Value] = {"name": row.name, "context": row.context, "body": body_of(row)}
            add_row(self._db, ENTRIES, values | {"id": row.id, "at": microseconds(row.at), "founded": founded})
        elif isinstance(row, Proposal):
            add_proposal(self._db, row)
        elif isinstance(row, Guard):
            add_guard(self._db, row)
        elif isinstance(row, Move):
            add_move(self._db, row)
        else:
            add_occurrence(self._db, row)

    def _owners(self, occurrences: Mapping[str, Sequence[str]]) -> dict[str, str]:
        """Map occurrences to their recorded entries; a founding occurrence counts even if it was forgotten."""
        owners: dict[str, str] = {}
        for some in packed_ids(each for seen in occurrences.values() for each in seen):
            for column, table in (("founded", "SELECT founded, id FROM entries"), ("id", _OWNERS)):
                rows = self._db.run(f"{table} WHERE {column} IN ({placeholders(some)})", some)
                owners |= {unescape(str(sight)): unescape(str(entry)) for sight, entry in rows}
        return owners

    def all(self) -> tuple[Entry, ...]:
        """Return every entry, oldest first."""
        order = f"ORDER BY id COLLATE {self._db.bytewise}"
        return self._every.get(lambda: self._rows.read(order))

    def of(self, ids: Iterable[str]) -> tuple[Entry, ...]:
        """Return the entries with these ids, oldest first."""
        order = f"ORDER BY id COLLATE {self._db.bytewise}"
        found = [
            read_body(row, Entry)
            for some in packed_ids(ids)
            for row in read_rows(self._db, ENTRIES, f"WHERE id IN ({placeholders(some)}) {order}", some)
        ]
        return tuple(sorted(found, key=lambda each: each.id))

    def tallies(self, ids: Iterable[str] | None = None) -> tuple[Tally, ...]:
        """Return how often each entry was seen, or each of some, by its id. Counted by the database, without seals."""
        if ids is None:
            tallies = self._tallies.get(lambda: self._read_tallies("", ()))
        else:
            tallies = tuple(
                each
                for some in packed_ids(ids)
                for each in self._read_tallies(f"WHERE e.id IN ({placeholders(some)})", some)
            )
        split = split_occurrences(self._db)
        if not split:
            return tallies
        touched = {*split.values()}
        for some in packed_ids(split):
            rows = self._db.run(f"SELECT entry FROM occurrences WHERE id IN ({placeholders(some)})", some)  # noqa: S608 - a constant
            touched |= {unescape(str(row[0])) for row in rows}
        seen = SqlOccurrences(self._db)
        return tuple(recount_tally(each, seen.of(each.entry)) if each.entry in touched else each for each in tallies)

    def ids(self) -> frozenset[str]:
        """Return the ids of all entries. Without seals."""
        return frozenset(unescape(str(row[0])) for row in self._db.run("SELECT id FROM entries"))

    def ranked_ids(self, context: str | None = None) -> tuple[str, ...]:
        """Return the ids of all entries, or of one context, most sessions first, then the newest."""
        if split_occurrences(self._db):
            tallies = [each for each in self.tallies() if context in (None, each.context)]
            tallies.sort(key=lambda each: (-each.sessions, -microseconds(each.last), each.entry.encode()))
            return tuple(each.entry for each in tallies)
        where, values = ("", ()) if context is None else ("WHERE e.context = ?", (escape(context),))
        seen = "FROM occurrences AS o WHERE o.entry = e.id"
        rows = self._db.run(
            f"SELECT e.id FROM entries AS e {where} "  # noqa: S608 - a constant
            f"ORDER BY (SELECT COUNT(DISTINCT o.agent || ' ' || o.session) {seen}) DESC, "
            f"COALESCE((SELECT MAX(o.at) {seen}), e.at) DESC, e.id COLLATE {self._db.bytewise}",
            values,
        )
        return tuple(unescape(str(row[0])) for row in rows)

    def _read_tallies(self, where: str, values: tuple[str, ...]) -> tuple[Tally, ...]:
        return tuple(
            Tally(
                entry=unescape(str(entry)),
                context=unescape(str(context)),
                times=int(cast("int", times)),
                sessions=int(cast("int", sessions)),
                first=from_microseconds(int(cast("int", first))),
                last=from_microseconds(int(cast("int", last))),
            )
            for entry, context, times, sessions, first, last in self._db.run(
                "SELECT e.id, e.context, COUNT(o.id), COUNT(DISTINCT o.agent || ' ' || o.session), "  # noqa: S608 - a constant
                "COALESCE(MIN(o.at), MIN(e.at)), COALESCE(MAX(o.at), MAX(e.at)) FROM entries AS e "
                f"LEFT JOIN occurrences AS o ON o.entry = e.id {where} GROUP BY e.id, e.context "
                f"ORDER BY e.id COLLATE {self._db.bytewise}",
                values,
            )
        )

    def closed_entries(self) -> dict[str, str]:
        """Return the entries no longer in use, by id, with the entry that each was merged into. Without seals."""
        last: dict[tuple[str, str], str] = {}
        for kind, subject, value in standing_values(self._db, "'status', 'merge', 'supersede', 'undo'"):
            last[subject, kind] = value
        closed = {unescape(subject): "" for (subject, _), value in last.items() if value and value not in _ACTIVE}
        return closed | {
            unescape(subject): unescape(value)
            for (subject, kind), value in last.items()
            if value and kind == MoveKind.MERGE
        }
