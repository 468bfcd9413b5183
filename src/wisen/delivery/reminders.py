"""Reminders: lessons that the user stated about one kind of call, delivered when such a call comes up again.

The quote is the user's; what it was about is inferred. Of several lessons with one trigger the newest is delivered.
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
    """A lesson with what triggers it."""

    id: str
    """The rule id with a digest of its text."""
    text: str
    kind: str
    """The kind of calls it applies to: commands, or any."""
    words: tuple[str, ...]
    """The words by which a call is recognized; none if a reminder before the call would come too late."""
    asked: tuple[str, ...]
    """The words by which a prompt is recognized."""
    sources: tuple[str, ...]
    """The sessions it came from: it is never delivered there."""
    tried: bool = False
    """Whether it is on trial."""


def build_reminders(
    states: Iterable[EntryState], context: str, sessions_of: Callable[[str], Iterable[str]]
) -> list[Reminder]:
    """Return the reminders that may be delivered in a context, the newest first."""
    reminders: dict[tuple[str, tuple[str, ...]], Reminder] = {}
    here = [each for each in states if each.context in ("", context) and is_for_one_call(each)]
    for state in sorted(here, key=lambda each: (each.last, each.entry.id), reverse=True):
        if state.trigger is not None:
            moment = _reminder(state, state.trigger, tuple(sorted(set(sessions_of(state.entry.id)))))
            reminders.setdefault((moment.kind, state.trigger.words), moment)
    return [*reminders.values()]


def is_for_one_call(state: EntryState) -> bool:
    """Whether the user stated it about one call, not all work; confirmed lessons are in the start block."""
    entry = state.entry
    is_stated = entry.origin is EntryOrigin.STATED and entry.type is EntryType.LEARNING and entry.standing is False
    is_open = state.status is EntryStatus.PENDING and not state.is_over and not state.confirmed and not state.lasting
    return is_stated and is_open and state.trigger is not None and bool(state.trigger.words)


def encode_reminders(reminders: Sequence[Reminder], context: str, policy: DeliverPolicy) -> bytes:
    """Encode what a hook reads before calls and at prompts: the reminders of a context, and the token budget."""
    sheet = {
        "version": VERSION,
        "context": context,
        "budget": budget_of(policy),
        "moments": [each._asdict() for each in reminders],
    }
    return json.dumps(sheet, sort_keys=True, separators=(",", ":")).encode("ascii")


def budget_of(policy: DeliverPolicy) -> dict[str, int]:
    """Return the budget besides the start block: tokens per prompt and session, and reminders."""
    return {"prompt": policy.prompt_tokens, "session": policy.session_tokens, "moments": policy.moments}


def _reminder(state: EntryState, trigger: Trigger, sources: tuple[str, ...]) -> Reminder:
    verb, _, object_ = trigger.did.partition(" ")
    action = f'{verb} "{object_}"' if object_ else verb
    quote = one_line(state.text)
    line = DeliveredLine(
        rule_id(state.entry.id), f'{state.last:%Y-%m-%d}, after you {action}, the user said: "{quote}"', ""
    )
    # An irreversible call has already happened when a reminder is read: a guard is proposed for it instead.
    words = () if guard_watch(trigger) else trigger.words
    return Reminder(line.exposure_id, line.line, call_kind(trigger), words, prompt_words(trigger), sources)
