"""What the client does before and behind a call: what guards say to it, and lessons whose moment it is."""

from __future__ import annotations

from .hook_output import marked_behind, print_answer, wrapped
from .hook_shelf import GEMINI, Shelf

Payload = dict[str, object]
_BEFORE = "PreToolUse"


def before_call(payload: Payload, shelf: Shelf) -> None:
    """What guards say to a call, and lessons whose moment it is; nothing where nothing fits."""
    from .guarding import ruling

    pin = shelf.pin()
    said = ruling(payload, shelf, pin)
    warns = said is not None and said.mode == "warn"
    if said is not None and not warns:
        # What stops a call is read by the user too, and begins with what it says.
        print_answer(_BEFORE, marked_behind(said.lines), shelf, decision=said.mode)
        shelf.write_pin(_with_told(pin, said.ids))
        return
    if shelf.agent == GEMINI:
        if said is not None:
            shelf.write_pin(_with_told({**pin, "late": [*_texts(pin.get("late")), *said.ids]}, said.ids))
        return
    lines, pin, ids = _moments_beside(payload, shelf, pin)
    if said is not None:
        lines, pin = [*said.lines, *lines], _with_told(pin, said.ids)
    if lines:
        print_answer(_BEFORE, wrapped(lines), shelf)
        shelf.write_pin(pin)
    if ids:
        shelf.spool("before-call", ids=ids, arm="given")


def _moments_beside(payload: Payload, shelf: Shelf, pin: Payload) -> tuple[list[str], Payload, list[str]]:
    """The lessons whose moment a call is: their lines, the pin that remembers them, and their ids."""
    from .reminding import HEAD, moments_at_call, pin_after

    found = moments_at_call(payload, shelf, pin)
    if not found:
        return [], pin, []
    ids, lines = [id_ for id_, _ in found], [HEAD, *(text for _, text in found)]
    return lines, pin_after(pin, ids, "\n".join(lines)), [id_.partition("@")[0] for id_ in ids]


def _with_told(pin: Payload, ids: list[str]) -> Payload:
    before = _texts(pin.get("told"))
    return {**pin, "told": [*before, *(each for each in ids if each not in before)]}


def after_call(payload: Payload, shelf: Shelf) -> tuple[list[str], Payload | None]:
    """What could not be told before a call, and the event as one of a failed call, where it failed."""
    if shelf.agent != GEMINI:
        from .hook_outcomes import failure_in

        return [], failure_in(payload)
    from .gemini import failure_in as gemini_failure_in

    told, pin = list[str](), shelf.pin()
    if late := _texts(pin.get("late")):  # it hears what is said before a call only where the call is stopped
        from .guarding import warning

        lines, ids = warning(payload, shelf, late)
        told = [wrapped(lines)] if ids else []
        pin = {**pin, "late": [each for each in late if each not in ids]}
        shelf.write_pin(pin)
    lines, pin, ids = _moments_beside(payload, shelf, pin)
    if ids:
        told = [*told, wrapped(lines)]
        shelf.write_pin(pin)
        shelf.spool("after-call", ids=ids, arm="given")
    return told, gemini_failure_in(payload)


def _texts(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
