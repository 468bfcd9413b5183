"""Reads what is new in agents' logs, source by source, and stores it in the index."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.errors import StoreError
from wisen.logs import incremental_read
from wisen.logs.executors import MIN_READERS, prepare_workers
from wisen.logs.ownership_rows import record_places, still_owned_sources
from wisen.logs.parallel_read import ReadTask, pause_gc, read_sources
from wisen.model.error_boundaries import BoundaryKind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wisen.logs.executors import ExecutorFactory
    from wisen.logs.projects import Projects
    from wisen.logs.settings import EventFilterPolicy
    from wisen.model.error_boundaries import ErrorBoundaries
    from wisen.model.index_batch import IndexBatch
    from wisen.model.report import Selection
    from wisen.model.run_options import Progress
    from wisen.model.source import Source

TRANSACTION_BYTES = 32 << 20  # bytes of logs per transaction: enough to be fast, few enough to lose little


class LogReader:
    """The step of a cycle that ingests new log lines."""

    def __init__(
        self,
        projects: Projects,
        workers: ExecutorFactory,
        filter_policy: EventFilterPolicy,
        prepare_worker: Callable[[], object],
    ) -> None:
        """`workers`: opens an executor for large reads; `filter_policy`: what of the logs may be kept.

        `prepare_worker` prepares a worker for the next step, while the logs are read here.
        """
        self._projects, self._home = projects, projects.home
        self._workers, self._filter_policy, self._prepare_worker = workers, filter_policy, prepare_worker

    def read_new(
        self,
        selection: Selection,
        progress: Progress,
        boundaries: ErrorBoundaries,
        *,
        jobs: int = 0,
        recheck: bool = False,
    ) -> tuple[dict[str, int], int, int]:
        """Read what is new. Returns the number of sources by agent, the bytes read and the number of new events.

        `jobs`: how many processes read; 0 lets us choose. With `recheck` every byte is read again and compared, instead
        of trusting sizes and dates.
        """
        projects, counts, tasks = self._projects, dict[str, int](), list[ReadTask]()
        projects.resolver.set_session_switch(self._home.disabled_sessions.is_disabled)
        for agent in projects.agents:
            sources: list[Source] = []
            known = self._home.index.events.marks(agent.name)
            with boundaries.isolate(BoundaryKind.AGENT, agent.name):
                sources = list(projects.sources(agent, selection.under))
            marks = incremental_read.distrust_marks(known) if recheck else known
            counts[agent.name] = len(sources)
            changed = still_owned_sources(projects, agent, incremental_read.changed_sources(sources, marks, selection))
            tasks += [ReadTask(agent=agent, source=each, marks=marks) for each in changed]
        total, read_bytes, new_events, pending_bytes = sum(task.source.size for task in tasks), 0, 0, 0
        pending: list[IndexBatch] = []
        with pause_gc(), self._workers(jobs, total) as (executor, job_count):
            readers = executor if jobs or job_count >= MIN_READERS else None
            if executor is not None and readers is None:
                prepare_workers(executor, job_count, self._prepare_worker)
            for index_batch, size in read_sources(tasks, projects.resolver, self._filter_policy, readers, job_count):
                if index_batch is not None:
                    pending.append(index_batch)
                    pending_bytes += size
                read_bytes += size
                if pending_bytes >= TRANSACTION_BYTES:
                    new_events += self._store(pending, boundaries)
                    pending, pending_bytes = [], 0
                    progress(read_bytes, total)
            new_events += self._store(pending, boundaries)
        progress(total, total)
        return counts, read_bytes, new_events

    def _store(self, index_batches: Sequence[IndexBatch], boundaries: ErrorBoundaries) -> int:
        """Store batches. Contexts go into the ledger before anything is in the index; forgotten text is dropped."""
        record_places(self._projects)
        retained = self._home.forgotten_filter.filter_index_batches(index_batches)
        try:
            return self._home.index.events.store(retained) if index_batches else 0
        except StoreError:
            raise
        except Exception:  # noqa: BLE001 - one of them cannot be stored: store each by itself to keep the others
            return sum(self._store_one(each, boundaries) for each in retained)

    def _store_one(self, index_batch: IndexBatch, boundaries: ErrorBoundaries) -> int:
        with boundaries.isolate(BoundaryKind.SOURCE, str(index_batch.source.path)):
            return self._home.index.events.store([index_batch])
        return 0
