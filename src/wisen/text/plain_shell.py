"""Parses command lines that are simple enough to be classified as harmless, and rejects all others.

`scripts.py` parses whatever a shell accepts as well as it can, so that guards miss little. This module does the
opposite: substitutions, variables, escapes, here-documents, braces, subshells, redirections to files, control
characters and non-ASCII letters make a line unreadable, and what cannot be parsed is never called harmless.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    import re

MAX_LINE_LENGTH = 2_000
"""Maximum number of characters of a line; longer ones are rejected."""
_TOKEN = lazy_regex(
    r"(?P<blank>(?:[ \t]|\\\n)+)"
    r"|(?P<quiet>(?:2>&1|1?>&2|[12&]?>[ \t]*/dev/null|<[ \t]*/dev/null)(?=[ \t\n;|&]|\Z))"
    r"|(?P<mark>&&|\|\||[;|\n])"
    r"|(?P<word>(?:[A-Za-z0-9_./:@%+=,^~*?\[\]-]|'[\x20-\x26\x28-\x7e]*'|\"[\x20\x23\x25-\x5b\x5d-\x5f\x61-\x7e]*\")+)"
)
_COMMIT_MESSAGE = lazy_regex(r"\"\$\(cat <<'EOF'\n([^\x00-\x09\x0b-\x1f\x7f]*?)\nEOF\n[ \t]*\)\"")
"""The only accepted form of here-document: agents write commit messages this way. Nothing in it is executed."""
_PIECE = lazy_regex(r"'([^']*)'|\"([^\"]*)\"|([^'\"]+)")
_ASSIGNMENT = lazy_regex(r"[A-Za-z_][A-Za-z0-9_]*=")


class PlainCommand(NamedTuple):
    """A simple command of a plain line."""

    mark: str
    """The operator before it; empty for the first command."""
    settings: tuple[str, ...]
    """The variables set only for this command, as `NAME=value`."""
    words: tuple[str, ...]
    """Its words without quotes, the program first."""


@lru_cache(maxsize=512)
def read_plain_line(line: str) -> tuple[PlainCommand, ...] | None:
    """Parse the commands of a line; None if it is not plain."""
    text = _COMMIT_MESSAGE.sub(_placeholder, line.strip())
    if not text or len(text) > MAX_LINE_LENGTH:
        return None
    commands: list[PlainCommand] = []
    words: list[str] = []
    mark, position = "", 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None:
            return None
        position = token.end()
        if token["word"] is not None:
            words.append(token["word"])
        elif token["mark"] is not None:
            if not words:
                if token["mark"] == "\n":
                    continue  # an empty line
                return None
            commands.append(_parse_words(mark, words))
            words, mark = [], ";" if token["mark"] == "\n" else token["mark"]
    if words:
        commands.append(_parse_words(mark, words))
    elif mark not in ("", ";"):
        return None  # the line ends with an operator
    return tuple(commands) if all(each.words for each in commands) else None


def _placeholder(message: re.Match[str]) -> str:
    """Return a placeholder word for a text, equal for equal texts; its space keeps it distinct from command words."""
    return f"'a text {blake2b(message[1].encode('utf-8', 'surrogatepass'), digest_size=8).hexdigest()}'"


def _parse_words(mark: str, words: list[str]) -> PlainCommand:
    settings = 0
    while settings < len(words) and _ASSIGNMENT.match(words[settings]):
        settings += 1
    plain = [
        _PIECE.sub(lambda piece: next(each for each in piece.groups() if each is not None), each) for each in words
    ]
    return PlainCommand(mark, tuple(plain[:settings]), tuple(plain[settings:]))
