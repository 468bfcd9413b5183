"""Zstandard, never giving more than was asked for: a few bytes may claim to be gigabytes."""

from __future__ import annotations

import io
import sys
from contextlib import closing
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_PIECE = 1 << 20


class CorruptStream(Exception):
    """These bytes are not what a compressor wrote."""


def decompress(blob: bytes, longest: int) -> bytes | None:
    """What the bytes stand for; None when that is longer than the limit. Raises: CorruptStream."""
    parts: list[bytes] = []
    length = 0
    for piece in read_chunks(io.BytesIO(blob)):
        length += len(piece)
        if length > longest:
            return None
        parts.append(piece)
    return b"".join(parts)


def read_chunks(file: IO[bytes]) -> Iterator[bytes]:
    """What a file stands for, a piece at a time. Raises: CorruptStream, OSError."""
    opened, problem = _opened(file)
    with closing(opened):
        while True:
            try:
                piece = opened.read(_PIECE)
            except (problem, EOFError) as error:
                raise CorruptStream(str(error)) from error
            if not piece:
                return
            yield piece


def _opened(file: IO[bytes]) -> tuple[Any, type[Exception]]:
    if sys.version_info >= (3, 14):
        from compression import zstd

        return zstd.ZstdFile(file), zstd.ZstdError
    import zstandard

    decompressor = zstandard.ZstdDecompressor(max_window_size=1 << 27)
    return decompressor.stream_reader(file, read_across_frames=True), zstandard.ZstdError
