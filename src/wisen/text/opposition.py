"""Detects opposite lessons: one asks for what the other refuses, or chooses differently."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.text.lazy_regex import lazy_regex
from wisen.text.slots import Slots
from wisen.text.terms import LIGHT, is_decisive, parts_of, term_of, worth_of
from wisen.text.tool_choices import antonyms, is_choice

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Worth = Callable[[str], float]

LEAST_OPPOSED_SHARE = 0.75
"""Minimum share of what one refuses that the other asks for, and of what the other asks for that one mentions."""
_NUMBER = lazy_regex(r"v?\d+(?:\.\d+)*[a-z%]{0,2}")
_SINGLE_TOOL_PURPOSES = frozenset(
    term
    for word in "tests formatting lint linting dependencies install builds deploys bundling".split()
    for term in term_of(word)
)
"""Purposes for which a project uses one tool: naming another one means a change of mind."""
_MIN_SHARED_WORTH = 1.0
"""Minimum shared worth of two lessons that differ only by a number."""


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
    """Return the chosen tool and its purpose, if that is one for which a project uses one tool: "use foo for tests"."""
    if slots.unwanted or not _SINGLE_TOOL_PURPOSES & slots.wanted:
        return None
    pieces = [piece for piece in slots.pieces if piece not in (".", "!", "please", "always")]
    for at, piece in enumerate(pieces[:-1]):
        names_one_tool = at + 2 == len(pieces) or pieces[at + 2] == "for"
        if (
            piece in ("use", "using", "prefer")
            and names_one_tool
            and ("for" in pieces[at + 2 :] or "for" in pieces[:at])
        ):
            tools = [word.term for word in slots.words if word.raw == pieces[at + 1] or word.raw[:1] == "`"]
            purpose = slots.wanted.difference(tools)
            if len(tools) == 1 and not pieces[at + 1].endswith("s") and _SINGLE_TOOL_PURPOSES & purpose:
                return tools[0], purpose
    return None


def _chooses_differently(one: Slots, other: Slots) -> bool:
    """Whether both choose a tool for the same purpose, but different ones."""
    if one.wanted == other.wanted or not one.wanted & other.wanted:
        return False
    first, second = choice_of(one), choice_of(other)
    return first is not None and second is not None and first[0] != second[0] and first[1] == second[1]


def _refuses(one: Slots, other: Slots, worth: Worth) -> bool:
    """Whether one refuses what the other asks for, and not just one word of it."""
    common = one.unwanted & other.wanted
    if not common or any(map(is_decisive, other.wanted - one.unwanted - one.wanted)):
        return False
    refused, wanted = one.unwanted, other.wanted
    if heavy_terms(common, worth) == heavy_terms(refused, worth) and not _have_different_verbs(refused, wanted, worth):
        # "Never add X" refuses X, whatever is done with it: "X is fine" asks for it.
        refused, wanted = heavy_terms(refused, worth) | common, heavy_terms(wanted, worth) | common
    shared_worth = total_worth(common, worth)
    if shared_worth < LEAST_OPPOSED_SHARE * total_worth(refused, worth):
        return False
    return shared_worth + total_worth(one.wanted & other.wanted, worth) >= LEAST_OPPOSED_SHARE * total_worth(
        wanted, worth
    )


def heavy_terms(terms: frozenset[str], worth: Worth) -> frozenset[str]:
    """Return the significant terms: without common verbs and minor words, if anything else is left."""
    return frozenset(term for term in terms if worth(term) > LIGHT) or terms


def _have_different_verbs(one: frozenset[str], other: frozenset[str], worth: Worth) -> bool:
    """Whether both name actions, but different ones: running tests is not adding some."""
    one_only, other_only = one - heavy_terms(one, worth), other - heavy_terms(other, worth)
    return bool(one_only) and bool(other_only) and not one_only & other_only


def _differ_in_number(one: Slots, other: Slots, worth: Worth) -> bool:
    """Whether they differ only by one number: "lines of 100 characters" and "lines of 120 characters"."""
    one_only, other_only = one.wanted - other.wanted, other.wanted - one.wanted
    if one.unwanted != other.unwanted or len(one_only) != 1 or len(other_only) != 1:
        return False
    return (
        numbers_in(one_only | other_only) == one_only | other_only
        and total_worth(one.wanted & other.wanted, worth) >= _MIN_SHARED_WORTH
    )


def numbers_in(terms: frozenset[str]) -> frozenset[str]:
    return frozenset(term for term in terms if _NUMBER.fullmatch(term))


def _differ_by_antonym(one: Slots, other: Slots, worth: Worth) -> bool:
    """Whether the other has the antonym of a word, and both are about the same thing: "include", "exclude"."""
    difference = one.unwanted ^ other.unwanted
    for word, antonym, swapped in swap_antonyms(one.wanted):
        if difference and not (is_choice(word) and difference.issubset((word, *antonyms(word)))):
            continue
        if antonym not in other.wanted or word in other.wanted or antonym in one.wanted:
            continue
        is_single = {antonym} in (swapped, other.wanted)
        if any(map(is_decisive, swapped ^ other.wanted)) or (is_single and not is_choice(word)):
            continue
        shared = total_worth(swapped & other.wanted, worth)
        if shared >= LEAST_OPPOSED_SHARE * max(total_worth(swapped, worth), total_worth(other.wanted, worth)):
            return True
    return False


def swap_antonyms(wanted: frozenset[str]) -> list[tuple[str, str, frozenset[str]]]:
    """Return each word that has an antonym, the antonym, and the wanted terms with the two swapped."""
    return [(word, other, wanted - {word} | {other}) for word in sorted(wanted) for other in antonyms(word)]


def split_compound_terms(one: Slots, other: Slots) -> tuple[Slots, Slots]:
    """Return both slots, with a command split into words if the other has these as plain words."""
    one_terms, other_terms = one.wanted | one.unwanted, other.wanted | other.unwanted
    return _split_commands(one, one_terms, other_terms), _split_commands(other, other_terms, one_terms)


def _split_commands(slots: Slots, own_terms: frozenset[str], other_terms: frozenset[str]) -> Slots:
    commands = [term for term in own_terms - other_terms if " " in term and other_terms.issuperset(parts_of(term))]
    return Slots(_split_terms(slots.wanted, commands), _split_terms(slots.unwanted, commands)) if commands else slots


def _split_terms(terms: frozenset[str], commands: Iterable[str]) -> frozenset[str]:
    return terms.difference(commands).union(*map(parts_of, terms.intersection(commands)))


def total_worth(terms: Iterable[str], worth: Worth) -> float:
    return sum(map(worth, terms))
