"""`wisen detect`: what a message says about the work, and what would be kept of it."""

from __future__ import annotations

import sys
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import msgspec

from wisen import app
from wisen.errors import UsageError
from wisen.feedback.lesson_explanation import add_call_trigger, explain_message
from wisen.feedback.signal_detection import detect_in_message
from wisen.model.signal import PrecedingEvent
from wisen.surfaces.cli.render import clipped, console, print_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wisen.feedback.lesson_explanation import KeptQuote
    from wisen.feedback.user_detector import UserDetector
    from wisen.model.signal import Signal


_WIDE = 78


def run(text: str | None, *, before: str, call: str, from_input: bool, as_json: bool) -> int:
    """Show what one message says, or each line of the input: a message, or a record with one.

    `call`: the command that was made, refused or stopped just before.
    """
    if (text is None) is not from_input:
        raise UsageError("Give a message, or --stdin to read one from each line of the input.")
    own = app.wire().user_phrases()
    told = (
        _each_line(before, call, own)
        if from_input
        else iter([({"text": text or ""}, _signals(text or "", before, call, own=own))])
    )
    if as_json:
        print_json(
            {
                "messages": [
                    {**named, "signals": found, "keeps": explain_message(named["text"], found)} for named, found in told
                ]
            }
        )
        return 0
    out = console()
    for named, found in told:
        if from_input:
            out.print(clipped(named["text"], 100), style="dim", markup=False)
        if not found:
            out.print("none")
        for signal in found:
            label = f"{signal.probability:.0%}  {signal.kind.value}: "
            evidence = clipped(named["text"][signal.start : signal.end], _WIDE - len(label))
            out.print(f"{label}{evidence}", markup=False)
        if found or not from_input:
            for kept in explain_message(named["text"], found):
                for line in _kept_lines(kept):
                    out.print(line, markup=False, highlight=False)
    return 0


def _kept_lines(kept: KeptQuote) -> Iterator[str]:
    """What would be kept, in lines of at most 80 columns; the quote is whole."""
    label = "kept" if kept.kept else "not kept"
    yield from wrap(
        f"{label}: “{kept.quote}”", _WIDE, initial_indent="     ", subsequent_indent="       ", break_on_hyphens=False
    )
    standing = ["standing" if kept.standing else "of the moment"] if kept.kept else []
    marker = [f"says so itself: “{kept.marker}”"] if kept.marker else []
    trigger = [f"trigger: {' '.join(kept.trigger.words)} ({kept.trigger.cause.value})"] if kept.trigger else []
    for each in (*standing, *marker, *trigger, kept.why):
        yield from wrap(each, _WIDE, initial_indent="       ", subsequent_indent="         ", break_on_hyphens=False)


def _signals(
    text: str, before: str, call: str, *, own: UserDetector, reason: bool = False, queued: bool = False
) -> tuple[Signal, ...]:
    found = detect_in_message(text, before, reason=reason, queued=queued, own=own)
    return add_call_trigger(text, found, PrecedingEvent(before), call)


def _each_line(before: str, call: str, own: UserDetector) -> Iterator[tuple[dict[str, Any], tuple[Signal, ...]]]:
    for number, line in enumerate(sys.stdin, start=1):
        record = _record(line)
        if record is None:
            text = line.rstrip("\n")
            yield {"text": text}, _signals(text, before, call, own=own)
            continue
        event = record.get("preceding_event", before)
        if not isinstance(event, str):
            raise UsageError(f"preceding_event of record {number} is {event!r}. Give a word, or leave it out.")
        made = record.get("preceding_call", call)
        if not isinstance(made, str):
            raise UsageError(f"preceding_call of record {number} is {made!r}. Give a command, or leave it out.")
        origin = record.get("origin")
        reason, queued = origin == "reject_reason", origin == "queued"
        found = _signals(record["user"], event, made, own=own, reason=reason, queued=queued)
        named = {"id": record["id"]} if "id" in record else {}
        yield {**named, "text": record["user"]}, found


def _record(line: str) -> dict[str, Any] | None:
    """A line as a record that holds what a user typed; None where it is just a message."""
    if not line.startswith("{"):
        return None
    try:
        record = msgspec.json.decode(line)
    except msgspec.DecodeError:
        return None
    return record if isinstance(record, dict) and isinstance(record.get("user"), str) else None
