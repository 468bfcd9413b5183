"""How sessions went, by what was measured in them: counts, and shares where there is something to share."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - a score is written as JSON by its types

from msgspec import Struct


class Score(Struct, frozen=True, kw_only=True):
    """What was measured in a stretch of time."""

    since: datetime
    until: datetime
    sessions: int
    typed_turns: int
    corrections: int
    """Typed turns that corrected the agent, as far as they were detected."""
    praises: int
    calls: int
    failed: int
    """Calls that failed, those included whose failure a pipe hid."""
    rejected: int
    """Calls that the user refused."""
    interrupts: int

    @property
    def correction_rate(self) -> float | None:
        """Which share of what was typed corrected; None where nothing was typed."""
        return self.corrections / self.typed_turns if self.typed_turns else None

    @property
    def failure_rate(self) -> float | None:
        """Which share of calls failed; None where there were none."""
        return self.failed / self.calls if self.calls else None
