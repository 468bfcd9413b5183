"""`wisen detect`: the feedback that is detected in a message, and the lessons that would be kept of it."""

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
from wisen.surfaces.cli.render import clip, console, print_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wisen.feedback.lesson_explanation import KeptQuote
    from wisen.feedback.user_detector import UserDetector
    from wisen.model.signal import Signal


_WIDE = 78


def show_detection(text: str | None, *, before: str, call: str, from_input: bool, as_json: bool) -> int:
    """Show what is detected in one message, or in each line of the input: a message, or a JSON record with one.

    `call`: the command that ran, was rejected or was stopped just before.
    """
    if (text is None) is not from_input:
        raise UsageError("Give a message, or --stdin to read one per line from standard input.")
    own = app.wire().user_phrases()
    messages = (
        _read_messages(before, call, own)
        if from_input
        else iter([({"text": text or ""}, _detect_signals(text or "", before, call, own=own))])
    )
    if as_json:
        print_json(
            {
                "messages": [
                    {**named, "signals": found, "keeps": explain_message(named["text"], found)}
                    for named, found in messages
                ]
            }
        )
        return 0
    out = console()
    for named, found in messages:
        if from_input:
            out.print(clip(named["text"], 100), style="dim", markup=False)
        if not found:
            out.print("none")
        for signal in found:
            label = f"{signal.probability:.0%}  {signal.kind.value}: "
            evidence = clip(named["text"][signal.start : signal.end], _WIDE - len(label))
            out.print(f"{label}{evidence}", markup=False)
        if found or not from_input:
            for kept in explain_message(named["text"], found):
                for line in _lesson_lines(kept):
                    out.print(line, markup=False, highlight=False)
    return 0


def _lesson_lines(kept: KeptQuote) -> Iterator[str]:
    """Yield what would be kept, in lines of at most 80 columns; the quote is never cut."""
    label = "kept" if kept.kept else "not kept"
    yield from wrap(
        f"{label}: “{kept.quote}”", _WIDE, initial_indent="     ", subsequent_indent="       ", break_on_hyphens=False
    )
    because = f", because you wrote “{kept.marker}”" if kept.marker and kept.standing else ""
    standing = [f"{'lasting' if kept.standing else 'for the moment'}{because}"] if kept.kept else []
    marker = [f"words that say that it lasts: “{kept.marker}”"] if kept.marker and not because else []
    trigger = [f"trigger: {' '.join(kept.trigger.words)} ({kept.trigger.cause.value})"] if kept.trigger else []
    for each in (*standing, *marker, *trigger, kept.why):
        yield from wrap(each, _WIDE, initial_indent="       ", subsequent_indent="         ", break_on_hyphens=False)


def _detect_signals(
    text: str, before: str, call: str, *, own: UserDetector, reason: bool = False, queued: bool = False
) -> tuple[Signal, ...]:
    found = detect_in_message(text, before, reason=reason, queued=queued, own=own)
    return add_call_trigger(text, found, PrecedingEvent(before), call)


def _read_messages(before: str, call: str, own: UserDetector) -> Iterator[tuple[dict[str, Any], tuple[Signal, ...]]]:
    for number, line in enumerate(sys.stdin, start=1):
        record = _parse_record(line)
        if record is None:
            text = line.rstrip("\n")
            yield {"text": text}, _detect_signals(text, before, call, own=own)
            continue
        event = record.get("preceding_event", before)
        if not isinstance(event, str):
            raise UsageError(f"preceding_event of record {number} is {event!r}. Give a word, or leave it out.")
        made = record.get("preceding_call", call)
        if not isinstance(made, str):
            raise UsageError(f"preceding_call of record {number} is {made!r}. Give a command, or leave it out.")
        origin = record.get("origin")
        reason, queued = origin == "reject_reason", origin == "queued"
        found = _detect_signals(record["user"], event, made, own=own, reason=reason, queued=queued)
        named = {"id": record["id"]} if "id" in record else {}
        yield {**named, "text": record["user"]}, found


def _parse_record(line: str) -> dict[str, Any] | None:
    """Parse a line as a record with what a user typed; None if it is a plain message."""
    if not line.startswith("{"):
        return None
    try:
        record = msgspec.json.decode(line)
    except msgspec.DecodeError:
        return None
    return record if isinstance(record, dict) and isinstance(record.get("user"), str) else None
