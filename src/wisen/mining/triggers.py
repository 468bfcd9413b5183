"""Finds the trigger of a lesson: the call that it was about, if that is known, and the words that identify it.

The call before a correction is mostly not what it corrects. So one of three things is required: the user rejected the
call, or interrupted it, or names something in a recent call. Otherwise there is no trigger.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.kernel.call_names import FILE, SHELL, call_names, kind_of, text_names
from wisen.kernel.matching import EDITORS, READERS, WatchedCall
from wisen.mining.trigger_words import command_words, describe_call, names_in, path_of, path_words
from wisen.model.directive import Trigger, TriggerCause
from wisen.model.history import Step, UserAction
from wisen.text.command_lines import fields_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wisen.model.history import History, Turn

NEARBY_CALLS = 12
"""How many calls before a turn are searched for names."""
_GENERAL = frozenset(
    "task agent todowrite taskcreate taskupdate taskoutput tasklist taskget exitplanmode enterplanmode askuserquestion"
    " toolsearch skill webfetch websearch wait_agent spawn_agent write_stdin update_plan killshell bashoutput".split()
)
"""General-purpose tools of agents: that one was used says nothing."""


class _Suspect(NamedTuple):
    """A call that a message may be about, and why."""

    step: Step
    cause: TriggerCause


class _NamedWords(NamedTuple):
    """What a message mentions."""

    mentioned: set[str]
    """All of its words."""
    names: frozenset[str]


def find_trigger(history: History, turn: Turn, text: str) -> Trigger | None:
    """The trigger for the call that a message was about; None where that is unknown."""
    return next(find_triggers(history, turn, text), None)


def find_triggers(history: History, turn: Turn, text: str) -> Iterator[Trigger]:
    """The same from the broadest to the narrowest words for the same call: for backtesting."""
    named: _NamedWords | None = None
    for suspect in _suspects(history, turn):
        named = named or _NamedWords(text_names(text), names_in(text))
        found = [*_triggers(suspect, named)]
        if found:
            yield from found
            return


def _suspects(history: History, turn: Turn) -> Iterator[_Suspect]:
    """Calls that a message may be about, the likeliest first."""
    steps = {step.call: step for step in history.steps}
    refused, stopped = list[Step](), list[Step]()
    for act in _acts_before(history, turn):
        step = steps.get(act.call)
        if step is None and act.action is UserAction.INTERRUPTED and not act.call and act.before:
            step = _last_since_turn(history, act)
        if step is not None:
            (refused if act.action is UserAction.REJECTED else stopped).append(step)
    yield from (_Suspect(step, TriggerCause.REJECTED) for step in refused)
    yield from (_Suspect(step, TriggerCause.INTERRUPTED) for step in stopped if step not in refused)
    nearby = history.steps[max(0, turn.before - NEARBY_CALLS) : turn.before]
    yield from (_Suspect(step, TriggerCause.NAMED) for step in reversed(nearby))


def _acts_before(history: History, turn: Turn) -> Iterator[Turn]:
    """What the user did since the agent last continued its work, the latest first; never after the turn itself."""
    at = next((number for number, each in enumerate(history.turns) if each.id == turn.id), 0)
    for each in reversed(history.turns[:at]):
        if each.before != turn.before:
            return
        if each.action is not UserAction.SAID:
            yield each
        elif each.origin != "rejection":
            return


def _last_since_turn(history: History, stop: Turn) -> Step | None:
    """The last call before the user interrupted the agent, if it was made after their last message."""
    typed = [each.before for each in history.turns if each.action is UserAction.SAID and each.at < stop.at]
    return history.steps[stop.before - 1] if max(typed, default=0) < stop.before else None


def _triggers(suspect: _Suspect, words_of_text: _NamedWords) -> Iterator[Trigger]:
    step, cause = suspect
    call = WatchedCall(step.tool, fields_of(step.arguments))
    if step.arguments is None:
        return
    mentioned, named = words_of_text
    must = cause is TriggerCause.NAMED
    kind = kind_of(step.tool)
    if kind == SHELL:
        options = command_words(call, mentioned, named, must_name=must)
    elif kind == FILE and path_of(call):
        options = path_words(call, named, must_name=must)
    else:
        options = _other_words(call, named, must_name=must)
    for words in options:
        yield Trigger(cause=cause, tool=step.tool, words=words, did=describe_call(call))


def _other_words(call: WatchedCall, named: frozenset[str], *, must_name: bool) -> list[tuple[str, ...]]:
    """The words for a call of any other tool: a special tool by its name, a general one by mentioned names."""
    (names,) = call_names(call) or [set[str]()]
    shared = tuple(sorted(named & names, key=lambda each: (-len(each), each)))[:2]
    tool = call.tool.casefold()
    if tool in _GENERAL or tool in _PLAIN_FILES:
        return [shared[:1]] if shared else []
    if must_name and not shared:
        return []
    return [(tool,), *([(tool, *shared[:1])] if shared else [])]


_PLAIN_FILES = frozenset(each.casefold() for each in EDITORS | READERS) | frozenset(("grep", "glob", "ls"))
