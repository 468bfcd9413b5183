"""`wisen detect`: what a message says about the work."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import msgspec

from wisen import app
from wisen.errors import UsageError
from wisen.feedback.listen import signals_in
from wisen.surfaces.cli.render import clipped, console, print_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wisen.feedback.own_phrases import Own
    from wisen.model.signal import Signal


def run(text: str | None, *, before: str, from_input: bool, as_json: bool) -> int:
    """Show what one message says, or each line of the input: a message, or a record with one."""
    if (text is None) is not from_input:
        raise UsageError("Give a message, or --stdin to read one from each line of the input.")
    own = app.wire().speech()
    told = (
        _each_line(before, own)
        if from_input
        else iter([({"text": text or ""}, signals_in(text or "", before, own=own))])
    )
    if as_json:
        print_json({"messages": [{**named, "signals": found} for named, found in told]})
        return 0
    out = console()
    for named, found in told:
        if from_input:
            out.print(clipped(named["text"], 100), style="dim", markup=False)
        if not found:
            out.print("none")
        for signal in found:
            evidence = clipped(named["text"][signal.start : signal.end], 80)
            out.print(f"{signal.probability:.0%}  {signal.kind.value}: {evidence}", markup=False)
        lesson = next((signal.lesson for signal in found if signal.lesson is not None), None)
        if lesson is not None:
            lasts = "lasting" if lesson.is_durable else "for this task"
            out.print(f"     lesson: {lesson.text} ({lesson.about.value}, {lasts})", markup=False)
    return 0


def _each_line(before: str, own: Own) -> Iterator[tuple[dict[str, Any], tuple[Signal, ...]]]:
    for number, line in enumerate(sys.stdin, start=1):
        record = _record(line)
        if record is None:
            text = line.rstrip("\n")
            yield {"text": text}, signals_in(text, before, own=own)
            continue
        event = record.get("preceding_event", before)
        if not isinstance(event, str):
            raise UsageError(f"preceding_event of record {number} is {event!r}. Give a word, or leave it out.")
        origin = record.get("origin")
        reason, queued = origin == "reject_reason", origin == "queued"
        found = signals_in(record["user"], event, reason=reason, queued=queued, own=own)
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
