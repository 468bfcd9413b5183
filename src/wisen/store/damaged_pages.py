"""Reads what is left of the rows in a damaged SQLite file, page by page, without SQLite.

SQLite gives up where a page above the rows is damaged. Here each page of rows is read by itself, in its newest version
in the write-ahead log or the file. Nothing is checked: the seals of the rows show what is as it was written.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from contextlib import ExitStack
from typing import TYPE_CHECKING, BinaryIO

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from wisen.store.database_port import Row, Value

_LEAF = 0x0D
"""The first byte of a page of rows."""
_OTHER_TYPES = (0x02, 0x05, 0x0A)
"""The first byte of pages above the rows and of indexes."""
_LEAF_HEADER = 8
_LOG_HEADER, _FRAME_HEADER = 32, 24
_PAGE_SIZE, _RESERVED = slice(16, 18), 20
_LARGEST_PAGE = 65536
_VARINT_BYTES = 9
_INTEGER_SIZES = (0, 1, 2, 3, 4, 6, 8)
"""The bytes of an integer, by its serial type."""
_ZERO, _ONE, _FIRST_TEXT = 8, 9, 13
"""Serial types of the values 0 and 1 and of the shortest text."""


class StoredRow(Struct, frozen=True, kw_only=True):
    """The values of a row, in the order in which the columns were added."""

    rowid: int
    """Nothing proves it; rows that follow each other on a page bear each other out."""
    page: int
    number: int
    """Its place among the rows of its page, which are in the order of their rowids."""
    values: Row


class PageFormat(Struct, frozen=True, kw_only=True):
    """How the pages of a file are laid out."""

    size: int
    usable: int

    @classmethod
    def of(cls, intact: Path) -> PageFormat:
        """Return the format of an intact file."""
        with intact.open("rb") as file:
            header = file.read(100)
        # The size 65,536 does not fit, and is written as 1.
        size = int.from_bytes(header[_PAGE_SIZE], "big")
        size = _LARGEST_PAGE if size == 1 else size
        return cls(size=size, usable=size - header[_RESERVED])


def read_stored_rows(path: Path, page_format: PageFormat) -> Iterator[StoredRow]:
    """Yield each row that can be read out of a file and the log next to it; neither has to exist."""
    with ExitStack() as stack:
        files = [
            stack.enter_context(each.open("rb")) if each.is_file() else None
            for each in (path, path.with_name(f"{path.name}-wal"))
        ]
        pages = _Pages(files[0], files[1], page_format)
        for number in pages.numbers():
            yield from pages.rows(number)


class _Pages:
    """The pages of a file: for each its newest version that was committed, then the older ones."""

    def __init__(self, file: BinaryIO | None, log: BinaryIO | None, page_format: PageFormat) -> None:
        self._file, self._log, self._format = file, log, page_format
        self._frames: dict[int, list[int]] = defaultdict(list)
        self._in_file = file.seek(0, 2) // page_format.size if file is not None else 0
        if log is not None:
            self._find_frames(log)

    def _find_frames(self, log: BinaryIO) -> None:
        """Note where the log has which page, up to its last commit: what follows was never acknowledged."""
        size, step = log.seek(0, 2), _FRAME_HEADER + self._format.size
        pending: list[tuple[int, int]] = []
        salts = b""
        for start in range(_LOG_HEADER, size - step + 1, step):
            log.seek(start)
            number, committed, frame_salts = struct.unpack(">II8s", log.read(16))
            # After a checkpoint the log begins again, and frames of its earlier round are left behind.
            salts = salts or frame_salts
            if frame_salts != salts:
                continue
            pending.append((number, start + _FRAME_HEADER))
            if committed:
                for page, content in pending:
                    self._frames[page].append(content)
                pending.clear()

    def numbers(self) -> Iterator[int]:
        """Yield the numbers of all pages but the first, which holds the schema."""
        yield from range(2, self._in_file + 1)
        yield from [number for number in self._frames if number > max(self._in_file, 1)]

    def _versions(self, number: int) -> Iterator[bytes]:
        """Yield the contents of a page, newest first."""
        if self._log is not None:
            for start in reversed(self._frames.get(number, ())):
                self._log.seek(start)
                yield self._log.read(self._format.size)
        if self._file is not None and 0 < number <= self._in_file:
            self._file.seek((number - 1) * self._format.size)
            yield self._file.read(self._format.size)

    def rows(self, number: int) -> Iterator[StoredRow]:
        """Yield the rows of a page. An older version is read only if the newest is of no type that SQLite writes."""
        for page in self._versions(number):
            if page[:1] == bytes((_LEAF,)):
                yield from self._rows_of(page, number)
            if page and page[0] in (_LEAF, *_OTHER_TYPES):
                return

    def _rows_of(self, page: bytes, page_number: int) -> Iterator[StoredRow]:
        many = min(int.from_bytes(page[3:5], "big"), (len(page) - _LEAF_HEADER) // 2)
        for number in range(many):
            place = _LEAF_HEADER + 2 * number
            try:
                rowid, values = self._row_at(page, int.from_bytes(page[place : place + 2], "big"))
            except (IndexError, ValueError, struct.error):
                continue  # this row is damaged; those beside it may be whole
            yield StoredRow(rowid=rowid, page=page_number, number=number, values=values)

    def _row_at(self, page: bytes, place: int) -> tuple[int, Row]:
        """Return the row whose cell begins there, after its rowid. Raises: IndexError, ValueError (no text or row)."""
        size, place = _varint(page, place)
        rowid, place = _varint(page, place)
        usable = self._format.usable
        if size <= usable - 35:
            return rowid, _values(page[place : place + size])
        # The file format: what does not fit into the page goes on in a chain of others.
        least = (usable - 12) * 32 // 255 - 23
        local = least + (size - least) % (usable - 4)
        local = local if local <= usable - 35 else least
        following = int.from_bytes(page[place + local : place + local + 4], "big")
        content = bytearray(page[place : place + local])
        if size > (self._in_file + len(self._frames)) * usable:
            raise ValueError("longer than the file")
        while len(content) < size:
            part = next(self._versions(following), b"")
            if len(part) < usable:
                raise ValueError("its chain is cut off")
            following = int.from_bytes(part[:4], "big")
            content += part[4:usable]
        return rowid, _values(bytes(content[:size]))


def _values(record: bytes) -> Row:
    """Return the values of a record. Raises: IndexError, ValueError (it holds something that we never write)."""
    end, place = _varint(record, 0)
    types: list[int] = []
    while place < end:
        kind, place = _varint(record, place)
        types.append(kind)
    values: list[Value] = []
    for kind in types:
        value, place = _value(record, place, kind)
        values.append(value)
    return tuple(values)


def _value(record: bytes, place: int, kind: int) -> tuple[Value, int]:
    if kind in (_ZERO, _ONE):
        return kind - _ZERO, place
    if kind < len(_INTEGER_SIZES):
        size = _INTEGER_SIZES[kind]
        return (int.from_bytes(_part(record, place, size), "big", signed=True) if kind else None), place + size
    if kind < _FIRST_TEXT or kind % 2 == 0:
        raise ValueError("neither an integer nor a text")
    size = (kind - _FIRST_TEXT) // 2
    return _part(record, place, size).decode(), place + size


def _part(record: bytes, place: int, size: int) -> bytes:
    part = record[place : place + size]
    if len(part) < size:
        raise ValueError("cut off")
    return part


def _varint(content: bytes, place: int) -> tuple[int, int]:
    """Return the number of variable length that begins there, and where it ends."""
    number = 0
    for last in range(place, place + _VARINT_BYTES - 1):
        byte = content[last]
        number = number << 7 | byte & 0x7F
        if byte < 0x80:
            return number, last + 1
    return number << 8 | content[place + _VARINT_BYTES - 1], place + _VARINT_BYTES
