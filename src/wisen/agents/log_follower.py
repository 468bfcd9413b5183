"""Follows a log from a mark: lines become records, records become events, and the cursor says how far.

It knows how JSONL logs go wrong (garbage, glued and torn lines, zero bytes, foreign shapes, rewriting) but no agent:
what a record means is told by a `Format`. A log of other lines comes with a `LineIntake` of its own.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from wisen.agents import json_recovery, jsonl
from wisen.agents.session_segments import Segment  # noqa: TC001 - msgspec reads the annotation at run time
from wisen.model.source import Batch, Trouble, TroubleKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from wisen.agents.event_collector import EventCollector
    from wisen.model.source import Mark

BATCH_BYTES = 4 << 20
"""Bytes of a log whose events are handed on together."""
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class LogParser(Protocol):
    """What one pass over one file notes down."""

    collector: EventCollector

    def state(self) -> dict[str, str]:
        """What the next pass must know beside the segments: short names, never text of the log."""
        ...


class RecordParser(LogParser, Protocol):
    """What one agent's records mean. One object serves one pass over one file."""

    decoder: msgspec.json.Decoder[Any]
    relevant_types: frozenset[str]
    """Types of records that can teach."""
    ignored_types: frozenset[str]
    """Types of records that were looked at and hold nothing that may teach."""

    def try_fast_path(self, block: bytearray, start: int, end: int) -> bool:
        """Take a line in by its bytes alone. False when it must be decoded to be understood."""
        ...

    def parse_record(self, record: Any, offset: int) -> None:
        """Take one record in."""
        ...

    def is_top_level(self, value: Mapping[str, object]) -> bool:
        """Whether this stood on a line of its own, and not inside another record."""
        ...


class Cursor(msgspec.Struct, frozen=True):
    """How far a file was read; `guard` tells whether it is still the same file up to there."""

    offset: int = 0
    guard: str = ""
    segments: dict[str, Segment] = msgspec.field(default_factory=dict)
    state: dict[str, str] = msgspec.field(default_factory=dict)
    checksum: jsonl.Checksum | None = None
    """Of everything read so far; made when a file is first rechecked, and then kept up."""


class ParserFactory(Protocol):
    """Makes the format for a pass that goes on from a cursor."""

    def __call__(self, cursor: Cursor) -> RecordParser:
        """The format, with the collector and the state of the cursor."""
        ...


class LineHandlers(NamedTuple):
    """How the lines of a file are taken in, with what they are noted down in."""

    parser: LogParser
    lines: Callable[[jsonl.Lines], None]
    """Take complete lines in."""
    rest: Callable[[bytes, int], bool]
    """Take in a last line that has no end yet. False when it is not whole: it must be read again."""
    end: Callable[[], None] = lambda: None
    """The file is at its end for now."""


def follow_records(path: Path, mark: Mark | None, parser_for: ParserFactory) -> Iterator[Batch]:
    """The events behind the mark. A file that was rewritten since is read from its beginning."""

    def handlers_for(cursor: Cursor) -> LineHandlers:
        parser = parser_for(cursor)
        return LineHandlers(parser, partial(_lines, parser), partial(_rest, parser))

    return follow_lines(path, mark, handlers_for)


def follow_lines(path: Path, mark: Mark | None, handlers_for: Callable[[Cursor], LineHandlers]) -> Iterator[Batch]:
    """The same for lines of any kind."""
    try:
        with jsonl.LogFile(path) as log:
            cursor = _resume(log, mark)
            log.checksum = cursor.checksum
            if mark is not None and mark.doubted:
                log.checksum = cursor.checksum or jsonl.Checksum()
                if cursor.checksum is not None:
                    yield Batch(events=(), troubles=(), cursor=mark.cursor, read_bytes=cursor.checksum.upto)
            yield from _batches(log, cursor, handlers_for(cursor))
    except OSError as error:
        problem = Trouble(kind=TroubleKind.UNREADABLE, detail=error.strerror or "", offset=0)
        yield Batch(events=(), troubles=(problem,), cursor=mark.cursor if mark else "", read_bytes=0)


def _resume(log: jsonl.LogFile, mark: Mark | None) -> Cursor:
    if mark is None or not mark.cursor:
        return Cursor()
    try:
        cursor = msgspec.json.decode(mark.cursor, type=Cursor)
    except msgspec.DecodeError:
        return Cursor()
    if mark.doubted:
        whole = cursor.checksum is not None and log.has_prefix(cursor.checksum)
    else:
        whole = log.size >= cursor.offset and log.guard(cursor.offset) == cursor.guard
    return cursor if whole else Cursor()


def _batches(log: jsonl.LogFile, cursor: Cursor, way: LineHandlers) -> Iterator[Batch]:
    parser = way.parser
    begin = end = stop = cursor.offset
    for lines in log.lines(begin):
        way.lines(lines)
        end, stop = lines.end, lines.end + len(lines.rest)
        if lines.rest and way.rest(lines.rest, end):
            log.update_checksum(lines.rest, end, stop)
            end = stop
        if stop - begin >= BATCH_BYTES:
            yield _batch(log, parser, begin, end, stop)
            begin = stop
    way.end()
    if stop > begin or parser.collector.problems:
        yield _batch(log, parser, begin, end, stop)


def _batch(log: jsonl.LogFile, parser: LogParser, begin: int, end: int, stop: int) -> Batch:
    """What was found in the bytes from `begin` to `stop`, of which those before `end` are done with."""
    resume, segments = parser.collector.resume_at(end)
    note = Cursor(resume, log.guard(resume), dict(segments), parser.state(), log.checksum)
    events, problems = parser.collector.drain()
    return Batch(
        events=events,
        troubles=problems,
        cursor=msgspec.json.encode(note).decode("utf-8"),
        read_bytes=stop - begin,
        afresh=begin == 0,
    )


def _lines(parser: RecordParser, lines: jsonl.Lines) -> None:
    block, offset, try_fast_path = lines.block, lines.start, parser.try_fast_path
    for at in lines.oversized:
        parser.collector.add_problem(TroubleKind.OVERSIZED, at)
    for start, end in lines.spans:
        try:
            if end > start and not try_fast_path(block, start, end):
                _line(parser, block[start:end], offset + start)
        except Exception as error:  # noqa: BLE001 - a fence: one record that a reader breaks on costs that record only
            parser.collector.add_parser_error(offset + start, error)


def _line(parser: RecordParser, line: bytes | bytearray, offset: int) -> None:
    """Take one line in. Whatever is wrong with it becomes a trouble."""
    try:
        # Parts of a record are decoded when they are asked for, so that both can find what is no JSON.
        parser.parse_record(parser.decoder.decode(line), offset)
    except _UNREADABLE as error:
        _recover_line(parser, line, offset, error)


def _rest(parser: RecordParser, line: bytes, offset: int) -> bool:
    """Take in a last line that has no end yet. False when it is not whole: it must be read again."""
    try:
        record = parser.decoder.decode(line)
    except _UNREADABLE:
        parser.collector.add_problem(TroubleKind.UNFINISHED, offset)
        return False
    try:
        parser.parse_record(record, offset)
    except Exception as error:  # noqa: BLE001 - a fence, as above
        parser.collector.add_parser_error(offset, error)
    return True


class _Kind(msgspec.Struct):
    type: str = ""


_kind = msgspec.json.Decoder(_Kind)


def _recover_line(parser: RecordParser, line: bytes | bytearray, offset: int, error: Exception) -> None:
    """A line that is not one good record: two glued together, zero bytes, a torn write, or another shape."""
    if not line.strip():
        return
    if isinstance(error, msgspec.ValidationError):
        _foreign_shape(parser, line, offset)
        return
    if b"\0" in line:
        parser.collector.add_problem(TroubleKind.NULS, offset)
        line = line.strip(b"\0")
    pieces, whole = json_recovery.recover_records(bytes(line), parser.is_top_level)
    for piece in pieces:
        try:
            parser.parse_record(parser.decoder.decode(piece), offset)
        except _UNREADABLE:
            whole = False
    if not whole:
        parser.collector.add_problem(TroubleKind.GARBLED, offset)


def _foreign_shape(parser: RecordParser, line: bytes | bytearray, offset: int) -> None:
    try:
        kind = _kind.decode(line).type
    except _UNREADABLE:
        kind = ""
    if kind not in parser.ignored_types:
        known = kind in parser.relevant_types
        parser.collector.add_problem(TroubleKind.MISSHAPEN if known else TroubleKind.UNKNOWN, offset, kind)
