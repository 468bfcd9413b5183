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
_IN = {
    "here": "in this project",
    "global": "in the global scope (what applies to all projects)",
    "everywhere": "in all projects and in the global scope",
}
_NOTED = "in wisen's next cycle, once the session log confirms that the user typed this. Tell the user so."
_STAYS = "Agents will still call wisen; `wisen uninstall AGENT` stops that."


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
        return f"Nothing was deleted yet. Ask the user which one they mean: {' or '.join(ways)}.", False, []
    if what != EVERYTHING and (scope in _HERE or _is_name(what)):
        return _answer_here(asked, snapshot, table, key)
    if what == EVERYTHING:
        goes, lines = (
            f"This would delete everything that wisen stores {_IN[scope]}.",
            _members(snapshot, "rules", "filed", "said"),
        )
        goes += f" {_STAYS}" if scope == "everywhere" else ""
    else:
        goes, lines = (
            f"This would delete everything {_IN[scope]} that contains “{what}”.",
            _lines_containing(what, snapshot),
        )
        if asked.is_joined and not lines:
            return "", False, []
    listed = _list("Of the lines for this session:", lines) or "No line for this session contains it."
    confirmed = phrase_request(table, asked.language, "confirm", what=what, scope=scope)
    ask = (
        "Nothing was deleted yet. Deletion cannot be undone. To confirm, the user must type exactly this, alone: "
        f"{confirmed}"
    )
    return f"{goes}\n{listed}\n{ask}", False, [digest(asked.target, key)]


def _answer_here(asked: ChatRequest, snapshot: Snapshot, table: Snapshot, key: bytes) -> tuple[str, bool, list[str]]:
    """Answer what is forgotten where it was typed, and how to have it forgotten elsewhere."""
    what = asked.subject
    if _is_name(what):
        lines = _list("Lines that sessions are given from it:", _lines_named(what, snapshot))
        noted = f"Noted: {what.upper()} and what it was learned from will be deleted for good {_NOTED}"
        return "\n".join(filter(None, (noted, lines))), True, []
    wider = [digest(f"{what} {each}", key) for each in _WIDER]
    holding = _lines_containing(what, snapshot)
    if not holding and asked.is_joined:  # "forget the cache key and use the id instead"
        return "", False, []
    if not holding:  # it may be meant for the agent: "forget the tests"
        says = f"Nothing was deleted: no line for this session contains “{what}”."
        confirmed = phrase_request(table, asked.language, "confirm", what=what, scope=asked.scope)
        ask = f"To delete the rest of this project's data that contains it, the user must type exactly: {confirmed}"
        return f"{says} {ask}", False, [digest(asked.target, key), *wider]
    noted = f"Noted: everything in this project that contains “{what}” will be deleted for good {_NOTED}"
    lines = _list("Lines for this session that contain it:", holding)
    one, other = (phrase_request(table, asked.language, "confirm", what=what, scope=each) for each in _WIDER)
    ask = (
        "It stays in the global scope and in other projects. Ask the user whether to delete it there too. If so, they "
        f"must type exactly this, alone: `{one}` for the global scope, or `{other}`."
    )
    return "\n".join(filter(None, (noted, lines, ask))), True, wider


def _answer_confirmation(asked: ChatRequest, table: Snapshot, *, is_asked: bool) -> tuple[str, bool, list[str]]:
    if not is_asked:
        said, first = (
            phrase_request(table, asked.language, name, what=asked.subject, scope=asked.scope)
            for name in ("confirm", "forget")
        )
        next_step = f"To delete it, the user must first type exactly this, alone: {first}"
        return f"Nothing was deleted: “{said}” answers no pending question. {next_step}", False, []
    stays = f" {_STAYS}" if (asked.subject, asked.scope) == (EVERYTHING, "everywhere") else ""
    return f"Noted: it will be deleted for good {_NOTED}{stays}", True, []


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
