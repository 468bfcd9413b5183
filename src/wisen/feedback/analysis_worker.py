"""Analyzes sessions in a worker process, which reads them from the index itself."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from wisen.errors import StoreDamaged
from wisen.feedback.added_languages import load_added_languages
from wisen.feedback.settled_signals import apply_settled
from wisen.feedback.signal_detection import detect_in_session
from wisen.feedback.user_detector import UserDetector
from wisen.mining.session_mining import mine_session
from wisen.mining.session_runs import judge_runs
from wisen.model.error_boundaries import ErrorBoundaries
from wisen.model.signal import TypedTurn
from wisen.store.findings import SqliteFindings
from wisen.store.sqlite_files import INDEX, open_read_only

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from wisen.feedback.detector import DetectorModel
    from wisen.feedback.session_analysis import Describe
    from wisen.model.failure import SessionFindings
    from wisen.model.history import History
    from wisen.model.phrase import UserPhrase
    from wisen.model.pointing import SettledTurn

T = TypeVar("T")
_BUSY_SECONDS = 10.0


class AnalysisSetup(Struct, frozen=True, kw_only=True):
    """What sessions are analyzed with, in a form that other processes understand."""

    index: Path
    identity: tuple[int, int]
    """The device and number of the index file: on another machine the same path is another file."""
    languages: Path
    """The folder of the languages that the user added."""
    phrases: tuple[UserPhrase, ...]
    folders: Mapping[str, Sequence[str]]
    settled: Mapping[str, SettledTurn]
    version: int


def analyze_in_worker(
    setup: AnalysisSetup, sessions: Sequence[int], describe: Describe[T]
) -> list[tuple[int, tuple[SessionFindings, T] | None]]:
    """Return the findings of sessions with their descriptions; None for a session whose analysis fails.

    Raises: StoreError (the index cannot be read here).
    """
    if index_identity(setup.index) != setup.identity:
        raise StoreDamaged(f"{setup.index} is not the index that was read.")
    detector = UserDetector(setup.phrases, lambda: _model(setup.languages, setup.version))
    with open_read_only(setup.index, INDEX, busy=_BUSY_SECONDS) as db:
        histories = SqliteFindings(db, {}).take_unmined(setup.version, sessions)
        return [(each.session, _analyze(setup, each, detector, describe)) for each in histories]


def prepare_worker() -> None:
    """Load the detector, and read a sentence with it."""
    UserDetector().detect(TypedTurn(text="No, that is wrong: never push to main."))


def index_identity(file: Path) -> tuple[int, int]:
    """Return what identifies a file on this machine. Raises: OSError."""
    facts = file.stat()
    return facts.st_dev, facts.st_ino


def _analyze(
    setup: AnalysisSetup, session: History, detector: UserDetector, describe: Describe[T]
) -> tuple[SessionFindings, T] | None:
    try:
        found = replace(mine_session(session, setup.folders), signals=detect_in_session(session, detector))
        found = judge_runs(session, apply_settled(session, found, setup.settled, detector.model))
        boundaries = ErrorBoundaries()
        described = describe(session, found, boundaries)
    except Exception:  # noqa: BLE001 - the caller analyzes it again, and reports how that fails
        return None
    return None if boundaries.failures else (found, described)


@lru_cache(maxsize=1)
def _model(languages: Path, version: int) -> DetectorModel:
    del version  # it depends on the content of the files
    return load_added_languages(languages).model
