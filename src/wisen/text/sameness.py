"""Tells whether two lessons say the same in other words, or the opposite; and looks that up among many lessons.

Precision comes first: where both say something that the other does not, they are two lessons.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from wisen.text.antonyms import antonyms, chooses
from wisen.text.stances import LessonReading, Stance, read, stance
from wisen.text.terms import LIGHT, decides, parts_of, worth_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Worth = Callable[[str], float]

__all__ = ["Lessons", "Stance", "alike", "opposed", "same", "stance"]

_SAME = 0.72
"""From this likeness on, two lessons are one."""
_BESIDE = 0.3
"""How much of what only one of them refuses counts, where the other refuses nothing: "use X" is "use X, not Y"."""
_SWAPPED = 0.3
"""So much each may say alone; beyond it one thing stands in place of another."""
_APART = 0.5
"""What is left of the likeness of two that are not one for such a reason."""
_TELLS = 0.5
"""So much two lessons must share at least: that both say "run" tells nothing."""
_LONG = 6
"""Of so many letters a word must be for a slip to be told from another word."""
_OPPOSED = 0.75
"""So much of what one refuses the other must ask for, and of what that one asks for this one must speak."""


_NUMBER = re.compile(r"v?\d+(?:\.\d+)*[a-z%]{0,2}")
_NUMBERED = 1.0
"""So much two lessons must share that differ by a number only."""


def opposed(one: Stance, other: Stance, worth: Worth = worth_of) -> bool:
    """Whether one asks for what the other refuses, and both are about the same thing."""
    one, other = _opened(one, other)
    if _refuses(one, other, worth) or _refuses(other, one, worth):
        return True
    return _turned(one, other, worth) or _renumbered(one, other, worth)


def alike(one: str | Stance, other: str | Stance, worth: Worth = worth_of) -> float:
    """How much two lessons say the same, from 0 to 1; 0 where they are opposed."""
    return _likeness(_as_reading(one), _as_reading(other), worth)


def same(one: str | Stance, other: str | Stance, worth: Worth = worth_of) -> bool:
    """Whether two lessons are one."""
    return alike(one, other, worth) >= _SAME


class Lessons:
    """Many lessons, to be asked which of them says the same as a text, or the opposite."""

    def __init__(self) -> None:
        self._by_key: dict[str, str] = {}
        self._by_text: dict[str, str] = {}
        self._taken: list[_Taken] = []
        self._holding: dict[str, set[int]] = {}

    def add(self, id: str, text: str, key: str = "") -> None:
        """Take in a wording of a lesson; one lesson may have several."""
        if key:
            self._by_key.setdefault(key, id)
        self._by_text.setdefault(_plain(text), id)
        taken = _take(id, read(text))
        for part in taken.parts:
            self._holding.setdefault(part, set()).add(len(self._taken))
        self._taken.append(taken)

    def find(self, text: str, key: str = "") -> str | None:
        """The id of the lesson that says the same: by its key, else by its text, else by likeness."""
        found = (self._by_key.get(key) if key else None) or self._by_text.get(_plain(text))
        if found is not None:
            return found
        ours = _take("", read(text))
        best, likest = None, 0.0
        for taken in self._near(ours):
            likeness = _likeness(ours.reading, taken.reading)
            if likeness >= _SAME and likeness > likest:
                best, likest = taken.id, likeness
        return best

    def opposites(self, text: str) -> list[str]:
        """The ids of the lessons that ask for what this one refuses, or refuse what it asks for, oldest first."""
        ours = stance(text)
        numbers = set[int]()
        turned = (turned for _, _, turned in _turns(ours.wanted))
        for side in map(_parts, (*ours, ours.wanted - _numbers(ours.wanted), *turned)):
            numbers |= self._with(side, _OPPOSED * _total(_heavy(side, worth_of), worth_of))
        taken = [self._taken[number] for number in sorted(numbers)]
        return list(dict.fromkeys(each.id for each in taken if opposed(ours, each.reading.stance)))

    def _near(self, ours: _Taken) -> list[_Taken]:
        """Those that share enough to be the same, oldest first."""
        strange = [part for part in ours.parts if part not in self._holding]
        # One word that nobody knows may be a slip for one that they have.
        slip = worth_of(strange[0]) if len(strange) == 1 and len(strange[0]) >= _LONG - 1 else 0.0
        near = []
        for number in self._with(ours.parts, _SAME * ours.weight - slip):
            taken = self._taken[number]
            shared = slip + sum(map(worth_of, ours.parts & taken.parts))
            if shared >= _SAME * (ours.weight + taken.weight - shared):
                near.append(number)
        return [self._taken[number] for number in sorted(near)]

    def _with(self, parts: frozenset[str], least: float) -> set[int]:
        """Those that may hold so much of the parts: they hold one of the rarest, or two of some more."""
        known = sorted((part for part in parts if part in self._holding), key=lambda part: len(self._holding[part]))
        left = _total(known, worth_of)
        heaviest = max(map(worth_of, known), default=0.0)
        once, twice = set[int](), set[int]()
        holding_one: set[int] | None = None
        for part in known:
            if left + heaviest < least:
                return twice
            if left < least and holding_one is None:
                holding_one = set(once)
            here = self._holding[part]
            twice |= once & here
            once |= here
            left -= worth_of(part)
        if heaviest < least:
            return twice
        return once if holding_one is None else holding_one


class _Taken(NamedTuple):
    """A lesson that was taken in."""

    id: str
    reading: LessonReading
    parts: frozenset[str]
    weight: float
    """What it weighs at least when it is compared."""


def _take(id: str, reading: LessonReading) -> _Taken:
    wanted, unwanted = map(_parts, reading.stance)
    weight = _total(wanted, worth_of) + (_BESIDE if wanted else 1.0) * _total(unwanted - wanted, worth_of)
    return _Taken(id, reading, wanted | unwanted, weight)


def _as_reading(lesson: str | Stance) -> LessonReading:
    return read(lesson) if isinstance(lesson, str) else LessonReading(lesson, ())


def _likeness(ours: LessonReading, theirs: LessonReading, worth: Worth = worth_of) -> float:
    one, other = _opened(ours.stance, theirs.stance)
    other = _corrected(other, one)
    if opposed(one, other, worth):
        return 0.0
    both, left, right = _shares(one, other, worth)
    if not both:
        return 0.0
    apart = both < _TELLS or min(left, right) > _SWAPPED or _differ(one, other)
    return both / (both + left + right) * (_APART if apart or _exchanged(ours.order, theirs.order) else 1.0)


def _shares(one: Stance, other: Stance, worth: Worth) -> tuple[float, float, float]:
    """What stands in both on the same side, and what in each alone."""
    (wanted, unwanted), (want, refuse) = one, other
    both = _total(wanted & want, worth) + _total(unwanted & refuse, worth)
    left, right = _total(wanted - want, worth), _total(want - wanted, worth)
    refused, refused_there = _total(unwanted - refuse, worth), _total(refuse - unwanted, worth)
    if wanted & want and not (unwanted and refuse):
        refused, refused_there = _BESIDE * refused, _BESIDE * refused_there
    return both, left + refused, right + refused_there


def _differ(one: Stance, other: Stance) -> bool:
    """Whether a number, a flag or a condition stands in one only."""
    refused = one.unwanted ^ other.unwanted if one.unwanted and other.unwanted else frozenset[str]()
    return any(map(decides, refused | (one.wanted ^ other.wanted)))


def _exchanged(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two things have changed places and all else stands as it was: "import X from Y" is not its reverse."""
    if len(one) != len(other) or len(one) <= 2:
        return False
    moved = [pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]]
    if len(moved) != 2 or moved[0] != moved[1][::-1]:
        return False
    if moved[0][1] in antonyms(moved[0][0]):
        return True
    return not any(decides(term) or worth_of(term) < 1 for term in moved[0])


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .!,;:")


def _parts(terms: Iterable[str]) -> frozenset[str]:
    return frozenset(part for term in terms for part in parts_of(term))


def _total(terms: Iterable[str], worth: Worth) -> float:
    return sum(map(worth, terms))


def _refuses(one: Stance, other: Stance, worth: Worth) -> bool:
    """Whether one refuses what the other asks for, and not only a word of it."""
    both = one.unwanted & other.wanted
    if not both or any(map(decides, other.wanted - one.unwanted - one.wanted)):
        return False
    refused, asked = one.unwanted, other.wanted
    if _heavy(both, worth) == _heavy(refused, worth) and not _other_verbs(refused, asked, worth):
        # "Never add X" refuses X, whatever is done with it: "X is fine" asks for it.
        refused, asked = _heavy(refused, worth) | both, _heavy(asked, worth) | both
    crossed = _total(both, worth)
    if crossed < _OPPOSED * _total(refused, worth):
        return False
    return crossed + _total(one.wanted & other.wanted, worth) >= _OPPOSED * _total(asked, worth)


def _heavy(terms: frozenset[str], worth: Worth) -> frozenset[str]:
    """What terms are about: without verbs of many uses and trifles, where anything else is left."""
    return frozenset(term for term in terms if worth(term) > LIGHT) or terms


def _other_verbs(one: frozenset[str], other: frozenset[str], worth: Worth) -> bool:
    """Whether both say what is to be done with a thing, and not the same: to run tests is not to add some."""
    ours, theirs = one - _heavy(one, worth), other - _heavy(other, worth)
    return bool(ours) and bool(theirs) and not ours & theirs


def _renumbered(one: Stance, other: Stance, worth: Worth) -> bool:
    """Whether all is the same but for one number: "lines of 100 characters" and "lines of 120 characters"."""
    ours, theirs = one.wanted - other.wanted, other.wanted - one.wanted
    if one.unwanted != other.unwanted or len(ours) != 1 or len(theirs) != 1:
        return False
    return _numbers(ours | theirs) == ours | theirs and _total(one.wanted & other.wanted, worth) >= _NUMBERED


def _numbers(terms: frozenset[str]) -> frozenset[str]:
    return frozenset(term for term in terms if _NUMBER.fullmatch(term))


def _turned(one: Stance, other: Stance, worth: Worth) -> bool:
    """Whether a word of one stands in the other as its antonym, and both ask it for the same: "include", "exclude"."""
    differ = one.unwanted ^ other.unwanted
    for word, antonym, turned in _turns(one.wanted):
        if differ and not (chooses(word) and differ.issubset((word, *antonyms(word)))):
            continue
        if antonym not in other.wanted or word in other.wanted or antonym in one.wanted:
            continue
        alone = {antonym} in (turned, other.wanted)
        if any(map(decides, turned ^ other.wanted)) or (alone and not chooses(word)):
            continue
        shared = _total(turned & other.wanted, worth)
        if shared >= _OPPOSED * max(_total(turned, worth), _total(other.wanted, worth)):
            return True
    return False


def _turns(wanted: frozenset[str]) -> list[tuple[str, str, frozenset[str]]]:
    """Each word that has an antonym, with it, and what is asked for with it in the place of the word."""
    return [(word, other, wanted - {word} | {other}) for word in sorted(wanted) for other in antonyms(word)]


def _opened(one: Stance, other: Stance) -> tuple[Stance, Stance]:
    """Both, but a command that the other has in plain words is taken as words too."""
    ours, theirs = one.wanted | one.unwanted, other.wanted | other.unwanted
    return _plainly(one, ours, theirs), _plainly(other, theirs, ours)


def _plainly(read: Stance, ours: frozenset[str], theirs: frozenset[str]) -> Stance:
    commands = [term for term in ours - theirs if " " in term and theirs.issuperset(parts_of(term))]
    if not commands:
        return read
    return Stance(*(side.difference(commands).union(*map(parts_of, side.intersection(commands))) for side in read))


def _corrected(read: Stance, other: Stance) -> Stance:
    """It, with a word that the other spells almost alike spelt as there."""
    return Stance(*(_respelt(side, there) for side, there in zip(read, other, strict=True)))


def _respelt(terms: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    if terms == others:
        return terms
    alone = others - terms
    slips = {term: next((each for each in alone if _slip(term, each)), term) for term in terms - others}
    return frozenset(slips.get(term, term) for term in terms)


def _slip(one: str, other: str) -> bool:
    """Whether two long words differ by a letter that is missing, or by their order."""
    short, long = sorted((one, other), key=len)
    if len(short) < _LONG or short[0] != long[0] or len(long) - len(short) > 1 or not (one + other).isalpha():
        return False
    if len(short) == len(long):
        return sorted(short) == sorted(long)
    return any(long[:at] + long[at + 1 :] == short for at in range(len(long)))
