"""What a user wants forgotten, typed in the chat: it goes where it was typed; for more the user is asked back.

Nothing is forgotten here: it is noted down, and the next cycle looks into the agent's own log whether the user typed
it. Words that are to be forgotten are never written, only digests of them keyed with the home's salt.
"""

from __future__ import annotations

from .hook_asking import EVERYTHING, SCOPES, ChatRequest, Snapshot, _list, _members, phrase_request

_NAMES = ("r-", "lrn-", "err-", "feat-", "g-")
_MARKS = "\"'`.,;:!?()[]{}<>*“”‘’…"
_HERE = ("", "here")
_WIDER = ("global", "everywhere")
_IN = {"here": "of this project", "global": "of what holds in all projects", "everywhere": "of all projects"}
_NOTED = "with wisen's next cycle, once the log shows that the user typed it. Tell them so."
_STAYS = "Agents still call wisen then; `wisen uninstall AGENT` ends that."


def answer_forgetting(
    asked: ChatRequest, snapshot: Snapshot, table: Snapshot, before: list[str], key: bytes
) -> tuple[str, bool, list[str]]:
    """What to tell the agent, whether it is noted, and the digests of what the user is asked from now on.

    `before` are the digests of what they were asked before, in this session. No text: it is meant for the agent.
    """
    what, scope = asked.subject, asked.scope
    if asked.kind == "confirm":
        return _confirming(asked, table, is_asked=digest(asked.target, key) in before)
    if what == EVERYTHING and not scope:
        ways = [f"`{phrase_request(table, asked.language, 'forget', what=what, scope=each)}`" for each in SCOPES]
        return f"Nothing is forgotten yet. Ask the user what they mean: {' or '.join(ways)}.", False, []
    if what != EVERYTHING and (scope in _HERE or _is_name(what)):
        return _here(asked, snapshot, table, key)
    if what == EVERYTHING:
        goes, lines = (
            f"Everything that wisen keeps {_IN[scope]} would go.",
            _members(snapshot, "rules", "filed", "said"),
        )
        goes += f" {_STAYS}" if scope == "everywhere" else ""
    else:
        goes, lines = f"Whatever wisen keeps {_IN[scope]} that holds “{what}” would go.", _holding(what, snapshot)
        if asked.is_joined and not lines:
            return "", False, []
    told = _list("Of what this session could be told:", lines) or "This session could be told nothing that holds it."
    confirmed = phrase_request(table, asked.language, "confirm", what=what, scope=scope)
    ask = f"Nothing is forgotten yet, and it cannot be taken back. To do it the user types, alone: {confirmed}"
    return f"{goes}\n{told}\n{ask}", False, [digest(asked.target, key)]


def _here(asked: ChatRequest, snapshot: Snapshot, table: Snapshot, key: bytes) -> tuple[str, bool, list[str]]:
    """What is forgotten where it was typed, and how to have it forgotten elsewhere."""
    what = asked.subject
    if _is_name(what):
        lines = _list("What sessions are told of it:", _named(what, snapshot))
        noted = f"Noted: {what.upper()} is forgotten for good, with what it was learnt from, {_NOTED}"
        return "\n".join(filter(None, (noted, lines))), True, []
    wider = [digest(f"{what} {each}", key) for each in _WIDER]
    holding = _holding(what, snapshot)
    if not holding and asked.is_joined:  # "forget the cache key and use the id instead"
        return "", False, []
    if not holding:  # it may be meant for the agent: "forget the tests"
        says = f"Nothing is forgotten: nothing that this session could be told holds “{what}”."
        confirmed = phrase_request(table, asked.language, "confirm", what=what, scope=asked.scope)
        ask = f"If what else holds it of this project shall go for good, the user types, alone: {confirmed}"
        return f"{says} {ask}", False, [digest(asked.target, key), *wider]
    noted = f"Noted: whatever wisen keeps of this project that holds “{what}” is forgotten for good, {_NOTED}"
    lines = _list("Of what this session could be told, this holds it:", holding)
    one, other = (phrase_request(table, asked.language, "confirm", what=what, scope=each) for each in _WIDER)
    ask = (
        "What holds in all projects, and other projects, keep it. Ask the user whether it goes there too: then they "
        f"type, alone: `{one}` for what holds in all projects, or `{other}`."
    )
    return "\n".join(filter(None, (noted, lines, ask))), True, wider


def _confirming(asked: ChatRequest, table: Snapshot, *, is_asked: bool) -> tuple[str, bool, list[str]]:
    if not is_asked:
        said, first = (
            phrase_request(table, asked.language, name, what=asked.subject, scope=asked.scope)
            for name in ("confirm", "forget")
        )
        next_step = f"To forget it the user types first, alone: {first}"
        return f"Nothing is forgotten: no question waits that “{said}” answers. {next_step}", False, []
    stays = f" {_STAYS}" if (asked.subject, asked.scope) == (EVERYTHING, "everywhere") else ""
    return f"Noted: it is forgotten for good, {_NOTED}{stays}", True, []


def digest(words: str, key: bytes) -> str:
    """Words that are to be forgotten, so that nobody can read them; `delivery/spool.py` makes the same."""
    try:
        from _blake2 import blake2b  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        from hashlib import blake2b
    told = words.encode("utf-8", "surrogatepass")
    return str(blake2b(told, digest_size=8, key=key[:64], person=b"wisen forget").hexdigest())


def _is_name(what: str) -> bool:
    return " " not in what and what.startswith(_NAMES) and any(each.isdigit() for each in what)


def _named(name: str, snapshot: Snapshot) -> list[Snapshot]:
    """The lines that name an id as their own or as their source."""
    lines = _members(snapshot, "rules", "filed", "said")
    return [each for each in lines if name in _words(str(each.get("text")).rpartition("(")[2])]


def _holding(what: str, snapshot: Snapshot) -> list[Snapshot]:
    """The lines that hold words, one behind the other."""
    wanted = f" {' '.join(_words(what))} "
    lines = _members(snapshot, "rules", "filed", "said")
    return [each for each in lines if wanted in f" {' '.join(_words(str(each.get('text'))))} "]


def _words(text: str) -> list[str]:
    return [word for each in text.casefold().split() if (word := each.strip(_MARKS))]
