"""What a user can choose about trials."""

from __future__ import annotations

from dataclasses import dataclass

from wisen.model.policy import setting


@dataclass(frozen=True, kw_only=True)
class TrialsPolicy:
    """Whether what was only inferred may be tried."""

    experiments: bool = setting(
        False,
        "Whether hints that you did not approve may be given in some sessions and held back in others, to measure.",
    )
    holdout: float = setting(
        0.0,
        "The share of sessions, from 0 to 1, that get no such hint at all, to measure what all of them do together.",
        at_least=0,
        at_most=1,
    )
