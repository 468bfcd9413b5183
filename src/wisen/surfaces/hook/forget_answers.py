"""Answers requests to forget that the user types in the chat: done where it was typed; for more, ask back.

Nothing is forgotten here: the request is recorded, and the next cycle checks in the agent's own log that the user
typed it. The text to forget is never written, only digests keyed with the home's salt.
"""

from __future__ import annotations

from .chat_answers import EVERYTHING, SCOPES, ChatRequest, Snapshot, _list, _members, phrase_request

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
    """Return what to tell the agent, whether it is recorded, and the digests of what the user is asked from now on.

    `before`: the digests of earlier questions in this session. No text: the message is meant for the agent.
    """
    what, scope = asked.subject, asked.scope
    if asked.kind == "confirm":
        return _answer_confirmation(asked, table, is_asked=digest(asked.target, key) in before)
    if what == EVERYTHING and not scope:
        ways = [f"`{phrase_request(table, asked.language, 'forget', what=what, scope=each)}`" for each in SCOPES]
        return f"Nothing is forgotten yet. Ask the user what they mean: {' or '.join(ways)}.", False, []
    if what != EVERYTHING and (scope in _HERE or _is_name(what)):
        return _answer_here(asked, snapshot, table, key)
    if what == EVERYTHING:
        goes, lines = (
            f"Everything that wisen keeps {_IN[scope]} would go.",
            _members(snapshot, "rules", "filed", "said"),
        )
        goes += f" {_STAYS}" if scope == "everywhere" else ""
    else:
        goes, lines = (
            f"Whatever wisen keeps {_IN[scope]} that holds “{what}” would go.",
            _lines_containing(what, snapshot),
        )
        if asked.is_joined and not lines:
            return "", False, []
    listed = _list("Of what this session could be told:", lines) or "This session could be told nothing that holds it."
    confirmed = phrase_request(table, asked.language, "confirm", what=what, scope=scope)
    ask = f"Nothing is forgotten yet, and it cannot be taken back. To do it the user types, alone: {confirmed}"
    return f"{goes}\n{listed}\n{ask}", False, [digest(asked.target, key)]


def _answer_here(asked: ChatRequest, snapshot: Snapshot, table: Snapshot, key: bytes) -> tuple[str, bool, list[str]]:
    """Answer what is forgotten where it was typed, and how to have it forgotten elsewhere."""
    what = asked.subject
    if _is_name(what):
        lines = _list("What sessions are told of it:", _lines_named(what, snapshot))
        noted = f"Noted: {what.upper()} is forgotten for good, with what it was learnt from, {_NOTED}"
        return "\n".join(filter(None, (noted, lines))), True, []
    wider = [digest(f"{what} {each}", key) for each in _WIDER]
    holding = _lines_containing(what, snapshot)
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


def _answer_confirmation(asked: ChatRequest, table: Snapshot, *, is_asked: bool) -> tuple[str, bool, list[str]]:
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
    """Return a digest of a text to forget, so that nobody can read it; `delivery/spool.py` computes the same."""
    try:
        from _blake2 import blake2b  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        from hashlib import blake2b
    encoded = words.encode("utf-8", "surrogatepass")
    return str(blake2b(encoded, digest_size=8, key=key[:64], person=b"wisen forget").hexdigest())


def _is_name(what: str) -> bool:
    return " " not in what and what.startswith(_NAMES) and any(each.isdigit() for each in what)


def _lines_named(name: str, snapshot: Snapshot) -> list[Snapshot]:
    """Return the lines that have an id as their own or as their source."""
    lines = _members(snapshot, "rules", "filed", "said")
    return [each for each in lines if name in _words(str(each.get("text")).rpartition("(")[2])]


def _lines_containing(what: str, snapshot: Snapshot) -> list[Snapshot]:
    """Return the lines that contain a sequence of words."""
    wanted = f" {' '.join(_words(what))} "
    lines = _members(snapshot, "rules", "filed", "said")
    return [each for each in lines if wanted in f" {' '.join(_words(str(each.get('text'))))} "]


def _words(text: str) -> list[str]:
    return [word for each in text.casefold().split() if (word := each.strip(_MARKS))]
