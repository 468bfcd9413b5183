"""What a user asks wisen in the chat: it is recognised here, and answered from the snapshot where that is possible.

To approve, skip or forget is only noted down: the next cycle looks into the agent's own log whether the user typed it.
What is to be forgotten is read by `hook_forgetting.py`.
"""

from __future__ import annotations

_MOST = 20
_GUARD = 10
"""How long the id of a guard is."""

Snapshot = dict[str, object]


def wish_in(prompt: str, snapshot: Snapshot) -> tuple[str, str]:
    """What a prompt asks for and of what: a kind and a number, name or words; both empty for any other prompt."""
    plain = " ".join(prompt.casefold().split()).strip(" .!?")
    phrases, verbs, longest = (_table(snapshot, name) for name in ("phrases", "verbs", "longest"))
    if plain in phrases:
        return str(phrases[plain]), ""
    for verb, kind in verbs.items():
        of = plain[len(verb) + 1 :].lstrip("#") if plain.startswith(f"{verb} ") else ""
        most = longest.get(str(kind), 1)
        alone = " " not in of or not ("\n" in prompt.strip() or ". " in of)
        words, placed = of.split(), snapshot.get("placed")
        to = len(words) > 2 and isinstance(placed, list) and words[1] in placed
        if (
            of
            and alone
            and (kind != "approve" or len(words) <= 1 or to)
            and isinstance(most, int)
            and len(words) <= most
        ):
            return str(kind), of
    return "", ""


def answer(kind: str, of: str, snapshot: Snapshot) -> tuple[str, str]:
    """What to tell the agent about a wish, and the id of what it is about; the id is empty where nothing is noted."""
    if kind in ("rules", "learnt"):
        parts: list[tuple[str, tuple[str, ...]]] = [("The user's rules:", ("rules", "filed"))]
        if kind == "learnt":
            parts.append(("Said by the user, and not approved as rules yet:", ("said",)))
            parts.append(("Waiting for the user's answer:", ("waiting",)))
        lists = [_list(title, _members(snapshot, *names)) for title, names in parts]
        return "\n".join(filter(None, lists)) or "wisen has nothing of that kind for this project yet.", ""
    if kind == "improve":
        return "wisen begins a whole cycle now. What it finds is there in the next session, or in `wisen review`.", ""
    return _deciding(kind, of, snapshot)


def _deciding(kind: str, of: str, snapshot: Snapshot) -> tuple[str, str]:
    """What to tell about a proposal or a guard that the user decides about; no text where they mean the agent."""
    number, _, to = of.partition(" ")
    number = number.rstrip(",;:")
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

        asks = question(number, to.partition(" ")[2], id_, snapshot)
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
    return f'- {waiting["text"]} "approve {number}" or "skip {number}"'


def _members(snapshot: Snapshot, *names: str) -> list[Snapshot]:
    found: list[Snapshot] = []
    for name in names:
        members = snapshot.get(name)
        found += [each for each in members if isinstance(each, dict)] if isinstance(members, list) else []
    return found


def _table(snapshot: Snapshot, name: str) -> Snapshot:
    value = snapshot.get(name)
    return value if isinstance(value, dict) else {}
