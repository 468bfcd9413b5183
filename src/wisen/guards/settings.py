"""Settings of guards."""

from __future__ import annotations

from dataclasses import dataclass

from wisen.model.policy import setting


@dataclass(frozen=True, kw_only=True)
class GuardPolicy:
    """When a guard is proposed, and when it goes back to shadow."""

    sessions: int = setting(3, "In how many sessions a guard must have been of use to be proposed.", at_least=1)
    good: int = setting(0, "How many good calls a guard made from a fix may hit and still be proposed.", at_least=0)
    precision: float = setting(
        0.95,
        "The lowest share of correct hits with which a guard is adopted without asking (autonomous profile).",
        at_least=0,
        at_most=1,
    )
    violations: int = setting(2, "After how many violations of a delivered rule a guard is proposed.", at_least=1)
    overruled: int = setting(2, "How often you may overrule a guard before it goes back to shadow.", at_least=1)
