"""Filters events before they are stored: every string passes through here, and only what can teach is kept.

A text that contains a secret or private data is dropped as a whole and counted, never masked: a mask would be read
back as text. Text that we injected ourselves is removed, so that nothing learns from its own output. A concession has
no text and always passes; where it was made does not matter, so it belongs to no context.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from wisen.model.event import PROSE_EVENTS, Call, Event, Message, Outcome, Provenance
from wisen.model.index_batch import FilteredEvent
from wisen.safety import sentinel
from wisen.safety.injected_text import remove_injected
from wisen.safety.secrets import find_secret
from wisen.safety.withhold import rule_against

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from wisen.logs.settings import EventFilterPolicy

UNSCANNABLE = "cannot-be-read"
"""The rule reported for a text that the other rules failed to scan."""
_MAX_DEPTH = 100
"""How many levels of nested arguments are kept; anything deeper was not written for people."""


def filter_events(
    events: Iterable[Event], context_of: Callable[[Event], str | None], policy: EventFilterPolicy
) -> Iterator[FilteredEvent]:
    """Yield the events that pass the filter, each with the context it belongs to."""
    for event in events:
        if isinstance(event, Outcome) and event.text is None and secret_in_name(event.place) is None:
            yield FilteredEvent(event, context_of(event))  # nearly half of all events, with nothing in them to scan
            continue
        try:
            filtered, rule = _filter_event(event, policy)
        except Exception:  # noqa: BLE001 - an error boundary: an event that cannot be scanned is dropped, the rest is kept
            filtered, rule = _without_text(event), UNSCANNABLE
        if filtered is not None:
            context = None if isinstance(filtered, PROSE_EVENTS) else context_of(filtered)
            yield FilteredEvent(filtered, context, rule)


def _without_text(event: Event) -> Event | None:
    """Return the event stripped of everything but the fact that it happened."""
    if event.provenance is Provenance.OTHER:
        return None
    if isinstance(event, Call):
        return replace(event, place="", tool="?", arguments=None)
    return replace(event, place="", text=None) if isinstance(event, Message | Outcome) else replace(event, place="")


def _filter_event(event: Event, policy: EventFilterPolicy) -> tuple[Event | None, str | None]:
    if event.provenance is Provenance.OTHER and not isinstance(event, PROSE_EVENTS):
        return None, None
    rule = secret_in_name(event.place)
    if rule is not None:
        event = replace(event, place="")
    if isinstance(event, Message):
        return _filter_message(event, policy, rule)
    if isinstance(event, Call):
        return _filter_call(event, policy, rule)
    if isinstance(event, Outcome) and event.text is not None:
        return _filter_failure(event, event.text, policy, rule)
    return event, rule


def _filter_message(message: Message, policy: EventFilterPolicy, rule: str | None) -> tuple[Message | None, str | None]:
    typed = message.text or ""
    text = remove_injected(sentinel.strip(typed, policy.mark_key))
    if not text.strip():
        return None, None
    hit = rule_against(text)
    if hit is not None:
        return replace(message, text=None), hit
    text = _truncate(text, policy.longest_message, 0)
    return (message if text is typed else replace(message, text=text)), rule


def _filter_call(call: Call, policy: EventFilterPolicy, rule: str | None) -> tuple[Call, str | None]:
    raw = call.arguments or "{}"
    hit = secret_in_name(call.tool)
    if hit is not None:
        return replace(call, tool="?", arguments=None), hit
    hit = rule_against(raw)
    # The rules handle escaped quotes and line breaks; they cannot see through \uXXXX escapes.
    escaped = "\\u" in raw
    is_storable = len(raw) <= policy.longest_argument and sentinel.strip(raw) is raw and not _may_be_too_deep(raw)
    if hit is None and is_storable and not escaped:
        return call, rule
    arguments = _decode(raw)
    if hit is None and escaped:
        hit = next(filter(None, map(rule_against, _strings_in(arguments))), None)
    if hit is not None:
        return replace(call, arguments=None), hit
    if not is_storable:
        shortened = _shorten(arguments, policy.longest_argument)
        call = replace(call, arguments=msgspec.json.encode(shortened).decode("utf-8"))
    return call, rule


def _filter_failure(
    outcome: Outcome, text: str, policy: EventFilterPolicy, rule: str | None
) -> tuple[Outcome, str | None]:
    hit = rule_against(text)
    if hit is not None:
        return replace(outcome, text=None), hit
    shortened = _truncate(sentinel.strip(text), policy.failure_head, policy.failure_tail)
    return (outcome if shortened is text else replace(outcome, text=shortened)), rule


@lru_cache(maxsize=4096)
def secret_in_name(name: str) -> str | None:
    """Return the rule that finds a secret in a directory or tool name; cached because the same names recur."""
    return find_secret(name)


def _truncate(text: str, head: int, tail: int) -> str:
    if len(text) <= head + tail:
        return text
    return text[:head] + "…" + (text[-tail:] if tail else "")


def _may_be_too_deep(raw: str) -> bool:
    """Whether arguments may be nested deeper than we keep; counting brackets nearly always rules that out."""
    return raw.count("{") + raw.count("[") > _MAX_DEPTH


def _decode(raw: str) -> object:
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return {"text": raw}


def _strings_in(value: object) -> Iterator[str]:
    stack = [value]
    while stack:
        each = stack.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, dict):
            stack += each.values()
        elif isinstance(each, list):
            stack += each


def _shorten(value: object, longest: int, depth: int = _MAX_DEPTH) -> object:
    if isinstance(value, str):
        return _truncate(sentinel.strip(value), longest, 0)
    if isinstance(value, dict | list) and not depth:
        return "…"
    if isinstance(value, dict):
        return {name: _shorten(part, longest, depth - 1) for name, part in value.items()}
    if isinstance(value, list):
        return [_shorten(part, longest, depth - 1) for part in value]
    return value
