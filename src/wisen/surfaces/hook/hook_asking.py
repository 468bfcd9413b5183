"""What a user asks wisen in the chat: it is answered from the snapshot where that is possible.

By which forms it is asked, in all languages, is a table that the snapshot names; `kernel/request_reading.py` reads by
it. To approve, skip or forget is only noted down: the next cycle looks into the agent's own log whether the user typed
it.
What is to be forgotten is read by `hook_forgetting.py`.
"""

from __future__ import annotations

import os
import sys

from .lean_json import loads

TYPE_CHECKING = False  # `typing` takes longer to load than all the rest
if TYPE_CHECKING:
    from .hook_shelf import Shelf

if __package__ and __package__.startswith("wisen"):
    from wisen.kernel.request_reading import EVERYTHING, SCOPES, ChatRequest, phrase_request, read_request, recall_query
else:
    # The same file, found by the folder of the package: nothing else of wisen is loaded with it.
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    from kernel.request_reading import (  # type: ignore[import-not-found,no-redef,unused-ignore]
        EVERYTHING,
        SCOPES,
        ChatRequest,
        phrase_request,
        read_request,
        recall_query,
    )

__all__ = ["EVERYTHING", "SCOPES", "ChatRequest", "phrase_request", "read_request", "recall_query"]
_MOST = 20
_GUARD = 10
"""How long the id of a guard is."""

Snapshot = dict[str, object]


def request_table(snapshot: Snapshot, shelf: Shelf) -> Snapshot:
    """By which forms the user asks for something, in all languages; empty where the snapshot is of an older version."""
    named = snapshot.get("requests")
    raw = shelf.snapshots.raw(named) if isinstance(named, str) else None
    value = None if raw is None else loads(raw.decode("utf-8"))
    return value if isinstance(value, dict) else {}


def answer(asked: ChatRequest, snapshot: Snapshot, table: Snapshot) -> tuple[str, str]:
    """What to tell the agent about a wish, and the id of what it is about; the id is empty where nothing is noted."""
    kind = asked.kind
    if kind in ("rules", "learnt"):
        parts: list[tuple[str, tuple[str, ...]]] = [("The user's rules:", ("rules", "filed"))]
        if kind == "learnt":
            parts.append(("Said by the user, and not approved as rules yet:", ("said",)))
            parts.append(("Waiting for the user's answer:", ("waiting",)))
        lists = [_list(title, _members(snapshot, *names)) for title, names in parts]
        return "\n".join(filter(None, lists)) or "wisen has nothing of that kind for this project yet.", ""
    if kind == "improve":
        return "wisen begins a whole cycle now. What it finds is there in the next session, or in `wisen review`.", ""
    return _deciding(asked, snapshot, table)


def _deciding(asked: ChatRequest, snapshot: Snapshot, table: Snapshot) -> tuple[str, str]:
    """What to tell about a proposal or a guard that the user decides about; no text where they mean the agent."""
    kind, of = asked.kind, asked.target
    number, _, to = of.partition(" ")
    id_ = _meant(kind, number, snapshot)
    if not id_ and to:
        return "", ""  # it is meant for the agent: `approve it to be done with`
    if not id_:
        lists_it = "`wisen proposals`, `wisen rules` and `wisen guards` list what there is"
        return f"wisen knows nothing by the name {of!r} here. Tell the user: {lists_it}.", ""
    if kind == "overrule":
        return f"Noted: guard {id_} says nothing more in this session. Go on as the user wishes.", id_
    if kind == "approve":
        from .hook_placing import question

        def typed(place: str) -> str:
            return phrase_request(table, asked.language, "approve_to" if place else "approve", n=number, place=place)

        asks = question(number, to.partition(" ")[2], id_, snapshot, typed)
        if asks:
            return asks, ""
    done = {"approve": "approved", "skip": "skipped"}[kind]
    where = f" {to}" if to else ""
    when = f"{number} is {done}{where} once the agent's log shows that the user typed it, which takes a moment"
    return f"Noted, and not done yet: {when}. Tell the user so; wisen says here what came of it.", id_


def stats(figures: dict[str, dict[str, object]], made: str) -> str:
    """How much there is of what, by scope; `figures` by the name of the scope."""
    lines = [
        f"{scope}: {', '.join(f'{many} {name}' for name, many in sorted(each.items()))}"
        for scope, each in figures.items()
        if each
    ]
    if not lines:
        return "wisen has counted nothing yet: `wisen cycle` does. Tell the user so."
    return "\n".join(["What wisen keeps, for the user:", *lines, f"last update: {made}", "More: `wisen stats`."])


def _meant(kind: str, of: str, snapshot: Snapshot) -> str:
    """The id behind the number or short id of a proposal as this session was shown it, or that of a guard."""
    if kind in ("approve", "skip"):
        waiting = _members(snapshot, "waiting")
        numbers = {str(each.get(name)): str(each.get("id")) for name in ("short", "number") for each in waiting}
        return numbers.get(of, "")
    return f"G-{of[2:]}" if of.startswith("g-") and len(of) == _GUARD else ""


def _list(title: str, members: list[Snapshot]) -> str:
    lines = [_question(each) if "number" in each else str(each["text"]) for each in members]
    return "\n".join([title, *lines[:_MOST]]) if lines else ""


def _question(waiting: Snapshot) -> str:
    """What waits for the user's answer, with the words that give it."""
    number = waiting["number"]
    yes, no = (waiting.get(deed) or f"{deed} {number}" for deed in ("approve", "skip"))
    return f'- {waiting["text"]} "{yes}" or "{no}"'


def _members(snapshot: Snapshot, *names: str) -> list[Snapshot]:
    found: list[Snapshot] = []
    for name in names:
        members = snapshot.get(name)
        found += [each for each in members if isinstance(each, dict)] if isinstance(members, list) else []
    return found
