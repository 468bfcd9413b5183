"""Transcripts that OpenClaw has put away, compressed: deleted ones line by line, cold ones wrapped row by row.

They are written once and never change, so that one is read whole or not at all.
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

_LARGEST = 1 << 30
"""Bytes, when unpacked; OpenClaw itself puts nothing away that is larger than a sixteenth of it."""


class _Row(msgspec.Struct):
    event_json: str = ""


class _Cold(msgspec.Struct):
    kind: str = ""
    row: _Row | None = None


_cold = msgspec.json.Decoder(_Cold)


def read_archive(source: Source, mark: SourceMark | None, parser: TranscriptLineParser) -> Iterator[Batch]:
    """The events of an archive, unless the mark says that it was read."""
    done = f"{source.size}:{source.modified_ns}"
    if mark is not None and mark.cursor == done:
        return
    is_cold, offset, taken, afresh = source.path.parent.name == "cold", 0, 0, True
    problem: ReadProblem | None = None
    try:
        for line in _lines(source):
            if line is None:
                parser.collector.add_problem(ReadProblemKind.OVERSIZED, offset)
                continue
            _take(parser, line, offset, is_cold=is_cold)
            offset, taken = offset + len(line) + 1, taken + len(line) + 1
            if taken >= jsonl.CHUNK_BYTES:
                yield _batch(parser, "", taken, afresh=afresh)
                taken, afresh = 0, False
    except zstd_stream.CorruptStream:
        parser.collector.add_problem(ReadProblemKind.GARBLED, offset)
    except OSError as error:
        problem = ReadProblem(kind=ReadProblemKind.UNREADABLE, detail=error.strerror or "", offset=0)
    if problem is None:
        yield _batch(parser, done, taken, afresh=afresh)
    else:
        yield Batch(events=(), problems=(problem,), cursor="", read_bytes=0)


def _lines(source: Source) -> Iterator[bytes | None]:
    """The lines of an archive; None for one that is too long, and at the end of one that never ends."""
    held, total, passing = b"", 0, False
    with open_regular_file(source.path) as file:
        for piece in zstd_stream.read_chunks(file):
            total += len(piece)
            if total > _LARGEST:
                yield None
                return
            *lines, held = (held + piece).split(b"\n")
            for line in lines:
                yield None if passing else line
                passing = False
            if len(held) > jsonl.MAX_RECORD_BYTES:
                held, passing = b"", True
    if held:
        yield None if passing else held


def _take(parser: TranscriptLineParser, line: bytes, offset: int, *, is_cold: bool) -> None:
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
    except Exception as error:  # noqa: BLE001 - a fence: a record that a reader breaks on costs that record only
        parser.collector.add_parser_error(offset, error)


def _batch(parser: TranscriptLineParser, cursor: str, taken: int, *, afresh: bool) -> Batch:
    events, problems = parser.collector.drain()
    return Batch(events=events, problems=problems, cursor=cursor, read_bytes=taken, from_start=afresh)
