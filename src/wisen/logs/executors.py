"""Opens a pool of worker processes: none for little work, one per core for much."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Executor
    from contextlib import AbstractContextManager


PARALLEL_FROM_BYTES = 100 << 20
"""Bytes of logs from which several processes pay off, because their sessions are to be analyzed as well."""
MIN_READERS = 4
"""With fewer processes one reads, and the others get ready to analyze: reading is nearly as fast as handing over."""
MAX_WORKERS = 8
"""More readers than this only wait for the single process that writes."""


@contextmanager
def open_pool(jobs: int, size: int) -> Iterator[tuple[Executor | None, int]]:
    """Open a pool for this many bytes; None if one process is requested or enough, or if no other can be started."""
    if jobs == 0:
        jobs = min(_core_count(), MAX_WORKERS) if size >= PARALLEL_FROM_BYTES else 1
    pool = _start_pool(jobs) if jobs > 1 else None
    if pool is None:
        yield None, 1
        return
    try:
        yield pool, jobs
    finally:
        pool.shutdown(cancel_futures=True)


class SharedWorkers:
    """The worker processes of one run: one step opens them, the last one that uses them closes them."""

    def __init__(self, factory: ExecutorFactory) -> None:
        self._factory = factory
        self._stack = ExitStack()
        self._opened: tuple[Executor, int] | None = None

    @contextmanager
    def lend(self, jobs: int, size: int) -> Iterator[tuple[Executor | None, int]]:
        """Open an executor as the factory does, and keep it for the next step."""
        if self._opened is None:
            executor, count = self._stack.enter_context(self._factory(jobs, size))
            self._opened = None if executor is None else (executor, count)
        try:
            yield self._opened or (None, 1)
        except BaseException:
            self.close()
            raise

    @contextmanager
    def __call__(self, jobs: int, size: int) -> Iterator[tuple[Executor | None, int]]:
        """Open an executor, or take the one of an earlier step, and close it afterwards."""
        try:
            with self.lend(jobs, size) as opened:
                yield opened
        finally:
            self.close()

    def close(self) -> None:
        """Close the executor, if there is one."""
        self._opened = None
        self._stack.close()


def prepare_workers(executor: Executor, jobs: int, prepare: Callable[[], object]) -> None:
    """Have each worker prepare for what comes next; whether it does makes no difference but in time."""
    from concurrent.futures import BrokenExecutor

    with suppress(BrokenExecutor):
        for _ in range(jobs):
            executor.submit(prepare)


def reuse_executor(executor: Executor) -> ExecutorFactory:
    """Use an executor of the caller's, for example a cluster's; it stays open."""

    @contextmanager
    def workers(jobs: int, size: int) -> Iterator[tuple[Executor | None, int]]:
        yield executor, jobs or max(MIN_READERS, min(_core_count(), MAX_WORKERS))

    return workers


def _start_pool(jobs: int) -> Executor | None:
    """Start workers; None if this program cannot start Python again: it is frozen, embedded, or at its limits."""
    name = Path(sys.executable or "").name.lower()
    if getattr(sys, "frozen", False) or not name.startswith(("python", "pypy")):
        return None
    from wisen.logs.worker_pool import WorkerPool

    try:
        return WorkerPool(jobs)
    except (OSError, RuntimeError):
        return None


def _core_count() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class ExecutorFactory(Protocol):
    """Opens executors for large work: any executor with the standard library's interface, also a cluster's."""

    def __call__(self, jobs: int, size: int) -> AbstractContextManager[tuple[Executor | None, int]]:
        """Return an executor for this many bytes, and how many tasks it runs at once; None if it is not worth one.

        `jobs` is what the user requested; 0 leaves it to us.
        """
        ...
