"""Reads many log sources in order and in bounded memory, in this process or in parallel worker processes."""

from __future__ import annotations

import gc
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING

from msgspec import Struct

from wisen.logs import incremental_read

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from concurrent.futures import Executor, Future

    from wisen.agents.agent_ports import Agent
    from wisen.logs.context_resolver import ContextResolver
    from wisen.logs.settings import EventFilterPolicy
    from wisen.model.context import Context
    from wisen.model.index_batch import IndexBatch
    from wisen.model.source import Source, SourceMark

LARGE_SOURCE = 64 << 20
"""A source of this many bytes is read here, batch by batch: a worker would have to send it back in one piece."""
QUEUED_PER_JOB = 2
"""How many sources are queued per process: enough to keep all of them busy, few enough to hold in memory."""


class ReadTask(Struct, frozen=True, kw_only=True):
    """A source to be read by its agent."""

    agent: Agent
    source: Source
    marks: Mapping[str, SourceMark]


class _ReadResult(Struct, frozen=True):
    index_batches: list[tuple[IndexBatch | None, int]]
    contexts: Mapping[tuple[str, str], Context | None]
    """The contexts that the worker found, by place and start of the session."""


def read_sources(
    tasks: Sequence[ReadTask],
    resolver: ContextResolver,
    policy: EventFilterPolicy,
    executor: Executor | None = None,
    jobs: int = 1,
) -> Iterator[tuple[IndexBatch | None, int]]:
    """Yield what the sources contain, in order; with an executor, up to `jobs` of them are read in parallel.

    Whatever the workers cannot do (they were killed, or do not know one of the caller's classes) is read here.
    """
    if executor is None:
        for task in tasks:
            yield from incremental_read.read_index_batches(task.agent, task.source, task.marks, resolver, policy)
        return
    pending: deque[tuple[ReadTask, Future[_ReadResult] | None]] = deque()
    for task in tasks:
        mark = task.marks.get(incremental_read.index_name_of(task.source))
        single = ReadTask(
            agent=task.agent,
            source=task.source,
            marks={incremental_read.index_name_of(task.source): mark} if mark else {},
        )
        pending.append((single, _submit(executor, single, resolver, policy)))
        while len(pending) > jobs * QUEUED_PER_JOB:
            yield from _collect(*pending.popleft(), resolver, policy)
    while pending:
        yield from _collect(*pending.popleft(), resolver, policy)


def _submit(
    executor: Executor, task: ReadTask, resolver: ContextResolver, policy: EventFilterPolicy
) -> Future[_ReadResult] | None:
    """Submit the reading of a source to a worker; None if it has to be read here."""
    if task.source.size >= LARGE_SOURCE:
        return None
    from concurrent.futures import BrokenExecutor

    try:
        return executor.submit(_read_in_worker, task, resolver, policy)
    except BrokenExecutor:
        return None


def _collect(
    task: ReadTask, future: Future[_ReadResult] | None, resolver: ContextResolver, policy: EventFilterPolicy
) -> Iterator[tuple[IndexBatch | None, int]]:
    result = None
    if future is not None:
        from concurrent.futures import BrokenExecutor

        try:
            result = future.result()
        except BrokenExecutor:
            result = None  # no worker read it
    if result is None or not resolver.agrees_with(result.contexts):
        # No worker read it, or a source before it decides about a project, which the worker did not know: decide here.
        yield from incremental_read.read_index_batches(task.agent, task.source, task.marks, resolver, policy)
        return
    yield from result.index_batches


def _read_in_worker(task: ReadTask, resolver: ContextResolver, policy: EventFilterPolicy) -> _ReadResult:
    """Read one source; runs in a worker process."""
    resolver.used.clear()
    index_batches = list(incremental_read.read_index_batches(task.agent, task.source, task.marks, resolver, policy))
    return _ReadResult(index_batches, resolver.used)


@contextmanager
def pause_gc() -> Iterator[None]:
    """Pause garbage collection: events hold no reference cycles, so scanning them again and again finds nothing."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
