"""`wisen detect`: what a message says about the work."""

from __future__ import annotations

import sys

from wisen.errors import UsageError
from wisen.learner import signals_in
from wisen.surfaces.cli.render import clipped, console, print_json


def run(text: str | None, *, before: str, from_input: bool, as_json: bool) -> int:
    """Show what one message says, or each line of the input."""
    if (text is None) is not from_input:
        raise UsageError("Give a message, or --stdin to read one from each line of the input.")
    said = [line.rstrip("\n") for line in sys.stdin] if from_input else [text or ""]
    told = [(each, signals_in(each, before)) for each in said]
    if as_json:
        print_json({"messages": [{"text": each, "signals": found} for each, found in told]})
        return 0
    out = console()
    for each, found in told:
        if from_input:
            out.print(clipped(each, 100), style="dim", markup=False)
        if not found:
            out.print("none")
        for signal in found:
            evidence = clipped(each[signal.start : signal.end], 80)
            out.print(f"{signal.probability:.0%}  {signal.kind.value}: {evidence}", markup=False)
    return 0
