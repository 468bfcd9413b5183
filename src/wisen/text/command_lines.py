"""Shell commands as far as the loop must understand them: their parts, programs and words. It runs nothing.

It reads as a shell would where that matters (quotes, chains, pipes, here-documents) and never fails: what it cannot
understand it leaves as words.
"""

from __future__ import annotations

import itertools
import re
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Sequence

_HERE = re.compile(r"<<-?\s*(['\"]?)(\w+)\1.*?(?:^\s*\2$|\Z)", re.DOTALL | re.MULTILINE)
_TOKEN = re.compile(
    r'(?:"(?:\\.|[^"\\])*"|\'[^\']*\'|\$\([^()]*\)|\\.|\d?>&\d?|[^\s"\'\\;|&])+|&&|\|\||[;|&\n]|["\'\\]', re.DOTALL
)
_BREAKS = frozenset(["&&", "||", ";", "\n", "&"])
_QUOTED = re.compile(r'"((?:\\.|[^"\\])*)"|\'([^\']*)\'', re.DOTALL)
_ASSIGNS = re.compile(r"\w+=")
_IDLE = frozenset("cd export source . set unset pushd popd mkdir sleep echo printf true :".split())
"""They prepare or say something; a command is not about them."""
_WRAPS = frozenset("sudo doas time nice nohup command exec env xargs stdbuf if then else elif while until do !".split())
_FRAMES = frozenset("for select case done fi esac function { }".split())
_REDIRECTS = (">", ">>", "2>", "1>", "&>", "2>>", "<")
_TIMES = frozenset("timeout gtimeout".split())
_TRIMS = frozenset("head tail grep egrep rg wc sort uniq cat less sed awk cut tee column".split())
_ROOT = frozenset("sudo doas".split())
_RUNNERS = frozenset("run exec x dlx -m".split())
_WORD = re.compile(r"[A-Za-z][\w:.@-]*\Z")
_SHELLS = frozenset("bash sh zsh dash fish".split())
_MOST = 120
"""Words of a command that are looked at; what comes behind is data."""
READERS = frozenset(
    "ls cat head tail grep rg egrep find pwd echo which wc sed awk tree stat file type diff jq less du df ps env date"
    " test sort uniq cut".split()
)
_GIT_READERS = frozenset("status log diff show branch rev-parse ls-files remote blame describe reflog".split())
"""What they do leaves everything as it is."""


class Part(Struct, frozen=True):
    """One simple command: what stands between two of `&&`, `;` and `|`."""

    words: tuple[str, ...]
    """Without assignments, wrappers like `sudo` and redirections."""
    program: str = ""
    """The program's name, without its folder."""
    piped: bool = False
    """Whether it reads what the one before it printed."""
    root: bool = False
    """Whether it asks for more rights."""

    @property
    def tokens(self) -> tuple[str, ...]:
        """Its words, and what changes their meaning."""
        return (*(("|",) if self.piped else ()), *(("sudo",) if self.root else ()), *self.words)

    @property
    def head(self) -> str:
        """The program and what it was told to do, in at most three words: `bun run test`."""
        chosen = [self.program]
        words = self.words[3:] if self.words[1:2] == ("-C",) else self.words[1:]
        for word in words:
            if len(chosen) == 3 or not (_WORD.match(word) or word in _RUNNERS):
                break
            chosen.append(word)
            if len(chosen) == 2 and word not in _RUNNERS:
                break
        return " ".join(chosen)

    @property
    def only_reads(self) -> bool:
        """Whether it leaves everything as it is."""
        if self.program == "git":
            return self.head.partition(" ")[2] in _GIT_READERS
        return self.program in READERS


class Command(Struct, frozen=True):
    """A whole command line."""

    parts: tuple[Part, ...]
    working: tuple[Part, ...]
    """The parts that do something: not changes of directory, not echoes, not what only trims output."""
    tokens: tuple[str, ...]
    """What it does, as words: those of the working parts."""
    moves: tuple[str, ...] = ()
    """Where it goes first: the words of its changes of directory."""

    @property
    def main_part(self) -> Part:
        """The part that the command is about: the last that does something."""
        return self.working[-1] if self.working else Part(())


@lru_cache(maxsize=2048)
def parse_command(command: str) -> Command:
    """The parts of a command line."""
    text = _HERE.sub("<<", command.replace("\\\n", " "))
    parts: list[Part] = []
    words: list[str] = []
    piped = False
    for found in _TOKEN.finditer(text):
        token = found[0]
        if token in _BREAKS or token == "|":  # noqa: S105 - a pipe, not a password
            _add(parts, words, piped=piped)
            words, piped = [], token == "|"  # noqa: S105 - as above
        elif len(words) < _MOST:
            words.append(token)
    _add(parts, words, piped=piped)
    working = tuple(filter(_does_something, parts)) or tuple(parts)
    tokens = tuple(word for part in working for word in part.tokens)
    moves = tuple(word for part in parts if part.program == "cd" for word in part.words)
    return Command(tuple(parts), working, tokens, moves)


def _does_something(part: Part) -> bool:
    return part.program not in _IDLE and not (part.piped and part.program in _TRIMS)


def _add(parts: list[Part], words: list[str], *, piped: bool) -> None:
    root = bool(_ROOT.intersection(words[:3]))
    words = _unwrapped(words)
    if len(words) > 2 and words[0].rsplit("/", 1)[-1] in _SHELLS and words[1] in ("-c", "-lc"):
        inner = parse_command(_unquoted(words[2])).parts
        parts.extend(
            Part(part.words, part.program, part.piped or (piped and part is inner[0]), part.root or root)
            for part in inner
        )
    elif words:
        words = [_unquoted(word) for word in words]
        parts.append(Part(tuple(words), words[0].rsplit("/", 1)[-1], piped, root))


def _unwrapped(words: list[str]) -> list[str]:
    kept = [
        word
        for before, word in itertools.pairwise(["", *words])
        if not word.startswith(_REDIRECTS) and before not in _REDIRECTS
    ]
    if kept and kept[0] in _FRAMES:
        return []
    while kept and (_ASSIGNS.match(kept[0]) or kept[0] in _WRAPS or kept[0] in _TIMES):
        behind = 1
        while kept[behind : behind + 1] and kept[behind].startswith("-"):
            behind += 1
        if kept[0] in _TIMES:
            behind += 1
        kept = kept[behind:]
    return kept


def _unquoted(word: str) -> str:
    return (
        _QUOTED.sub(lambda found: found[1] if found[1] is not None else found[2], word)
        if '"' in word or "'" in word
        else word
    )


def command_of(fields: dict[str, object]) -> str | None:
    """The command line among the arguments of a call, under the names that agents use; None when it runs nothing."""
    for name in ("command", "cmd", "script"):
        value = fields.get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
            return _joined(value)
    return None


def _joined(words: Sequence[str]) -> str:
    if len(words) > 2 and words[0].rsplit("/", 1)[-1] in _SHELLS and words[1] in ("-c", "-lc"):
        return words[2]
    return " ".join(f"'{word}'" if " " in word else word for word in words)


@lru_cache(maxsize=512)
def fields_of(arguments: str | None) -> dict[str, object]:
    """The arguments of a call by name; none where they were not kept or are no object."""
    try:
        decoded = msgspec.json.decode(arguments or "{}")
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return {}
    return decoded if isinstance(decoded, dict) else {}
