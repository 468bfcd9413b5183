"""The ledger's statements about entries, occurrences, moves, proposals and guards, written once for every database."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec

from wisen.errors import StoreBusy
from wisen.model.backtest import Backtest
from wisen.model.decision import standing_moves
from wisen.model.entry import Entry, Move, MoveKind, Occurrence, Proposal, Status, Tally, Who, tallied
from wisen.model.founding import known_as, sights_of, with_known
from wisen.model.guard import Guard, newest
from wisen.store.escapes import from_microseconds, microseconds, pack, unpack
from wisen.store.seals import Table, add, read

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from wisen.model.guard import Learnt
    from wisen.store.dialect import Database, Value

ENTRIES = Table("entries", ("id", "name", "context", "at", "body", "founded"))
OCCURRENCES = Table("occurrences", ("id", "entry", "machine", "context", "agent", "session", "message", "at", "quote"))
MOVES = Table("moves", ("id", "subject", "machine", "at", "decider", "kind", "value", "why"))
PROPOSALS = Table("proposals", ("id", "entry", "at", "body", "asks"))
GUARDS = Table("guards", ("id", "version", "context", "at", "body"))
_AT_WORK = (Status.PENDING, Status.IN_PROGRESS, Status.PROMOTED, Status.PROMOTED_TO_SKILL)
_AT_ONCE = 500
"""How many ids one question names."""
_TRIES = 8
_WHOSE = "SELECT id, entry FROM (SELECT o.id, o.entry FROM occurrences AS o JOIN entries AS e ON e.id = o.entry) AS w"
_Bodied = TypeVar("_Bodied", Entry, Proposal, Guard)


class _Outrun(Exception):
    """Another process recorded the same while we did."""


class SqlEntries:
    """What was learnt, in a database."""

    _db: Database

    def enter(self, rows: Iterable[Learnt]) -> dict[str, str]:
        """Remember what was learnt and decided, all of it or nothing; the same again changes nothing.

        An entry whose sights were recorded before is the one that they belong to: returns which are, under which id.
        """
        every = tuple(rows)
        sights = sights_of(every)
        for _ in range(_TRIES):
            with suppress(_Outrun):
                return self._enter_once(every, sights)
        raise StoreBusy(f"{self._db.place}: others record the same at the same time. Run this again in a moment.")

    def _enter_once(self, rows: Sequence[Learnt], sights: Mapping[str, Sequence[str]]) -> dict[str, str]:
        with self._db.transaction():
            before = self._owners(sights)
            known = known_as(sights, before)
            for row in with_known(rows, known):
                self._enter_row(row, sights)
            after = self._owners(sights)
            new = ((id_, sight) for id_, seen in sights.items() if id_ not in known for sight in seen)
            if any(sight not in before and after.get(sight, id_) != id_ for id_, sight in new):
                raise _Outrun  # another machine recorded the same in this moment: the next try sees it
        return known

    def _enter_row(self, row: Learnt, sights: Mapping[str, Sequence[str]]) -> None:
        if isinstance(row, Entry):
            founded = sights[row.id][0] if row.id in sights else None
            values: dict[str, Value] = {"name": row.name, "context": row.context, "body": _body(row)}
            add(self._db, ENTRIES, values | {"id": row.id, "at": microseconds(row.at), "founded": founded})
        elif isinstance(row, Proposal):
            values = {"id": row.id, "entry": row.entry, "at": microseconds(row.at), "body": _body(row)}
            add(self._db, PROPOSALS, values | {"asks": row.asks})
        elif isinstance(row, Guard):
            values = {"id": row.id, "version": row.version, "context": row.context, "body": _body(row)}
            add(self._db, GUARDS, values | {"at": microseconds(row.at)})
        elif isinstance(row, Move):
            values = {name: getattr(row, name, None) for name in MOVES.columns}
            values |= {"at": microseconds(row.at), "decider": row.by.value, "kind": row.kind.value}
            add(self._db, MOVES, values)
        else:
            values = {name: getattr(row, name) for name in OCCURRENCES.columns}
            add(self._db, OCCURRENCES, values | {"at": microseconds(row.at)})

    def _owners(self, sights: Mapping[str, Sequence[str]]) -> dict[str, str]:
        """By sight, the entry that it was recorded for; what it was founded by counts also where that was forgotten."""
        found: dict[str, str] = {}
        for some in _some(each for seen in sights.values() for each in seen):
            for column, table in (("founded", "SELECT founded, id FROM entries"), ("id", _WHOSE)):
                rows = self._db.run(f"{table} WHERE {column} IN ({_marks(some)})", some)
                found |= {unpack(str(sight)): unpack(str(entry)) for sight, entry in rows}
        return found

    def entries(self, ids: Iterable[str] | None = None) -> tuple[Entry, ...]:
        """Every entry, or those with these ids, oldest first."""
        order = f"ORDER BY id COLLATE {self._db.bytewise}"
        if ids is None:
            return tuple(_read(row, Entry) for row in read(self._db, ENTRIES, order))
        found = [
            _read(row, Entry)
            for some in _some(ids)
            for row in read(self._db, ENTRIES, f"WHERE id IN ({_marks(some)}) {order}", some)
        ]
        return tuple(sorted(found, key=lambda each: each.id))

    def tallies(self, ids: Iterable[str] | None = None) -> tuple[Tally, ...]:
        """How often each entry was seen, or each of some, by its id. It is counted by the database, and not sealed."""
        if ids is None:
            found = self._tallied("", ())
        else:
            found = tuple(
                each for some in _some(ids) for each in self._tallied(f"WHERE e.id IN ({_marks(some)})", some)
            )
        split = self._split()
        if not split:
            return found
        touched = {*split.values()}
        for some in _some(split):
            rows = self._db.run(f"SELECT entry FROM occurrences WHERE id IN ({_marks(some)})", some)  # noqa: S608 - ours
            touched |= {unpack(str(row[0])) for row in rows}
        return tuple(tallied(each, self.occurrences(each.entry)) if each.entry in touched else each for each in found)

    def ranked(self, context: str | None = None) -> tuple[str, ...]:
        """The ids of all entries, or of one context, those that came up in most sessions first, then the newest."""
        if self._split():
            found = [each for each in self.tallies() if context in (None, each.context)]
            found.sort(key=lambda each: (-each.sessions, -microseconds(each.last), each.entry.encode()))
            return tuple(each.entry for each in found)
        where, values = ("", ()) if context is None else ("WHERE e.context = ?", (pack(context),))
        seen = "FROM occurrences AS o WHERE o.entry = e.id"
        rows = self._db.run(
            f"SELECT e.id FROM entries AS e {where} "  # noqa: S608 - ours
            f"ORDER BY (SELECT COUNT(DISTINCT o.agent || ' ' || o.session) {seen}) DESC, "
            f"COALESCE((SELECT MAX(o.at) {seen}), e.at) DESC, e.id COLLATE {self._db.bytewise}",
            values,
        )
        return tuple(unpack(str(row[0])) for row in rows)

    def _tallied(self, where: str, values: tuple[str, ...]) -> tuple[Tally, ...]:
        return tuple(
            Tally(
                entry=unpack(str(entry)),
                context=unpack(str(context)),
                times=int(cast("int", times)),
                sessions=int(cast("int", sessions)),
                first=from_microseconds(int(cast("int", first))),
                last=from_microseconds(int(cast("int", last))),
            )
            for entry, context, times, sessions, first, last in self._db.run(
                "SELECT e.id, e.context, COUNT(o.id), COUNT(DISTINCT o.agent || ' ' || o.session), "  # noqa: S608 - ours
                "COALESCE(MIN(o.at), MIN(e.at)), COALESCE(MAX(o.at), MAX(e.at)) FROM entries AS e "
                f"LEFT JOIN occurrences AS o ON o.entry = e.id {where} GROUP BY e.id, e.context "
                f"ORDER BY e.id COLLATE {self._db.bytewise}",
                values,
            )
        )

    def occurrences(self, entry: str | None = None) -> tuple[Occurrence, ...]:
        """Where entries were seen, or one of them, oldest first."""
        split = self._split()
        rows = [*read(self._db, OCCURRENCES, *(("",) if entry is None else ("WHERE entry = ?", (pack(entry),))))]
        if entry is not None:
            for some in _some(id_ for id_, into in split.items() if into == entry):
                rows += read(
                    self._db, OCCURRENCES, f"WHERE id IN ({_marks(some)}) AND entry <> ?", (*some, pack(entry))
                )
        found = (
            Occurrence(
                **{name: cast("str", row[name]) for name in OCCURRENCES.columns if name not in ("at", "entry")},
                entry=split.get(cast("str", row["id"]), cast("str", row["entry"])),
                at=from_microseconds(cast("int", row["at"])),
            )
            for row in rows
        )
        here = (each for each in found if entry in (None, each.entry))
        return tuple(sorted(here, key=lambda each: (each.at, pack(each.id))))

    def seen(self) -> Iterator[Occurrence]:
        """Every occurrence as it was entered, whatever was decided about it since."""
        for row in read(self._db, OCCURRENCES):
            texts = {name: cast("str", row[name]) for name in OCCURRENCES.columns if name != "at"}
            yield Occurrence(**texts, at=from_microseconds(cast("int", row["at"])))

    def _split(self) -> dict[str, str]:
        """The occurrences that a person took out of their entries, and to which each belongs. Not sealed."""
        order = f"ORDER BY id COLLATE {self._db.bytewise}"
        rows = self._standing(f"SELECT id, kind, subject, value FROM moves WHERE kind IN ('split', 'undo') {order}")  # noqa: S608 - ours
        return {unpack(subject): unpack(value) for _, subject, value in rows}

    def sights(self) -> frozenset[str]:
        """The ids of all occurrences."""
        return frozenset(unpack(str(row[0])) for row in self._db.run("SELECT id FROM occurrences"))

    def moves(self, subject: str | None = None, *, every: bool = False) -> tuple[Move, ...]:
        """What was decided, or about one entry or proposal, oldest first; with `every` also what was undone."""
        found = self._every_move(subject)
        return found if every else tuple(standing_moves(found))

    def _every_move(self, subject: str | None) -> tuple[Move, ...]:
        rest = "" if subject is None else "WHERE subject = ?"
        order = f"ORDER BY id COLLATE {self._db.bytewise}"
        return tuple(
            Move(
                id=cast("str", row["id"]),
                subject=cast("str", row["subject"]),
                machine=cast("str", row["machine"]),
                at=from_microseconds(cast("int", row["at"])),
                by=Who(cast("str", row["decider"])),
                kind=MoveKind(cast("str", row["kind"])),
                value=cast("str", row["value"]),
                why=cast("str", row["why"]),
            )
            for row in read(self._db, MOVES, f"{rest} {order}", () if subject is None else (pack(subject),))
        )

    def over(self) -> dict[str, str]:
        """The entries of which nothing more comes, by id, and into which each was merged, if it was. Not sealed."""
        last: dict[tuple[str, str], str] = {}
        order = f"ORDER BY id COLLATE {self._db.bytewise}"
        kinds = "'status', 'merge', 'supersede', 'undo'"
        asked = f"SELECT id, kind, subject, value FROM moves WHERE kind IN ({kinds}) {order}"  # noqa: S608 - ours
        for kind, subject, value in self._standing(asked):
            last[subject, kind] = value
        found = {unpack(subject): "" for (subject, _), value in last.items() if value and value not in _AT_WORK}
        return found | {
            unpack(subject): unpack(value)
            for (subject, kind), value in last.items()
            if value and kind == MoveKind.MERGE
        }

    def _standing(self, question: str) -> list[tuple[str, str, str]]:
        """Kind, subject and value of moves that were not undone, as they are stored."""
        rows = [tuple(map(str, row)) for row in self._db.run(question)]
        gone = {id_ for _, kind, _, value in rows if kind == MoveKind.UNDO for id_ in unpack(value).split()}
        return [
            (kind, subject, value)
            for id_, kind, subject, value in rows
            if kind != MoveKind.UNDO and unpack(id_) not in gone
        ]

    def proposals(self) -> tuple[Proposal, ...]:
        """Every proposal, oldest first."""
        order = f"ORDER BY id COLLATE {self._db.bytewise}"
        return tuple(_read(row, Proposal) for row in read(self._db, PROPOSALS, order))

    def guards(self) -> tuple[Guard, ...]:
        """Every guard in its newest version, oldest first."""
        order = f"ORDER BY at, id COLLATE {self._db.bytewise}"
        return newest(_read(row, Guard) for row in read(self._db, GUARDS, order))


def _some(ids: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Ids, as many as one question may name."""
    wanted = sorted(set(ids))
    for start in range(0, len(wanted), _AT_ONCE):
        yield tuple(map(pack, wanted[start : start + _AT_ONCE]))


def _marks(values: tuple[str, ...]) -> str:
    return ", ".join("?" * len(values))


def _body(value: Entry | Proposal | Guard) -> str:
    """The value as JSON, in which not any character may stand."""
    named = {name: _turned(getattr(value, name), pack) for name in value.__struct_fields__}
    return msgspec.json.encode(named | {"at": value.at.astimezone(UTC)}).decode()


def _read(row: dict[str, Value], kind: type[_Bodied]) -> _Bodied:
    value = msgspec.json.decode(cast("str", row["body"]), type=kind)
    named = {name: _turned(getattr(value, name), unpack) for name in value.__struct_fields__}
    return kind(**named)


def _turned(value: Any, turned: Any) -> Any:
    """A value with its texts packed or unpacked."""
    if type(value) is str:
        return turned(value)
    if isinstance(value, Backtest):
        named = {name: _turned(getattr(value, name), turned) for name in value.__struct_fields__}
        return Backtest(**named)
    return tuple(_turned(each, turned) for each in value) if isinstance(value, tuple) else value
