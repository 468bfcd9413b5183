"""What a user asks wisen in the chat: it is recognised here, and answered from the snapshot where that is possible.

To approve, skip or forget is only noted down: the next cycle looks into the agent's own log whether the user typed it.
"""

from __future__ import annotations

_MOST = 20
_GUARD = 10
"""How long the id of a guard is."""
_NAMES = ("r-", "lrn-", "err-", "feat-")


def wish_in(prompt: str, snapshot: dict[str, object]) -> tuple[str, str]:
    """What a prompt asks for and of what: a kind and a number or name; both empty for any other prompt."""
    plain = " ".join(prompt.casefold().split()).strip(" .!?")
    phrases, verbs = snapshot.get("phrases"), snapshot.get("verbs")
    if isinstance(phrases, dict) and plain in phrases:
        return str(phrases[plain]), ""
    verb, _, of = plain.partition(" ")
    if isinstance(verbs, dict) and verb in verbs and of and " " not in of:
        return str(verbs[verb]), of.lstrip("#")
    return "", ""


def answer(kind: str, of: str, snapshot: dict[str, object]) -> tuple[str, str]:
    """What to tell the agent about a wish, and the id of what it is about; the id is empty where nothing is noted."""
    if kind in ("rules", "learnt"):
        parts: list[tuple[str, tuple[str, ...]]] = [("Rules that the user approved:", ("rules", "filed"))]
        if kind == "learnt":
            parts.append(("Said by the user, and not approved as rules yet:", ("said",)))
            parts.append(("Waiting for the user's answer:", ("waiting",)))
        lists = [_list(title, _members(snapshot, *names)) for title, names in parts]
        return "\n".join(filter(None, lists)) or "wisen has nothing of that kind for this project yet.", ""
    if kind == "improve":
        return "wisen begins a whole cycle now. What it finds is there in the next session, or in `wisen review`.", ""
    id_ = _meant(kind, of, snapshot)
    if not id_:
        lists_it = "`wisen proposals`, `wisen rules` and `wisen guards` list what there is"
        return f"wisen knows nothing by the name {of!r} here. Tell the user: {lists_it}.", ""
    if kind == "overrule":
        return f"Noted: guard {id_} says nothing more in this session. Go on as the user wishes.", id_
    done = {"approve": "approved", "skip": "skipped", "forget": "forgotten"}[kind]
    return (
        f"Noted: {of} is {done} with wisen's next cycle, once the log shows that the user typed it. Tell him so.",
        id_,
    )


def _meant(kind: str, of: str, snapshot: dict[str, object]) -> str:
    """The id behind the number of a proposal, or behind the id or name of what was learnt."""
    if kind in ("approve", "skip"):
        numbers = {str(each.get("number")): str(each.get("id")) for each in _members(snapshot, "waiting")}
        return numbers.get(of, "")
    if kind == "overrule":
        return f"G-{of[2:]}" if of.startswith("g-") and len(of) == _GUARD else ""
    for each in _members(snapshot, "rules", "filed", "said"):
        names = str(each.get("text")).rpartition("(")[2].casefold().replace(",", " ").split()
        if of.startswith(_NAMES) and of in names:
            return str(each.get("id")).partition(":")[0]
    return ""


def _list(title: str, members: list[dict[str, object]]) -> str:
    lines = [f"{each['number']}. {each['text']}" if "number" in each else str(each["text"]) for each in members]
    return "\n".join([title, *lines[:_MOST]]) if lines else ""


def _members(snapshot: dict[str, object], *names: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for name in names:
        members = snapshot.get(name)
        found += [each for each in members if isinstance(each, dict)] if isinstance(members, list) else []
    return found
