"""The ledger's statements, written once for every database.

It does not open anything: `sqlite_ledger.py` and `postgres_ledger.py` do.
"""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, cast

import msgspec
from msgspec import structs

from wisen.model.change import Change, Fate, Line, Look
from wisen.model.context import Alias, Context, ContextKind
from wisen.model.failure import Signature
from wisen.model.learning import Record, RecordKind
from wisen.model.run import Run
from wisen.model.snapshot import Snapshot
from wisen.store.entries import ENTRIES, GUARDS, MOVES, OCCURRENCES, PROPOSALS, SqlEntries
from wisen.store.escapes import from_microseconds, microseconds, pack, unpack
from wisen.store.exposures import EXPOSURES, OUTCOMES, REINFORCEMENTS, SqlExposures
from wisen.store.migrate import MIGRATIONS
from wisen.store.ownerships import OWNERSHIP, SqlOwnerships
from wisen.store.phrases import WORDING, SqlPhrases
from wisen.store.purse import COOLINGS, MODEL_CALLS, SqlPurse
from wisen.store.seals import Table, add, read
from wisen.store.tombstones import GRAVES, SqlGraves

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wisen.model.change import Deed
    from wisen.store.dialect import Database, Value
    from wisen.store.tombstones_port import Row

CONTEXTS = Table("contexts", ("key", "kind", "name"))
ALIASES = Table("aliases", ("context", "machine", "path", "since"))
RUNS = Table(
    "runs",
    (
        "id",
        "machine",
        "started",
        "finished",
        "version",
        "sources",
        "read_bytes",
        "new_events",
        "withheld",
        "troubles",
        "error",
    ),
)
RECORDS = Table(
    "records",
    (
        "id",
        "kind",
        "machine",
        "at",
        "tool",
        "session",
        "place",
        "text",
        "arguments",
        "key",
        "who",
        "says",
        "signature_version",
        "failure",
        "tried",
        "withheld",
    ),
)
SNAPSHOTS = Table("snapshots", ("path", "machine", "at", "text", "digest"))
CHANGES = Table("changes", ("id", "machine", "path", "at", "undoes", "body", "follows"))
LOOKS = Table("looks", ("id", "change", "machine", "at", "fate", "path", "head", "text"))
TABLES = (
    MIGRATIONS, CONTEXTS, ALIASES, RUNS, RECORDS, SNAPSHOTS, CHANGES, LOOKS, ENTRIES, OCCURRENCES, MOVES, PROPOSALS,
    EXPOSURES, OUTCOMES, REINFORCEMENTS, GUARDS, MODEL_CALLS, COOLINGS, OWNERSHIP, *WORDING, *GRAVES,
)  # fmt: skip

_TELLING = """
    (kind <> 'success' OR tried IS NOT NULL OR EXISTS (
        SELECT 1 FROM records AS failed WHERE failed.session = records.session AND failed.tool = records.tool
            AND failed.machine = records.machine AND failed.kind = 'failure'))
"""
"""Successes that can have ended something or speak for something, and all else."""


class SqlLedger(SqlEntries, SqlExposures, SqlGraves, SqlPurse, SqlPhrases, SqlOwnerships):
    """A ledger in a database."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def sight(self, context: Context, alias: Alias | None) -> None:
        """Remember a context and the directory it was seen in; the first sight of each stands."""
        with self._db.transaction():
            add(self._db, CONTEXTS, {"key": context.key, "kind": context.kind.value, "name": context.name})
            if alias is not None:
                add(
                    self._db,
                    ALIASES,
                    {
                        "context": alias.context,
                        "machine": alias.machine,
                        "path": alias.path,
                        "since": microseconds(alias.since),
                    },
                )

    def contexts(self) -> tuple[Context, ...]:
        """Every context ever seen, by key."""
        found = (
            Context(key=_text(row["key"]), kind=ContextKind(_text(row["kind"])), name=_text(row["name"]))
            for row in read(self._db, CONTEXTS)
        )
        return tuple(sorted(found, key=lambda context: context.key))

    def aliases(self, machine: str) -> tuple[Alias, ...]:
        """The directories of one machine, by path; one that changed its context stands there once for each."""
        found = map(_alias, read(self._db, ALIASES, "WHERE machine = ?", (pack(machine),)))
        return tuple(sorted(found, key=lambda alias: (alias.path, alias.since, alias.context)))

    def record(self, run: Run) -> None:
        """Remember a run; recording the same one again changes nothing."""
        values: dict[str, Value] = {name: getattr(run, name) for name in RUNS.columns}
        values["started"], values["finished"] = microseconds(run.started), microseconds(run.finished)
        with self._db.transaction():
            add(self._db, RUNS, values)

    def runs(self, limit: int) -> tuple[Run, ...]:
        """The newest runs, newest first."""
        rest = f"ORDER BY started DESC, id COLLATE {self._db.bytewise} DESC LIMIT ?"
        return tuple(_run(row) for row in read(self._db, RUNS, rest, (limit,)))

    def keep(self, record: Record) -> None:
        """Remember what a program recorded; keeping the same one again changes nothing."""
        signed = record.signature
        values: dict[str, Value] = {name: getattr(record, name, None) for name in RECORDS.columns}
        values |= {"kind": record.kind.value, "at": microseconds(record.at)}
        if signed is not None:
            values |= {"key": signed.key, "who": signed.who, "says": signed.says, "signature_version": signed.version}
        with self._db.transaction():
            add(self._db, RECORDS, values)

    def records(self, *, id_: str | None = None, tool: str | None = None, key: str | None = None) -> tuple[Record, ...]:
        """What programs recorded, oldest first: the one with an id, or what concerns a tool or a key, or everything.

        Insights and whatever tells of a try always concern. A success that tells of none, in a session where its tool
        never failed, is left out unless its id is asked for: most of what a program records is that.
        """
        if id_ is not None:
            return tuple(_record(row) for row in read(self._db, RECORDS, "WHERE id = ?", (pack(id_),)))
        rest, values = f"WHERE {_TELLING}", []
        if tool is not None or key is not None:
            rest += " AND (tool = ? OR key = ? OR kind = 'insight' OR tried IS NOT NULL)"
            values = [None if value is None else pack(value) for value in (tool, key)]
        rest += f" ORDER BY at, id COLLATE {self._db.bytewise}"
        return tuple(_record(row) for row in read(self._db, RECORDS, rest, tuple(values)))

    def snap(self, snapshot: Snapshot) -> None:
        """Remember what a file held; the same text as in the newest snapshot of that file changes nothing."""
        values: dict[str, Value] = {name: getattr(snapshot, name) for name in SNAPSHOTS.columns}
        values["at"] = microseconds(snapshot.at)
        rest = f"WHERE path = ? AND machine = ? ORDER BY at DESC, digest COLLATE {self._db.bytewise} DESC LIMIT 1"
        with self._db.transaction():
            file = (pack(snapshot.path), pack(snapshot.machine))
            newest = next(read(self._db, SNAPSHOTS, rest, file), None)
            if newest is None or newest["digest"] != snapshot.digest:
                add(self._db, SNAPSHOTS, values)

    def snapshots(self, path: str, *, machine: str | None = None) -> tuple[Snapshot, ...]:
        """What the file of that path held, oldest first, on one machine or on all."""
        rest, values = "WHERE path = ?", [pack(path)]
        if machine is not None:
            rest, values = f"{rest} AND machine = ?", [*values, pack(machine)]
        rest += f" ORDER BY at, machine COLLATE {self._db.bytewise}, digest COLLATE {self._db.bytewise}"
        return tuple(_snapshot(row) for row in read(self._db, SNAPSHOTS, rest, tuple(values)))

    def change(self, change: Change) -> bool:
        """Remember an edit of a file; the same one again changes nothing. False: another one came in its place."""
        with self._db.transaction():
            add(self._db, CHANGES, _change_values(change))
            return bool(self._db.run("SELECT 1 FROM changes WHERE id = ?", (pack(change.id),)))

    def rewrite_change(self, change: Change) -> None:
        """Put a change in the place of the one with its id, in one go."""
        with self._db.transaction():
            self._db.run("DELETE FROM changes WHERE id = ?", (pack(change.id),))
            add(self._db, CHANGES, _change_values(change))

    def changes(self, *, machine: str, path: str | None = None) -> tuple[Change, ...]:
        """The edits of the files of one machine, or of one file, oldest first."""
        rest, values = "WHERE machine = ?", [pack(machine)]
        if path is not None:
            rest, values = f"{rest} AND path = ?", [*values, pack(path)]
        rest += f" ORDER BY id COLLATE {self._db.bytewise}"
        return tuple(_change(row) for row in read(self._db, CHANGES, rest, tuple(values)))

    def look(self, look: Look) -> None:
        """Remember what had become of a change; the same look again changes nothing."""
        values: dict[str, Value] = {name: getattr(look, name) for name in LOOKS.columns}
        values |= {"at": microseconds(look.at), "fate": look.fate.value}
        with self._db.transaction():
            add(self._db, LOOKS, values)

    def looks(self, *, machine: str) -> tuple[Look, ...]:
        """The looks at what was changed on one machine, oldest first."""
        rest = f"WHERE machine = ? ORDER BY id COLLATE {self._db.bytewise}"
        return tuple(_look(row) for row in read(self._db, LOOKS, rest, (pack(machine),)))

    def held(self) -> Iterator[Row]:
        """Every row that somebody may want to be forgotten, of all machines."""
        yield from self.entries()
        yield from self.seen()
        yield from self.moves(every=True)
        yield from self.proposals()
        yield from self.guards()
        for table, made in ((RECORDS, _record), (SNAPSHOTS, _snapshot), (CHANGES, _change), (LOOKS, _look)):
            yield from map(made, read(self._db, table))
        yield from map(_run, read(self._db, RUNS))
        yield from self.exposures()
        yield from self.outcomes()
        yield from self.proofs()
        yield from self.phrases()
        yield from self.searches()
        yield from self.reinforcements()
        yield from self.ownerships()
        yield from map(_alias, read(self._db, ALIASES))
        yield from self.contexts()

    def check(self) -> None:
        """Look the whole store over. Raises: StoreDamaged."""
        self._db.check()
        for table in TABLES:
            for _ in read(self._db, table):
                pass

    def close(self) -> None:
        """Let go of it."""
        self._db.close()


def _alias(row: dict[str, Value]) -> Alias:
    return Alias(
        context=_text(row["context"]),
        machine=_text(row["machine"]),
        path=_text(row["path"]),
        since=from_microseconds(_number(row["since"])),
    )


def _run(row: dict[str, Value]) -> Run:
    return Run(
        id=_text(row["id"]),
        machine=_text(row["machine"]),
        started=from_microseconds(_number(row["started"])),
        finished=from_microseconds(_number(row["finished"])),
        version=_text(row["version"]),
        sources=_number(row["sources"]),
        read_bytes=_number(row["read_bytes"]),
        new_events=_number(row["new_events"]),
        withheld=_number(row["withheld"]),
        troubles=_number(row["troubles"]),
        error=_optional(row["error"]),
    )


def _snapshot(row: dict[str, Value]) -> Snapshot:
    return Snapshot(
        path=_text(row["path"]),
        machine=_text(row["machine"]),
        at=from_microseconds(_number(row["at"])),
        text=_text(row["text"]),
    )


def _look(row: dict[str, Value]) -> Look:
    return Look(
        id=_text(row["id"]),
        change=_text(row["change"]),
        machine=_text(row["machine"]),
        at=from_microseconds(_number(row["at"])),
        fate=Fate(_text(row["fate"])),
        path=_text(row["path"]),
        head=_text(row["head"]),
        text=_text(row["text"]),
    )


def _record(row: dict[str, Value]) -> Record:
    signature = None
    if row["key"] is not None:
        signature = Signature(
            key=_text(row["key"]),
            who=_text(row["who"]),
            says=_text(row["says"]),
            version=_number(row["signature_version"]),
        )
    return Record(
        id=_text(row["id"]),
        kind=RecordKind(_text(row["kind"])),
        machine=_text(row["machine"]),
        at=from_microseconds(_number(row["at"])),
        tool=_optional(row["tool"]),
        session=_optional(row["session"]),
        place=_text(row["place"]),
        text=_optional(row["text"]),
        arguments=_optional(row["arguments"]),
        signature=signature,
        failure=_optional(row["failure"]),
        tried=_optional(row["tried"]),
        withheld=_optional(row["withheld"]),
    )


_WORDS = ("path", "why", "told")


def _change_values(change: Change) -> dict[str, Value]:
    values: dict[str, Value] = {name: getattr(change, name, None) for name in CHANGES.columns}
    return values | {"at": microseconds(change.at), "body": _body(change)}


def _body(change: Change) -> str:
    """The change as JSON, in which not any character may stand."""
    packed = {name: pack(getattr(change, name)) for name in _WORDS}
    return msgspec.json.encode(
        structs.replace(change, at=change.at.astimezone(UTC), deed=_with_words(change.deed, pack), **packed)
    ).decode()


def _change(row: dict[str, Value]) -> Change:
    change = msgspec.json.decode(_text(row["body"]), type=Change)
    unpacked = {name: unpack(getattr(change, name)) for name in _WORDS}
    return structs.replace(change, deed=_with_words(change.deed, unpack), **unpacked)


def _with_words(deed: Deed | None, turned: Callable[[str], str]) -> Deed | None:
    if not isinstance(deed, Line):
        return deed  # JSON and bytes already
    return structs.replace(deed, heading=turned(deed.heading), text=turned(deed.text), old=turned(deed.old))


def _optional(value: Value) -> str | None:
    return cast("str | None", value)


def _text(value: Value) -> str:
    # The seal was made of what we wrote, so the type is as certain as the value.
    return cast("str", value)


def _number(value: Value) -> int:
    return cast("int", value)
