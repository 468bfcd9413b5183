"""Lines of a growing JSONL file, from an offset on, in bounded memory and without copying them.

It knows bytes only: no records, no agents. A line longer than the limit is passed over without being loaded; a last
line without an end is handed out apart, because its writer may still be at it.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from wisen.safety.regular_files import open_regular_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType
    from typing import Self

CHUNK_BYTES = 1 << 18
"""Small enough to stay in the processor's cache, large enough that a file is a few reads."""
MAX_RECORD_BYTES = 16 << 20
"""No record that teaches is longer; one call's 50 MB output must not cost 50 MB of memory."""
_GUARD_BYTES = 512


@dataclass(frozen=True, slots=True)
class Lines:
    """Complete lines that follow each other in the file. Only valid until the next ones are asked for."""

    start: int
    """The offset of the first line in the file."""
    end: int
    """The offset behind the last line's newline."""
    block: bytearray
    spans: tuple[tuple[int, int], ...]
    """Where in the block each line begins and ends, without its newline."""
    oversized: tuple[int, ...] = ()
    """Offsets of lines that were passed over just before `start`, or that the end of the file cuts."""
    rest: bytes = b""
    """What stands behind `end` when the file is at its end: a line without a newline."""


class Checksum(NamedTuple):
    """A running sum of the bytes before an offset: it can be carried on from where it stood."""

    upto: int = 0
    crc: int = 0

    def extend(self, block: bytes | bytearray, start: int, end: int) -> Checksum:
        """With the bytes of a block that stands at `start` in the file, as far as they are new."""
        begin = max(start, self.upto)
        if begin >= end:
            return self
        with memoryview(block) as view, view[begin - start : end - start] as new:
            return Checksum(end, zlib.crc32(new, self.crc))


class LogFile:
    """An open log. Raises: OSError."""

    def __init__(self, path: Path, *, longest: int = MAX_RECORD_BYTES) -> None:
        self._file = open_regular_file(path)
        self._longest = longest
        self.checksum: Checksum | None = None
        """Of everything up to the end of the lines handed out so far; None when nobody asked for it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    @property
    def size(self) -> int:
        """How long the file is now."""
        return os.fstat(self._file.fileno()).st_size

    def guard(self, offset: int) -> str:
        """A digest of the first bytes and of those just before the offset: when it differs, the file was rewritten."""
        digest = hashlib.blake2b(self._read_at(0, min(_GUARD_BYTES, offset)), digest_size=8)
        digest.update(b"\0" + self._read_at(max(0, offset - _GUARD_BYTES), min(_GUARD_BYTES, offset)))
        return digest.hexdigest()

    def has_prefix(self, checksum: Checksum) -> bool:
        """Whether the file still begins with the very bytes that were summed up."""
        now, block = Checksum(), bytearray(CHUNK_BYTES)
        while now.upto < checksum.upto:
            filled = self._fill(block, 0, now.upto)
            if not filled:
                return False
            now = now.extend(block, now.upto, min(now.upto + filled, checksum.upto))
        return now == checksum

    def lines(self, offset: int) -> Iterator[Lines]:
        """Every line from the offset to the end of the file as it is now."""
        block = bytearray(CHUNK_BYTES)
        start, held = offset, 0  # `held` bytes at the block's beginning belong to a line whose end was not seen yet
        while True:
            if held == len(block):
                if held > self._longest:
                    passed = self._skip_line(start, held, block)
                    yield Lines(passed or start, passed or start, block, (), oversized=(start,))
                    if passed is None:
                        return
                    start, held, block = passed, 0, bytearray(CHUNK_BYTES)
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
        """Take bytes into the checksum, if one is kept."""
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
        """The offset behind the end of a line that is too long; None when the file ends first."""
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
