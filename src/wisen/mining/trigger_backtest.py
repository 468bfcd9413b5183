"""Backtests triggers on recorded sessions: one that would have fired all the time is narrowed or dropped.

What a lesson was about is our inference, so the past decides before anything is delivered. Words are added until such
calls were made in few sessions of the project; if even the narrowest fires too often, the lesson has no trigger.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from wisen.kernel.call_names import FILE, SHELL, call_names, is_similar_call, kind_of, text_names
from wisen.kernel.matching import WatchedCall
from wisen.mining.trigger_words import prompt_words
from wisen.model.history import UserAction
from wisen.text.command_lines import fields_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from wisen.model.directive import Trigger
    from wisen.model.history import History

MAX_SHARE = 0.1
"""The maximum share of the sessions of its project in which a trigger may fire."""
ALWAYS_ALLOWED = 2
"""So many sessions are few, however few there are in total."""


class TriggerOptions(NamedTuple):
    """The possible triggers of a lesson, the broadest first."""

    entry: str
    context: str
    source: tuple[str, str]
    """Agent and session that it came from: there it was right."""
    options: Sequence[Trigger]


def narrow_triggers(tried: Sequence[TriggerOptions], past: Iterable[History]) -> dict[str, Trigger | None]:
    """By entry, the first of its triggers that fired in few past sessions; None where none did."""
    fired: Counter[tuple[int, int]] = Counter()
    sessions: Counter[str] = Counter()
    for history in past:
        contexts = {each.context for each in history.steps} | {each.context for each in history.turns}
        sessions.update(contexts)
        here = [
            (number, each)
            for number, each in enumerate(tried)
            if each.context in ("", *contexts) and each.source != (history.agent, history.native)
        ]
        for number, place in find_fired(history, {number: each.options for number, each in here}):
            fired[number, place] += 1
    found: dict[str, Trigger | None] = {}
    for number, each in enumerate(tried):
        many = sum(sessions.values()) if not each.context else sessions[each.context]
        few = (one for at, one in enumerate(each.options) if fired[number, at] <= max(ALWAYS_ALLOWED, MAX_SHARE * many))
        found[each.entry] = next(few, None)
    return found


def find_fired(history: History, options: Mapping[int, Sequence[Trigger]]) -> set[tuple[int, int]]:
    """Which triggers would have fired in a session: by key, and by the number of the option."""
    found = set[tuple[int, int]]()
    every = [
        ((key, at), call_kind(each), max(each.words, key=len, default=""), frozenset(each.words))
        for key, some in options.items()
        for at, each in enumerate(some)
    ]
    for step in history.steps if every else ():
        plain, names = (step.arguments or "").casefold() + step.tool.casefold(), None
        for key, kind, longest, words in every:
            # The longest word is the rarest: most calls do not contain it.
            if longest not in plain or key in found or not all(word in plain for word in words):
                continue
            if names is None:
                names = call_names(WatchedCall(step.tool, fields_of(step.arguments)))
            if is_similar_call(kind, words, step.tool, names):
                found.add(key)
    asked = [
        ((key, at), frozenset(prompt_words(each))) for key, some in options.items() for at, each in enumerate(some)
    ]
    for turn in history.turns if asked else ():
        if turn.action is UserAction.SAID and turn.text:
            words_said = text_names(turn.text)
            found.update(key for key, words in asked if words <= words_said)
    return found


def call_kind(trigger: Trigger) -> str:
    """The kind of call that a trigger matches: commands only, or any call with its names."""
    return SHELL if kind_of(trigger.tool) == SHELL else FILE
