"""Quotes foreign text in Markdown so that it stays in its place: in a code span, a code block, a line or a heading.

Commands and requests come from sessions. Whatever they hold, they begin no heading, close no block and leave no
invisible character: a reader and an agent see where they begin and end.
"""

from __future__ import annotations

import re
import unicodedata

from wisen.safety.invisible_characters import remove_invisible
from wisen.text.lazy_regex import lazy_regex

_TICKS = lazy_regex(r"`+")
_SPECIAL = lazy_regex(r"([\\`*_\[\]<>#~|&])")
_LEADING = lazy_regex(r"\A([-+=>:]|\d+[.)])")
_SAFE_BARE = lazy_regex(r"[\w@%+=:,./{}~^*?-]+\Z", re.ASCII)
"""Words that a shell needs no quotes for; with wildcards, which whoever ran them may have meant."""


def visible(text: str) -> str:
    """Return a text on one line, without characters that nobody sees: control, format and unassigned ones."""
    shown = "".join(
        " " if letter.isspace() or unicodedata.category(letter) in ("Zl", "Zp") else letter
        for letter in remove_invisible(text)
        if letter.isspace() or unicodedata.category(letter)[0] != "C"
    )
    return " ".join(shown.split())


def code_span(text: str) -> str:
    """Return a text as a code span that it cannot end."""
    line = visible(text)
    ticks = "`" * (max((len(run) for run in _TICKS.findall(line)), default=0) + 1)
    padding = " " if line.startswith("`") or line.endswith("`") or not line else ""
    return f"{ticks}{padding}{line}{padding}{ticks}"


def code_block(lines: list[str], indent: str = "") -> list[str]:
    """Return lines as a code block that none of them can end."""
    shown = [visible(line) for line in lines]
    ticks = "`" * max(3, *(len(run) + 1 for line in shown for run in _TICKS.findall(line)), 3)
    return [f"{indent}{ticks}sh", *(f"{indent}{line}" for line in shown), f"{indent}{ticks}"]


def plain_text(text: str, most: int) -> str:
    """Return a text for a line of Markdown, in which nothing of it is markup."""
    return _LEADING.sub(r"\\\1", _SPECIAL.sub(r"\\\1", shorten(visible(text), most)))


def shorten(text: str, most: int) -> str:
    """Return the beginning of a text, cut between words where that is possible."""
    if len(text) <= most:
        return text
    cut = text[: most - 2]
    return f"{cut.rpartition(' ')[0] or cut} …"


def shell_word(word: str) -> str:
    """Return a word as a shell takes it, with its parameters left readable."""
    if _SAFE_BARE.match(word):
        return word
    if "'" not in word and "$" not in word and "\\" not in word:
        return f"'{word}'"
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"').replace("`", "\\`") + '"'
