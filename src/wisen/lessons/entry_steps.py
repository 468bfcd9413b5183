"""Records entries in steps: what was said, what failed, and which practices to avoid."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.lessons.conflicts import settle_conflicts
from wisen.lessons.fading import fade_entries
from wisen.lessons.goal_runs import recent_goals
from wisen.lessons.lesson_citations import record_citations
from wisen.lessons.practices import known_practices, record_practices
from wisen.lessons.recording import record_statements
from wisen.lessons.remarks import close_remarks
from wisen.lessons.trigger_narrowing import narrow_new_triggers
from wisen.logs.ownership_rows import confined_agents
from wisen.mining.error_entries import new_error_rows
from wisen.model.entry import MoveKind
from wisen.model.report import Selection

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.lessons.run_scope import RunScope
    from wisen.logs.projects import Projects
    from wisen.model.error_boundaries import ErrorBoundaries
    from wisen.model.fix import Fix
    from wisen.store.home import Home
    from wisen.store.known_entries import KnownEntries


def record_entries(
    home: Home,
    projects: Projects,
    known: KnownEntries,
    scope: RunScope,
    fixes: Iterable[Fix],
    *,
    boundaries: ErrorBoundaries,
) -> None:
    """Record the findings of a run, in the sessions and projects of its scope."""
    ledger, factory, now = home.ledger, home.row_factory, home.clock.now()
    step, seen, findings = boundaries.isolate_step, ledger.occurrences.ids(), home.index.findings
    changed = Selection(sessions=scope.sessions)
    with step("record statements"):
        split = {move.value for move in known.moves if move.kind is MoveKind.SPLIT}
        apart = [each for entry in sorted(split) for each in ledger.occurrences.of(entry)]
        said = findings.signals(changed)
        known.record(record_statements(said, known.states, seen, factory, apart, confined_agents(projects)))
    with step("backtest triggers"):
        known.record(narrow_new_triggers(home, known))
    with step("record failures"):
        seen_now = [fix for fix in fixes if scope.sessions is None or fix.id in scope.fixes]
        known.record(new_error_rows(seen_now, findings.evidence, known.states, seen, factory))
    with step("record best practices"):
        practices = [state.entry for state in known_practices(known.states)]
        known.record(record_practices(recent_goals(home, scope, practices), known.states, seen, factory))
    with step("close remarks"):
        known.record(close_remarks(scope.select(known.states), known.moves, factory))
    with step("count citations"):
        known.record(record_citations(home.index.events.citations(), known.states, known.moves, factory))
    with step("settle conflicts and fade entries"):
        states = scope.select(known.states)
        known.record([*settle_conflicts(states, now, factory), *fade_entries(states, known.moves, now, factory)])
