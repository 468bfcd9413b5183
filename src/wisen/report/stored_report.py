"""Stores the report of a run, so that a run in which nothing changed does not work it out again."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING

import msgspec

from wisen.model.entry_state import undecided_fixes
from wisen.model.fix import FailureKind, Fix, exclude_ordinary_checks
from wisen.model.report import Counts, Selection
from wisen.model.signal import SignalKind, Theme  # noqa: TC001 - msgspec decodes it
from wisen.model.source import ReadProblemCount  # noqa: TC001 - msgspec decodes it
from wisen.report.themes import build_themes
from wisen.store.folds import Fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.mining.settings import MinePolicy
    from wisen.model.entry_state import EntryState
    from wisen.model.report import Report, RunFindings
    from wisen.store.home import Home

_NAME, _VERSION = "report", 1


class StoredReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a report says that stays the same while no session and no decision is new."""

    counts: Counts
    failures: tuple[FailureKind, ...]
    fixes: tuple[Fix, ...]
    undecided: dict[str, str]
    signals: dict[SignalKind, int]
    themes: tuple[Theme, ...]
    proposals: int
    troubles: tuple[ReadProblemCount, ...]


def store_report(home: Home, report: Report, mining: MinePolicy) -> None:
    """Store the report of a run that covers everything."""
    if report.selection != Selection():
        return
    names = StoredReport.__struct_fields__
    stored = StoredReport(**{name: getattr(report, name) for name in names})
    with suppress(UnicodeEncodeError):  # bytes that are no text in a name: the report is worked out every time
        value = msgspec.json.encode(stored).decode()
        home.index.folds.save(
            _NAME, report_mark(home, mining), Fold(home.index.folds.revision(), value), holds_text=True
        )


def load_report(home: Home, findings: RunFindings, mining: MinePolicy) -> StoredReport | None:
    """Return the stored report if it still applies: nothing was read, and no session or decision changed."""
    if findings.selection != Selection() or findings.read_bytes or findings.new_events or findings.retired:
        return None
    stored = home.index.folds.load(_NAME, report_mark(home, mining))
    if stored is None or stored.revision != home.index.folds.revision():
        return None
    with suppress(msgspec.DecodeError):  # damaged: it is worked out again
        return msgspec.json.decode(stored.value, type=StoredReport)
    return None


def describe(home: Home, findings: RunFindings, states: Sequence[EntryState], mining: MinePolicy) -> StoredReport:
    """Work out what the selected sessions show."""
    index, selection = home.index, findings.selection
    sessions, fixes = None, findings.fixes
    if selection != Selection():
        sessions = index.sessions.keys(selection)
        fixes = tuple(fix for fix in index.findings.fixes(selection) if fix.is_reliable)
    alive = findings.began - timedelta(days=mining.transient_days)
    return StoredReport(
        counts=index.events.counts(selection),
        failures=exclude_ordinary_checks(index.findings.failures(selection, alive=alive), fixes),
        fixes=fixes,
        undecided=undecided_fixes(states),
        signals=index.findings.count_signals(selection),
        themes=build_themes(states, home.ledger.occurrences.sightings(), sessions, selection.since),
        proposals=findings.proposals,
        troubles=index.events.read_problems(selection),
    )


def report_mark(home: Home, mining: MinePolicy) -> str:
    """Return what a report depends on besides sessions: the ledger, the day, the settings and the version."""
    day = home.local(home.clock.now()).date().isoformat()
    return f"{_VERSION} {home.version} {day} {mining} {home.ledger.mark()}"
