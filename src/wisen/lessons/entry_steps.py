"""Records entries in steps: what was said, what failed, and which practices to avoid."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from wisen.lessons.conflicts import settle_conflicts
from wisen.lessons.fading import fade_entries
from wisen.lessons.lesson_citations import record_citations
from wisen.lessons.practices import record_practices
from wisen.lessons.recording import record_statements
from wisen.lessons.remarks import close_remarks
from wisen.lessons.trigger_narrowing import narrow_new_triggers
from wisen.logs.ownership_rows import confined_agents
from wisen.mining.error_entries import new_error_rows
from wisen.mining.goals import goals_of
from wisen.model.entry import MoveKind
from wisen.model.report import Selection

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.logs.projects import Projects
    from wisen.model.error_boundaries import ErrorBoundaries
    from wisen.model.fix import Fix
    from wisen.model.signal import SourcedSignal
    from wisen.store.home import Home
    from wisen.store.known_entries import KnownEntries

PRACTICE_WINDOW = timedelta(days=90)
"""How far back sessions are searched for best practices."""


def record_entries(  # noqa: PLR0913 - the findings of a run, each by its name
    home: Home,
    projects: Projects,
    known: KnownEntries,
    said: Iterable[SourcedSignal],
    fixes: Iterable[Fix],
    *,
    boundaries: ErrorBoundaries,
    new: bool,
) -> None:
    """Record the findings of a run. `new`: whether sessions have new events."""
    ledger, factory, now = home.ledger, home.row_factory, home.clock.now()
    step, seen = boundaries.isolate_step, ledger.occurrences.ids()
    with step("record statements"):
        split = {move.value for move in known.moves if move.kind is MoveKind.SPLIT}
        apart = [each for entry in sorted(split) for each in ledger.occurrences.of(entry)]
        known.record(record_statements(said, known.states, seen, factory, apart, confined_agents(projects)))
    with step("backtest triggers"):
        known.record(narrow_new_triggers(home, known))
    with step("record failures"):
        known.record(new_error_rows(fixes, home.index.findings.evidence, known.states, seen, factory))
    with step("record best practices"):
        if new:
            newest = home.index.events.counts(Selection()).last or now
            recent = home.index.events.histories(Selection(since=newest - PRACTICE_WINDOW))
            known.record(record_practices(((each, goals_of(each)) for each in recent), known.states, seen, factory))
    with step("close remarks"):
        known.record(close_remarks(known.states, known.moves, factory))
    with step("count citations"):
        known.record(record_citations(home.index.events.citations(), known.states, known.moves, factory) if new else ())
    with step("settle conflicts and fade entries"):
        known.record(
            [*settle_conflicts(known.states, now, factory), *fade_entries(known.states, known.moves, now, factory)]
        )
