"""What a user asks wisen in the chat: it is recognised here, and answered from the snapshot where that is possible.

To approve, skip or forget is only noted down: the next cycle looks into the agent's own log whether the user typed it.
"""

from __future__ import annotations

_MOST = 20
_NOTHING = "wisen has nothing of that kind for this project yet."


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
    if kind == "rules":
        return _list("The rules that the user approved here:", snapshot, "rules"), ""
    if kind == "learnt":
        told = [
            _list("Rules that the user approved:", snapshot, "rules"),
            _list("Said by the user, and not approved as rules yet:", snapshot, "said"),
            _list("Waiting for the user's answer:", snapshot, "waiting"),
        ]
        return "\n".join(dict.fromkeys(told)), ""
    if kind == "improve":
        return "wisen begins a whole cycle now. What it finds is there in the next session, or in `wisen review`.", ""
    id_ = _meant(kind, of, snapshot)
    if not id_:
        return (
            f"wisen knows nothing by the name {of!r} here. Tell the user: `wisen proposals` and `wisen rules` list it.",
            "",
        )
    done = {"approve": "approved", "skip": "skipped", "forget": "forgotten"}[kind]
    return (
        f"Noted: {of} is {done} with wisen's next cycle, once the log shows that the user typed it. Tell him so.",
        id_,
    )


def _meant(kind: str, of: str, snapshot: dict[str, object]) -> str:
    """The id behind the number of a proposal, or behind the id of a rule."""
    if kind in ("approve", "skip"):
        for each in _members(snapshot, "waiting"):
            if str(each.get("number")) == of:
                return str(each.get("id"))
        return ""
    for each in (*_members(snapshot, "rules"), *_members(snapshot, "said")):
        id_ = str(each.get("id")).partition(":")[0]
        if of in (
            id_.casefold(),
            *(word.strip("(),").casefold() for word in str(each.get("text")).split()),
        ) and of.startswith(("r-", "lrn-", "err-", "feat-")):
            return id_
    return ""


def _list(title: str, snapshot: dict[str, object], name: str) -> str:
    lines = [
        f"{each.get('number', '-')} {each.get('text')}" if "number" in each else str(each.get("text"))
        for each in _members(snapshot, name)
    ]
    return "\n".join([title, *lines[:_MOST]]) if lines else _NOTHING


def _members(snapshot: dict[str, object], name: str) -> list[dict[str, object]]:
    found = snapshot.get(name)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
