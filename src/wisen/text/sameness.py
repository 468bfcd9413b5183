"""Tells whether two lessons say the same in other words, or the opposite; and looks that up among many lessons.

Precision comes first: where both say something that the other does not, they are two lessons.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.text.opposition import (
    LEAST_OPPOSED_SHARE,
    are_opposed,
    choice_of,
    heavy_terms,
    numbers_in,
    split_compound_terms,
    swap_antonyms,
    total_worth,
)
from wisen.text.slots import Slots, slots_of
from wisen.text.terms import LIGHT, is_decisive, is_filler, parts_of, worth_of
from wisen.text.tool_choices import RIVAL_TERMS, antonyms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wisen.model.directive import Trigger

    Worth = Callable[[str], float]

__all__ = ["LessonIndex", "are_opposed", "are_same", "similarity"]

_SAME = 0.54
"""From this likeness on, two lessons are one that share enough to tell."""
_SHORT_SAME = 0.66
"""And where they share less."""
_ENOUGH = 2.0
_BESIDE = 0.3
"""How much of what only one of them refuses counts, where the other refuses nothing: "use X" is "use X, not Y"."""
_SWAPPED = 0.3
"""So much each may say alone; beyond it one thing stands in place of another."""
_APART = 0.5
"""What is left of the likeness of two that are not one for such a reason."""
_TELLS = 0.5
"""So much two lessons must share at least: that both say "run" tells nothing."""
_TOLD_BY_CALL = 1.0
"""So much two must share that the same call calls up."""
_LONG = 6
"""Of so many letters a word must be for a slip to be told from another word."""


def similarity(one: str | Slots, other: str | Slots, worth: Worth = worth_of) -> float:
    """How much two lessons say the same, from 0 to 1; 0 where they are opposed."""
    return _likeness(_as_slots(one), _as_slots(other), worth)


def are_same(one: str | Slots, other: str | Slots, worth: Worth = worth_of) -> bool:
    """Whether two lessons are one."""
    return similarity(one, other, worth) >= _SAME


class LessonIndex:
    """Many lessons, to be asked which of them says the same as a text, or the opposite.

    Of two that are one, one says nothing of weight alone. So each is looked up by the rarest word of what it says, and
    by the words of the other: the number of lessons that are compared stays small.
    """

    def __init__(self) -> None:
        self._by_key: dict[str, str] = {}
        self._by_text: dict[str, str] = {}
        self._by_trigger: dict[tuple[str, tuple[str, ...]], list[int]] = {}
        self._taken: list[_IndexedLesson] = []
        self._holding: dict[str, set[int]] = {}
        self._asking: dict[str, set[int]] = {}
        self._refusing: dict[str, set[int]] = {}
        self._signed: dict[str, list[int]] = {}
        """By the word that was the rarest of a lesson when it was taken in."""

    def add(self, id: str, text: str, key: str = "", trigger: Trigger | None = None) -> None:
        """Take in a wording of a lesson; one lesson may have several."""
        if key:
            self._by_key.setdefault(key, id)
        self._by_text.setdefault(_plain(text), id)
        taken, number = _index_lesson(id, slots_of(text)), len(self._taken)
        for part in taken.parts:
            self._holding.setdefault(part, set()).add(number)
        for holding, side in ((self._asking, taken.slots.wanted), (self._refusing, taken.slots.unwanted)):
            for part in _parts(side):
                holding.setdefault(part, set()).add(number)
        if taken.core:
            self._signed.setdefault(self._rarest(taken.core), []).append(number)
        if trigger is not None:
            self._by_trigger.setdefault(_called_by(trigger), []).append(number)
        self._taken.append(taken)

    def find(self, text: str, key: str = "", trigger: Trigger | None = None) -> str | None:
        """The id of the lesson that says the same: by its key, else by its text, else by likeness.

        Of two that the same call calls up, less has to be alike.
        """
        found = (self._by_key.get(key) if key else None) or self._by_text.get(_plain(text))
        if found is not None:
            return found
        ours = _index_lesson("", slots_of(text))
        best, likest = None, 0.0
        for taken in self._near(ours):
            likeness = _likeness(ours.slots, taken.slots)
            if likeness >= _SAME and likeness > likest:
                best, likest = taken.id, likeness
        if best is None and trigger is not None:
            called = [self._taken[number] for number in self._by_trigger.get(_called_by(trigger), ())]
            best = next((taken.id for taken in called if _are_same_by_call(ours.slots, taken.slots)), None)
        return best

    def find_opposites(self, text: str) -> list[str]:
        """The ids of the lessons that ask for what this one refuses, or refuse what it asks for, oldest first."""
        ours = slots_of(text)
        wanted = _parts(ours.wanted)
        refusing = set[int]().union(*(self._refusing.get(part, ()) for part in wanted))
        numbers = _holders(_parts(ours.unwanted), self._asking) | (_holders(wanted, self._holding) & refusing)
        numbered = numbers_in(ours.wanted)
        if len(numbered) == 1 and len(ours.wanted) > 1:
            numbers |= _holders(_parts(ours.wanted - numbered), self._asking)
        for _, antonym, turned in swap_antonyms(ours.wanted):
            numbers |= _holders(_parts(turned), self._asking) & self._asking.get(antonym, set())
        if (choice := choice_of(ours)) is not None:
            numbers |= _holders(_parts(choice[1]), self._asking)
        taken = [self._taken[number] for number in sorted(numbers)]
        return list(dict.fromkeys(each.id for each in taken if are_opposed(ours, each.slots)))

    def _rarest(self, terms: frozenset[str]) -> str:
        return min(terms, key=lambda term: (len(self._holding.get(term, ())), term))

    def _near(self, ours: _IndexedLesson) -> list[_IndexedLesson]:
        """Those that may be the same, oldest first."""
        strange = [part for part in ours.core if part not in self._holding]
        # One word that nobody knows may be a slip for one that they have.
        slip = strange[0] if len(strange) == 1 and len(strange[0]) >= _LONG - 1 and strange[0].isalpha() else ""
        core = ours.core - {slip}
        near = set[int]()
        if core and (slip or not strange):
            near.update(number for number in self._holding[self._rarest(core)] if core <= self._taken[number].parts)
        for part in ours.parts:
            near.update(number for number in self._signed.get(part, ()) if self._taken[number].core <= ours.parts)
        return [self._taken[number] for number in sorted(near) if self._is_near(ours, number, slip)]

    def _is_near(self, ours: _IndexedLesson, number: int, slip: str) -> bool:
        theirs = self._taken[number]
        shared = sum(map(worth_of, ours.parts & theirs.parts)) + (worth_of(slip) if slip else 0.0)
        return shared >= _SAME * (ours.weight + theirs.weight - shared)


def _holders(parts: frozenset[str], holding: dict[str, set[int]]) -> set[int]:
    """Those that may hold as much of the parts as opposites share: they hold one of the rarest, or two of some more."""
    known = sorted((part for part in parts if part in holding), key=lambda part: len(holding[part]))
    least = LEAST_OPPOSED_SHARE * total_worth(heavy_terms(parts, worth_of), worth_of)
    left = total_worth(known, worth_of)
    heaviest = max(map(worth_of, known), default=0.0)
    once, twice = set[int](), set[int]()
    holding_one: set[int] | None = None
    for part in known:
        if left + heaviest < least:
            return twice
        if left < least and holding_one is None:
            holding_one = set(once)
        here = holding[part]
        twice |= once & here
        once |= here
        left -= worth_of(part)
    if heaviest < least:
        return twice
    return once if holding_one is None else holding_one


class _IndexedLesson(NamedTuple):
    """A lesson that was taken in."""

    id: str
    slots: Slots
    parts: frozenset[str]
    core: frozenset[str]
    """What another must have that says more: what it asks for, else what it refuses, without trifles."""
    weight: float
    """What it weighs at least when it is compared."""


def _index_lesson(id: str, slots: Slots) -> _IndexedLesson:
    wanted, unwanted = map(_parts, slots[:2])
    weight = total_worth(wanted, worth_of) + (_BESIDE if wanted else 1.0) * total_worth(unwanted - wanted, worth_of)
    core = frozenset(part for part in wanted or unwanted if worth_of(part) > _SWAPPED)
    return _IndexedLesson(id, slots, wanted | unwanted, core, weight)


def _called_by(trigger: Trigger) -> tuple[str, tuple[str, ...]]:
    return trigger.tool, tuple(sorted(trigger.words))


def _are_same_by_call(one: Slots, other: Slots) -> bool:
    """Whether two that the same call calls up are one: they point the same way, and share something that tells."""
    if are_opposed(one, other) or bool(one.unwanted) != bool(other.unwanted) or _differ(one, other):
        return False
    both, left, right = _shared_worth(one, other, worth_of)
    return both >= _TOLD_BY_CALL and both >= min(left, right)


def _as_slots(lesson: str | Slots) -> Slots:
    return slots_of(lesson) if isinstance(lesson, str) else lesson


def _likeness(ours: Slots, theirs: Slots, worth: Worth = worth_of) -> float:
    one, other = split_compound_terms(ours, theirs)
    other = _correct_typos(other, one)
    if are_opposed(one, other, worth):
        return 0.0
    both, left, right = _shared_worth(one, other, worth)
    if not both:
        return 0.0
    likeness = both / (both + left + right)
    apart = (
        both < _TELLS
        or _is_swapped(one, other, worth)
        or _differ(one, other)
        or _is_order_exchanged(ours.order, theirs.order)
    )
    if apart or (both < _ENOUGH and likeness < _SHORT_SAME):
        return min(likeness * _APART, _SAME * _APART)
    return likeness


def _is_swapped(one: Slots, other: Slots, worth: Worth) -> bool:
    """Whether each says something alone: a thing that is in the other's place, however little it tells."""
    ours, theirs = (
        sum(max(worth(term), 0.0 if is_filler(term) else LIGHT) for term in terms)
        for terms in (one.wanted - other.wanted, other.wanted - one.wanted)
    )
    if one.unwanted and other.unwanted:
        ours += total_worth(one.unwanted - other.unwanted, worth)
        theirs += total_worth(other.unwanted - one.unwanted, worth)
    return min(ours, theirs) > _SWAPPED


def _shared_worth(one: Slots, other: Slots, worth: Worth) -> tuple[float, float, float]:
    """What stands in both on the same side, and what in each alone."""
    (wanted, unwanted), (want, refuse) = one[:2], other[:2]
    both = total_worth(wanted & want, worth) + total_worth(unwanted & refuse, worth)
    left, right = total_worth(wanted - want, worth), total_worth(want - wanted, worth)
    refused, refused_there = total_worth(unwanted - refuse, worth), total_worth(refuse - unwanted, worth)
    if wanted & want and not (unwanted and refuse):
        refused, refused_there = _BESIDE * refused, _BESIDE * refused_there
    return both, left + refused, right + refused_there


def _differ(one: Slots, other: Slots) -> bool:
    """Whether a number, a flag or a condition stands in one only, or only one refuses another tool as well."""
    refused = one.unwanted ^ other.unwanted if one.unwanted and other.unwanted else frozenset[str]()
    return not RIVAL_TERMS.isdisjoint(refused) or any(map(is_decisive, refused | (one.wanted ^ other.wanted)))


def _is_order_exchanged(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two things have changed places and all else stands as it was: "import X from Y" is not its reverse."""
    if len(one) != len(other) or len(one) <= 2:
        return False
    moved = [pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]]
    if len(moved) != 2 or moved[0] != moved[1][::-1]:
        return False
    if moved[0][1] in antonyms(moved[0][0]):
        return True
    if any(is_decisive(term) or worth_of(term) < 1 for term in moved[0]):
        return False
    return len(RIVAL_TERMS.intersection(moved[0])) != 1  # "format with ruff", "ruff for formatting"


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .!,;:")


def _parts(terms: Iterable[str]) -> frozenset[str]:
    return frozenset(part for term in terms for part in parts_of(term))


def _correct_typos(read: Slots, other: Slots) -> Slots:
    """It, with a word that the other spells almost alike spelt as there."""
    return Slots(_respell(read.wanted, other.wanted), _respell(read.unwanted, other.unwanted))


def _respell(terms: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    if terms == others:
        return terms
    alone = others - terms
    slips = {term: next((each for each in alone if _is_typo(term, each)), term) for term in terms - others}
    return frozenset(slips.get(term, term) for term in terms)


def _is_typo(one: str, other: str) -> bool:
    """Whether two long words differ by a letter that is missing, or by their order."""
    short, long = sorted((one, other), key=len)
    if len(short) < _LONG or short[0] != long[0] or len(long) - len(short) > 1 or not (one + other).isalpha():
        return False
    if len(short) == len(long):
        return sorted(short) == sorted(long)
    return any(long[:at] + long[at + 1 :] == short for at in range(len(long)))
