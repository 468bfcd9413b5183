"""Asks where a rule should go when the user approves one that cannot go into its file."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

Snapshot = dict[str, object]


def place_question(number: str, place: str, proposal: str, snapshot: Snapshot, typed: Callable[[str], str]) -> str:
    """Return the question to answer first; empty if the approval can be recorded.

    `place`: what the user named, in lowercase; empty if nothing. `typed` says how to name a place.
    """
    waiting, known = snapshot.get("waiting"), snapshot.get("places")
    found = [each for each in waiting if isinstance(each, dict)] if isinstance(waiting, list) else []
    this = next((each for each in found if each.get("id") == proposal), {})
    offered = [(str(word), str(says)) for word, says in this.get("places") or ()]
    if place:
        word = str(known.get(place, "")) if isinstance(known, dict) else ""
        if word and (not offered or word in [each for each, _ in offered]):
            return ""
        problem = f"wisen knows no place {place!r} for {number}."
    else:
        problem = str(this.get("trouble") or "")
    if not problem:
        return ""
    ways = [f"- {typed(_SPOKEN.get(word, word))}: {says}" for word, says in offered] or [f"- {typed('')}"]
    return "\n".join(
        [f"Not done, {number} still waits: {problem}", "Ask the user, who types one of these alone:", *ways]
    )


_SPOKEN = {"rules": ".claude/rules"}
"""How to say a place, if not by its word."""
