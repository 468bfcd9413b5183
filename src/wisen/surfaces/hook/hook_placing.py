"""What to ask the user who approves a rule that cannot go into its file: where it may go, and how to say it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

Snapshot = dict[str, object]


def question(number: str, place: str, proposal: str, snapshot: Snapshot, typed: Callable[[str], str]) -> str:
    """What has to be answered first; empty where the approval can be noted.

    `place`: what the user named, in small letters; empty where they named none. `typed` says how a place is named.
    """
    waiting, known = snapshot.get("waiting"), snapshot.get("places")
    found = [each for each in waiting if isinstance(each, dict)] if isinstance(waiting, list) else []
    this = next((each for each in found if each.get("id") == proposal), {})
    offered = [(str(word), str(says)) for word, says in this.get("places") or ()]
    if place:
        word = str(known.get(place, "")) if isinstance(known, dict) else ""
        if word and (not offered or word in [each for each, _ in offered]):
            return ""
        trouble = f"wisen knows no place {place!r} for {number}."
    else:
        trouble = str(this.get("trouble") or "")
    if not trouble:
        return ""
    ways = [f"- {typed(_SPOKEN.get(word, word))}: {says}" for word, says in offered] or [f"- {typed('')}"]
    return "\n".join(
        [f"Not done, {number} still waits: {trouble}", "Ask the user, who types one of these alone:", *ways]
    )


_SPOKEN = {"rules": ".claude/rules"}
"""How a place is said best, where that is not its word."""
