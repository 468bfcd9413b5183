"""Finds reminders for a prompt or a call like the one that the user once corrected.

Each is delivered once per session and sub-agent, again after a summary, and never in the session it came from. It
accompanies the call and decides nothing about it.
"""

from __future__ import annotations

import sys

from .hook_store import BrokenSnapshot, HookStore
from .token_budget import MOMENT, select, spent_with

if __package__ and __package__.startswith("wisen"):
    from wisen.kernel.call_names import call_names, is_similar_call, text_names
    from wisen.kernel.matching import WatchedCall
else:
    # The same files, found by the folder of the package: nothing else of wisen is loaded with them.
    sys.path.append(__file__.rsplit("/", 3)[0])
    from kernel.call_names import (  # type: ignore[import-not-found,no-redef,unused-ignore]
        call_names,
        is_similar_call,
        text_names,
    )
    from kernel.matching import WatchedCall  # type: ignore[import-not-found,no-redef,unused-ignore]

VERSION = 1
HEAD = "From an earlier session:"
_MAX_REMINDERS = 1
"""How many are delivered at one call."""

Payload = dict[str, object]
Moment = dict[str, object]


def reminders_at_prompt(prompt: str, payload: Payload, store: HookStore, pin: Payload) -> list[tuple[int, str, str]]:
    """Return the reminders that match a prompt, as candidates."""
    sheet, moments = _open_reminders(payload, store, pin)
    if not moments:
        return []
    names = text_names(prompt)
    met = [each for each in moments if _words(each["asked"]) and names.issuperset(_words(each["asked"]))]
    return [(MOMENT, str(each["id"]), str(each["text"])) for each in met[: _remaining(sheet, pin)]]


def reminders_at_call(payload: Payload, store: HookStore, pin: Payload) -> list[tuple[str, str]]:
    """Return the reminders that match a call: their ids, as the session remembers them, and their lines."""
    tool, fields = payload.get("tool_name"), payload.get("tool_input")
    if not isinstance(tool, str) or not isinstance(fields, dict):
        return []
    sheet, moments = _open_reminders(payload, store, pin)
    room = _remaining(sheet, pin)
    if not moments or not room:
        return []
    names = call_names(WatchedCall(tool, fields))
    met = [each for each in moments if is_similar_call(str(each["kind"]), _words(each["words"]), tool, names)]
    candidates = [(MOMENT, delivery_id(str(each["id"]), payload), str(each["text"])) for each in met[:room]]
    return select(candidates, sheet.get("budget"), pin.get("spent"), _MAX_REMINDERS)


def delivery_id(id_: str, payload: Payload) -> str:
    """Return what a session remembers a delivery by: the id, and the sub-agent, if it was one."""
    agent = payload.get("agent_id")
    return f"{id_}@{agent}" if isinstance(agent, str) and agent else id_


def pin_with_delivery(pin: Payload, ids: list[str], text: str) -> Payload:
    """Return a pin with what was delivered with a call."""
    told, moments = _words(pin.get("told")), _words(pin.get("moments"))
    return {
        **pin,
        "told": [*told, *(each for each in ids if each not in told)],
        "moments": [*moments, *ids],
        "spent": spent_with(pin, text),
    }


def pin_after_summary(pin: Payload) -> Payload:
    """Return the pin of a session that was summarized: what was delivered with calls may be delivered again."""
    moments = _words(pin.get("moments"))
    told = [each for each in _words(pin.get("told")) if each not in moments]
    return {**pin, "told": told, "moments": [], "spent": 0} if moments or pin.get("spent") else pin


def _open_reminders(payload: Payload, store: HookStore, pin: Payload) -> tuple[Payload, list[Moment]]:
    """Return the sheet of a place, and its reminders that may still be delivered in this session."""
    cwd = payload.get("cwd")
    digest = store.snapshots.sheet_digest("moments", cwd if isinstance(cwd, str) else "")
    if not digest:
        return {}, []
    sheet = store.snapshots.content(digest)
    if sheet is None:
        raise BrokenSnapshot(digest)
    every = sheet.get("moments")
    if sheet.get("version") != VERSION or not isinstance(every, list):
        return {}, []
    told = _words(pin.get("told"))
    left = [
        each
        for each in every
        if delivery_id(str(each["id"]), payload) not in told
        and store.session not in _words(each["sources"])
        and (not each.get("tried") or _is_given(str(each["id"]), sheet, store, pin))
    ]
    return sheet, left


def _is_given(id_: str, sheet: Payload, store: HookStore, pin: Payload) -> bool:
    """Whether the session's draw gives something on trial; before the draw, nobody gets it."""
    if not store.snapshots.allows_trials(str(sheet.get("context"))):
        return True
    return "withheld" in pin and id_ not in _words(pin.get("withheld"))


def _remaining(sheet: Payload, pin: Payload) -> int:
    """Return how many more the session may get."""
    budget = sheet.get("budget")
    most = budget.get("moments") if isinstance(budget, dict) else 0
    return max(0, most - len(_words(pin.get("moments")))) if isinstance(most, int) else 0


def _words(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
