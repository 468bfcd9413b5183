"""Traces each line of an instruction file through its versions: when it was added, reworded, moved or removed.

A line keeps its identity when its text stays the same, when it moves, and when most of its words stay.
"""

from __future__ import annotations

import difflib
from collections import defaultdict
from typing import TYPE_CHECKING

from wisen.blame.line_parsing import forbidden_words, heading_of, is_instruction, named_words, tokens_of
from wisen.model.instruction import InstructionLine

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from wisen.model.instruction import Version

REWORDED_SHARE = 0.6
"""The share of a line's words that must stay for it to be the same line."""


class _TrackedLine:
    """One line while its history is traced."""

    __slots__ = ("born", "gone", "known", "number", "place", "text")

    def __init__(self, text: str, born: datetime, *, known: bool) -> None:
        self.text, self.born, self.known = text, born, known
        self.gone: datetime | None = None
        self.number = 0
        self.place = ""


def trace_lines(versions: Sequence[Version]) -> tuple[InstructionLine, ...]:
    """Return every line that the file ever contained, the current lines first and in order."""
    gone: list[_TrackedLine] = []
    present: list[_TrackedLine] = []
    for index, version in enumerate(versions):
        texts = version.text.splitlines()
        present, removed = _match_lines(present, texts, version.at, first=index == 0)
        for line in removed:
            line.gone = version.at
        gone += removed
    _assign_headings(present)
    return tuple(map(_build_line, [*present, *gone]))


def _match_lines(
    before: list[_TrackedLine], texts: list[str], at: datetime, *, first: bool
) -> tuple[list[_TrackedLine], list[_TrackedLine]]:
    """Match the lines of a version to those of the one before; return them and the lines that were removed."""
    now: list[_TrackedLine | None] = [None] * len(texts)
    unmatched: list[_TrackedLine] = []
    matcher = difflib.SequenceMatcher(a=[life.text for life in before], b=texts, autojunk=False)
    for operation, a, b, c, d in matcher.get_opcodes():
        if operation == "equal":
            now[c:d] = before[a:b]
        else:
            unmatched += before[a:b]
    open_places = [number for number, life in enumerate(now) if life is None]
    _match_moved(now, unmatched, texts, open_places)
    _match_reworded(now, unmatched, texts, [number for number in open_places if now[number] is None])
    lines = [
        life if life is not None else _TrackedLine(text, at, known=first) for life, text in zip(now, texts, strict=True)
    ]
    return lines, unmatched


def _match_moved(
    now: list[_TrackedLine | None], unmatched: list[_TrackedLine], texts: list[str], places: list[int]
) -> None:
    by_text: dict[str, list[_TrackedLine]] = defaultdict(list)
    for line in unmatched:
        if line.text.strip():
            by_text[line.text.strip()].append(line)
    for number in places:
        same = by_text.get(texts[number].strip())
        if same:
            now[number] = line = same.pop(0)
            unmatched.remove(line)
            line.text = texts[number]


def _match_reworded(
    now: list[_TrackedLine | None], unmatched: list[_TrackedLine], texts: list[str], places: list[int]
) -> None:
    for number in places:
        words = texts[number].split()
        closest = max(unmatched, key=lambda life: _similarity(life.text.split(), words), default=None)
        if closest is not None and _similarity(closest.text.split(), words) >= REWORDED_SHARE:
            now[number] = closest
            unmatched.remove(closest)
            closest.text = texts[number]


def _similarity(one: list[str], two: list[str]) -> float:
    if len(one) < 3 or len(two) < 3:
        return 0.0  # too short to be distinguished from similar lines
    common = set(one) & set(two)
    return 2 * len(common) / (len(set(one)) + len(set(two)))


def _assign_headings(present: list[_TrackedLine]) -> None:
    heading, fenced = "", False
    for number, line in enumerate(present, start=1):
        fenced ^= line.text.lstrip().startswith(("```", "~~~"))
        heading = heading if fenced else heading_of(line.text) or heading
        line.number, line.place = number, heading


def _build_line(line: _TrackedLine) -> InstructionLine:
    return InstructionLine(
        number=line.number,
        text=line.text,
        born=line.born,
        since_known=line.known,
        gone=line.gone,
        heading=line.place,
        tokens=tokens_of(line.text),
        rule=is_instruction(line.text),
        words=named_words(line.text),
        against=forbidden_words(line.text),
    )
