"""Splits a session into goals: each typed request that starts new work, its calls, and how the work ended.

Goals are told by what was done, not by what was said: praise and corrections are judged elsewhere. A short answer or a
word that only lets the agent continue belongs to the goal before it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wisen.mining.call_changes import has_same_goal
from wisen.model.event import Status
from wisen.model.failure import Ending, Goal
from wisen.model.history import UserAction
from wisen.text.command_lines import command_of, fields_of, parse_command
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.model.history import History, Step, Turn

_CONTINUES = lazy_regex(
    r"\s*(?:y|yes|yep|yeah|sure|ok|okay|k|no|nope|go|go on|go ahead|continue|proceed|please|do it|try again|again|retry"
    r"|next|done|thanks?|thank you|perfect|great|nice|good|lgtm|stop|wait|\d{1,2}|[a-d]\)?)(?:[\s,.!]|please)*",
    re.IGNORECASE,
)
_CHECKS = lazy_regex(
    r"\b(?:test|tests|spec|check|lint|typecheck|tsc|pytest|jest|vitest|mypy|pyright|ruff|eslint|biome|golangci-lint"
    r"|clippy|build|vet)\b"
)
_FAILED = (Status.FAILED, Status.MASKED)


def goals_of(history: History) -> tuple[Goal, ...]:
    """The goals of a session, in order."""
    typed = [turn for turn in history.turns if turn.action is UserAction.SAID]
    starts = [turn for index, turn in enumerate(typed) if index == 0 or _starts_work(turn, typed[index - 1])]
    found = []
    for index, turn in enumerate(starts):
        following = starts[index + 1] if index + 1 < len(starts) else None
        end = following.before if following is not None else len(history.steps)
        found.append(_goal(turn, history, history.steps[turn.before : end], following))
    return tuple(found)


def _starts_work(turn: Turn, before: Turn) -> bool:
    """Whether a request starts a goal: not a word that lets the agent continue, nor a second message in a row."""
    if turn.text is None or turn.before == before.before:
        return False
    return _CONTINUES.fullmatch(turn.text) is None


def _goal(turn: Turn, history: History, steps: Sequence[Step], following: Turn | None) -> Goal:
    within = [
        each for each in history.turns
        if each.at >= turn.at and each is not turn and (following is None or each.at < following.at)
    ]  # fmt: skip
    typed = [each for each in history.turns if each.action is UserAction.SAID and each.at > turn.at]
    return Goal(
        request=turn.id,
        at=turn.at,
        ended=max([turn.at, *(step.ended or step.at for step in steps)]),
        calls=tuple(step.call for step in steps),
        failed=sum(step.status in _FAILED for step in steps),
        ending=_ending(steps, within),
        said_next=typed[0].id if typed else None,
    )


def _ending(steps: Sequence[Step], acts: Sequence[Turn]) -> Ending:
    if not steps:
        return Ending.EMPTY
    if any(act.action is not UserAction.SAID and act.at >= steps[-1].at for act in acts):
        return Ending.STOPPED
    checks = [step for step in steps if _CHECKS.search(_command(step))]
    if checks and checks[-1].status is Status.OK:
        return Ending.CHECKED
    standing = next((step for step in reversed(steps) if step.status is not None), None)
    if standing is not None and standing.status in _FAILED:
        return Ending.FAILING
    if checks and checks[-1].status in _FAILED and not _was_overcome(checks[-1], steps):
        return Ending.FAILING
    return Ending.DONE


def _was_overcome(failed: Step, steps: Sequence[Step]) -> bool:
    start = list(steps).index(failed) + 1
    return any(
        step.tool == failed.tool
        and step.status is Status.OK
        and has_same_goal(step.tool, failed.arguments, step.arguments)
        for step in steps[start:]
    )


def _command(step: Step) -> str:
    line = command_of(fields_of(step.arguments))
    return " ".join(parse_command(line).main_part.words[:4]) if line else ""
