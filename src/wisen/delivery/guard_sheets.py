"""Encodes guards for the hook client: one line each, looked up by key, so that their number costs almost nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from wisen.kernel.matching import watch_keys
from wisen.model.guard import LIVE_MODES, GuardSource, Mode, parse_watch

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from wisen.model.guard import GuardState

VERSION = 1


def encode_guards(states: Iterable[GuardState], context: str, reasons: Mapping[str, str]) -> bytes:
    """Encode the guards of a context, including the global ones; empty if there are none.

    `reasons` maps fixes to what failed, in our words: a tool's output is never given to an agent as a reason.

    A line is a list of a key and a guard; lines with the same key are adjacent.
    """
    lines = []
    for state in states:
        guard = state.guard
        if state.mode not in LIVE_MODES or guard.context not in ("", context):
            continue
        watch = parse_watch(guard.watch)
        encoded = {
            "id": guard.id,
            "version": guard.version,
            "mode": state.mode.value,
            "would": guard.action.value if state.mode is Mode.SHADOW else state.mode.value,
            "watch": watch,
            "better": guard.better,
            "reason": reasons.get(guard.of, "") if guard.source is GuardSource.FIX else guard.reason,
        }
        lines += [json.dumps([key, encoded], sort_keys=True, separators=(",", ":")) for key in watch_keys(watch)]
    head = json.dumps({"version": VERSION})
    return "\n".join([head, *sorted(lines), ""]).encode("ascii") if lines else b""
