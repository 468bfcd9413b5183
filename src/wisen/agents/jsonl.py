"""Reads the lines of a growing file from an offset, in bounded memory and without copying them.

It works on bytes only and knows no records or agents. A line longer than the limit is skipped without being loaded; a
last line without a newline is returned separately, because its writer may not be done with it.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from wisen.safety.regular_files import open_regular_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType
    from typing import Self

CHUNK_BYTES = 1 << 18
"""Small enough to stay in the CPU cache, large enough to read a file in few calls."""
MAX_RECORD_BYTES = 16 << 20
"""No relevant record is longer; a call's 50 MB output must not cost 50 MB of memory."""
_GUARD_BYTES = 512


class Lines(Struct, frozen=True):
    """Consecutive complete lines of the file. Only valid until the next ones are requested."""

    start: int
    """The offset of the first line in the file."""
    end: int
    """The offset after the last line's newline."""
    block: bytearray
    spans: tuple[tuple[int, int], ...]
    """The start and end of each line in the block, without its newline."""
    oversized: tuple[int, ...] = ()
    """Offsets of oversized lines that were skipped just before `start` or that are cut off by the end of the file."""
    rest: bytes = b""
    """The unterminated line after `end` when the end of the file is reached."""


class Checksum(NamedTuple):
    """A running checksum of the bytes before an offset that can be extended later."""

    upto: int = 0
    crc: int = 0

    def extend(self, block: bytes | bytearray, start: int, end: int) -> Checksum:
        """Return the checksum extended by the new bytes of a block that begins at `start` in the file."""
        begin = max(start, self.upto)
        if begin >= end:
            return self
        with memoryview(block) as view, view[begin - start : end - start] as new:
            return Checksum(end, zlib.crc32(new, self.crc))


class LogFile:
    """An open log file. Raises: OSError."""

    def __init__(self, path: Path, *, longest: int = MAX_RECORD_BYTES) -> None:
        self._file = open_regular_file(path)
        self._longest = longest
        self.checksum: Checksum | None = None
        """The checksum up to the end of the lines returned so far; None if none is requested."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    @property
    def size(self) -> int:
        """The current size of the file."""
        return os.fstat(self._file.fileno()).st_size

    def guard(self, offset: int) -> str:
        """Return a digest of the first bytes and those before the offset: if it differs, the file was rewritten."""
        digest = hashlib.blake2b(self._read_at(0, min(_GUARD_BYTES, offset)), digest_size=8)
        digest.update(b"\0" + self._read_at(max(0, offset - _GUARD_BYTES), min(_GUARD_BYTES, offset)))
        return digest.hexdigest()

    def has_prefix(self, checksum: Checksum) -> bool:
        """Whether the file still begins with exactly the bytes of the checksum."""
        current, block = Checksum(), bytearray(CHUNK_BYTES)
        while current.upto < checksum.upto:
            filled = self._fill(block, 0, current.upto)
            if not filled:
                return False
            current = current.extend(block, current.upto, min(current.upto + filled, checksum.upto))
        return current == checksum

    def lines(self, offset: int) -> Iterator[Lines]:
        """Yield every line from the offset to the current end of the file."""
        block = bytearray(CHUNK_BYTES)
        start, held = offset, 0  # `held` bytes at the start of the block belong to a line whose end was not read yet
        while True:
            if held == len(block):
                if held > self._longest:
                    line_end = self._skip_line(start, held, block)
                    yield Lines(line_end or start, line_end or start, block, (), oversized=(start,))
                    if line_end is None:
                        return
                    start, held, block = line_end, 0, bytearray(CHUNK_BYTES)
                    continue
                block.extend(bytes(len(block)))
            filled = held + self._fill(block, held, start + held)
            if filled == held:
                break
            spans = _line_spans(block, held, filled)
            if spans:
                used = spans[-1][1] + 1
                self.update_checksum(block, start, start + used)
                yield Lines(start, start + used, block, spans)
                block[: filled - used] = block[used:filled]
                start, filled = start + used, filled - used
            held = filled
        if held:
            yield Lines(start, start, block, (), rest=bytes(block[:held]))

    def update_checksum(self, block: bytes | bytearray, start: int, end: int) -> None:
        """Extend the checksum by these bytes, if one is kept."""
        if self.checksum is not None:
            self.checksum = self.checksum.extend(block, start, end)

    def _fill(self, block: bytearray, held: int, offset: int) -> int:
        self._file.seek(offset)
        with memoryview(block) as view, view[held:] as free:
            return self._file.readinto(free) or 0

    def _read_at(self, offset: int, count: int) -> bytes:
        self._file.seek(offset)
        return self._file.read(count) or b""

    def _skip_line(self, start: int, held: int, block: bytearray) -> int | None:
        """Return the offset after the end of an oversized line; None if the file ends first."""
        before, offset = self.checksum, start + held
        self.update_checksum(block, start, offset)
        while chunk := self._read_at(offset, CHUNK_BYTES):
            newline = chunk.find(b"\n")
            end = offset + (newline + 1 if newline >= 0 else len(chunk))
            self.update_checksum(chunk, offset, end)
            if newline >= 0:
                return end
            offset = end
        self.checksum = before
        return None


def _line_spans(block: bytearray, held: int, filled: int) -> tuple[tuple[int, int], ...]:
    spans = []
    begin, end = 0, block.find(b"\n", held, filled)
    while end >= 0:
        spans.append((begin, end))
        begin = end + 1
        end = block.find(b"\n", begin, filled)
    return tuple(spans)
