"""Reads many log sources in order and in bounded memory, in this process or in parallel worker processes."""

from __future__ import annotations

import gc
from collections import deque
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wisen.logs import watch

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from concurrent.futures import Executor, Future

    from wisen.agents.agent_ports import Agent
    from wisen.logs.scope import Scope
    from wisen.logs.settings import DoorPolicy
    from wisen.model.context import Context
    from wisen.model.source import Mark, Source
    from wisen.model.stretch import Stretch

HUGE = 64 << 20
"""A source of this many bytes is read here, stretch by stretch: a worker would have to send it back in one piece."""
AHEAD = 2
"""How many sources are queued per process: enough to keep all of them busy, few enough to hold in memory."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """A source to be read by its agent."""

    agent: Agent
    source: Source
    marks: Mapping[str, Mark]


@dataclass(frozen=True)
class _Done:
    found: list[tuple[Stretch | None, int]]
    sightings: tuple[tuple[Context, str], ...]
    firsts: tuple[tuple[Context, str], ...]
    """The checkouts that the worker took for the first of their projects."""


def gather(
    tasks: Sequence[Task], scope: Scope, policy: DoorPolicy, executor: Executor | None = None, jobs: int = 1
) -> Iterator[tuple[Stretch | None, int]]:
    """Yield what the sources contain, in order; with an executor, up to `jobs` of them are read in parallel.

    Whatever the workers cannot do (they were killed, or do not know one of the caller's classes) is read here.
    """
    if executor is None:
        for task in tasks:
            yield from watch.stretches(task.agent, task.source, task.marks, scope, policy)
        return
    waiting: deque[tuple[Task, Future[_Done] | None]] = deque()
    for task in tasks:
        mark = task.marks.get(watch.known_as(task.source))
        alone = Task(agent=task.agent, source=task.source, marks={watch.known_as(task.source): mark} if mark else {})
        waiting.append((alone, _submitted(executor, alone, scope, policy)))
        while len(waiting) > jobs * AHEAD:
            yield from _taken(*waiting.popleft(), scope, policy)
    while waiting:
        yield from _taken(*waiting.popleft(), scope, policy)


def _submitted(executor: Executor, task: Task, scope: Scope, policy: DoorPolicy) -> Future[_Done] | None:
    """Submit the reading of a source to a worker; None if it has to be read here."""
    if task.source.size >= HUGE:
        return None
    from concurrent.futures import BrokenExecutor

    try:
        return executor.submit(_read, task, scope, policy)
    except BrokenExecutor:
        return None


def _taken(
    task: Task, reading: Future[_Done] | None, scope: Scope, policy: DoorPolicy
) -> Iterator[tuple[Stretch | None, int]]:
    done = None
    if reading is not None:
        from concurrent.futures import BrokenExecutor

        try:
            done = reading.result()
        except BrokenExecutor:
            done = None  # no worker read it
    if done is None or not scope.grants(done.firsts):
        # No worker read it, or it ran next to another source that claimed the same remote first: decide that here.
        yield from watch.stretches(task.agent, task.source, task.marks, scope, policy)
        return
    scope.sightings.adopt(done.sightings)
    yield from done.found


def _read(task: Task, scope: Scope, policy: DoorPolicy) -> _Done:
    """Read one source; runs in a worker process."""
    found = list(watch.stretches(task.agent, task.source, task.marks, scope, policy))
    return _Done(found, scope.sightings.take_new(), scope.new_firsts())


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause garbage collection: events hold no reference cycles, so scanning them again and again finds nothing."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
