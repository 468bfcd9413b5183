"""Decompresses Zstandard data in bounded memory: a few bytes may expand to gigabytes."""

from __future__ import annotations

import io
import sys
from contextlib import closing
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_CHUNK_BYTES = 1 << 20


class CorruptStream(Exception):
    """The bytes are not valid compressed data."""


def decompress(blob: bytes, max_bytes: int) -> bytes | None:
    """Return the decompressed bytes; None if they exceed the limit. Raises: CorruptStream."""
    parts: list[bytes] = []
    length = 0
    for chunk in read_chunks(io.BytesIO(blob)):
        length += len(chunk)
        if length > max_bytes:
            return None
        parts.append(chunk)
    return b"".join(parts)


def read_chunks(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the decompressed content of a file in chunks. Raises: CorruptStream, OSError."""
    stream, error_type = _open_stream(file)
    with closing(stream):
        while True:
            try:
                chunk = stream.read(_CHUNK_BYTES)
            except (error_type, EOFError) as error:
                raise CorruptStream(str(error)) from error
            if not chunk:
                return
            yield chunk


def _open_stream(file: IO[bytes]) -> tuple[Any, type[Exception]]:
    if sys.version_info >= (3, 14):
        from compression import zstd

        return zstd.ZstdFile(file), zstd.ZstdError
    import zstandard

    decompressor = zstandard.ZstdDecompressor(max_window_size=1 << 27)
    return decompressor.stream_reader(file, read_across_frames=True), zstandard.ZstdError
