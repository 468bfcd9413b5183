"""Lines of a growing JSONL file, from an offset on, in bounded memory.

It knows bytes only: no records, no agents. A line longer than the limit is passed over without being loaded; a last
line without an end is handed out apart, because its writer may still be at it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

CHUNK = 1 << 20
"""Small enough to stay in the processor's cache, large enough that a file is a few reads."""
LONGEST = 16 << 20
"""No record that teaches is longer; one call's 50 MB output must not cost 50 MB of memory."""
_GUARD = 512


@dataclass(frozen=True, slots=True)
class Lines:
    """Complete lines that follow each other in the file."""

    start: int
    lines: list[bytes]
    end: int
    """The offset behind the last line's newline."""
    oversized: tuple[int, ...] = ()
    """Offsets of lines that were passed over just before `start`, or that the end of the file cuts."""
    rest: bytes = b""
    """What stands behind `end` when the file is at its end: a line without a newline."""


def read_lines(path: Path, offset: int, *, longest: int = LONGEST) -> Iterator[Lines]:
    """Every line from the offset to the end of the file as it is now. Raises: OSError."""
    with path.open("rb", buffering=0) as file:
        file.seek(offset)
        yield from _read(file, offset, longest)


def _read(file: BinaryIO, start: int, longest: int) -> Iterator[Lines]:
    parts: list[bytes] = []  # the pieces of a line whose end was not seen yet
    held = 0
    while chunk := file.read(CHUNK):
        lines = chunk.split(b"\n")
        if len(lines) == 1:
            held += len(chunk)
            parts = [*parts, chunk] if held <= longest else []
            continue
        oversized: tuple[int, ...] = ()
        first_end = start + held + len(lines[0]) + 1
        if held + len(lines[0]) > longest:
            oversized, lines = (start,), lines[1:]
            begin = first_end
        else:
            lines[0] = b"".join([*parts, lines[0]])
            begin = start
        tail = lines.pop()
        start = begin + sum(map(len, lines)) + len(lines)
        yield Lines(begin, lines, start, oversized=oversized)
        parts, held = [tail] if tail else [], len(tail)
    if held > longest:
        yield Lines(start, [], start, oversized=(start,))
    elif parts:
        yield Lines(start, [], start, rest=b"".join(parts))


def guard(path: Path, offset: int) -> str:
    """A digest of the first bytes and of those just before the offset: when it differs, the file was rewritten."""
    with path.open("rb", buffering=0) as file:
        head = file.read(min(_GUARD, offset))
        file.seek(max(0, offset - _GUARD))
        tail = file.read(min(_GUARD, offset))
    return hashlib.blake2b(head + b"\0" + tail, digest_size=8).hexdigest()
