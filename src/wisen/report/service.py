"""The report service: builds the report of a run. `surfaces/pages/report_page.py` and `surfaces/cli` render it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.report import Report
from wisen.model.run import build_run

if TYPE_CHECKING:
    from wisen.logs.projects import Projects
    from wisen.mining.settings import MinePolicy
    from wisen.model.error_boundaries import ErrorBoundaries
    from wisen.model.report import RunFindings
    from wisen.report.stored_report import StoredReport
    from wisen.store.home import Home
    from wisen.store.known_entries import KnownEntries


class ReportService:
    """Builds reports."""

    def __init__(self, home: Home, projects: Projects, mining: MinePolicy) -> None:
        self._home, self._projects, self._mining = home, projects, mining

    def load_unchanged(self, findings: RunFindings) -> StoredReport | None:
        """Return what the last run reported if nothing has changed since: no session, no decision, not the day."""
        from wisen.report.stored_report import load_report

        return load_report(self._home, findings, self._mining)

    def build(
        self,
        findings: RunFindings,
        known: KnownEntries,
        boundaries: ErrorBoundaries,
        unchanged: StoredReport | None = None,
    ) -> Report:
        """Build the report of a run, record the run in the ledger and make a verified backup of the ledger.

        `unchanged`: what the last run reported, if that still applies.
        """
        from wisen.report.stored_report import describe, store_report

        home, broken = self._home, self._projects.breakdowns(boundaries)
        stored = unchanged or describe(home, findings, known.states, self._mining)
        report = Report(
            selection=findings.selection,
            found=findings.found,
            looked_in=tuple(str(root) for agent in self._projects.agents for root in agent.roots()),
            read_bytes=findings.read_bytes,
            new_events=findings.new_events,
            instructions=findings.instructions,
            seconds=home.clock.elapsed() - findings.clock_began,
            reading_seconds=findings.reading_seconds,
            retired=findings.retired,
            warnings=(*findings.warnings, *(f"{each} The other steps ran." for each in broken)),
            waiting=findings.waiting,
            **{name: getattr(stored, name) for name in stored.__struct_fields__},
        )
        home.ledger.runs.add(build_run(report, home.run_stamp(findings.began), broken))
        if unchanged is None:
            if not broken:
                store_report(home, report, self._mining)
            if home.backups is not None:
                home.backups.create()
        return report
