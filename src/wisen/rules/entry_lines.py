"""Splits a file in the learnings format into entries, and each entry into fields and sections."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct, field

from wisen.rules.entry_fields import normalized
from wisen.text.lazy_regex import lazy_regex
from wisen.text.markdown import BLANK, find_fences

if TYPE_CHECKING:
    import re
    from collections.abc import Container, Iterator

NAME = lazy_regex(r"(?ai:(?:LRN|ERR|FEAT)-[0-9]{8}-[0-9A-Z]{1,32})")
"""The name of an entry: it ends in a number, or in letters and digits."""
_TITLE = lazy_regex(rf"\[?({NAME.pattern})(?![0-9A-Za-z-])\]?[ \t]*[-:–—]*[ \t]*(.*)")
_HEADING = lazy_regex(r" {0,3}(#{1,6})(?:[ \t]+|\Z)(.*)")
_RULE = lazy_regex(r" {0,3}-(?:[ \t]*-){2,}[ \t]*")
_FIELD = lazy_regex(
    r"([ \t]*)([-*+][ \t]+)?(\*\*|__|)([A-Za-z][A-Za-z0-9 /_-]{0,39}?)[ \t]*(?:[:：]\3|\3[ \t]*[:：])[ \t]*(.*)"
)


class EntryPart(NamedTuple):
    """A field, or the text between fields."""

    name: str | None
    """None for text that is not a field."""
    text: str
    verbatim: str


class EntrySection(Struct):
    """A part of an entry: the text below its name, a section, or what follows a horizontal rule."""

    title: str | None
    """Empty for the first part; None after a horizontal rule."""
    raw: str
    lines: list[tuple[str, bool]] = field(default_factory=list)
    """Each line, and whether it is inside a code fence."""

    @property
    def text(self) -> str:
        """Its text without the heading."""
        return "\n".join(line for line, _ in self.lines)

    @property
    def verbatim(self) -> str:
        """All of it, with its heading."""
        return f"{self.raw}\n{self.text}".strip("\n")

    def parts(self, known: Container[str]) -> Iterator[EntryPart]:
        """Yield its fields and the text between them, in order.

        A field is marked by a bullet or bold letters, or has a known name. Lines with more indentation continue it.
        """
        at = 0
        while at < len(self.lines):
            found = self._field(at, known)
            end = at + 1
            while end < len(self.lines) and (
                self._continues(found[1], end) if found else self._field(end, known) is None
            ):
                end += 1
            verbatim = "\n".join(line for line, _ in self.lines[at:end])
            if found:
                text = "\n".join([found[5], *(line for line, _ in self.lines[at + 1 : end])])
                yield EntryPart(normalized(found[4]), text, verbatim)
            elif verbatim.strip(BLANK):
                yield EntryPart(None, verbatim, verbatim.strip("\n"))
            at = end

    def _field(self, at: int, known: Container[str]) -> re.Match[str] | None:
        line, fenced = self.lines[at]
        found = None if fenced else _FIELD.fullmatch(line)
        return found if found and (found[2] or found[3] or normalized(found[4]) in known) else None

    def _continues(self, indent: str, at: int) -> bool:
        line, fenced = self.lines[at]
        return bool(line.strip(BLANK)) and not fenced and len(line) - len(line.lstrip(" \t")) > len(indent)


class EntryLines(Struct):
    """The lines of one entry."""

    level: int
    """The level of its heading."""
    name: str
    title: str
    """The text after the name."""
    pieces: list[EntrySection] = field(default_factory=lambda: [EntrySection("", "")])


def split_entries(text: str) -> list[EntryLines]:
    """Return the entries of a file with their lines, in order; code fences are skipped."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    fenced = {number for span in find_fences(lines) for number in span}
    found: list[EntryLines] = []
    now: EntryLines | None = None
    for number, line in enumerate(lines):
        heading = None if number in fenced else _HEADING.fullmatch(line)
        level = len(heading[1]) if heading else 7
        name = _TITLE.fullmatch(heading[2]) if heading and level <= 3 else None
        if name:
            now = EntryLines(level, name[1], name[2])
            found.append(now)
        elif now is None or level <= now.level:
            now = None
        elif heading and level == now.level + 1:
            now.pieces.append(EntrySection(heading[2], line))
        elif number not in fenced and _RULE.fullmatch(line):
            now.pieces.append(EntrySection(None, line))
        else:
            now.pieces[-1].lines.append((line, number in fenced))
    return found
