"""Sheets of guards as hooks read them: a line each, found by its key, so that their number costs next to nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from wisen.kernel.matching import keys_of
from wisen.model.guard import LIVE, GuardSource, Mode, watch_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from wisen.model.guard import GuardState

VERSION = 1


def sheet_of(states: Iterable[GuardState], context: str, reasons: Mapping[str, str]) -> bytes:
    """The guards that hold in a context, those that hold everywhere among them; empty where there are none.

    `reasons` has what failed by fix, in words of ours: what a tool said is no reason that an agent is given.

    A line is a list of a key and a guard, and lines of the same key stand together.
    """
    lines = []
    for state in states:
        guard = state.guard
        if state.mode not in LIVE or guard.context not in ("", context):
            continue
        watch = watch_of(guard.watch)
        told = {
            "id": guard.id,
            "version": guard.version,
            "mode": state.mode.value,
            "would": guard.action.value if state.mode is Mode.SHADOW else state.mode.value,
            "watch": watch,
            "better": guard.better,
            "reason": reasons.get(guard.of, "") if guard.source is GuardSource.FIX else guard.reason,
        }
        lines += [json.dumps([key, told], sort_keys=True, separators=(",", ":")) for key in keys_of(watch)]
    head = json.dumps({"version": VERSION})
    return "\n".join([head, *sorted(lines), ""]).encode("ascii") if lines else b""
