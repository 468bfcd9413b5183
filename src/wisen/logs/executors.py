"""Opens a pool of worker processes: none for little work, one per core for much."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Executor
    from contextlib import AbstractContextManager


PARALLEL_FROM_BYTES = 300 << 20
"""Bytes from which several processes pay off; at 220 MB two were not faster than one on two cores."""
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


def reuse_executor(executor: Executor) -> ExecutorFactory:
    """Use an executor of the caller's, for example a cluster's; it stays open."""

    @contextmanager
    def workers(jobs: int, size: int) -> Iterator[tuple[Executor | None, int]]:
        yield executor, jobs or min(_core_count(), MAX_WORKERS)

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
