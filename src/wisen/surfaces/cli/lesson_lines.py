"""Lines about one lesson: the last quote, whether agents are given it at each start, and what triggers it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.directive import TriggerCause
from wisen.surfaces.cli.render import clip
from wisen.text.entry_standing import EntryStanding, standing_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.model.directive import Trigger
    from wisen.model.entry import Occurrence
    from wisen.model.entry_state import EntryState

_MAX_LENGTH = 70
_CAUSE_TEXTS = {
    TriggerCause.REJECTED: "you rejected such a call then",
    TriggerCause.INTERRUPTED: "you stopped such a call then",
    TriggerCause.NAMED: "you named it",
}
ALLOW_LOCAL = "To deliver such lessons, set local_words = true below [deliver] in config.toml."
_OTHER_KINDS = (EntryStanding.OTHER_KIND, EntryStanding.UNSAID)


def delivery_lines(state: EntryState, *, tells_local: bool) -> list[str]:
    """Return whether agents are given a lesson at each start, why or why not, and what triggers it.

    `tells_local`: whether agents are given what was typed to local models.
    """
    if state.is_over:
        return []
    if state.is_private and not tells_local:
        return [f"Not delivered to agents: you typed it to a local model only. {ALLOW_LOCAL}"]
    standing = standing_of(state)
    if standing.is_standing:
        lines = [f"Delivered at each session start: {standing.value}."]
    elif standing in _OTHER_KINDS:
        lines = [f"Not delivered at session start: {standing.value}."]
    else:
        lines = [f"Delivered only as a reminder, not at session start: {standing.value}."]
    lines += [f"Last used on {state.used:%Y-%m-%d}."] if state.used else []
    return [*lines, *([f"Called up by {describe_trigger(state.trigger)}."] if state.trigger else [])]


def describe_trigger(trigger: Trigger) -> str:
    """Describe what triggers a lesson, and why."""
    words = clip(" ".join(trigger.words), _MAX_LENGTH - len(trigger.tool))
    return f"{trigger.tool} with “{words}”: {_CAUSE_TEXTS[trigger.cause]}"


def quote_lines(state: EntryState, seen: Sequence[Occurrence]) -> list[str]:
    """Return what the user said last, and when, if the lesson is worded differently."""
    last = seen[-1] if seen else None
    if last is None or not last.quote or _plain(last.quote) == _plain(state.text):
        return [f"said on {last.at:%Y-%m-%d}"] if last is not None else []
    return [f"said on {last.at:%Y-%m-%d}: “{clip(last.quote, _MAX_LENGTH)}”"]


def delivery_fields(state: EntryState) -> dict[str, object]:
    """Return the same as JSON fields."""
    standing = standing_of(state)
    return {
        "standing": standing.is_standing,
        "standing_because": standing.value,
        "trigger": state.trigger,
        "local": state.local,
        "used": state.used,
    }


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(" .!。")
