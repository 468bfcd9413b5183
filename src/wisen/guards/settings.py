"""What a user can choose about guards."""

from __future__ import annotations

from dataclasses import dataclass

from wisen.model.policy import setting


@dataclass(frozen=True, kw_only=True)
class GuardPolicy:
    """When a guard is proposed, and when it is taken back."""

    sessions: int = setting(3, "In how many sessions a guard must have been of use to be proposed.", at_least=1)
    good: int = setting(0, "How many good calls a guard made of a fix may hit to be proposed.", at_least=0)
    precision: float = setting(
        0.95,
        "How often a guard must be right at the least, to be adopted without a question (autonomous).",
        at_least=0,
        at_most=1,
    )
    violations: int = setting(2, "After how many violations of a rule that was told a guard is proposed.", at_least=1)
    overruled: int = setting(2, "How often you may overrule a guard before it goes back to shadow.", at_least=1)
