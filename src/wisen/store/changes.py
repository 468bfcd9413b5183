"""File edits and their later checks, in the ledger: the port, and its SQL for every database."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Protocol

import msgspec
from msgspec import structs

from wisen.model.change import Change, ChangeCheck, ChangeFate, LineEdit
from wisen.store.escapes import escape, from_microseconds, microseconds, unescape
from wisen.store.sealed_rows import Table, add_row, as_int, as_text, read_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wisen.model.change import EditOperation
    from wisen.store.database_port import Database, Value

CHANGES = Table("changes", ("id", "machine", "path", "at", "undoes", "body", "follows"))
CHECKS = Table("looks", ("id", "change", "machine", "at", "fate", "path", "head", "text"))
_TEXT_FIELDS = ("path", "why", "external_description")


class Changes(Protocol):
    """The edits of files, and the checks of what became of them."""

    def add(self, change: Change) -> bool:
        """Record an edit of a file before it is made; recording it again changes nothing.

        Returns False if another edit already followed the same previous one; then nothing is recorded.
        """
        ...

    def rewrite(self, change: Change) -> None:
        """Replace the change with the same id, atomically."""
        ...

    def of(self, *, machine: str, path: str | None = None) -> tuple[Change, ...]:
        """Return the edits of files on one machine, or of one file, oldest first."""
        ...

    def add_check(self, look: ChangeCheck) -> None:
        """Record the result of checking a change; recording it again changes nothing."""
        ...

    def checks(self, *, machine: str) -> tuple[ChangeCheck, ...]:
        """Return the checks of changes on one machine, oldest first."""
        ...


class SqlChanges:
    """File edits in a database."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, change: Change) -> bool:
        """Record an edit of a file; recording it again changes nothing. False: another one took its place."""
        with self._db.transaction():
            add_row(self._db, CHANGES, _values(change))
            return bool(self._db.run("SELECT 1 FROM changes WHERE id = ?", (escape(change.id),)))

    def rewrite(self, change: Change) -> None:
        """Replace the change with the same id, atomically."""
        with self._db.transaction():
            self._db.run("DELETE FROM changes WHERE id = ?", (escape(change.id),))
            add_row(self._db, CHANGES, _values(change))

    def of(self, *, machine: str, path: str | None = None) -> tuple[Change, ...]:
        """Return the edits of files on one machine, or of one file, oldest first."""
        rest, values = "WHERE machine = ?", [escape(machine)]
        if path is not None:
            rest, values = f"{rest} AND path = ?", [*values, escape(path)]
        rest += f" ORDER BY id COLLATE {self._db.bytewise}"
        return tuple(_change(row) for row in read_rows(self._db, CHANGES, rest, tuple(values)))

    def add_check(self, look: ChangeCheck) -> None:
        """Record the result of checking a change; recording it again changes nothing."""
        values: dict[str, Value] = {name: getattr(look, name) for name in CHECKS.columns}
        values |= {"at": microseconds(look.at), "fate": look.fate.value}
        with self._db.transaction():
            add_row(self._db, CHECKS, values)

    def checks(self, *, machine: str) -> tuple[ChangeCheck, ...]:
        """Return the checks of changes on one machine, oldest first."""
        rest = f"WHERE machine = ? ORDER BY id COLLATE {self._db.bytewise}"
        return tuple(_look(row) for row in read_rows(self._db, CHECKS, rest, (escape(machine),)))

    def every(self) -> Iterator[Change]:
        """Return the edits of all machines."""
        return map(_change, read_rows(self._db, CHANGES))

    def every_check(self) -> Iterator[ChangeCheck]:
        """Return the checks of all machines."""
        return map(_look, read_rows(self._db, CHECKS))


def _look(row: dict[str, Value]) -> ChangeCheck:
    return ChangeCheck(
        id=as_text(row["id"]),
        change=as_text(row["change"]),
        machine=as_text(row["machine"]),
        at=from_microseconds(as_int(row["at"])),
        fate=ChangeFate(as_text(row["fate"])),
        path=as_text(row["path"]),
        head=as_text(row["head"]),
        text=as_text(row["text"]),
    )


def _values(change: Change) -> dict[str, Value]:
    values: dict[str, Value] = {name: getattr(change, name, None) for name in CHANGES.columns}
    return values | {"at": microseconds(change.at), "body": _body(change)}


def _body(change: Change) -> str:
    """Encode the change as JSON, with characters escaped that a database cannot hold."""
    packed = {name: escape(getattr(change, name)) for name in _TEXT_FIELDS}
    return msgspec.json.encode(
        structs.replace(
            change, at=change.at.astimezone(UTC), operation=_convert_texts(change.operation, escape), **packed
        )
    ).decode()


def _change(row: dict[str, Value]) -> Change:
    change = msgspec.json.decode(as_text(row["body"]), type=Change)
    unpacked = {name: unescape(getattr(change, name)) for name in _TEXT_FIELDS}
    return structs.replace(change, operation=_convert_texts(change.operation, unescape), **unpacked)


def _convert_texts(operation: EditOperation | None, turned: Callable[[str], str]) -> EditOperation | None:
    if not isinstance(operation, LineEdit):
        return operation  # already JSON or bytes
    return structs.replace(
        operation, heading=turned(operation.heading), text=turned(operation.text), old=turned(operation.old)
    )
