"""The report service: builds the report of a run. `surfaces/pages/report_page.py` and `surfaces/cli` render it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from wisen.model.entry_state import undecided_fixes
from wisen.model.fix import exclude_ordinary_checks
from wisen.model.report import Report
from wisen.model.run import build_run
from wisen.model.signal import signals_by_kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.logs.projects import Projects
    from wisen.mining.settings import MinePolicy
    from wisen.model.entry_state import EntryState
    from wisen.model.error_boundaries import ErrorBoundaries
    from wisen.model.report import RunFindings
    from wisen.store.home import Home


class ReportService:
    """Builds reports."""

    def __init__(self, home: Home, projects: Projects, mining: MinePolicy) -> None:
        self._home, self._projects, self._mining = home, projects, mining

    def build(self, findings: RunFindings, states: Sequence[EntryState], boundaries: ErrorBoundaries) -> Report:
        """Build the report of a run, record the run in the ledger and make a verified backup of the ledger."""
        from wisen.report.themes import group_themes

        home, selection = self._home, findings.selection
        index, broken = home.index, self._projects.breakdowns(boundaries)
        alive = findings.began - timedelta(days=self._mining.transient_days)
        report = Report(
            selection=selection,
            found=findings.found,
            looked_in=tuple(str(root) for agent in self._projects.agents for root in agent.roots()),
            read_bytes=findings.read_bytes,
            new_events=findings.new_events,
            instructions=findings.instructions,
            seconds=home.clock.elapsed() - findings.clock_began,
            reading_seconds=findings.reading_seconds,
            counts=index.events.counts(selection),
            failures=exclude_ordinary_checks(index.findings.failures(selection, alive=alive), findings.fixes),
            fixes=findings.fixes,
            undecided=undecided_fixes(states),
            signals=signals_by_kind([each for each in findings.signals if not each.said.signal.is_doubtful]),
            themes=group_themes(findings.signals),
            proposals=findings.proposals,
            retired=findings.retired,
            troubles=index.events.read_problems(selection),
            warnings=(*findings.warnings, *(f"{each} The other steps ran." for each in broken)),
            waiting=findings.waiting,
        )
        home.ledger.runs.add(build_run(report, home.run_stamp(findings.began), broken))
        if home.backups is not None:
            home.backups.create()
        return report
