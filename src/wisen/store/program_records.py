"""What programs recorded about their own work, in the ledger: the port, and its SQL for every database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from wisen.model.failure import Signature
from wisen.model.learning import Record, RecordKind
from wisen.store.escapes import escape, from_microseconds, microseconds
from wisen.store.sealed_rows import Table, add_row, as_int, as_optional_text, as_text, read_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wisen.store.database_port import Database, Value

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
_RELEVANT = """
    (kind <> 'success' OR tried IS NOT NULL OR EXISTS (
        SELECT 1 FROM records AS failed WHERE failed.session = records.session AND failed.tool = records.tool
            AND failed.machine = records.machine AND failed.kind = 'failure'))
"""
"""Successes that may have ended or supported something, and all other kinds."""


class ProgramRecords(Protocol):
    """What programs recorded about their own work."""

    def add(self, record: Record) -> None:
        """Add a record; adding it again changes nothing."""
        ...

    def find(self, *, id_: str | None = None, tool: str | None = None, key: str | None = None) -> tuple[Record, ...]:
        """Return records, oldest first: the one with an id, those relevant to a tool or a key, or all.

        Insights and records of an attempt are always relevant. A success without an attempt, in a session where its
        tool never failed, is left out unless its id is given: most records are such successes.
        """
        ...


class SqlProgramRecords:
    """Program records in a database."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, record: Record) -> None:
        """Add a record; adding it again changes nothing."""
        signed = record.signature
        values: dict[str, Value] = {name: getattr(record, name, None) for name in RECORDS.columns}
        values |= {"kind": record.kind.value, "at": microseconds(record.at)}
        if signed is not None:
            values |= {"key": signed.key, "who": signed.who, "says": signed.says, "signature_version": signed.version}
        with self._db.transaction():
            add_row(self._db, RECORDS, values)

    def find(self, *, id_: str | None = None, tool: str | None = None, key: str | None = None) -> tuple[Record, ...]:
        """Return records, oldest first: the one with an id, those relevant to a tool or a key, or all.

        Insights and records of an attempt are always relevant. A success without an attempt, in a session where its
        tool never failed, is left out unless its id is given: most records are such successes.
        """
        if id_ is not None:
            return tuple(_record(row) for row in read_rows(self._db, RECORDS, "WHERE id = ?", (escape(id_),)))
        rest, values = f"WHERE {_RELEVANT}", []
        if tool is not None or key is not None:
            rest += " AND (tool = ? OR key = ? OR kind = 'insight' OR tried IS NOT NULL)"
            values = [None if value is None else escape(value) for value in (tool, key)]
        rest += f" ORDER BY at, id COLLATE {self._db.bytewise}"
        return tuple(_record(row) for row in read_rows(self._db, RECORDS, rest, tuple(values)))

    def every(self) -> Iterator[Record]:
        """Yield all of them, also those that are never relevant."""
        return map(_record, read_rows(self._db, RECORDS))


def _record(row: dict[str, Value]) -> Record:
    signature = None
    if row["key"] is not None:
        signature = Signature(
            key=as_text(row["key"]),
            who=as_text(row["who"]),
            says=as_text(row["says"]),
            version=as_int(row["signature_version"]),
        )
    return Record(
        id=as_text(row["id"]),
        kind=RecordKind(as_text(row["kind"])),
        machine=as_text(row["machine"]),
        at=from_microseconds(as_int(row["at"])),
        tool=as_optional_text(row["tool"]),
        session=as_optional_text(row["session"]),
        place=as_text(row["place"]),
        text=as_optional_text(row["text"]),
        arguments=as_optional_text(row["arguments"]),
        signature=signature,
        failure=as_optional_text(row["failure"]),
        tried=as_optional_text(row["tried"]),
        withheld=as_optional_text(row["withheld"]),
    )
