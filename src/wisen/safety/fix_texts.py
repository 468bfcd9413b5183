"""Describes fixes and commands for agents so that nothing in the text can speak in somebody else's name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.failure import CallChange
from wisen.model.fix import Danger
from wisen.safety.dangers import judge_line
from wisen.safety.harmless import is_known_setting
from wisen.text.lazy_regex import lazy_regex
from wisen.text.plain_shell import read_plain_line
from wisen.text.shell_settings import without_value

if TYPE_CHECKING:
    from wisen.model.fix import Fix

_MAX_WORD_LENGTH = 60
_SPACE = lazy_regex(r"\s")
_PROGRAM = lazy_regex(r"[A-Za-z][A-Za-z0-9._+-]{0,23}")
_OWN_WORDING = lazy_regex(
    r"\w{1,24} the same file\Z|\w{1,24}: (?:only the white space|(?:fewer|more) lines|other words)\Z|replace_all=\w+\Z"
)
"""What an agent's own editing tool is asked to do differently: it names nothing new."""


def is_own_wording(word: str) -> bool:
    """Whether a word of a change is our own description of an agent's tool."""
    return _OWN_WORDING.search(word) is not None


def describe_fix(fix: Fix) -> str:
    """Describe a fix in a line for an agent; one that is not known to be harmless is named, but not shown."""
    if fix.danger is not Danger.NONE:
        waits = f"waits for the user's yes ({fix.danger.value}, `wisen explain {fix.id}`)"
        return f"{fix.signature.safe_description}; what helped {waits}"
    return f"{fix.signature.safe_description}; what helped: {quote_change(fix.change)}"


def quote_step(line: str) -> str:
    """Quote a command of a workflow; only its program if it is not known to be harmless."""
    if judge_line(line) is Danger.NONE:
        return quote_line(line) or "…"
    program = _PROGRAM.match(line.strip())
    return f"{program[0]} …" if program else "…"


def quote_change(change: CallChange) -> str:
    """Describe a change in a few words, without any text that could speak to an agent."""
    if is_reordered(change):
        return "the same words in another order"
    removed, added = (tuple(map(_quote_word, some)) for some in (change.removed, change.added))
    return CallChange(tool=change.tool, removed=removed, added=added, first=change.first[:1]).description


def _quote_word(word: str) -> str:
    """Quote a word of a call; longer texts are left out. Changes of an agent's own tool are in our own words."""
    if is_own_wording(word):
        return word
    plain = word.isascii() and word.isprintable() and not _SPACE.search(word)
    return word if plain and len(word) <= _MAX_WORD_LENGTH else "…"


def is_reordered(change: CallChange) -> bool:
    """Whether the same words came in another order."""
    one, two = (sorted(" ".join(some).split()) for some in (change.removed, change.added))
    return bool(one) and one == two and not change.first


def quote_line(line: str) -> str | None:
    """Quote a command line with the texts in it left out; None if it cannot be parsed."""
    commands = read_plain_line(line)
    if commands is None:
        return None
    shown = []
    for each in commands:
        words = [
            word if word and not _SPACE.search(word) and len(word) <= _MAX_WORD_LENGTH else "…" for word in each.words
        ]
        if words[0] == "export":
            words = [*map(without_value, words)]
        settings = (one if is_known_setting(one) else without_value(one) for one in each.settings)
        shown.append(" ".join((*((each.mark,) if each.mark else ()), *settings, *words)))
    return " ".join(shown)
