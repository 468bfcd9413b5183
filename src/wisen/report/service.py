"""What a run found, as one value; how it is shown stands in `surfaces/pages/report_page.py` and `surfaces/cli`."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from wisen.model.entry_state import undecided_fixes
from wisen.model.fix import without_ordinary_work
from wisen.model.report import Report
from wisen.model.run import run_of
from wisen.model.signal import signals_by_kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.logs.projects import Projects
    from wisen.mining.settings import MinePolicy
    from wisen.model.entry_state import EntryState
    from wisen.model.fences import Fences
    from wisen.model.report import TurnFindings
    from wisen.store.home import Home


class ReportService:
    """Reports."""

    def __init__(self, home: Home, projects: Projects, mining: MinePolicy) -> None:
        self._home, self._projects, self._mining = home, projects, mining

    def make(self, found: TurnFindings, states: Sequence[EntryState], fences: Fences) -> Report:
        """The report of a turn, which is remembered: the run in the ledger, the ledger in a verified backup."""
        from wisen.report.themes import themes

        home, selection = self._home, found.selection
        index, broken = home.index, self._projects.breakdowns(fences)
        alive = found.began - timedelta(days=self._mining.transient_days)
        report = Report(
            selection=selection,
            found=found.found,
            looked_in=tuple(str(root) for agent in self._projects.agents for root in agent.roots()),
            read_bytes=found.read_bytes,
            new_events=found.new_events,
            instructions=found.instructions,
            seconds=home.clock.elapsed() - found.clock_began,
            reading_seconds=found.reading_seconds,
            counts=index.events.counts(selection),
            failures=without_ordinary_work(index.findings.failures(selection, alive=alive), found.fixes),
            fixes=found.fixes,
            undecided=undecided_fixes(states),
            signals=signals_by_kind([each for each in found.said if not each.said.signal.is_doubtful]),
            themes=themes(found.said),
            proposals=found.proposals,
            retired=found.retired,
            troubles=index.events.troubles(selection),
            warnings=(*found.warnings, *(f"{each} The rest went on." for each in broken)),
            waiting=found.waiting,
        )
        home.ledger.runs.add(run_of(report, home.stamp(found.began), broken))
        if home.backups is not None:
            home.backups.make()
        return report
