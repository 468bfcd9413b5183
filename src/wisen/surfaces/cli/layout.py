"""Fits text and tables to the width of a terminal, without ever cutting a word or a number.

Lines break between words. A word longer than a line gets a line of its own, so that it can be copied whole. A table
first narrows its text columns; if that is not enough, each row becomes several lines. How much of a long text is shown
is decided by `clip_text`, independently of the width.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console, ConsoleOptions
    from rich.text import Text

UNLIMITED = 1_000_000
"""The width of an output that is not a terminal: programs get unwrapped lines."""
NOTHING_SIGN = "·"
"""The content of an empty cell."""
_GAP = 2
_NARROWEST = 16
"""The minimum width of a text column, unless its content is narrower: one word per line is unreadable."""
_MARK = 4
"""The maximum length of a list marker."""
_LONG_WORD = 24
"""From this length on, a word (usually a path) that would be dropped is shown without its middle."""
_SPACELESS = "\u2e80-\u9fff\ua000-\ua4cf\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60\U0001f000-\U0003fffd"
"""Scripts without spaces: a line may break after each character, except before closing punctuation."""
_CLOSING = "、。，．！？：；」』）】》〉”’…％"
_COMMAND = r"(?<=: )wisen [a-z-]+(?: (?!and\b|or\b)\S+){0,7}$"
"""A command at the end of a line: it is never broken, so that it can be copied."""
_PIECE = lazy_regex(rf"{_COMMAND}|\s+|[{_SPACELESS}][{_CLOSING}]*|[^\s{_SPACELESS}]+")
_ITEM = r"\d{1,4}(?:[.)]|(?=\s{2}))|[-*+•–>✓✗]|\(\d+/\d+\)|(?:[A-Z]+-[\w-]+|\d{4}-\d\d-\d\d)(?=\s{2})"
_LEAD = lazy_regex(rf"\s*(?:(?:{_ITEM})\s+)?")
"""The start of a line before its words: spaces, and the marker, name or date of a list item."""


def line_spans(text: str, width: int, hang: int | None = None) -> list[tuple[int, int]]:
    """Return where the lines of a paragraph begin and end; all but the first are indented by `hang` columns."""
    from rich.cells import cell_len

    if len(text) * 2 <= width or cell_len(text) <= width:
        return [(0, len(text.rstrip()) if text.strip() else 0)]
    lead = _LEAD.match(text)
    begin = lead.end() if lead is not None else 0
    hang = hanging_indent(text, width) if hang is None else hang
    spans: list[tuple[int, int]] = []
    mark = text[:begin].rstrip()
    is_empty = len(mark.lstrip()) <= _MARK  # a name or a date may be alone on a line, a list marker may not
    start, end, used, room = 0, begin if is_empty else len(mark), begin if is_empty else len(mark), width
    for piece in _PIECE.finditer(text, begin):
        if piece[0].isspace():
            continue
        gap, wide = piece.start() - end, cell_len(piece[0])
        if not is_empty and used + gap + wide > room:
            spans.append((start, end))
            start, used, gap, room = piece.start(), 0, 0, width - hang
        used, end, is_empty = used + gap + wide, piece.end(), False
    return [*spans, (start, end)]


def hanging_indent(text: str, width: int) -> int:
    """Return the indent of the second line of a paragraph."""
    lead = _LEAD.match(text)
    return min(lead.end() if lead is not None else 0, width // 3)


def wrap_text(text: Text, width: int, hang: int | None = None) -> Iterator[Text]:
    """Yield the lines of a styled text; none is wider than `width`, except for longer words."""
    from rich.text import Text

    for line in text.split("\n", allow_blank=True):
        indent = hanging_indent(line.plain, width) if hang is None else hang
        for number, (start, end) in enumerate(line_spans(line.plain, width, indent)):
            part = line[start:end] if end > start else Text(style=line.style)
            yield Text.assemble(" " * indent, part) if number else part


class Paragraphs:
    """Text that breaks between words."""

    def __init__(self, text: Text, end: str = "\n") -> None:
        self._text, self._end = text, end

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        lines = list(wrap_text(self._text, options.max_width))
        plain = self._text.plain
        # Input after a prompt keeps its distance from it.
        gap = "" if self._end else plain[len(plain.rstrip(" ")) :]
        lines[-1].end = gap + self._end
        yield from lines


class CommandLine:
    """A command on a line of its own that never breaks, so that it can be copied and run."""

    def __init__(self, command: str, indent: int = 0) -> None:
        self._command, self._indent = command, indent

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        from rich.text import Text

        yield Text(" " * self._indent + self._command)


class FittedTable:
    """A table without borders. Number columns are never narrowed; if rows do not fit, each becomes several lines."""

    def __init__(self, columns: Sequence[str], right: Sequence[str] = ()) -> None:
        self._columns = tuple(columns)
        self._is_number = tuple(column in right for column in columns)
        self._rows: list[tuple[Text, ...]] = []

    def add_row(self, *cells: str | Text) -> None:
        """Add a row, with one cell per column."""
        from rich.text import Text

        self._rows.append(tuple(Text(cell) if isinstance(cell, str) else cell for cell in cells))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        widths = self._widths(options.max_width)
        if widths is None:
            yield from self._stacked(options.max_width)
            return
        from rich.text import Text

        yield from self._lines([Text(column, style="dim") for column in self._columns], widths)
        for row in self._rows:
            yield from self._lines(row, widths)

    def _widths(self, room: int) -> list[int] | None:
        """Return the width of each column; None if they do not fit side by side."""
        from rich.cells import cell_len

        texts = [[column, *(row[at].plain for row in self._rows)] for at, column in enumerate(self._columns)]
        whole = [max(max(map(cell_len, each.splitlines()), default=0) for each in column) for column in texts]
        cells = [max((cell_len(text) for text in column[1:]), default=0) for column in texts]
        least = [
            max(longest_word(column[0]), cells[at])
            if self._is_number[at]
            else max(min(whole[at], _NARROWEST), *map(longest_word, column))
            for at, column in enumerate(texts)
        ]
        left = room - _GAP * (len(whole) - 1)
        if sum(least) > left:
            return None
        widths = list(whole)
        while sum(widths) > left:
            widest = max((at for at in range(len(widths)) if widths[at] > least[at]), key=lambda at: widths[at])
            widths[widest] -= 1
        return widths

    def _lines(self, row: Sequence[Text], widths: Sequence[int]) -> Iterator[Text]:
        """Yield the lines of a row: cells wrapped between words, numbers right-aligned."""
        from rich.text import Text

        cells = [list(wrap_text(cell, width, hang=0)) for cell, width in zip(row, widths, strict=True)]
        for number in range(max(map(len, cells), default=0)):
            line = Text()
            for at, (cell, width) in enumerate(zip(cells, widths, strict=True)):
                part = cell[number] if number < len(cell) else Text()
                room = " " * (width - part.cell_len)
                line.append_text(Text.assemble(room, part) if self._is_number[at] else Text.assemble(part, room))
                line.append(" " * _GAP)
            line.rstrip()
            yield line

    def _stacked(self, width: int) -> Iterator[Text]:
        """Yield each row as lines: its title, then its numbers and other cells with their column names."""
        from rich.text import Text

        title = self._is_number.index(False) if False in self._is_number else 0
        yield Text(self._columns[title], style="dim")
        for row in self._rows:
            yield from wrap_text(row[title], width)
            figures, words = Text(), []
            for at, (column, cell) in enumerate(zip(self._columns, row, strict=True)):
                if at == title or cell.plain.strip() in ("", NOTHING_SIGN):
                    continue
                if self._is_number[at]:
                    figures.append(f"{', ' if figures else '  '}{column} ").append_text(cell)
                else:
                    words.append(Text.assemble("  ", f"{column}: " if column else "", cell))
            for each in ([figures] if figures else []) + words:
                yield from wrap_text(each, width, hang=4)


def longest_word(text: str) -> int:
    """Return the width of the widest unbreakable piece of a text."""
    from rich.cells import cell_len

    return max((cell_len(piece) for piece in _PIECE.findall(text) if not piece.isspace()), default=0)


def clip_text(text: str, longest: int) -> str:
    """Shorten a text to one line of whole words with an ellipsis; a single long word loses its middle."""
    one = " ".join(text.split())
    if len(one) <= longest:
        return one
    end = 0
    for piece in _PIECE.finditer(one):
        if piece.end() > longest - 2:
            if not end or (len(piece[0]) > _LONG_WORD and end < longest // 2):
                rest = " …" if piece.end() < len(one) else ""
                return one[: piece.start()] + _without_middle(piece[0], longest - piece.start() - len(rest)) + rest
            break
        end = end if piece[0].isspace() else piece.end()
    return f"{one[:end]} …"


def _without_middle(word: str, longest: int) -> str:
    """Return the two ends of a long word, usually a path."""
    if len(word) <= longest:
        return word
    front = max(longest - 1, 2) // 2
    back = max(longest - 1 - front, 1)
    return f"{word[:front]}…{word[-back:]}"
