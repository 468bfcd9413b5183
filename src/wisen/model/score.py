"""How well sessions went, as measured: counts and rates."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - a score is encoded by its field types

from msgspec import Struct


class Score(Struct, frozen=True, kw_only=True):
    """What was measured in a period of time."""

    since: datetime
    until: datetime
    sessions: int
    typed_turns: int
    corrections: int
    """Typed turns that corrected the agent, as far as they were detected."""
    praises: int
    calls: int
    failed: int
    """Failed calls, including those whose failure a pipe hid."""
    rejected: int
    """Calls that the user rejected."""
    interrupts: int

    @property
    def correction_rate(self) -> float | None:
        """Return the share of typed turns that corrected the agent; None if nothing was typed."""
        return self.corrections / self.typed_turns if self.typed_turns else None

    @property
    def failure_rate(self) -> float | None:
        """Return the share of calls that failed; None if there were none."""
        return self.failed / self.calls if self.calls else None
