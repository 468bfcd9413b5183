"""The life of each line of an instruction file: when it came, how it was reworded or moved, when it went.

A line keeps its identity when its text stays, when it moves, and when most of its words stay.
"""

from __future__ import annotations

import difflib
from collections import defaultdict
from typing import TYPE_CHECKING

from wisen.blame.line_words import asks, forbidden, heading_of, named, tokens_of
from wisen.model.instruction import InstructionLine

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from wisen.model.instruction import Version

REWORDED = 0.6
"""How much of a line's words must stay for it to be the same line."""


class _Life:
    """One line while its history is followed."""

    __slots__ = ("born", "gone", "known", "number", "place", "text")

    def __init__(self, text: str, born: datetime, *, known: bool) -> None:
        self.text, self.born, self.known = text, born, known
        self.gone: datetime | None = None
        self.number = 0
        self.place = ""


def lines_of(versions: Sequence[Version]) -> tuple[InstructionLine, ...]:
    """Every line that the file ever held, those that stand in it now first and in order."""
    lives: list[_Life] = []
    present: list[_Life] = []
    for index, version in enumerate(versions):
        texts = version.text.splitlines()
        present, left = _followed(present, texts, version.at, first=index == 0)
        for life in left:
            life.gone = version.at
        lives += left
    _placed(present)
    return tuple(map(_line, [*present, *lives]))


def _followed(before: list[_Life], texts: list[str], at: datetime, *, first: bool) -> tuple[list[_Life], list[_Life]]:
    """The lines of a version, as far as possible those of the one before; and those that are not there any more."""
    now: list[_Life | None] = [None] * len(texts)
    left: list[_Life] = []
    matcher = difflib.SequenceMatcher(a=[life.text for life in before], b=texts, autojunk=False)
    for operation, a, b, c, d in matcher.get_opcodes():
        if operation == "equal":
            now[c:d] = before[a:b]
        else:
            left += before[a:b]
    open_places = [number for number, life in enumerate(now) if life is None]
    _moved(now, left, texts, open_places)
    _reworded(now, left, texts, [number for number in open_places if now[number] is None])
    made = [life if life is not None else _Life(text, at, known=first) for life, text in zip(now, texts, strict=True)]
    return made, left


def _moved(now: list[_Life | None], left: list[_Life], texts: list[str], places: list[int]) -> None:
    waiting: dict[str, list[_Life]] = defaultdict(list)
    for life in left:
        if life.text.strip():
            waiting[life.text.strip()].append(life)
    for number in places:
        same = waiting.get(texts[number].strip())
        if same:
            now[number] = life = same.pop(0)
            left.remove(life)
            life.text = texts[number]


def _reworded(now: list[_Life | None], left: list[_Life], texts: list[str], places: list[int]) -> None:
    for number in places:
        words = texts[number].split()
        best = max(left, key=lambda life: _likeness(life.text.split(), words), default=None)
        if best is not None and _likeness(best.text.split(), words) >= REWORDED:
            now[number] = best
            left.remove(best)
            best.text = texts[number]


def _likeness(one: list[str], two: list[str]) -> float:
    if len(one) < 3 or len(two) < 3:
        return 0.0  # too short to be told from another one like it
    common = set(one) & set(two)
    return 2 * len(common) / (len(set(one)) + len(set(two)))


def _placed(present: list[_Life]) -> None:
    heading, fenced = "", False
    for number, life in enumerate(present, start=1):
        fenced ^= life.text.lstrip().startswith(("```", "~~~"))
        heading = heading if fenced else heading_of(life.text) or heading
        life.number, life.place = number, heading


def _line(life: _Life) -> InstructionLine:
    return InstructionLine(
        number=life.number,
        text=life.text,
        born=life.born,
        since_known=life.known,
        gone=life.gone,
        heading=life.place,
        tokens=tokens_of(life.text),
        rule=asks(life.text),
        words=named(life.text),
        against=forbidden(life.text),
    )
