"""Groups what was corrected or asked for in much the same words, so that what comes up again can be told.

Two lessons are of one theme when most of what the shorter one says stands in the other too, rare words counting more,
and neither forbids what the other asks for.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from wisen.model.signal import SignalKind, Theme
from wisen.text.order_reading import read_order
from wisen.text.stances import stance

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.model.signal import Lesson, Sighting
    from wisen.text.stances import Stance

_WITHIN, _ALIKE = 0.6, 0.34
"""How much of the shorter lesson, and of both together, must be shared."""
_SENTENCE = 3
_COMMON = 60
"""A word leads to the newest so many of the lessons it stands in."""


class _Group:
    """Lessons of one theme, each near another of them."""

    def __init__(self) -> None:
        self.sightings: list[Sighting] = []
        self.wanted: set[str] = set()
        self.unwanted: set[str] = set()

    def takes(self, words: Stance) -> bool:
        """Whether nothing that it asks for is forbidden here, and the other way round."""
        return not (words.wanted & self.unwanted or words.unwanted & self.wanted)


def themes(sightings: Iterable[Sighting]) -> tuple[Theme, ...]:
    """The themes of corrections and preferences, those of most sessions first, then the newest."""
    taught = [(each, stance(_lesson(each).text)) for each in sorted(_taught(sightings), key=lambda each: each.said.at)]
    seen = Counter(word for _, words in taught for word in words.wanted | words.unwanted)
    worth = {word: math.log((len(taught) + 1) / many) for word, many in seen.items()}
    groups: list[_Group] = []
    members: list[tuple[Stance, _Group]] = []
    by_word: dict[str, list[int]] = defaultdict(list)
    for sighting, words in taught:
        group = _nearest(words, members, by_word, worth)
        if group is None:
            group = _Group()
            groups.append(group)
        group.sightings.append(sighting)
        group.wanted |= words.wanted
        group.unwanted |= words.unwanted
        for word in words.wanted | words.unwanted:
            by_word[word].append(len(members))
        members.append((words, group))
    made = [_theme(group) for group in groups]
    return tuple(sorted(made, key=lambda each: (-each.sessions, -each.sightings[0].said.at.timestamp(), each.lesson)))


def _taught(sightings: Iterable[Sighting]) -> list[Sighting]:
    """One sighting for each message that teaches: a preference before a correction."""
    of: dict[tuple[int, str], Sighting] = {}
    for each in sightings:
        signal = each.said.signal
        if signal.lesson is None:
            continue
        key = each.session, each.said.message
        if key not in of or signal.kind is SignalKind.PREFERENCE:
            of[key] = each
    return list(of.values())


def _lesson(sighting: Sighting) -> Lesson:
    lesson = sighting.said.signal.lesson
    if lesson is None:
        raise ValueError("a sighting without a lesson has no theme")
    return lesson


def _nearest(
    words: Stance, members: list[tuple[Stance, _Group]], by_word: dict[str, list[int]], worth: dict[str, float]
) -> _Group | None:
    every = words.wanted | words.unwanted
    candidates = {number for word in every for number in by_word[word][-_COMMON:]}
    best, likest = None, 0.0
    for number in sorted(candidates):
        other, group = members[number]
        theirs = other.wanted | other.unwanted
        both, ours, yours = (sum(map(worth.__getitem__, each)) for each in (every & theirs, every, theirs))
        alike = both / (ours + yours - both or 1.0)
        if alike >= _ALIKE and alike > likest and both >= _WITHIN * min(ours, yours) and group.takes(words):
            best, likest = group, alike
    return best


def _unclear(lesson: Lesson) -> tuple[bool, bool, int]:
    """The clearest wording is a sentence, an order without a lead, and short."""
    text = lesson.text
    return len(text.split()) < _SENTENCE, read_order(text).casefold() != text.casefold(), len(text)


def _theme(group: _Group) -> Theme:
    newest_first = tuple(reversed(group.sightings))
    lesson = min(map(_lesson, newest_first), key=_unclear)
    return Theme(
        lesson=lesson.text,
        about=lesson.about,
        forbids=lesson.forbids,
        durable=max(_lesson(each).durable for each in newest_first),
        sightings=newest_first,
        sessions=len({each.session for each in newest_first}),
    )
