"""The result of one cycle, as a value that every surface can show."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from wisen.model.report import Report


class CycleResult(NamedTuple):
    """What one cycle did, or would do in a dry run."""

    report: Report | None
    """What was learned; None if nothing was read."""
    exposures: int
    """How many deliveries were recorded in the ledger."""
    answered: tuple[str, ...]
    """Descriptions of what was done because the user asked for it in a chat."""
    applied: tuple[str, ...]
    """Proposals that policy approved by itself: each rule, with the file it went to."""
    snapshots: int
    """How many snapshots are new."""
    problems: tuple[str, ...]
    """What failed, and why."""
    retired: int = 0
    """How many sessions were removed from the archive, or would be."""
    checked: tuple[str, ...] = ()
    """Descriptions of the results of checked file changes."""

    def combine(self, later: CycleResult) -> CycleResult:
        """Return this cycle and a later one as one result."""
        return CycleResult(
            later.report,
            self.exposures + later.exposures,
            self.answered + later.answered,
            self.applied + later.applied,
            self.snapshots + later.snapshots,
            later.problems,
            self.retired + later.retired,
            self.checked + later.checked,
        )
