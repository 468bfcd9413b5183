"""Reads command lines that are plain enough to be judged, and refuses all others.

`scripts.py` reads whatever a shell accepts as well as it can, so that guards miss little. Here it is the other way
round: substitutions, variables, escapes, here-documents, braces, subshells, redirections to files, control characters
and letters outside of ASCII make a line unreadable, and what cannot be read is never called harmless.
"""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

LONGEST = 2_000
"""Characters of a line that is read at all."""
_TOKEN = re.compile(
    r"(?P<blank>(?:[ \t]|\\\n)+)"
    r"|(?P<quiet>(?:2>&1|1?>&2|[12&]?>[ \t]*/dev/null|<[ \t]*/dev/null)(?=[ \t\n;|&]|\Z))"
    r"|(?P<mark>&&|\|\||[;|\n])"
    r"|(?P<word>(?:[A-Za-z0-9_./:@%+=,^~*?\[\]-]|'[\x20-\x26\x28-\x7e]*'|\"[\x20\x23\x25-\x5b\x5d-\x5f\x61-\x7e]*\")+)"
)
_MESSAGE = re.compile(r"\"\$\(cat <<'EOF'\n([^\x00-\x09\x0b-\x1f\x7f]*?)\nEOF\n[ \t]*\)\"")
"""The one form of a here-document that is read: agents write messages of commits so. Nothing in it is run."""
_PIECE = re.compile(r"'([^']*)'|\"([^\"]*)\"|([^'\"]+)")
_SETTING = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")


class PlainCommand(NamedTuple):
    """A simple command of a plain line."""

    mark: str
    """What stands between it and the command before it; empty for the first."""
    settings: tuple[str, ...]
    """The variables that are set for it alone, as `NAME=value`."""
    words: tuple[str, ...]
    """Its words without quotes, the program first."""


@lru_cache(maxsize=512)
def read_plain_line(line: str) -> tuple[PlainCommand, ...] | None:
    """The commands of a line; None for one that is not plain."""
    text = _MESSAGE.sub(_stand_in, line.strip())
    if not text or len(text) > LONGEST:
        return None
    commands: list[PlainCommand] = []
    words: list[str] = []
    mark, position = "", 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            return None
        position = found.end()
        if found["word"] is not None:
            words.append(found["word"])
        elif found["mark"] is not None:
            if not words:
                if found["mark"] == "\n":
                    continue  # an empty line
                return None
            commands.append(_command(mark, words))
            words, mark = [], ";" if found["mark"] == "\n" else found["mark"]
    if words:
        commands.append(_command(mark, words))
    elif mark not in ("", ";"):
        return None  # it goes on where the line ends
    return tuple(commands) if all(each.words for each in commands) else None


def _stand_in(message: re.Match[str]) -> str:
    """A word that stands for a text: the same for the same text, and with a space, as it is no word of a command."""
    return f"'a text {blake2b(message[1].encode('utf-8', 'surrogatepass'), digest_size=8).hexdigest()}'"


def _command(mark: str, words: list[str]) -> PlainCommand:
    settings = 0
    while settings < len(words) and _SETTING.match(words[settings]):
        settings += 1
    plain = [
        _PIECE.sub(lambda piece: next(each for each in piece.groups() if each is not None), each) for each in words
    ]
    return PlainCommand(mark, tuple(plain[:settings]), tuple(plain[settings:]))
