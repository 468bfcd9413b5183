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

    from wisen.agents.event_collector import Notebook
    from wisen.model.source import Mark

BATCH = 4 << 20
"""Bytes of a log whose events are handed on together."""
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class LogPass(Protocol):
    """What one pass over one file notes down."""

    notebook: Notebook

    def state(self) -> dict[str, str]:
        """What the next pass must know beside the segments: short names, never text of the log."""
        ...


class Format(LogPass, Protocol):
    """What one agent's records mean. One object serves one pass over one file."""

    decoder: msgspec.json.Decoder[Any]
    teaching: frozenset[str]
    """Types of records that can teach."""
    passed_over: frozenset[str]
    """Types of records that were looked at and hold nothing that may teach."""

    def glance(self, block: bytearray, start: int, end: int) -> bool:
        """Take a line in by its bytes alone. False when it must be decoded to be understood."""
        ...

    def record(self, record: Any, offset: int) -> None:
        """Take one record in."""
        ...

    def is_whole(self, value: Mapping[str, object]) -> bool:
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


class FormatOf(Protocol):
    """Makes the format for a pass that goes on from a cursor."""

    def __call__(self, cursor: Cursor) -> Format:
        """The format, with the notebook and the state of the cursor."""
        ...


class LineIntake(NamedTuple):
    """How the lines of a file are taken in, with what they are noted down in."""

    form: LogPass
    lines: Callable[[jsonl.Lines], None]
    """Take complete lines in."""
    rest: Callable[[bytes, int], bool]
    """Take in a last line that has no end yet. False when it is not whole: it must be read again."""
    end: Callable[[], None] = lambda: None
    """The file is at its end for now."""


def follow(path: Path, mark: Mark | None, format_of: FormatOf) -> Iterator[Batch]:
    """The events behind the mark. A file that was rewritten since is read from its beginning."""

    def way_of(cursor: Cursor) -> LineIntake:
        form = format_of(cursor)
        return LineIntake(form, partial(_lines, form), partial(_rest, form))

    return follow_lines(path, mark, way_of)


def follow_lines(path: Path, mark: Mark | None, way_of: Callable[[Cursor], LineIntake]) -> Iterator[Batch]:
    """The same for lines of any kind."""
    try:
        with jsonl.LogFile(path) as log:
            cursor = _resume(log, mark)
            log.checksum = cursor.checksum
            if mark is not None and mark.doubted:
                log.checksum = cursor.checksum or jsonl.Checksum()
                if cursor.checksum is not None:
                    yield Batch(events=(), troubles=(), cursor=mark.cursor, read_bytes=cursor.checksum.upto)
            yield from _batches(log, cursor, way_of(cursor))
    except OSError as error:
        trouble = Trouble(kind=TroubleKind.UNREADABLE, detail=error.strerror or "", offset=0)
        yield Batch(events=(), troubles=(trouble,), cursor=mark.cursor if mark else "", read_bytes=0)


def _resume(log: jsonl.LogFile, mark: Mark | None) -> Cursor:
    if mark is None or not mark.cursor:
        return Cursor()
    try:
        cursor = msgspec.json.decode(mark.cursor, type=Cursor)
    except msgspec.DecodeError:
        return Cursor()
    if mark.doubted:
        whole = cursor.checksum is not None and log.is_as_it_was(cursor.checksum)
    else:
        whole = log.size >= cursor.offset and log.guard(cursor.offset) == cursor.guard
    return cursor if whole else Cursor()


def _batches(log: jsonl.LogFile, cursor: Cursor, way: LineIntake) -> Iterator[Batch]:
    form = way.form
    begin = end = stop = cursor.offset
    for lines in log.lines(begin):
        way.lines(lines)
        end, stop = lines.end, lines.end + len(lines.rest)
        if lines.rest and way.rest(lines.rest, end):
            log.sum_up(lines.rest, end, stop)
            end = stop
        if stop - begin >= BATCH:
            yield _batch(log, form, begin, end, stop)
            begin = stop
    way.end()
    if stop > begin or form.notebook.troubles:
        yield _batch(log, form, begin, end, stop)


def _batch(log: jsonl.LogFile, form: LogPass, begin: int, end: int, stop: int) -> Batch:
    """What was found in the bytes from `begin` to `stop`, of which those before `end` are done with."""
    resume, segments = form.notebook.resume_at(end)
    note = Cursor(resume, log.guard(resume), dict(segments), form.state(), log.checksum)
    events, troubles = form.notebook.take()
    return Batch(
        events=events,
        troubles=troubles,
        cursor=msgspec.json.encode(note).decode("utf-8"),
        read_bytes=stop - begin,
        afresh=begin == 0,
    )


def _lines(form: Format, lines: jsonl.Lines) -> None:
    block, offset, glance = lines.block, lines.start, form.glance
    for at in lines.oversized:
        form.notebook.trouble(TroubleKind.OVERSIZED, at)
    for start, end in lines.spans:
        try:
            if end > start and not glance(block, start, end):
                _line(form, block[start:end], offset + start)
        except Exception as error:  # noqa: BLE001 - a fence: one record that a reader breaks on costs that record only
            form.notebook.note_broken_record(offset + start, error)


def _line(form: Format, line: bytes | bytearray, offset: int) -> None:
    """Take one line in. Whatever is wrong with it becomes a trouble."""
    try:
        # Parts of a record are decoded when they are asked for, so that both can find what is no JSON.
        form.record(form.decoder.decode(line), offset)
    except _UNREADABLE as error:
        _recover_line(form, line, offset, error)


def _rest(form: Format, line: bytes, offset: int) -> bool:
    """Take in a last line that has no end yet. False when it is not whole: it must be read again."""
    try:
        record = form.decoder.decode(line)
    except _UNREADABLE:
        form.notebook.trouble(TroubleKind.UNFINISHED, offset)
        return False
    try:
        form.record(record, offset)
    except Exception as error:  # noqa: BLE001 - a fence, as above
        form.notebook.note_broken_record(offset, error)
    return True


class _Kind(msgspec.Struct):
    type: str = ""


_kind = msgspec.json.Decoder(_Kind)


def _recover_line(form: Format, line: bytes | bytearray, offset: int, error: Exception) -> None:
    """A line that is not one good record: two glued together, zero bytes, a torn write, or another shape."""
    if not line.strip():
        return
    if isinstance(error, msgspec.ValidationError):
        _foreign_shape(form, line, offset)
        return
    if b"\0" in line:
        form.notebook.trouble(TroubleKind.NULS, offset)
        line = line.strip(b"\0")
    pieces, whole = json_recovery.records_in(bytes(line), form.is_whole)
    for piece in pieces:
        try:
            form.record(form.decoder.decode(piece), offset)
        except _UNREADABLE:
            whole = False
    if not whole:
        form.notebook.trouble(TroubleKind.GARBLED, offset)


def _foreign_shape(form: Format, line: bytes | bytearray, offset: int) -> None:
    try:
        kind = _kind.decode(line).type
    except _UNREADABLE:
        kind = ""
    if kind not in form.passed_over:
        known = kind in form.teaching
        form.notebook.trouble(TroubleKind.MISSHAPEN if known else TroubleKind.UNKNOWN, offset, kind)
