"""Reads transcripts that OpenClaw archived with compression: deleted ones line by line, cold ones as wrapped rows.

They are written once and never change, so each is read completely or not at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from wisen.agents import jsonl
from wisen.agents.openclaw import zstd_stream
from wisen.model.source import Batch, ReadProblem, ReadProblemKind
from wisen.safety.regular_files import open_regular_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wisen.agents.openclaw.transcript_lines import TranscriptLineParser
    from wisen.model.source import Source, SourceMark

_MAX_BYTES = 1 << 30
"""Decompressed bytes; OpenClaw itself archives nothing larger than a sixteenth of it."""


class _Row(msgspec.Struct):
    event_json: str = ""


class _Cold(msgspec.Struct):
    kind: str = ""
    row: _Row | None = None


_cold = msgspec.json.Decoder(_Cold)


def read_archive(source: Source, mark: SourceMark | None, parser: TranscriptLineParser) -> Iterator[Batch]:
    """Yield the events of an archive, unless the mark says that it was read."""
    finished_cursor = f"{source.size}:{source.modified_ns}"
    if mark is not None and mark.cursor == finished_cursor:
        return
    is_cold, offset, size_read, from_start = source.path.parent.name == "cold", 0, 0, True
    problem: ReadProblem | None = None
    try:
        for line in _lines(source):
            if line is None:
                parser.collector.add_problem(ReadProblemKind.OVERSIZED, offset)
                continue
            _parse_line(parser, line, offset, is_cold=is_cold)
            offset, size_read = offset + len(line) + 1, size_read + len(line) + 1
            if size_read >= jsonl.CHUNK_BYTES:
                yield _batch(parser, "", size_read, from_start=from_start)
                size_read, from_start = 0, False
    except zstd_stream.CorruptStream:
        parser.collector.add_problem(ReadProblemKind.GARBLED, offset)
    except OSError as error:
        problem = ReadProblem(kind=ReadProblemKind.UNREADABLE, detail=error.strerror or "", offset=0)
    if problem is None:
        yield _batch(parser, finished_cursor, size_read, from_start=from_start)
    else:
        yield Batch(events=(), problems=(problem,), cursor="", read_bytes=0)


def _lines(source: Source) -> Iterator[bytes | None]:
    """Yield the lines of an archive; None for an oversized line, and at the end if the archive is too large."""
    held, total, is_skipping = b"", 0, False
    with open_regular_file(source.path) as file:
        for chunk in zstd_stream.read_chunks(file):
            total += len(chunk)
            if total > _MAX_BYTES:
                yield None
                return
            *lines, held = (held + chunk).split(b"\n")
            for line in lines:
                yield None if is_skipping else line
                is_skipping = False
            if len(held) > jsonl.MAX_RECORD_BYTES:
                held, is_skipping = b"", True
    if held:
        yield None if is_skipping else held


def _parse_line(parser: TranscriptLineParser, line: bytes, offset: int, *, is_cold: bool) -> None:
    try:
        if is_cold:
            cold = _cold.decode(line)
            line = cold.row.event_json.encode("utf-8", "replace") if cold.kind == "event" and cold.row else b""
        if line.strip():
            parser.parse_record(parser.decoder.decode(line), offset)
    except msgspec.ValidationError:
        parser.collector.add_problem(ReadProblemKind.MISSHAPEN, offset)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        parser.collector.add_problem(ReadProblemKind.GARBLED, offset)
    except Exception as error:  # noqa: BLE001 - error boundary: a record that fails costs that record only
        parser.collector.add_parser_error(offset, error)


def _batch(parser: TranscriptLineParser, cursor: str, size_read: int, *, from_start: bool) -> Batch:
    events, problems = parser.collector.drain()
    return Batch(events=events, problems=problems, cursor=cursor, read_bytes=size_read, from_start=from_start)
