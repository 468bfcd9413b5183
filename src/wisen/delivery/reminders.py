"""Lessons of the moment: each with what calls it up again, as the line that an agent is told then.

The quote is the user's word, what it was about our inference. Of several lessons with one trigger the newest is told.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from wisen.delivery.block import DeliveredLine
from wisen.delivery.delivered_lines import one_line
from wisen.mining.irreversible_calls import guard_watch
from wisen.mining.trigger_backtest import call_kind
from wisen.mining.trigger_words import prompt_words
from wisen.model.entry import EntryOrigin, EntryStatus, EntryType, rule_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from wisen.delivery.settings import DeliverPolicy
    from wisen.model.directive import Trigger
    from wisen.model.entry_state import EntryState

VERSION = 1


class Reminder(NamedTuple):
    """A lesson with what calls it up."""

    id: str
    """With the version of its words."""
    text: str
    kind: str
    """Of which calls: commands, or any."""
    words: tuple[str, ...]
    """By which a call is known; none where a word before it would come too late."""
    asked: tuple[str, ...]
    """By which a prompt is known."""
    sources: tuple[str, ...]
    """The sessions it came from: it is never told there."""
    tried: bool = False
    """Whether it is on trial."""


def build_reminders(
    states: Iterable[EntryState], context: str, sessions_of: Callable[[str], Iterable[str]]
) -> list[Reminder]:
    """What may be told in a context when its moment comes, the newest first."""
    found: dict[tuple[str, tuple[str, ...]], Reminder] = {}
    here = [each for each in states if each.context in ("", context) and is_for_one_call(each)]
    for state in sorted(here, key=lambda each: (each.last, each.entry.id), reverse=True):
        if state.trigger is not None:
            moment = _reminder(state, state.trigger, tuple(sorted(set(sessions_of(state.entry.id)))))
            found.setdefault((moment.kind, state.trigger.words), moment)
    return [*found.values()]


def is_for_one_call(state: EntryState) -> bool:
    """Whether the user said it of one call, not of all work; what they confirmed or approved is told at the start."""
    entry = state.entry
    said = entry.origin is EntryOrigin.STATED and entry.type is EntryType.LEARNING and entry.standing is False
    open_ = state.status is EntryStatus.PENDING and not state.is_over and not state.confirmed and not state.lasting
    return said and open_ and state.trigger is not None and bool(state.trigger.words)


def encode_reminders(moments: Sequence[Reminder], context: str, policy: DeliverPolicy) -> bytes:
    """What a hook reads before calls and at prompts: the moments of a context, and how much may be told in all."""
    told = {
        "version": VERSION,
        "context": context,
        "budget": budget_of(policy),
        "moments": [each._asdict() for each in moments],
    }
    return json.dumps(told, sort_keys=True, separators=(",", ":")).encode("ascii")


def budget_of(policy: DeliverPolicy) -> dict[str, int]:
    """How much may be told beside the start of a session: at one prompt or call, in a session, and of the moment."""
    return {"prompt": policy.prompt_tokens, "session": policy.session_tokens, "moments": policy.moments}


def _reminder(state: EntryState, trigger: Trigger, sources: tuple[str, ...]) -> Reminder:
    verb, _, what = trigger.did.partition(" ")
    done = f'{verb} "{what}"' if what else verb
    said = one_line(state.text)
    line = DeliveredLine(
        rule_id(state.entry.id), f'{state.last:%Y-%m-%d}, after you {done}, the user said: "{said}"', ""
    )
    # What cannot be taken back has happened when the word is read: a guard is proposed for it.
    words = () if guard_watch(trigger) else trigger.words
    return Reminder(line.exposure_id, line.line, call_kind(trigger), words, prompt_words(trigger), sources)
