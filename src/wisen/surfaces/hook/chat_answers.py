"""Answers requests to wisen that the user types in the chat, from the snapshot if possible.

The phrases of requests, in all languages, are a table that the snapshot names; `kernel/request_reading.py` matches
them. Approving, skipping and forgetting is only recorded: the next cycle checks in the agent's own log that the user
typed it.
`forget_answers.py` handles requests to forget.
"""

from __future__ import annotations

import sys

from .hook_store import bundled_table
from .lean_json import loads

TYPE_CHECKING = False  # `typing` takes longer to load than all the rest
if TYPE_CHECKING:
    from .hook_store import HookStore

if __package__ and __package__.startswith("wisen"):
    from wisen.kernel.request_reading import EVERYTHING, SCOPES, ChatRequest, phrase_request, read_request
else:
    # The same file, found by the folder of the package: nothing else of wisen is loaded with it.
    sys.path.append(__file__.rsplit("/", 3)[0])
    from kernel.request_reading import (  # type: ignore[import-not-found,no-redef,unused-ignore]
        EVERYTHING,
        SCOPES,
        ChatRequest,
        phrase_request,
        read_request,
    )

__all__ = ["EVERYTHING", "SCOPES", "ChatRequest", "phrase_request", "read_request"]
_MAX_LINES = 20
_GUARD = 10
"""The length of a guard's id."""

Snapshot = dict[str, object]


def request_table(snapshot: Snapshot, store: HookStore) -> Snapshot:
    """Return the phrases of requests, in all languages; empty if the snapshot is of an older version."""
    named = snapshot.get("requests")
    if isinstance(named, str) and (known := bundled_table("table", named)):
        return known
    raw = store.snapshots.raw(named) if isinstance(named, str) else None
    value = None if raw is None else loads(raw.decode("utf-8"))
    return value if isinstance(value, dict) else {}


def answer_request(request: ChatRequest, snapshot: Snapshot, table: Snapshot) -> tuple[str, str]:
    """Return the answer to a request, and the id of its subject; the id is empty if nothing is recorded."""
    kind = request.kind
    if kind in ("rules", "learnt"):
        parts: list[tuple[str, tuple[str, ...]]] = [("The user's rules:", ("rules", "filed"))]
        if kind == "learnt":
            parts.append(("Said by the user, and not approved as rules yet:", ("said",)))
            parts.append(("Waiting for the user's answer:", ("waiting",)))
        lists = [_list(title, _members(snapshot, *names)) for title, names in parts]
        return "\n".join(filter(None, lists)) or "wisen has nothing of that kind for this project yet.", ""
    if kind == "improve":
        return "wisen begins a whole cycle now. What it finds is there in the next session, or in `wisen review`.", ""
    return _answer_decision(request, snapshot, table)


def _answer_decision(request: ChatRequest, snapshot: Snapshot, table: Snapshot) -> tuple[str, str]:
    """Answer a decision about a proposal or a guard; no text if the message is meant for the agent."""
    kind, target = request.kind, request.target
    number, _, to = target.partition(" ")
    id_ = _find_id(kind, number, snapshot)
    if not id_ and to:
        return "", ""  # it is meant for the agent: `approve it to be done with`
    if not id_:
        lists_it = "`wisen proposals`, `wisen rules` and `wisen guards` list what there is"
        return f"wisen knows nothing by the name {target!r} here. Tell the user: {lists_it}.", ""
    if kind == "overrule":
        return f"Noted: guard {id_} says nothing more in this session. Go on as the user wishes.", id_
    if kind == "approve":
        from .place_questions import place_question

        def typed(place: str) -> str:
            return phrase_request(table, request.language, "approve_to" if place else "approve", n=number, place=place)

        asks = place_question(number, to.partition(" ")[2], id_, snapshot, typed)
        if asks:
            return asks, ""
    done = {"approve": "approved", "skip": "skipped"}[kind]
    where = f" {to}" if to else ""
    when = f"{number} is {done}{where} once the agent's log shows that the user typed it, which takes a moment"
    return f"Noted, and not done yet: {when}. Tell the user so; wisen says here what came of it.", id_


def format_stats(figures: dict[str, dict[str, object]], made: str) -> str:
    """Format the counts, by name of the scope."""
    lines = [
        f"{scope}: {', '.join(f'{many} {name}' for name, many in sorted(each.items()))}"
        for scope, each in figures.items()
        if each
    ]
    if not lines:
        return "wisen has counted nothing yet: `wisen cycle` does. Tell the user so."
    return "\n".join(["What wisen keeps, for the user:", *lines, f"last update: {made}", "More: `wisen stats`."])


def _find_id(kind: str, target: str, snapshot: Snapshot) -> str:
    """Return the id behind a proposal's number or short id as shown to this session, or a guard's id."""
    if kind in ("approve", "skip"):
        waiting = _members(snapshot, "waiting")
        numbers = {str(each.get(name)): str(each.get("id")) for name in ("short", "number") for each in waiting}
        return numbers.get(target, "")
    return f"G-{target[2:]}" if target.startswith("g-") and len(target) == _GUARD else ""


def _list(title: str, members: list[Snapshot]) -> str:
    lines = [_question(each) if "number" in each else str(each["text"]) for each in members]
    return "\n".join([title, *lines[:_MAX_LINES]]) if lines else ""


def _question(waiting: Snapshot) -> str:
    """Format a pending question, with the words that answer it."""
    number = waiting["number"]
    yes, no = (waiting.get(request) or f"{request} {number}" for request in ("approve", "skip"))
    return f'- {waiting["text"]} "{yes}" or "{no}"'


def _members(snapshot: Snapshot, *names: str) -> list[Snapshot]:
    found: list[Snapshot] = []
    for name in names:
        members = snapshot.get(name)
        found += [each for each in members if isinstance(each, dict)] if isinstance(members, list) else []
    return found
