"""Decides whether a workflow is worth a skill: asked for, or used often enough with enough success, and not routine."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from wisen.model.workflow import StepKind
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.model.workflow import Workflow, WorkflowRun
    from wisen.skills.settings import SkillsSettings

_ASKS = lazy_regex(
    r"\bremember how\b|\b(?:save|keep|store) (?:this|that|it) as an? (?:skill|procedure|workflow)\b"
    r"|\b(?:make|turn|write|create)\b.{0,30}\b(?:a|into a|as a|new) skill\b|\bnext time do it (?:this|the same) way\b"
    r"|记住(?:这个|这种|怎么|如何|这套)|(?:保存|存|做)成?(?:一个)?技能|覚えておいて|やり方を覚え"
    r"|기억해 ?(?:둬|줘)|스킬로 (?:저장|만들)|\bmerk dir,? wie\b|\brecuerda cómo\b"
    r"|\b(?:retiens|souviens-toi de?) comment\b|\blembre(?:-se)? (?:de )?como\b|\bзапомни,? как\b"
    r"|\bricorda(?:ti)? come\b|\bonthoud hoe\b|\bzapamiętaj,? jak\b",
    re.IGNORECASE,
)


class Gate(NamedTuple):
    """Whether a workflow may become a skill without being named, and the reason either way."""

    is_open: bool
    why: str
    was_asked: bool = False


def asks_for_skill(text: str) -> bool:
    """Whether a message asks to keep how something is done: "remember how to …"."""
    return _ASKS.search(text) is not None


def check_gates(workflow: Workflow, runs: Sequence[WorkflowRun], settings: SkillsSettings) -> Gate:
    """Check what a workflow must fulfil to be proposed; what the user asked for needs no repeat."""
    acts = sum(each.kind is not StepKind.READ for each in workflow.steps)
    if any(asks_for_skill(run.asked) for run in runs):
        return Gate(is_open=acts > 0, why="you asked for it", was_asked=True)
    calls = max((run.calls for run in runs), default=0)
    unmet = _unmet(workflow, acts, calls, settings)
    return Gate(is_open=not unmet, why=unmet or f"it was done {workflow.uses} times in {workflow.sessions} sessions")


def _unmet(workflow: Workflow, acts: int, calls: int, settings: SkillsSettings) -> str:
    """Return which condition a workflow does not fulfil; empty if it fulfils all."""
    conditions = (
        (acts >= settings.steps, f"it is routine: {acts} steps that change something, of {settings.steps}"),
        (calls >= settings.calls, f"it takes {calls} tool calls, of {settings.calls}"),
        (workflow.sessions >= settings.repeats, f"it was done in {workflow.sessions} sessions, of {settings.repeats}"),
        (workflow.uses >= settings.uses, f"it was done {workflow.uses} times, of {settings.uses}"),
        (
            workflow.judged > 0 and workflow.worked >= settings.success * workflow.judged,
            f"{workflow.worked} of {workflow.judged} judged runs worked, and {settings.success:.0%} are needed",
        ),
    )
    return next((why for fulfilled, why in conditions if not fulfilled), "")
