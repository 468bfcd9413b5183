"""Tells whether two lessons are opposites: one asks for what the other refuses, or for another of its choices."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wisen.text.slots import Slots
from wisen.text.terms import LIGHT, is_decisive, parts_of, term_of, worth_of
from wisen.text.tool_choices import antonyms, is_choice

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Worth = Callable[[str], float]

LEAST_OPPOSED_SHARE = 0.75
"""So much of what one refuses the other must ask for, and of what that one asks for this one must speak."""
_NUMBER = re.compile(r"v?\d+(?:\.\d+)*[a-z%]{0,2}")
_ONE_IS_CHOSEN = frozenset(
    term
    for word in "tests formatting lint linting dependencies install builds deploys bundling".split()
    for term in term_of(word)
)
"""What one tool does in a project: whoever names another for it has changed their mind."""
_NUMBERED = 1.0
"""So much two lessons must share that differ by a number only."""


def are_opposed(one: Slots, other: Slots, worth: Worth = worth_of) -> bool:
    """Whether one asks for what the other refuses, and both are about the same thing."""
    one, other = split_compound_terms(one, other)
    if _refuses(one, other, worth) or _refuses(other, one, worth):
        return True
    return (
        _differ_by_antonym(one, other, worth)
        or _differ_in_number(one, other, worth)
        or _chooses_differently(one, other)
    )


def choice_of(slots: Slots) -> tuple[str, frozenset[str]] | None:
    """The tool that is chosen, and what for, where that is something of which one is chosen: "use foo for tests"."""
    if slots.unwanted or not _ONE_IS_CHOSEN & slots.wanted:
        return None
    pieces = [piece for piece in slots.pieces if piece not in (".", "!", "please", "always")]
    for at, piece in enumerate(pieces[:-1]):
        named = at + 2 == len(pieces) or pieces[at + 2] == "for"
        if piece in ("use", "using", "prefer") and named and ("for" in pieces[at + 2 :] or "for" in pieces[:at]):
            chosen = [word.term for word in slots.words if word.raw == pieces[at + 1] or word.raw[:1] == "`"]
            purpose = slots.wanted.difference(chosen)
            if len(chosen) == 1 and not pieces[at + 1].endswith("s") and _ONE_IS_CHOSEN & purpose:
                return chosen[0], purpose
    return None


def _chooses_differently(one: Slots, other: Slots) -> bool:
    """Whether both choose a tool for the same purpose, and not the same one."""
    if one.wanted == other.wanted or not one.wanted & other.wanted:
        return False
    ours, theirs = choice_of(one), choice_of(other)
    return ours is not None and theirs is not None and ours[0] != theirs[0] and ours[1] == theirs[1]


def _refuses(one: Slots, other: Slots, worth: Worth) -> bool:
    """Whether one refuses what the other asks for, and not only a word of it."""
    both = one.unwanted & other.wanted
    if not both or any(map(is_decisive, other.wanted - one.unwanted - one.wanted)):
        return False
    refused, asked = one.unwanted, other.wanted
    if heavy_terms(both, worth) == heavy_terms(refused, worth) and not _other_verbs(refused, asked, worth):
        # "Never add X" refuses X, whatever is done with it: "X is fine" asks for it.
        refused, asked = heavy_terms(refused, worth) | both, heavy_terms(asked, worth) | both
    crossed = total_worth(both, worth)
    if crossed < LEAST_OPPOSED_SHARE * total_worth(refused, worth):
        return False
    return crossed + total_worth(one.wanted & other.wanted, worth) >= LEAST_OPPOSED_SHARE * total_worth(asked, worth)


def heavy_terms(terms: frozenset[str], worth: Worth) -> frozenset[str]:
    """What terms are about: without verbs of many uses and trifles, where anything else is left."""
    return frozenset(term for term in terms if worth(term) > LIGHT) or terms


def _other_verbs(one: frozenset[str], other: frozenset[str], worth: Worth) -> bool:
    """Whether both say what is to be done with a thing, and not the same: to run tests is not to add some."""
    ours, theirs = one - heavy_terms(one, worth), other - heavy_terms(other, worth)
    return bool(ours) and bool(theirs) and not ours & theirs


def _differ_in_number(one: Slots, other: Slots, worth: Worth) -> bool:
    """Whether all is the same but for one number: "lines of 100 characters" and "lines of 120 characters"."""
    ours, theirs = one.wanted - other.wanted, other.wanted - one.wanted
    if one.unwanted != other.unwanted or len(ours) != 1 or len(theirs) != 1:
        return False
    return numbers_in(ours | theirs) == ours | theirs and total_worth(one.wanted & other.wanted, worth) >= _NUMBERED


def numbers_in(terms: frozenset[str]) -> frozenset[str]:
    return frozenset(term for term in terms if _NUMBER.fullmatch(term))


def _differ_by_antonym(one: Slots, other: Slots, worth: Worth) -> bool:
    """Whether a word of one stands in the other as its antonym, and both ask it for the same: "include", "exclude"."""
    differ = one.unwanted ^ other.unwanted
    for word, antonym, turned in swap_antonyms(one.wanted):
        if differ and not (is_choice(word) and differ.issubset((word, *antonyms(word)))):
            continue
        if antonym not in other.wanted or word in other.wanted or antonym in one.wanted:
            continue
        alone = {antonym} in (turned, other.wanted)
        if any(map(is_decisive, turned ^ other.wanted)) or (alone and not is_choice(word)):
            continue
        shared = total_worth(turned & other.wanted, worth)
        if shared >= LEAST_OPPOSED_SHARE * max(total_worth(turned, worth), total_worth(other.wanted, worth)):
            return True
    return False


def swap_antonyms(wanted: frozenset[str]) -> list[tuple[str, str, frozenset[str]]]:
    """Each word that has an antonym, with it, and what is asked for with it in the place of the word."""
    return [(word, other, wanted - {word} | {other}) for word in sorted(wanted) for other in antonyms(word)]


def split_compound_terms(one: Slots, other: Slots) -> tuple[Slots, Slots]:
    """Both, but a command that the other has in plain words is taken as words too."""
    ours, theirs = one.wanted | one.unwanted, other.wanted | other.unwanted
    return _plainly(one, ours, theirs), _plainly(other, theirs, ours)


def _plainly(read: Slots, ours: frozenset[str], theirs: frozenset[str]) -> Slots:
    commands = [term for term in ours - theirs if " " in term and theirs.issuperset(parts_of(term))]
    return Slots(_split(read.wanted, commands), _split(read.unwanted, commands)) if commands else read


def _split(terms: frozenset[str], commands: Iterable[str]) -> frozenset[str]:
    return terms.difference(commands).union(*map(parts_of, terms.intersection(commands)))


def total_worth(terms: Iterable[str], worth: Worth) -> float:
    return sum(map(worth, terms))
