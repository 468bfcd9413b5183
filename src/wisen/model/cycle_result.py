"""What one cycle did, as a value that every surface can show."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from wisen.model.report import Report


class CycleResult(NamedTuple):
    """What one cycle did, or would do."""

    report: Report | None
    """Of what was learnt; None where nothing was read."""
    exposures: int
    """How many deliveries were taken into the ledger."""
    answered: tuple[str, ...]
    """What was done because the user typed it, in words."""
    applied: tuple[str, ...]
    """Proposals that policy approved by itself: the rule, and the file it went to."""
    snapshots: int
    """How many snapshots are new."""
    troubles: tuple[str, ...]
    """What could not be done, and why."""
    retired: int = 0
    """How many sessions went from the archive, or would."""
    checked: tuple[str, ...] = ()
    """What checks of changes in files came to, in words."""

    def combine(self, later: CycleResult) -> CycleResult:
        """This cycle and the one after it, as one."""
        return CycleResult(
            later.report,
            self.exposures + later.exposures,
            self.answered + later.answered,
            self.applied + later.applied,
            self.snapshots + later.snapshots,
            later.troubles,
            self.retired + later.retired,
            self.checked + later.checked,
        )
