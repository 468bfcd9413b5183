"""Parses shell command lines into parts, programs and words, as far as wisen needs them. It executes nothing.

It follows the shell where that matters (quotes, chains, pipes, here-documents) and never fails: what it cannot parse
stays as words.
"""

from __future__ import annotations

import itertools
import re
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Sequence

_HEREDOC = lazy_regex(r"<<-?\s*(['\"]?)(\w+)\1.*?(?:^\s*\2$|\Z)", re.DOTALL | re.MULTILINE)
_TOKEN = lazy_regex(
    r'(?:"(?:\\.|[^"\\])*"|\'[^\']*\'|\$\([^()]*\)|\\.|\d?>&\d?|[^\s"\'\\;|&])+|&&|\|\||[;|&\n]|["\'\\]', re.DOTALL
)
_BREAKS = frozenset(["&&", "||", ";", "\n", "&"])
_QUOTED = lazy_regex(r'"((?:\\.|[^"\\])*)"|\'([^\']*)\'', re.DOTALL)
_ASSIGNMENT = lazy_regex(r"\w+=")
_PREPARATIONS = frozenset("cd export source . set unset pushd popd mkdir sleep echo printf true :".split())
"""Programs that only prepare or print something; a command is not about them."""
_WRAPPERS = frozenset(
    "sudo doas time nice nohup command exec env xargs stdbuf if then else elif while until do !".split()
)
_BLOCK_WORDS = frozenset("for select case done fi esac function { }".split())
_REDIRECTS = (">", ">>", "2>", "1>", "&>", "2>>", "<")
_TIMEOUTS = frozenset("timeout gtimeout".split())
_OUTPUT_FILTERS = frozenset("head tail grep egrep rg wc sort uniq cat less sed awk cut tee column".split())
_PRIVILEGED = frozenset("sudo doas".split())
_RUNNERS = frozenset("run exec x dlx -m".split())
_WORD = lazy_regex(r"[A-Za-z][\w:.@-]*\Z")
_SHELLS = frozenset("bash sh zsh dash fish".split())
_MAX_WORDS = 120
"""Maximum number of words read of a command; the rest is data."""
READERS = frozenset(
    "ls cat head tail grep rg egrep find pwd echo which wc sed awk tree stat file type diff jq less du df ps env date"
    " test sort uniq cut".split()
)
_GIT_READERS = frozenset("status log diff show branch rev-parse ls-files remote blame describe reflog".split())
"""Git subcommands that change nothing."""


class Part(Struct, frozen=True):
    """One simple command: the text between two of `&&`, `;` and `|`."""

    words: tuple[str, ...]
    """Without assignments, wrappers like `sudo` and redirections."""
    program: str = ""
    """The program's name, without its folder."""
    piped: bool = False
    """Whether it reads the output of the previous part."""
    root: bool = False
    """Whether it runs with elevated privileges."""

    @property
    def tokens(self) -> tuple[str, ...]:
        """Its words, preceded by a pipe or `sudo` that changes their meaning."""
        return (*(("|",) if self.piped else ()), *(("sudo",) if self.root else ()), *self.words)

    @property
    def head(self) -> str:
        """The program and its subcommand, in at most three words: `bun run test`."""
        head_words = [self.program]
        words = self.words[3:] if self.words[1:2] == ("-C",) else self.words[1:]
        for word in words:
            if len(head_words) == 3 or not (_WORD.match(word) or word in _RUNNERS):
                break
            head_words.append(word)
            if len(head_words) == 2 and word not in _RUNNERS:
                break
        return " ".join(head_words)

    @property
    def only_reads(self) -> bool:
        """Whether it changes nothing."""
        if self.program == "git":
            return self.head.partition(" ")[2] in _GIT_READERS
        return self.program in READERS


class Command(Struct, frozen=True):
    """A whole command line."""

    parts: tuple[Part, ...]
    working: tuple[Part, ...]
    """The parts that do something: no directory changes, echoes or output filters."""
    tokens: tuple[str, ...]
    """The tokens of the working parts."""
    moves: tuple[str, ...] = ()
    """The words of its directory changes."""

    @property
    def main_part(self) -> Part:
        """The part that the command is about: the last working one."""
        return self.working[-1] if self.working else Part(())


@lru_cache(maxsize=2048)
def parse_command(command: str) -> Command:
    """Parse a command line into its parts."""
    text = _HEREDOC.sub("<<", command.replace("\\\n", " "))
    parts: list[Part] = []
    words: list[str] = []
    piped = False
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token in _BREAKS or token == "|":  # noqa: S105 - a pipe, not a password
            _add_part(parts, words, piped=piped)
            words, piped = [], token == "|"  # noqa: S105 - as above
        elif len(words) < _MAX_WORDS:
            words.append(token)
    _add_part(parts, words, piped=piped)
    working = tuple(filter(_is_working, parts)) or tuple(parts)
    tokens = tuple(word for part in working for word in part.tokens)
    moves = tuple(word for part in parts if part.program == "cd" for word in part.words)
    return Command(tuple(parts), working, tokens, moves)


def _is_working(part: Part) -> bool:
    return part.program not in _PREPARATIONS and not (part.piped and part.program in _OUTPUT_FILTERS)


def _add_part(parts: list[Part], words: list[str], *, piped: bool) -> None:
    root = bool(_PRIVILEGED.intersection(words[:3]))
    words = _strip_wrappers(words)
    if len(words) > 2 and words[0].rsplit("/", 1)[-1] in _SHELLS and words[1] in ("-c", "-lc"):
        nested = parse_command(_unquote(words[2])).parts
        parts.extend(
            Part(part.words, part.program, part.piped or (piped and part is nested[0]), part.root or root)
            for part in nested
        )
    elif words:
        words = [_unquote(word) for word in words]
        parts.append(Part(tuple(words), words[0].rsplit("/", 1)[-1], piped, root))


def _strip_wrappers(words: list[str]) -> list[str]:
    remaining = [
        word
        for before, word in itertools.pairwise(["", *words])
        if not word.startswith(_REDIRECTS) and before not in _REDIRECTS
    ]
    if remaining and remaining[0] in _BLOCK_WORDS:
        return []
    while remaining and (_ASSIGNMENT.match(remaining[0]) or remaining[0] in _WRAPPERS or remaining[0] in _TIMEOUTS):
        skipped = 1
        while remaining[skipped : skipped + 1] and remaining[skipped].startswith("-"):
            skipped += 1
        if remaining[0] in _TIMEOUTS:
            skipped += 1
        remaining = remaining[skipped:]
    return remaining


def _unquote(word: str) -> str:
    return (
        _QUOTED.sub(lambda match: match[1] if match[1] is not None else match[2], word)
        if '"' in word or "'" in word
        else word
    )


def command_of(fields: dict[str, object]) -> str | None:
    """Return the command line among the arguments of a call, under the names agents use; None if there is none."""
    for name in ("command", "cmd", "script"):
        value = fields.get(name)
        if isinstance(value, str):
            return value
        if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
            return _join_words(value)
    return None


def _join_words(words: Sequence[str]) -> str:
    if len(words) > 2 and words[0].rsplit("/", 1)[-1] in _SHELLS and words[1] in ("-c", "-lc"):
        return words[2]
    return " ".join(f"'{word}'" if " " in word else word for word in words)


@lru_cache(maxsize=512)
def fields_of(arguments: str | None) -> dict[str, object]:
    """Decode the arguments of a call; empty if they were not kept or are not an object."""
    try:
        decoded = msgspec.json.decode(arguments or "{}")
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return {}
    return decoded if isinstance(decoded, dict) else {}
