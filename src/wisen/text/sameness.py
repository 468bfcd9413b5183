"""Detects duplicate and contradicting lessons, pairwise and by an index over many lessons.

Precision comes first: if each says something that the other does not, they are two lessons.
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
    from collections.abc import Callable

    from wisen.model.directive import Trigger

    Worth = Callable[[str], float]

__all__ = ["LessonIndex", "are_opposed", "are_same", "similarity"]

_MIN_SIMILARITY = 0.54
"""Minimum similarity of two lessons that are the same, if they share enough."""
_MIN_SHORT_SIMILARITY = 0.66
"""Minimum similarity if they share less."""
_LONG_SHARED_WORTH = 2.0
_ONE_SIDED_WEIGHT = 0.3
"""Weight of what only one of them refuses, if the other refuses nothing: "use X" equals "use X, not Y"."""
_MAX_OWN_WORTH = 0.3
"""Maximum worth of what each says alone; beyond it, one thing replaces another."""
_DIFFERENCE_FACTOR = 0.5
"""Factor on the similarity of two lessons that differ decisively."""
_MIN_SHARED_WORTH = 0.5
"""Minimum worth that two lessons must share: that both say "run" means nothing."""
_MIN_SHARED_WORTH_BY_CALL = 1.0
"""Minimum shared worth of two lessons with the same trigger."""
_MIN_TYPO_LENGTH = 6
"""Minimum length of a word for a typo to be distinguishable from another word."""


def similarity(one: str | Slots, other: str | Slots, worth: Worth = worth_of) -> float:
    """Return the similarity of two lessons from 0 to 1; 0 if they are opposed."""
    return _similarity(_as_slots(one), _as_slots(other), worth)


def are_same(one: str | Slots, other: str | Slots, worth: Worth = worth_of) -> bool:
    """Whether two lessons say the same."""
    return similarity(one, other, worth) >= _MIN_SIMILARITY


class LessonIndex:
    """An index of lessons that finds the one that says the same as a text, or the opposite.

    Of two lessons that are the same, one says nothing of weight that the other does not. So each is looked up by its
    rarest word and by the words of the other: the number of compared lessons stays small.
    """

    def __init__(self) -> None:
        self._by_key: dict[str, str] = {}
        self._by_text: dict[str, str] = {}
        self._by_trigger: dict[tuple[str, tuple[str, ...]], list[int]] = {}
        self._lessons: list[_IndexedLesson] = []
        self._by_part: dict[str, set[int]] = {}
        self._by_wanted: dict[str, set[int]] = {}
        self._by_unwanted: dict[str, set[int]] = {}
        self._by_rarest: dict[str, list[int]] = {}
        """By the word that was the rarest of a lesson when it was added."""

    def add(self, id: str, text: str, key: str = "", trigger: Trigger | None = None) -> None:
        """Add a wording of a lesson; one lesson may have several."""
        if key:
            self._by_key.setdefault(key, id)
        self._by_text.setdefault(_normalize(text), id)
        lesson, number = _index_lesson(id, slots_of(text)), len(self._lessons)
        for part in lesson.parts:
            self._by_part.setdefault(part, set()).add(number)
        for by_part, side in ((self._by_wanted, lesson.slots.wanted), (self._by_unwanted, lesson.slots.unwanted)):
            for part in _parts(side):
                by_part.setdefault(part, set()).add(number)
        if lesson.core:
            self._by_rarest.setdefault(self._rarest(lesson.core), []).append(number)
        if trigger is not None:
            self._by_trigger.setdefault(_trigger_key(trigger), []).append(number)
        self._lessons.append(lesson)

    def find(self, text: str, key: str = "", trigger: Trigger | None = None) -> str | None:
        """Return the id of the lesson that says the same: by key, else by text, else by similarity.

        Lessons with the same trigger need to share less.
        """
        found = (self._by_key.get(key) if key else None) or self._by_text.get(_normalize(text))
        if found is not None:
            return found
        query = _index_lesson("", slots_of(text))
        best, best_score = None, 0.0
        for lesson in self._candidates(query):
            score = _similarity(query.slots, lesson.slots)
            if score >= _MIN_SIMILARITY and score > best_score:
                best, best_score = lesson.id, score
        if best is None and trigger is not None:
            candidates = [self._lessons[number] for number in self._by_trigger.get(_trigger_key(trigger), ())]
            best = next((lesson.id for lesson in candidates if _are_same_by_call(query.slots, lesson.slots)), None)
        return best

    def find_opposites(self, text: str) -> list[str]:
        """Return the ids of the lessons that ask for what a text refuses, or refuse what it asks for, oldest first."""
        query = slots_of(text)
        wanted = _parts(query.wanted)
        opposing = set[int]().union(*(self._by_unwanted.get(part, ()) for part in wanted))
        numbers = _lessons_sharing(_parts(query.unwanted), self._by_wanted) | (
            _lessons_sharing(wanted, self._by_part) & opposing
        )
        wanted_numbers = numbers_in(query.wanted)
        if len(wanted_numbers) == 1 and len(query.wanted) > 1:
            numbers |= _lessons_sharing(_parts(query.wanted - wanted_numbers), self._by_wanted)
        for _, antonym, swapped in swap_antonyms(query.wanted):
            numbers |= _lessons_sharing(_parts(swapped), self._by_wanted) & self._by_wanted.get(antonym, set())
        if (choice := choice_of(query)) is not None:
            numbers |= _lessons_sharing(_parts(choice[1]), self._by_wanted)
        lessons = [self._lessons[number] for number in sorted(numbers)]
        return list(dict.fromkeys(each.id for each in lessons if are_opposed(query, each.slots)))

    def _rarest(self, terms: frozenset[str]) -> str:
        return min(terms, key=lambda term: (len(self._by_part.get(term, ())), term))

    def _candidates(self, query: _IndexedLesson) -> list[_IndexedLesson]:
        """Return the lessons that may be the same, oldest first."""
        unknown = [part for part in query.core if part not in self._by_part]
        # A single unknown word may be a typo of a known one.
        typo = (
            unknown[0] if len(unknown) == 1 and len(unknown[0]) >= _MIN_TYPO_LENGTH - 1 and unknown[0].isalpha() else ""
        )
        core = query.core - {typo}
        numbers = set[int]()
        if core and (typo or not unknown):
            numbers.update(
                number for number in self._by_part[self._rarest(core)] if core <= self._lessons[number].parts
            )
        for part in query.parts:
            numbers.update(
                number for number in self._by_rarest.get(part, ()) if self._lessons[number].core <= query.parts
            )
        return [self._lessons[number] for number in sorted(numbers) if self._is_candidate(query, number, typo)]

    def _is_candidate(self, query: _IndexedLesson, number: int, typo: str) -> bool:
        candidate = self._lessons[number]
        shared = sum(map(worth_of, query.parts & candidate.parts)) + (worth_of(typo) if typo else 0.0)
        return shared >= _MIN_SIMILARITY * (query.weight + candidate.weight - shared)


def _lessons_sharing(parts: frozenset[str], by_part: dict[str, set[int]]) -> set[int]:
    """Return the lessons that may share enough parts to be opposites: one of the rarest, or two of the next ones."""
    known = sorted((part for part in parts if part in by_part), key=lambda part: len(by_part[part]))
    min_worth = LEAST_OPPOSED_SHARE * total_worth(heavy_terms(parts, worth_of), worth_of)
    remaining = total_worth(known, worth_of)
    heaviest = max(map(worth_of, known), default=0.0)
    once, twice = set[int](), set[int]()
    holding_one: set[int] | None = None
    for part in known:
        if remaining + heaviest < min_worth:
            return twice
        if remaining < min_worth and holding_one is None:
            holding_one = set(once)
        lessons = by_part[part]
        twice |= once & lessons
        once |= lessons
        remaining -= worth_of(part)
    if heaviest < min_worth:
        return twice
    return once if holding_one is None else holding_one


class _IndexedLesson(NamedTuple):
    """A lesson in the index."""

    id: str
    slots: Slots
    parts: frozenset[str]
    core: frozenset[str]
    """What a longer version must contain: what it asks for, else what it refuses, without minor words."""
    weight: float
    """Its minimum weight in a comparison."""


def _index_lesson(id: str, slots: Slots) -> _IndexedLesson:
    wanted, unwanted = map(_parts, slots[:2])
    weight = total_worth(wanted, worth_of) + (_ONE_SIDED_WEIGHT if wanted else 1.0) * total_worth(
        unwanted - wanted, worth_of
    )
    either = wanted or unwanted
    core = frozenset(part for part in either if worth_of(part) > _MAX_OWN_WORTH)
    parts = wanted | unwanted if wanted and unwanted else either
    return _IndexedLesson(id, slots, parts, either if core == either else core, weight)


def _trigger_key(trigger: Trigger) -> tuple[str, tuple[str, ...]]:
    return trigger.tool, tuple(sorted(trigger.words))


def _are_same_by_call(one: Slots, other: Slots) -> bool:
    """Whether two lessons with the same trigger are the same: both ask or both refuse, and share a significant word."""
    if are_opposed(one, other) or bool(one.unwanted) != bool(other.unwanted) or _differ_decisively(one, other):
        return False
    shared, one_only, other_only = _shared_worth(one, other, worth_of)
    return shared >= _MIN_SHARED_WORTH_BY_CALL and shared >= min(one_only, other_only)


def _as_slots(lesson: str | Slots) -> Slots:
    return slots_of(lesson) if isinstance(lesson, str) else lesson


def _similarity(first: Slots, second: Slots, worth: Worth = worth_of) -> float:
    one, other = split_compound_terms(first, second)
    other = _correct_typos(other, one)
    if are_opposed(one, other, worth):
        return 0.0
    shared, one_only, other_only = _shared_worth(one, other, worth)
    if not shared:
        return 0.0
    score = shared / (shared + one_only + other_only)
    are_different = (
        shared < _MIN_SHARED_WORTH
        or _is_swapped(one, other, worth)
        or _differ_decisively(one, other)
        or _is_order_exchanged(first.order, second.order)
    )
    if are_different or (shared < _LONG_SHARED_WORTH and score < _MIN_SHORT_SIMILARITY):
        return min(score * _DIFFERENCE_FACTOR, _MIN_SIMILARITY * _DIFFERENCE_FACTOR)
    return score


def _is_swapped(one: Slots, other: Slots, worth: Worth) -> bool:
    """Whether each says something that the other does not: one thing replaces another, however minor."""
    one_only, other_only = (
        sum(max(worth(term), 0.0 if is_filler(term) else LIGHT) for term in terms)
        for terms in (one.wanted - other.wanted, other.wanted - one.wanted)
    )
    if one.unwanted and other.unwanted:
        one_only += total_worth(one.unwanted - other.unwanted, worth)
        other_only += total_worth(other.unwanted - one.unwanted, worth)
    return min(one_only, other_only) > _MAX_OWN_WORTH


def _shared_worth(one: Slots, other: Slots, worth: Worth) -> tuple[float, float, float]:
    """Return the worth of what both share on the same side, and of what each says alone."""
    (wanted, unwanted), (want, refuse) = one[:2], other[:2]
    shared = total_worth(wanted & want, worth) + total_worth(unwanted & refuse, worth)
    one_only, other_only = total_worth(wanted - want, worth), total_worth(want - wanted, worth)
    refused, refused_there = total_worth(unwanted - refuse, worth), total_worth(refuse - unwanted, worth)
    if wanted & want and not (unwanted and refuse):
        refused, refused_there = _ONE_SIDED_WEIGHT * refused, _ONE_SIDED_WEIGHT * refused_there
    return shared, one_only + refused, other_only + refused_there


def _differ_decisively(one: Slots, other: Slots) -> bool:
    """Whether only one has a number, a flag or a condition, or only one also refuses another tool."""
    refused = one.unwanted ^ other.unwanted if one.unwanted and other.unwanted else frozenset[str]()
    return not RIVAL_TERMS.isdisjoint(refused) or any(map(is_decisive, refused | (one.wanted ^ other.wanted)))


def _is_order_exchanged(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two things are swapped and all else is equal: "import X from Y" is not its reverse."""
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


def _normalize(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .!,;:")


def _parts(terms: frozenset[str]) -> frozenset[str]:
    """Return the parts of terms: the same object if they are the terms, because an index holds very many."""
    parts = frozenset(part for term in terms for part in parts_of(term))
    return terms if parts == terms else parts


def _correct_typos(slots: Slots, other: Slots) -> Slots:
    """Return slots with near-identical words spelled as in the other lesson."""
    return Slots(_respell(slots.wanted, other.wanted), _respell(slots.unwanted, other.unwanted))


def _respell(terms: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    if terms == others:
        return terms
    unmatched = others - terms
    corrections = {term: next((each for each in unmatched if _is_typo(term, each)), term) for term in terms - others}
    return frozenset(corrections.get(term, term) for term in terms)


def _is_typo(one: str, other: str) -> bool:
    """Whether two long words differ by one missing letter or by the order of their letters."""
    short, long = sorted((one, other), key=len)
    if (
        len(short) < _MIN_TYPO_LENGTH
        or short[0] != long[0]
        or len(long) - len(short) > 1
        or not (one + other).isalpha()
    ):
        return False
    if len(short) == len(long):
        return sorted(short) == sorted(long)
    return any(long[:at] + long[at + 1 :] == short for at in range(len(long)))
