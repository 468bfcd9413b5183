"""Analyzes sessions that have new events: what failed, what helped, and what the user said about it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from wisen.feedback.detector import DETECTOR_VERSION
from wisen.feedback.settled_signals import apply_settled
from wisen.feedback.signal_detection import detect_in_session
from wisen.logs.parallel_read import pause_gc
from wisen.mining.session_mining import MINER_VERSION, mine_session
from wisen.model.error_boundaries import BoundaryKind
from wisen.model.failure import SessionFindings
from wisen.model.history import session_label

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from wisen.feedback.adjudication import Adjudicator
    from wisen.feedback.user_detector import UserDetector
    from wisen.model.error_boundaries import ErrorBoundaries
    from wisen.model.history import History
    from wisen.model.pointing import SettledTurn
    from wisen.store.home import Home

BATCH_SIZE = 50  # sessions whose findings go into one transaction
ANALYSIS_VERSION = MINER_VERSION * 1000 + DETECTOR_VERSION  # without added languages; other versions analyze again


@dataclass(frozen=True, kw_only=True)
class SessionAnalyzer:
    """Everything that sessions are analyzed with in one run."""

    home: Home
    detector: UserDetector
    adjudicator: Adjudicator
    folders: Mapping[str, Sequence[str]]
    """The directories of this machine by their context."""
    settled: Mapping[str, SettledTurn]
    """What agents pointed at and the log verified, by turn id: it overrides what is detected."""
    version: int
    """The version of the analysis; a session that another version analyzed is analyzed again."""
    boundaries: ErrorBoundaries

    def batches(self) -> Iterator[list[tuple[History, SessionFindings]]]:
        """The sessions with new events, each with its findings; the cost grows with the number of new events only.

        A batch is marked as analyzed once the next one is requested: what is made of it is stored before that.
        """
        new = self.home.index.findings.take_unmined(self.version)
        with pause_gc():
            while sessions := list(islice(new, BATCH_SIZE)):
                found: Sequence[SessionFindings] = [self.analyze(each) for each in sessions]
                with self.boundaries.isolate_step("adjudicate"):
                    found = self.adjudicator.adjudicate(sessions, found)
                with self.boundaries.isolate_step("apply what was settled"):
                    pairs = zip(sessions, found, strict=True)
                    found = [apply_settled(session, each, self.settled, self.detector.model) for session, each in pairs]
                yield list(zip(sessions, found, strict=True))
                self.home.index.findings.store_findings(found, self.version)

    @property
    def problems(self) -> list[str]:
        """What the user should know about failed adjudication."""
        return self.adjudicator.problems

    def analyze(self, session: History) -> SessionFindings:
        """The findings of one session; none where its analysis fails, so that it does not block the others."""
        with self.boundaries.isolate(BoundaryKind.SESSION, session_label(session)):
            return replace(mine_session(session, self.folders), signals=detect_in_session(session, self.detector))
        return SessionFindings(session=session.session)
