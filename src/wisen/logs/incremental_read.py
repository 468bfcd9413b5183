"""Reads what is new in one source since the last read, filtered, as index batches for the index."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from msgspec.structs import replace

from wisen.model.index_batch import IndexBatch
from wisen.model.source import Batch, ReadProblem, ReadProblemKind, SourceMark

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from wisen.agents.agent_ports import Agent
    from wisen.logs.context_resolver import ContextResolver
    from wisen.logs.settings import EventFilterPolicy
    from wisen.model.event import Event, SessionKey
    from wisen.model.report import Selection
    from wisen.model.source import Source

_UNFINISHED = -1
"""The size in the mark of a source that was not read to its end; it never equals a real size."""


def distrust_marks(marks: Mapping[str, SourceMark]) -> dict[str, SourceMark]:
    """Return marks whose sizes and dates are not trusted, so that every byte is read and compared."""
    return {path: replace(mark, is_suspect=True) for path, mark in marks.items()}


def changed_sources(sources: Sequence[Source], marks: Mapping[str, SourceMark], selection: Selection) -> list[Source]:
    """Return the sources that differ from when they were last read to the end, or whose marks are in doubt."""
    since = int(selection.since.timestamp() * 1e9) if selection.since else 0
    return [source for source in sources if source.modified_ns >= since and not _is_unchanged(source, marks)]


def index_name_of(source: Source) -> str:
    """Return the name of a source in the index: its path, or a hash of it if the path contains a secret."""
    from wisen.safety.secrets import find_secret

    path = source.file
    if find_secret(path) is None:
        return path
    return f"withheld:{hashlib.blake2b(path.encode('utf-8', 'surrogateescape'), digest_size=12).hexdigest()}"


def _is_unchanged(source: Source, marks: Mapping[str, SourceMark]) -> bool:
    # A path that contains a secret is never a name; of the others nearly all are known, and need no search for one.
    mark = marks.get(source.file) or marks.get(index_name_of(source))
    if mark is None or mark.is_suspect:
        return False
    return (mark.size, mark.modified_ns) == (source.size, source.modified_ns)


def read_index_batches(
    agent: Agent, source: Source, marks: Mapping[str, SourceMark], resolver: ContextResolver, policy: EventFilterPolicy
) -> Iterator[tuple[IndexBatch | None, int]]:
    """Yield what one source holds after its mark, filtered, with the bytes it took; None if nothing is new.

    Only the last index batch has the mark of a source that was read to its end: if we stop half-way, the next read
    resumes from there.
    """
    mark = marks.get(index_name_of(source))
    pending: Batch | None = None
    for batch in _read_batches(agent, source, mark):
        if pending is not None:
            yield _safe_index_batch(source, pending, resolver, policy, finished=False), pending.read_bytes
        pending = batch
    if pending is not None:
        readable = all(problem.kind is not ReadProblemKind.UNREADABLE for problem in pending.problems)
        index_batch = _safe_index_batch(source, pending, resolver, policy, finished=readable)
        is_unchanged = (
            mark is not None
            and not pending.events
            and not pending.problems
            and replace(mark, is_suspect=False) == index_batch.mark
        )
        yield None if is_unchanged else index_batch, pending.read_bytes


def _read_batches(agent: Agent, source: Source, mark: SourceMark | None) -> Iterator[Batch]:
    """Yield what a reader returns. If it fails, that is reported for this source, and the others are still read."""
    try:
        yield from agent.read(source, mark)
    except Exception as error:  # noqa: BLE001 - a plug-in boundary: one bad file must not end the learning
        yield Batch(events=(), problems=(_reader_failure(error),), cursor=mark.cursor if mark else "", read_bytes=0)


def _reader_failure(error: Exception) -> ReadProblem:
    return ReadProblem(kind=ReadProblemKind.UNREADABLE, detail=f"reader broke: {type(error).__name__}"[:40], offset=0)


def _safe_index_batch(
    source: Source, batch: Batch, resolver: ContextResolver, policy: EventFilterPolicy, *, finished: bool
) -> IndexBatch:
    """Build an index batch; if the event filter or the resolver fails, return an empty one that reports the problem."""
    try:
        return _build_index_batch(source, batch, resolver, policy, finished=finished)
    except Exception as error:  # noqa: BLE001 - an error boundary: one failure must not keep the rest from being learned
        empty = replace(batch, events=(), problems=(*batch.problems, _reader_failure(error)))
        return _build_index_batch(source, empty, resolver, policy, finished=False)


def _build_index_batch(
    source: Source, batch: Batch, resolver: ContextResolver, policy: EventFilterPolicy, *, finished: bool
) -> IndexBatch:
    from wisen.logs import event_filter
    from wisen.safety.secrets import find_secret

    cursor = batch.cursor if find_secret(batch.cursor) is None else ""
    return IndexBatch(
        source=replace(source, file=index_name_of(source)),
        events=tuple(
            event_filter.filter_events(_skip_disabled(batch.events, resolver), _context_lookup(resolver), policy)
        ),
        problems=batch.problems,
        mark=SourceMark(size=source.size if finished else _UNFINISHED, modified_ns=source.modified_ns, cursor=cursor),
        from_start=batch.from_start,
    )


def _skip_disabled(events: Iterable[Event], resolver: ContextResolver) -> Iterator[Event]:
    """Yield the events of sessions and places in which wisen is enabled; of the others not even the place is kept."""
    known: dict[tuple[str, str, str], bool] = {}
    last: tuple[SessionKey | None, str] = None, ""
    is_off = False
    for event in events:
        if event.session is not last[0] or event.place != last[1]:  # consecutive events nearly always share it
            session, _ = last = event.session, event.place
            key = session.native, event.place, session.start
            if key not in known:
                known[key] = resolver.session_is_off(session.agent, session.native) or resolver.is_off(*key[1:])
            is_off = known[key]
        if not is_off:
            yield event


def _context_lookup(resolver: ContextResolver) -> Callable[[Event], str | None]:
    from wisen.logs import event_filter

    keys: dict[tuple[str, str], str | None] = {}
    last: tuple[SessionKey | None, str, str | None] = None, "", None

    def context_of(event: Event) -> str | None:
        nonlocal last
        session, place, key = last
        if event.session is session and event.place == place:
            return key  # consecutive events nearly always share it
        session, place = event.session, event.place
        if (place, session.start) not in keys:
            start = session.start if event_filter.secret_in_name(session.start) is None else ""
            context = resolver.context(place, start)
            keys[place, session.start] = context.key if context else None
        last = session, place, keys[place, session.start]
        return last[2]

    return context_of
