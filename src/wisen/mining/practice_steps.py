"""Matches best practices with steps: how calls are named, what was asked for, and whether the practice applied."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.event import Status as End
from wisen.text.command_lines import command_of, fields_of, parse_command
from wisen.text.sameness import are_same

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.model.entry import Entry
    from wisen.model.failure import Goal
    from wisen.model.history import History, Step


MAX_REQUEST = 200
"""A longer request is a task of its own, not a goal that recurs."""


_SHORT = 24


def check_practice(entry: Entry, history: History, goals: Sequence[Goal]) -> tuple[bool, bool]:
    """Whether the goal of a best practice was requested in a session, and whether its step failed there again.

    The first depends on the user's words alone, so that it is independent of what the agent was told and did.
    """
    turns, steps = {turn.id: turn for turn in history.turns}, {step.call: step for step in history.steps}
    asked = [goal for goal in goals if _is_asked(entry, turns[goal.request].text)]
    called = (steps[call] for goal in asked for call in goal.calls)
    hit = any(
        step.status in (End.FAILED, End.MASKED) and entry.action == leave_out_action(name_of_step(step))
        for step in called
    )
    return bool(asked), hit


def _is_asked(entry: Entry, text: str | None) -> bool:
    asked = " ".join((text or "").split())
    return 0 < len(asked) <= MAX_REQUEST and is_same_request(entry, asked)


def name_of_step(step: Step) -> str:
    """The name of a call: a program with its subcommand, or a tool with its only short argument."""
    fields = fields_of(step.arguments)
    line = command_of(fields)
    if line:
        words = parse_command(line).main_part.words
        return " ".join(words[:2] if words[1:] and words[1].isalnum() else words[:1]) or step.tool
    values = [value for value in fields.values() if isinstance(value, str)]
    short = len(values) == 1 and len(values[0]) <= _SHORT and " " not in values[0]
    return f"{step.tool} {values[0]}" if short else step.tool


def is_same_request(entry: Entry, asked: str) -> bool:
    return entry.setting == asked or are_same(entry.setting, asked)


def leave_out_action(step: str) -> str:
    return f"Leave out {step}."
