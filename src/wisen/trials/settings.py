"""Settings of trials."""

from __future__ import annotations

from dataclasses import dataclass

from wisen.model.policy import setting


@dataclass(frozen=True, kw_only=True)
class TrialsPolicy:
    """Whether inferred hints may be tried."""

    experiments: bool = setting(
        False,
        "Whether hints that you did not approve may be given in some sessions and withheld in others, to measure them.",
    )
    holdout: float = setting(
        0.0,
        "The share of sessions, from 0 to 1, that get no such hint at all, to measure their combined effect.",
        at_least=0,
        at_most=1,
    )
