"""Follows a conversation stored as numbered event files in a folder; opens only those after the cursor."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from wisen.agents.event_collector import MAX_PENDING_BYTES
from wisen.agents.json_recovery import replace_invalid_text
from wisen.agents.jsonl import MAX_RECORD_BYTES
from wisen.agents.openhands.records import decode_event, kind_of_data
from wisen.agents.session_segments import Segment  # noqa: TC001 - msgspec reads the annotation at run time
from wisen.model.source import Batch, ReadProblem, ReadProblemKind
from wisen.safety.regular_files import read_regular_file
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wisen.agents.openhands.read import OpenhandsConversation
    from wisen.model.source import SourceMark

_NAME = lazy_regex(r"event-(\d{5,})-[0-9A-Za-z-]+\.json\Z")
_BATCH_BYTES = 4 << 20
"""Bytes whose events are returned in one batch."""
_MAX_PENDING_EVENTS = 2_000
"""Events after which a pending event will not get its counterpart."""
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


class EventFile(NamedTuple):
    """The file of one event."""

    number: int
    path: Path
    size: int
    modified_ns: int


class EventCursor(msgspec.Struct, frozen=True):
    """The number of the next event; `guard` is the name of the file before it, to recognize another conversation."""

    following: int = 0
    guard: str = ""
    segments: dict[str, Segment] = msgspec.field(default_factory=dict)
    place: str = ""


def event_files(folder: Path) -> list[EventFile]:
    """Return the event files of a conversation, in order; none if the folder cannot be read."""
    files = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                name = _NAME.match(entry.name)
                if name and entry.is_file():
                    status = entry.stat()
                    files.append(EventFile(int(name[1]), Path(entry.path), status.st_size, status.st_mtime_ns))
    except OSError:
        return []
    return sorted(files)


def read_events(
    folder: Path, mark: SourceMark | None, conversation_of: Callable[[EventCursor], OpenhandsConversation]
) -> Iterator[Batch]:
    """Yield the events after the mark."""
    files = event_files(folder)
    names = {each.number: each.path.name for each in files}
    cursor = _resume(mark, names)
    if not files:
        problem = ReadProblem(kind=ReadProblemKind.UNREADABLE, detail="no event files", offset=0)
        yield Batch(events=(), problems=(problem,), cursor=mark.cursor if mark else "", read_bytes=0)
        return
    conversation = conversation_of(cursor)
    following, size, from_start = cursor.following, 0, cursor.following == 0
    for each in files:
        if each.number < cursor.following:
            continue
        if not _parse_file(each, conversation, is_last=each.number == files[-1].number):
            break
        following, size = each.number + 1, size + each.size
        if size >= _BATCH_BYTES:
            yield _batch(conversation, following, names, size, from_start=from_start)
            size, from_start = 0, False
    yield _batch(conversation, following, names, size, from_start=from_start)


def _resume(mark: SourceMark | None, names: dict[int, str]) -> EventCursor:
    if mark is None or not mark.cursor or mark.is_suspect:
        return EventCursor()
    try:
        cursor = msgspec.json.decode(mark.cursor, type=EventCursor)
    except msgspec.DecodeError:
        return EventCursor()
    return cursor if names.get(cursor.following - 1, "") == cursor.guard else EventCursor()


def _parse_file(file: EventFile, conversation: OpenhandsConversation, *, is_last: bool) -> bool:
    """Parse one file. Returns False if it is still being written and must be read again."""
    collector = conversation.collector
    if file.size > MAX_RECORD_BYTES:
        collector.add_problem(ReadProblemKind.OVERSIZED, file.number)
        return True
    try:
        data = read_regular_file(file.path, MAX_RECORD_BYTES)
        try:
            conversation.parse_event(decode_event(data), file.number)
        except msgspec.ValidationError:
            raise
        except (msgspec.DecodeError, UnicodeDecodeError):
            conversation.parse_event(
                decode_event(replace_invalid_text(data)), file.number
            )  # a lone surrogate or an invalid byte
    except OSError as error:
        collector.add_problem(ReadProblemKind.UNREADABLE, file.number, error.strerror or "")
    except msgspec.ValidationError:
        kind, known = kind_of_data(data)
        if known is not False:
            collector.add_problem(ReadProblemKind.MISSHAPEN if known else ReadProblemKind.UNKNOWN, file.number, kind)
    except _UNREADABLE:
        collector.add_problem(ReadProblemKind.UNFINISHED if is_last else ReadProblemKind.GARBLED, file.number)
        return not is_last
    except Exception as error:  # noqa: BLE001 - error boundary: an event that fails costs that event only
        collector.add_parser_error(file.number, error)
    return True


def _batch(
    conversation: OpenhandsConversation, following: int, names: dict[int, str], size: int, *, from_start: bool
) -> Batch:
    collector = conversation.collector
    resume, segments = collector.resume_at(following)
    if following - resume > _MAX_PENDING_EVENTS:
        resume, segments = following, collector.resume_at(following + MAX_PENDING_BYTES + 1)[1]
    events, problems = collector.drain()
    cursor = EventCursor(resume, names.get(resume - 1, ""), dict(segments), conversation.place_at(resume))
    return Batch(
        events=events,
        problems=problems,
        cursor=msgspec.json.encode(cursor).decode("utf-8"),
        read_bytes=size,
        from_start=from_start,
    )
