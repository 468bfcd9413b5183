"""Follows a log file from a mark: parses new lines into records and events, and returns a cursor.

It handles the ways in which JSONL logs are damaged (garbage, joined and torn lines, NUL bytes, unexpected shapes,
rewriting) but knows no agent: a `RecordParser` interprets the records. Logs of other lines bring their `LineHandlers`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from wisen.agents import json_recovery, jsonl
from wisen.agents.session_segments import Segment  # noqa: TC001 - msgspec reads the annotation at run time
from wisen.model.source import Batch, ReadProblem, ReadProblemKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from wisen.agents.event_collector import EventCollector
    from wisen.model.source import SourceMark

BATCH_BYTES = 4 << 20
"""Bytes of a log whose events are returned in one batch."""
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class LogParser(Protocol):
    """Collects what one pass over one file finds."""

    collector: EventCollector

    def state(self) -> dict[str, str]:
        """Return what the next pass must know besides the segments: short names, never text of the log."""
        ...


class RecordParser(LogParser, Protocol):
    """Interprets the records of one agent. One instance serves one pass over one file."""

    decoder: msgspec.json.Decoder[Any]
    relevant_types: frozenset[str]
    """Record types from which something can be learned."""
    ignored_types: frozenset[str]
    """Known record types from which nothing can be learned."""

    def try_fast_path(self, block: bytearray, start: int, end: int) -> bool:
        """Handle a line by its bytes alone. Returns False if it must be decoded."""
        ...

    def parse_record(self, record: Any, offset: int) -> None:
        """Parse one record."""
        ...

    def is_top_level(self, value: Mapping[str, object]) -> bool:
        """Whether this value was on a line of its own, not nested in another record."""
        ...


class Cursor(msgspec.Struct, frozen=True):
    """How far a file was read; `guard` shows whether it is still the same file up to there."""

    offset: int = 0
    guard: str = ""
    segments: dict[str, Segment] = msgspec.field(default_factory=dict)
    state: dict[str, str] = msgspec.field(default_factory=dict)
    checksum: jsonl.Checksum | None = None
    """The checksum of everything read so far; created when a file is first rechecked, and extended from then on."""


class ParserFactory(Protocol):
    """Creates the parser for a pass that resumes at a cursor."""

    def __call__(self, cursor: Cursor) -> RecordParser:
        """Return a parser with the segments and the state of the cursor."""
        ...


class LineHandlers(NamedTuple):
    """The callbacks that parse the lines of a file, and the parser that collects the events."""

    parser: LogParser
    lines: Callable[[jsonl.Lines], None]
    """Parses complete lines."""
    rest: Callable[[bytes, int], bool]
    """Parses a last line without a newline. Returns False if it is incomplete and must be read again."""
    end: Callable[[], None] = lambda: None
    """Called at the current end of the file."""


def follow_records(path: Path, mark: SourceMark | None, parser_for: ParserFactory) -> Iterator[Batch]:
    """Yield the events after the mark. A file that was rewritten since is read from the beginning."""

    def handlers_for(cursor: Cursor) -> LineHandlers:
        parser = parser_for(cursor)
        return LineHandlers(parser, partial(_parse_lines, parser), partial(_parse_unfinished, parser))

    return follow_lines(path, mark, handlers_for)


def follow_lines(
    path: Path, mark: SourceMark | None, handlers_for: Callable[[Cursor], LineHandlers]
) -> Iterator[Batch]:
    """Like `follow_records`, for lines of any kind."""
    try:
        with jsonl.LogFile(path) as log:
            cursor = _resume(log, mark)
            log.checksum = cursor.checksum
            if mark is not None and mark.is_suspect:
                log.checksum = cursor.checksum or jsonl.Checksum()
                if cursor.checksum is not None:
                    yield Batch(events=(), problems=(), cursor=mark.cursor, read_bytes=cursor.checksum.upto)
            yield from _batches(log, cursor, handlers_for(cursor))
    except OSError as error:
        problem = ReadProblem(kind=ReadProblemKind.UNREADABLE, detail=error.strerror or "", offset=0)
        yield Batch(events=(), problems=(problem,), cursor=mark.cursor if mark else "", read_bytes=0)


def _resume(log: jsonl.LogFile, mark: SourceMark | None) -> Cursor:
    if mark is None or not mark.cursor:
        return Cursor()
    try:
        cursor = msgspec.json.decode(mark.cursor, type=Cursor)
    except msgspec.DecodeError:
        return Cursor()
    if mark.is_suspect:
        is_same = cursor.checksum is not None and log.has_prefix(cursor.checksum)
    else:
        is_same = log.size >= cursor.offset and log.guard(cursor.offset) == cursor.guard
    return cursor if is_same else Cursor()


def _batches(log: jsonl.LogFile, cursor: Cursor, handlers: LineHandlers) -> Iterator[Batch]:
    parser = handlers.parser
    begin = end = stop = cursor.offset
    for lines in log.lines(begin):
        handlers.lines(lines)
        end, stop = lines.end, lines.end + len(lines.rest)
        if lines.rest and handlers.rest(lines.rest, end):
            log.update_checksum(lines.rest, end, stop)
            end = stop
        if stop - begin >= BATCH_BYTES:
            yield _batch(log, parser, begin, end, stop)
            begin = stop
    handlers.end()
    if stop > begin or parser.collector.problems:
        yield _batch(log, parser, begin, end, stop)


def _batch(log: jsonl.LogFile, parser: LogParser, begin: int, end: int, stop: int) -> Batch:
    """Return what was found in the bytes from `begin` to `stop`; those before `end` are complete."""
    resume, segments = parser.collector.resume_at(end)
    cursor = Cursor(resume, log.guard(resume), dict(segments), parser.state(), log.checksum)
    events, problems = parser.collector.drain()
    return Batch(
        events=events,
        problems=problems,
        cursor=msgspec.json.encode(cursor).decode("utf-8"),
        read_bytes=stop - begin,
        from_start=begin == 0,
    )


def _parse_lines(parser: RecordParser, lines: jsonl.Lines) -> None:
    block, offset, try_fast_path = lines.block, lines.start, parser.try_fast_path
    for at in lines.oversized:
        parser.collector.add_problem(ReadProblemKind.OVERSIZED, at)
    for start, end in lines.spans:
        try:
            if end > start and not try_fast_path(block, start, end):
                _parse_line(parser, block[start:end], offset + start)
        except Exception as error:  # noqa: BLE001 - error boundary: a record that fails costs that record only
            parser.collector.add_parser_error(offset + start, error)


def _parse_line(parser: RecordParser, line: bytes | bytearray, offset: int) -> None:
    """Parse one line. Whatever is wrong with it becomes a problem."""
    try:
        # Parts of a record are decoded lazily, so both calls can find invalid JSON.
        parser.parse_record(parser.decoder.decode(line), offset)
    except _UNREADABLE as error:
        _recover_line(parser, line, offset, error)


def _parse_unfinished(parser: RecordParser, line: bytes, offset: int) -> bool:
    """Parse a last line without a newline. Returns False if it is incomplete and must be read again."""
    try:
        record = parser.decoder.decode(line)
    except _UNREADABLE:
        parser.collector.add_problem(ReadProblemKind.UNFINISHED, offset)
        return False
    try:
        parser.parse_record(record, offset)
    except Exception as error:  # noqa: BLE001 - error boundary, as above
        parser.collector.add_parser_error(offset, error)
    return True


class _Kind(msgspec.Struct):
    type: str = ""


_kind = msgspec.json.Decoder(_Kind)


def _recover_line(parser: RecordParser, line: bytes | bytearray, offset: int, error: Exception) -> None:
    """Recover records from an invalid line: joined records, NUL bytes, a torn write, or an unexpected shape."""
    if not line.strip():
        return
    if isinstance(error, msgspec.ValidationError):
        _report_unexpected_shape(parser, line, offset)
        return
    if b"\0" in line:
        parser.collector.add_problem(ReadProblemKind.NULS, offset)
        line = line.strip(b"\0")
    pieces, is_complete = json_recovery.recover_records(bytes(line), parser.is_top_level)
    for piece in pieces:
        try:
            parser.parse_record(parser.decoder.decode(piece), offset)
        except _UNREADABLE:
            is_complete = False
    if not is_complete:
        parser.collector.add_problem(ReadProblemKind.GARBLED, offset)


def _report_unexpected_shape(parser: RecordParser, line: bytes | bytearray, offset: int) -> None:
    try:
        kind = _kind.decode(line).type
    except _UNREADABLE:
        kind = ""
    if kind not in parser.ignored_types:
        known = kind in parser.relevant_types
        parser.collector.add_problem(ReadProblemKind.MISSHAPEN if known else ReadProblemKind.UNKNOWN, offset, kind)
