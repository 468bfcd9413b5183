"""Edits of files in the ledger, and what became of them: the port, and its statements for every database."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Protocol

import msgspec
from msgspec import structs

from wisen.model.change import Change, ChangeCheck, ChangeFate, LineEdit
from wisen.store.escapes import from_microseconds, microseconds, pack, unpack
from wisen.store.seals import Table, add_row, as_int, as_text, read_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wisen.model.change import EditOperation
    from wisen.store.dialect import Database, Value

CHANGES = Table("changes", ("id", "machine", "path", "at", "undoes", "body", "follows"))
CHECKS = Table("looks", ("id", "change", "machine", "at", "fate", "path", "head", "text"))
_WORDS = ("path", "why", "told")


class Changes(Protocol):
    """The edits of files, and the looks at what had become of them."""

    def add(self, change: Change) -> bool:
        """Remember an edit of a file, before it is made; the same one again changes nothing.

        False: another one was made behind the same change before it, and this one is not remembered.
        """
        ...

    def rewrite(self, change: Change) -> None:
        """Put a change in the place of the one with its id, in one go."""
        ...

    def of(self, *, machine: str, path: str | None = None) -> tuple[Change, ...]:
        """The edits of the files of one machine, or of one file, oldest first."""
        ...

    def add_check(self, look: ChangeCheck) -> None:
        """Remember what had become of a change; the same look again changes nothing."""
        ...

    def checks(self, *, machine: str) -> tuple[ChangeCheck, ...]:
        """The looks at what was changed on one machine, oldest first."""
        ...


class SqlChanges:
    """Edits of files in a database."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, change: Change) -> bool:
        """Remember an edit of a file; the same one again changes nothing. False: another one came in its place."""
        with self._db.transaction():
            add_row(self._db, CHANGES, _values(change))
            return bool(self._db.run("SELECT 1 FROM changes WHERE id = ?", (pack(change.id),)))

    def rewrite(self, change: Change) -> None:
        """Put a change in the place of the one with its id, in one go."""
        with self._db.transaction():
            self._db.run("DELETE FROM changes WHERE id = ?", (pack(change.id),))
            add_row(self._db, CHANGES, _values(change))

    def of(self, *, machine: str, path: str | None = None) -> tuple[Change, ...]:
        """The edits of the files of one machine, or of one file, oldest first."""
        rest, values = "WHERE machine = ?", [pack(machine)]
        if path is not None:
            rest, values = f"{rest} AND path = ?", [*values, pack(path)]
        rest += f" ORDER BY id COLLATE {self._db.bytewise}"
        return tuple(_change(row) for row in read_rows(self._db, CHANGES, rest, tuple(values)))

    def add_check(self, look: ChangeCheck) -> None:
        """Remember what had become of a change; the same look again changes nothing."""
        values: dict[str, Value] = {name: getattr(look, name) for name in CHECKS.columns}
        values |= {"at": microseconds(look.at), "fate": look.fate.value}
        with self._db.transaction():
            add_row(self._db, CHECKS, values)

    def checks(self, *, machine: str) -> tuple[ChangeCheck, ...]:
        """The looks at what was changed on one machine, oldest first."""
        rest = f"WHERE machine = ? ORDER BY id COLLATE {self._db.bytewise}"
        return tuple(_look(row) for row in read_rows(self._db, CHECKS, rest, (pack(machine),)))

    def every(self) -> Iterator[Change]:
        """The edits of all machines."""
        return map(_change, read_rows(self._db, CHANGES))

    def every_check(self) -> Iterator[ChangeCheck]:
        """The looks of all machines."""
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
    """The change as JSON, in which not any character may stand."""
    packed = {name: pack(getattr(change, name)) for name in _WORDS}
    return msgspec.json.encode(
        structs.replace(change, at=change.at.astimezone(UTC), deed=_with_words(change.deed, pack), **packed)
    ).decode()


def _change(row: dict[str, Value]) -> Change:
    change = msgspec.json.decode(as_text(row["body"]), type=Change)
    unpacked = {name: unpack(getattr(change, name)) for name in _WORDS}
    return structs.replace(change, deed=_with_words(change.deed, unpack), **unpacked)


def _with_words(deed: EditOperation | None, turned: Callable[[str], str]) -> EditOperation | None:
    if not isinstance(deed, LineEdit):
        return deed  # JSON and bytes already
    return structs.replace(deed, heading=turned(deed.heading), text=turned(deed.text), old=turned(deed.old))
