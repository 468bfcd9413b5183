"""Settings of skills."""

from __future__ import annotations

from dataclasses import dataclass

from wisen.model.policy import MAX_DAYS, setting


@dataclass(frozen=True, kw_only=True)
class SkillsSettings:
    """When a workflow is worth a skill, and when a skill is proposed for retiring."""

    calls: int = setting(5, "How many tool calls its sessions must have taken to be worth a skill.", at_least=1)
    repeats: int = setting(2, "In how many sessions a workflow must have repeated.", at_least=1)
    uses: int = setting(5, "After how many runs a skill is proposed without being asked for.", at_least=1)
    success: float = setting(0.7, "Which share of the judged runs must have worked for that.", at_least=0, at_most=1)
    steps: int = setting(3, "A workflow with fewer steps that change something is routine, and no skill.", at_least=1)
    similarity: float = setting(
        0.6,
        "From which similarity on an existing skill is updated instead of adding another one.",
        at_least=0.1,
        at_most=1,
    )
    most: int = setting(3, "How many proposed skills may wait at once.", at_least=1)
    unused_days: int = setting(
        30, "After how many days without use a skill is proposed for retiring.", at_least=1, at_most=MAX_DAYS
    )
