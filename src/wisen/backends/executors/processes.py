"""Processes of this machine as the crew: none for little work, as many as there are cores for much."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from concurrent.futures import Executor

WORTH_IT = 300 << 20
"""Bytes from which on more processes are tried; at 220 MB two were not faster than one on two cores."""
MOST = 8
"""More readers than this only wait for the one process that writes."""


@contextmanager
def processes(jobs: int, size: int) -> Iterator[tuple[Executor | None, int]]:
    """A pool for work on so many bytes; none when one process is asked for, or enough."""
    if jobs == 0:
        jobs = min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, MOST)
        jobs = jobs if size >= WORTH_IT else 1
    if jobs == 1:
        yield None, 1
        return
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    # Not forked: open databases must not be carried into another process.
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool, jobs
