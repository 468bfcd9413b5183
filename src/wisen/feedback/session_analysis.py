"""Analyzes sessions that have new events: what failed, what helped, and what the user said about it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from wisen.logs.executors import PARALLEL_FROM_BYTES
from wisen.logs.parallel_read import QUEUED_PER_JOB, pause_gc
from wisen.model.error_boundaries import BoundaryKind
from wisen.model.failure import AnalyzedSession, SessionFindings
from wisen.model.history import session_label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from concurrent.futures import Executor, Future
    from pathlib import Path

    from wisen.feedback.adjudication import Adjudicator
    from wisen.feedback.analysis_worker import AnalysisSetup
    from wisen.feedback.detector import DetectorModel
    from wisen.feedback.user_detector import UserDetector
    from wisen.logs.executors import ExecutorFactory
    from wisen.model.error_boundaries import ErrorBoundaries
    from wisen.model.history import History
    from wisen.model.phrase import UserPhrase
    from wisen.model.pointing import SettledTurn
    from wisen.model.run_options import Progress
    from wisen.store.home import Home

    Describe = Callable[[History, SessionFindings, ErrorBoundaries], "T"]
    Pending = Future[list[tuple[int, tuple[SessionFindings, "T"] | None]]] | None

T = TypeVar("T")
BATCH_SIZE = 50  # sessions whose findings go into one transaction
WORKER_SIZE = 10  # sessions that a worker analyzes at once
PARALLEL_FROM_SESSIONS = 100
"""From so many sessions on other processes help: starting them takes as long as analyzing some dozens."""


@dataclass(frozen=True, kw_only=True)
class SessionAnalyzer:
    """Everything that sessions are analyzed with in one run."""

    home: Home
    phrases: tuple[UserPhrase, ...]
    """The user's own phrases, which the detector knows."""
    languages: Path
    """The folder of the languages that the user added."""
    model: Callable[[], DetectorModel]
    """Returns the detector for these languages."""
    build_adjudicator: Callable[[UserDetector], Adjudicator]
    adjudicates: bool
    """Whether a model is asked about doubtful turns: that is done here alone."""
    folders: Mapping[str, Sequence[str]]
    """The directories of this machine by their context."""
    settled: Mapping[str, SettledTurn]
    """What agents pointed at and the log verified, by turn id: it overrides what is detected."""
    version: int
    """The version of the analysis; a session that another version analyzed is analyzed again."""
    boundaries: ErrorBoundaries
    workers: ExecutorFactory

    def batches(
        self,
        describe: Describe[T],
        progress: Progress,
        *,
        jobs: int = 0,
    ) -> Iterator[list[AnalyzedSession[T]]]:
        """The findings of the sessions with new events; the cost grows with the number of new events only.

        A session that another process read is not returned; `describe` makes something of it there. A batch is marked
        as analyzed once the next one is requested: what is made of it is stored before that. The results are the same
        with any number of processes.
        """
        findings = self.home.index.findings
        sessions = self.home.index.events.unmined(self.version)
        size = PARALLEL_FROM_BYTES if len(sessions) >= PARALLEL_FROM_SESSIONS else 0
        jobs = 1 if not sessions or self.adjudicates else jobs
        done = 0
        with pause_gc(), self.workers(jobs, size) as (executor, job_count):
            analyzed = self._analyze_all(sessions, describe, executor, job_count)
            while batch := list(islice(analyzed, BATCH_SIZE)):
                yield batch
                findings.store_findings([each.findings for each in batch], self.version)
                done += len(batch)
                progress(done, len(sessions))

    @cached_property
    def detector(self) -> UserDetector:
        """The detector, loaded when a session is new."""
        from wisen.feedback.user_detector import UserDetector

        return UserDetector(self.phrases, self.model)

    @cached_property
    def adjudicator(self) -> Adjudicator:
        """Asks a model about doubtful turns, if the user wants that."""
        return self.build_adjudicator(self.detector)

    @property
    def problems(self) -> list[str]:
        """What the user should know about failed adjudication."""
        return self.adjudicator.problems if "adjudicator" in self.__dict__ else []

    def analyze(self, session: History) -> SessionFindings:
        """The findings of one session; none where its analysis fails, so that it does not block the others."""
        from wisen.feedback.signal_detection import detect_in_session
        from wisen.mining.session_mining import mine_session

        with self.boundaries.isolate(BoundaryKind.SESSION, session_label(session)):
            return replace(mine_session(session, self.folders), signals=detect_in_session(session, self.detector))
        return SessionFindings(session=session.session)

    def _analyze_all(
        self,
        sessions: Sequence[int],
        describe: Describe[T],
        executor: Executor | None,
        jobs: int,
    ) -> Iterator[AnalyzedSession[T]]:
        setup = None if executor is None or self.adjudicates else self._setup()
        if executor is None or setup is None:
            for start in range(0, len(sessions), BATCH_SIZE):
                yield from self._analyze_here(sessions[start : start + BATCH_SIZE])
            return
        pending: deque[tuple[Sequence[int], Pending[T]]] = deque()
        for start in range(0, len(sessions), WORKER_SIZE):
            some = sessions[start : start + WORKER_SIZE]
            pending.append((some, _submit(executor, setup, some, describe)))
            while len(pending) > jobs * QUEUED_PER_JOB:
                yield from self._collect(*pending.popleft())
        while pending:
            yield from self._collect(*pending.popleft())

    def _collect(self, sessions: Sequence[int], future: Pending[T]) -> Iterator[AnalyzedSession[T]]:
        """Yield what a worker found; what it could not do is done here."""
        try:
            results = None if future is None else future.result()
        except Exception:  # noqa: BLE001 - whatever keeps a worker from it: it ended, or cannot read the index
            results = None
        if results is None:
            yield from self._analyze_here(sessions)
            return
        for session, result in results:
            if result is not None:
                yield AnalyzedSession(findings=result[0], described=result[1])
            else:
                yield from self._analyze_here([session])

    def _analyze_here(self, numbers: Sequence[int]) -> Iterator[AnalyzedSession[T]]:
        from wisen.feedback.settled_signals import apply_settled
        from wisen.mining.session_runs import judge_runs

        sessions = list(self.home.index.findings.take_unmined(self.version, numbers))
        found: Sequence[SessionFindings] = [self.analyze(each) for each in sessions]
        with self.boundaries.isolate_step("adjudicate"):
            found = self.adjudicator.adjudicate(sessions, found)
        with self.boundaries.isolate_step("apply what was settled"):
            pairs = zip(sessions, found, strict=True)
            found = [apply_settled(session, each, self.settled, self.detector.model) for session, each in pairs]
        with self.boundaries.isolate_step("judge how work turned out"):
            found = [judge_runs(session, each) for session, each in zip(sessions, found, strict=True)]
        for session, each in zip(sessions, found, strict=True):
            yield AnalyzedSession(findings=each, history=session)

    def _setup(self) -> AnalysisSetup | None:
        """What a worker needs; None if the index is not a file."""
        from wisen.feedback.analysis_worker import AnalysisSetup, index_identity

        file = self.home.index.storage.file
        if file is None:
            return None
        return AnalysisSetup(
            index=file,
            identity=index_identity(file),
            languages=self.languages,
            phrases=self.phrases,
            folders=self.folders,
            settled=self.settled,
            version=self.version,
        )


def _submit(
    executor: Executor,
    setup: AnalysisSetup,
    sessions: Sequence[int],
    describe: Describe[T],
) -> Pending[T]:
    """Submit the analysis of sessions to a worker; None if it has to be done here."""
    from concurrent.futures import BrokenExecutor

    from wisen.feedback.analysis_worker import analyze_in_worker

    try:
        return executor.submit(analyze_in_worker, setup, sessions, describe)
    except BrokenExecutor:
        return None
