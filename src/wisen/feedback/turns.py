"""Typed turns of a recorded session, each with what happened around it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from wisen.model.event import MessageOrigin
from wisen.model.history import UserAction
from wisen.model.signal import PrecedingEvent, TypedTurn
from wisen.text.command_lines import command_of, fields_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wisen.model.history import History, Step, Turn

NEARBY_TURNS = 3
"""How many turns before and after are looked at."""
CALLS_BEFORE = 8
"""How many calls before a turn are looked at."""
_GIT_REVERTS = ("git checkout --", "git revert", "git restore", "git reset")


def turns_of(history: History) -> Iterator[tuple[Turn, TypedTurn]]:
    """Every stored turn that was typed, in order."""
    typed = [turn for turn in history.turns if turn.action is UserAction.SAID and turn.text]
    acts = {then.id: act.action for act, then in pairwise(history.turns)}
    calls = [call_of(step) for step in history.steps]
    for number, turn in enumerate(typed):
        since = typed[number - 1].before if number else 0
        until = typed[number + 1].before if number + 1 < len(typed) else len(history.steps)
        yield (
            turn,
            TypedTurn(
                text=turn.text or "",
                before=_event_before(turn, acts.get(turn.id), typed[number - 1] if number else None),
                reason=turn.origin == MessageOrigin.REJECTION,
                queued=turn.origin == MessageOrigin.QUEUED,
                earlier=tuple(each.text or "" for each in reversed(typed[max(0, number - NEARBY_TURNS) : number])),
                calls=tuple(reversed(calls[max(since, turn.before - CALLS_BEFORE) : turn.before])),
                later=tuple(each.text or "" for each in typed[number + 1 : number + 1 + NEARBY_TURNS]),
                undone=_was_undone(calls[since : turn.before], calls[turn.before : until]),
                conceded=turn.conceded,
            ),
        )


def call_of(step: Step) -> str:
    """A command, or a tool with its file."""
    fields = fields_of(step.arguments)
    return command_of(fields) or f"{step.tool} {fields.get('file_path') or fields.get('path') or ''}".rstrip()


def _event_before(turn: Turn, act: UserAction | None, previous: Turn | None) -> PrecedingEvent:
    """What the user or the agent did last before a turn; `act` is what the user did."""
    if turn.origin == MessageOrigin.REJECTION or act is UserAction.REJECTED:
        return PrecedingEvent.REJECT
    if act is UserAction.INTERRUPTED:
        return PrecedingEvent.INTERRUPT
    if previous is None:
        return PrecedingEvent.START if turn.before == 0 else PrecedingEvent.OK
    stands = previous.origin == MessageOrigin.REJECTION and previous.before == turn.before
    return PrecedingEvent.REJECT if stands else PrecedingEvent.OK


def _was_undone(earlier: Sequence[str], later: Sequence[str]) -> bool:
    """Whether a file that was edited before is edited again, or something is reverted by git."""
    edited = {call for call in earlier if call.startswith(("Edit ", "Write ", "MultiEdit "))}
    return any(call in edited or any(verb in call for verb in _GIT_REVERTS) for call in later)
