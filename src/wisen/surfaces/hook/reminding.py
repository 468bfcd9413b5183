"""Lessons whose moment has come: a prompt or a call like the one that the user once corrected.

Each is told once in a session and in each of its sub-agents, again after what was told was summed up, and never in the
session that it came from. It is a word beside the call and decides nothing about it.
"""

from __future__ import annotations

import os
import sys

from .arbitrating import MOMENT, chosen, spent_with
from .hook_shelf import Shelf, SnapshotBroken

if __package__ and __package__.startswith("wisen"):
    from wisen.kernel.call_names import call_names, is_similar_call, text_names
    from wisen.kernel.matching import WatchedCall
else:
    # The same files, found by the folder of the package: nothing else of wisen is loaded with them.
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    from kernel.call_names import (  # type: ignore[import-not-found,no-redef,unused-ignore]
        call_names,
        is_similar_call,
        text_names,
    )
    from kernel.matching import WatchedCall  # type: ignore[import-not-found,no-redef,unused-ignore]

VERSION = 1
HEAD = "From an earlier session:"
_MOST = 1
"""How many are told at one call."""

Payload = dict[str, object]
Moment = dict[str, object]


def moments_at_prompt(prompt: str, payload: Payload, shelf: Shelf, pin: Payload) -> list[tuple[int, str, str]]:
    """The lessons that a prompt calls up, as candidates for the arbiter."""
    sheet, moments = _open(payload, shelf, pin)
    if not moments:
        return []
    names = text_names(prompt)
    met = [each for each in moments if _words(each["asked"]) and names.issuperset(_words(each["asked"]))]
    return [(MOMENT, str(each["id"]), str(each["text"])) for each in met[: _room(sheet, pin)]]


def moments_at_call(payload: Payload, shelf: Shelf, pin: Payload) -> list[tuple[str, str]]:
    """The lessons that a call calls up: their ids, as the session remembers them, and their lines."""
    tool, fields = payload.get("tool_name"), payload.get("tool_input")
    if not isinstance(tool, str) or not isinstance(fields, dict):
        return []
    sheet, moments = _open(payload, shelf, pin)
    room = _room(sheet, pin)
    if not moments or not room:
        return []
    names = call_names(WatchedCall(tool, fields))
    met = [each for each in moments if is_similar_call(str(each["kind"]), _words(each["words"]), tool, names)]
    told = [(MOMENT, remembered(str(each["id"]), payload), str(each["text"])) for each in met[:room]]
    return chosen(told, sheet.get("budget"), pin.get("spent"), _MOST)


def remembered(id_: str, payload: Payload) -> str:
    """What a session remembers a telling by: the id, and the sub-agent that was told, where it was one."""
    agent = payload.get("agent_id")
    return f"{id_}@{agent}" if isinstance(agent, str) and agent else id_


def pin_after(pin: Payload, ids: list[str], text: str) -> Payload:
    """A pin with what was told beside a call."""
    told, moments = _words(pin.get("told")), _words(pin.get("moments"))
    return {
        **pin,
        "told": [*told, *(each for each in ids if each not in told)],
        "moments": [*moments, *ids],
        "spent": spent_with(pin, text),
    }


def pin_after_summary(pin: Payload) -> Payload:
    """A pin of a session whose beginning was summed up: what was told beside calls may be told again."""
    moments = _words(pin.get("moments"))
    told = [each for each in _words(pin.get("told")) if each not in moments]
    return {**pin, "told": told, "moments": [], "spent": 0} if moments or pin.get("spent") else pin


def _open(payload: Payload, shelf: Shelf, pin: Payload) -> tuple[Payload, list[Moment]]:
    """The sheet of a place, and what of it was not told yet and may be told in this session."""
    cwd = payload.get("cwd")
    digest = shelf.snapshots.moments(cwd if isinstance(cwd, str) else "")
    if not digest:
        return {}, []
    sheet = shelf.snapshots.content(digest)
    if sheet is None:
        raise SnapshotBroken(digest)
    every = sheet.get("moments")
    if sheet.get("version") != VERSION or not isinstance(every, list):
        return {}, []
    told = _words(pin.get("told"))
    left = [
        each
        for each in every
        if remembered(str(each["id"]), payload) not in told
        and shelf.session not in _words(each["sources"])
        and (not each.get("tried") or _is_given(str(each["id"]), sheet, shelf, pin))
    ]
    return sheet, left


def _is_given(id_: str, sheet: Payload, shelf: Shelf, pin: Payload) -> bool:
    """Whether the coin of the session gives what is on trial; before it was thrown, nobody gets it."""
    if not shelf.snapshots.welcomes(str(sheet.get("context"))):
        return True
    return "withheld" in pin and id_ not in _words(pin.get("withheld"))


def _room(sheet: Payload, pin: Payload) -> int:
    """How many more the session may be told."""
    budget = sheet.get("budget")
    most = budget.get("moments") if isinstance(budget, dict) else 0
    return max(0, most - len(_words(pin.get("moments")))) if isinstance(most, int) else 0


def _words(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
