"""A backtest in plain code that compares every call with a guard: what faster code must agree with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.guards.backtest_history import CallEnding, MatchedCall, is_regretted
from wisen.kernel.matching import WatchedCall, find_hits
from wisen.mining.signatures import describe_failure
from wisen.model.event import Status
from wisen.model.guard import parse_watch
from wisen.text.command_lines import fields_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from wisen.guards.backtest_history import WatchedGuard
    from wisen.model.history import History, Step


def match_all_calls(
    guard: WatchedGuard, histories: Iterable[History], corrected: Collection[tuple[str, str]]
) -> list[MatchedCall]:
    """The calls that a guard would have matched."""
    return [
        MatchedCall(
            history.agent,
            history.native,
            step.at,
            sum(turn.before <= at for turn in history.turns),
            *_ending(history, at, corrected),
            _text(step),
        )
        for history in histories
        for at, step in enumerate(history.steps)
        if guard.context in ("", step.context)
        and find_hits(parse_watch(guard.watch), WatchedCall(step.tool, fields_of(step.arguments)))
    ]


def _ending(
    history: History, at: int, corrected: Collection[tuple[str, str]]
) -> tuple[CallEnding, tuple[str, str, str] | None]:
    step = history.steps[at]
    if step.status in (Status.FAILED, Status.MASKED):
        signature = describe_failure(tool=step.tool, arguments=step.arguments, text=step.text).signature
        ending = CallEnding.MASKED if step.status is Status.MASKED else CallEnding.FAILED
        return ending, (signature.key, signature.who, signature.says)
    if is_regretted(history, at, corrected):
        return CallEnding.REGRETTED, None
    return (CallEnding.GOOD if step.status is Status.OK else CallEnding.OPEN), None


def _text(step: Step) -> str:
    fields = fields_of(step.arguments)
    line = WatchedCall(step.tool, fields).line
    return line or f"{step.tool} {fields.get('file_path', '')}".strip()
