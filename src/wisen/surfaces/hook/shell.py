"""Splits shell commands as far as a signature needs it, with the standard library only.

Agrees with `text/command_lines.py`, which takes too long to load inside a turn; a test checks that both agree.
"""

from __future__ import annotations

from .lean_re import DOTALL, MULTILINE, pattern

_HERE = r"<<-?\s*(['\"]?)(\w+)\1.*?(?:^\s*\2$|\Z)"
_PIECE = r'(?:"(?:\\.|[^"\\])*"|\'[^\']*\'|\$\([^()]*\)|\\.|\d?>&\d?|[^\s"\'\\;|&])+|&&|\|\||[;|&\n]|["\'\\]'
_BREAKS = ("&&", "||", ";", "\n", "&", "|")
_QUOTED = r'"((?:\\.|[^"\\])*)"|\'([^\']*)\''
_ASSIGNS = r"\w+="
_IDLE = frozenset("cd export source . set unset pushd popd mkdir sleep echo printf true :".split())
_WRAPS = frozenset("sudo doas time nice nohup command exec env xargs stdbuf if then else elif while until do !".split())
_FRAMES = frozenset("for select case done fi esac function { }".split())
_REDIRECTS = (">", ">>", "2>", "1>", "&>", "2>>", "<")
_TIMES = ("timeout", "gtimeout")
_TRIMS = frozenset("head tail grep egrep rg wc sort uniq cat less sed awk cut tee column".split())
_SHELLS = frozenset("bash sh zsh dash fish".split())
_MAX_WORDS = 120
PATTERNS = ((_HERE, DOTALL | MULTILINE), (_PIECE, DOTALL), (_QUOTED, DOTALL), (_ASSIGNS, 0))
"""What is precompiled in the bundle."""


class Part:
    """One simple command."""

    __slots__ = ("piped", "program", "words")

    def __init__(self, words: list[str], program: str, *, piped: bool) -> None:
        self.words, self.program, self.piped = words, program, piped


def parts_of(command: str) -> list[Part]:
    """Split a command line into simple commands."""
    parts: list[Part] = []
    words: list[str] = []
    piped = False
    command = command.replace("\\\n", " ")
    if "<<" in command:
        command = pattern(_HERE, DOTALL | MULTILINE).sub("<<", command)
    for found in pattern(_PIECE, DOTALL).finditer(command):
        token = found[0]
        if token in _BREAKS:
            _add(parts, words, piped=piped)
            words, piped = [], token == "|"  # noqa: S105 - a pipe, not a password
        elif len(words) < _MAX_WORDS:
            words.append(token)
    _add(parts, words, piped=piped)
    return parts


def main_program(parts: list[Part]) -> str:
    """Return the program that a command line is about: the last one that does something."""
    working = [each for each in parts if each.program not in _IDLE and not (each.piped and each.program in _TRIMS)]
    return (working or parts or [Part([], "", piped=False)])[-1].program


def command_in(fields: dict[str, object]) -> str | None:
    """Return the command line among the arguments of a call; None if it runs nothing."""
    for name in ("command", "cmd", "script"):
        value = fields.get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, list) and value:
            words = [each for each in value if isinstance(each, str)]
            if len(words) == len(value):
                return _joined(words)
    return None


def _joined(words: list[str]) -> str:
    if _is_shell(words):
        return words[2]
    return " ".join(f"'{word}'" if " " in word else word for word in words)


def _is_shell(words: list[str]) -> bool:
    return len(words) > 2 and words[0].rsplit("/", 1)[-1] in _SHELLS and words[1] in ("-c", "-lc")


def _add(parts: list[Part], words: list[str], *, piped: bool) -> None:
    words = _unwrapped(words)
    if _is_shell(words):
        inner = parts_of(_unquoted(words[2]))
        if inner and piped:
            inner[0].piped = True
        parts.extend(inner)
    elif words:
        words = [_unquoted(word) for word in words]
        parts.append(Part(words, words[0].rsplit("/", 1)[-1], piped=piped))


def _unwrapped(words: list[str]) -> list[str]:
    kept = [
        word
        for before, word in zip(["", *words], words, strict=False)
        if not word.startswith(_REDIRECTS) and before not in _REDIRECTS
    ]
    if kept and kept[0] in _FRAMES:
        return []
    while kept and (("=" in kept[0] and pattern(_ASSIGNS).match(kept[0])) or kept[0] in _WRAPS or kept[0] in _TIMES):
        behind = 1
        while kept[behind : behind + 1] and kept[behind].startswith("-"):
            behind += 1
        kept = kept[behind + (kept[0] in _TIMES) :]
    return kept


def _unquoted(word: str) -> str:
    if '"' not in word and "'" not in word:
        return word
    return pattern(_QUOTED, DOTALL).sub(lambda found: found[1] if found[1] is not None else found[2], word)
