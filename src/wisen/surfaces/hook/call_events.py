"""Handles the events before and after a tool call: rulings of guards, and reminders that match the call."""

from __future__ import annotations

from .hook_output import append_mark, print_answer, wrap
from .hook_store import GEMINI, HookStore

Payload = dict[str, object]
_BEFORE = "PreToolUse"


def before_call(payload: Payload, store: HookStore) -> None:
    """Deliver what guards say about a call, and matching reminders; nothing if none matches."""
    from .guard_rulings import evaluate_guards

    pin = store.read_pin()
    verdict = evaluate_guards(payload, store, pin)
    warns = verdict is not None and verdict.mode == "warn"
    if verdict is not None and not warns:
        # The user reads what stops a call too, so it begins with the message.
        print_answer(_BEFORE, append_mark(verdict.lines), store, decision=verdict.mode)
        store.write_pin(_mark_delivered(pin, verdict.ids))
        return
    if store.agent == GEMINI:
        if verdict is not None:
            store.write_pin(_mark_delivered({**pin, "late": [*_texts(pin.get("late")), *verdict.ids]}, verdict.ids))
        return
    lines, pin, ids = _reminders_for_call(payload, store, pin)
    if verdict is not None:
        lines, pin = [*verdict.lines, *lines], _mark_delivered(pin, verdict.ids)
    if lines:
        print_answer(_BEFORE, wrap(lines), store)
        store.write_pin(pin)
    if ids:
        store.record("before-call", ids=ids, arm="given")


def _reminders_for_call(payload: Payload, store: HookStore, pin: Payload) -> tuple[list[str], Payload, list[str]]:
    """Return the reminders that match a call: their lines, the pin that remembers them, and their ids."""
    if not store.snapshots.has_sheets("moments"):
        return [], pin, []
    from .call_reminders import HEAD, pin_with_delivery, reminders_at_call

    found = reminders_at_call(payload, store, pin)
    if not found:
        return [], pin, []
    ids, lines = [id_ for id_, _ in found], [HEAD, *(text for _, text in found)]
    return lines, pin_with_delivery(pin, ids, "\n".join(lines)), [id_.partition("@")[0] for id_ in ids]


def _mark_delivered(pin: Payload, ids: list[str]) -> Payload:
    before = _texts(pin.get("told"))
    return {**pin, "told": [*before, *(each for each in ids if each not in before)]}


def after_call(payload: Payload, store: HookStore) -> tuple[list[str], Payload | None]:
    """Return what could not be delivered before a call, and the event as a failure, if the call failed."""
    if store.agent != GEMINI:
        from .hook_outcomes import failure_in

        return [], failure_in(payload)
    from .gemini import failure_in as gemini_failure_in

    texts, pin = list[str](), store.read_pin()
    if late := _texts(pin.get("late")):  # before a call it receives a message only if the call is stopped
        from .guard_rulings import late_warnings

        lines, ids = late_warnings(payload, store, late)
        texts = [wrap(lines)] if ids else []
        pin = {**pin, "late": [each for each in late if each not in ids]}
        store.write_pin(pin)
    lines, pin, ids = _reminders_for_call(payload, store, pin)
    if ids:
        texts = [*texts, wrap(lines)]
        store.write_pin(pin)
        store.record("after-call", ids=ids, arm="given")
    return texts, gemini_failure_in(payload)


def _texts(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
