"""Finds which of the recalled decisions were replaced by newer ones, and ranks them after those.

A newer decision replaces an older one when it asks for what the other rejected, or when it says that it amends
something and has the same subject.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

from wisen.kernel.word_stems import stem
from wisen.model.memory import MemoryKind
from wisen.text.sameness import are_opposed
from wisen.text.slots import slots_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.model.memory import MemoryGroup
    from wisen.text.slots import Slots

MAX_GROUPS = 12
"""How many groups are compared: nobody reads further."""
MIN_SHARED = 0.1
"""The share of the shorter one's content words that the other must have for the same subject."""
MIN_SHARED_WORDS = 2
"""And at least this many words."""
MIN_RELATIVE_SCORE = 0.35
"""The share of the older one's score that the newer one needs: otherwise it answers another question."""
COMMON_SHARE = 0.25
"""A word that occurs in a larger share of the groups is common."""
_MAX_STATEMENT = 300
"""How long a text may be to be one statement that can be the opposite of another."""
_MAX_MEMBERS = 6
"""How many of a group's memories are read."""
_MAX_START = 120
"""How far into a text an amendment counts: what comes later was mostly pasted."""
_AMENDS = re.compile(
    r"\b(?:amendments?|supersed(?:e|es|ed|ing)|overrul(?:e|es|ed|ing)|"
    r"(?:updates?|changes?|corrections?|revisions?|exceptions?) (?:to|of|on) (?:the|our|that|this|what) [^.!?\n]{0,60}"
    r"\b(?:polic(?:y|ies)|rules?|decisions?|agreements?|conventions?|settled|agreed|decided)|"
    r"changed (?:my|our) minds?|scratch that|forget what i said|"
    r"instead of what we (?:said|agreed|decided|settled)|we (?:settled|agreed|decided) (?:on )?[^.!?\n]{0,40}\bbut now|"
    r"from now on|replaces? (?:the|our) (?:old|earlier|previous|former))\b",
    re.IGNORECASE,
)
"""Not "amend": commits are amended all the time; nor "no longer", which is mostly about code."""
_WORD = re.compile(r"[a-z][a-z'_]{3,}|\d{3,}")
_STOP_WORDS = frozenset(
    "that this with from have will what when which they them then there here their your were been being does doing done"
    " just only also into over under about after before because should would could must need want make made like more"
    " most some such than very each every other both same still even ever never always right exactly think know sure"
    " okay thanks please good well good-bye".split()
)


class _GroupContent:
    """The content of a group, ready to be compared; each part is computed lazily."""

    def __init__(self, group: MemoryGroup) -> None:
        memories = [each.memory for each in group.memories if each.memory.kind is not MemoryKind.SUMMARY]
        self._texts = [memory.text for memory in memories[:_MAX_MEMBERS]]
        self.when = 0.0 if group.at is None else group.at.timestamp()
        self.context = group.best.context
        self.score = group.score

    def may_replace(self, older: _GroupContent) -> bool:
        """Whether it is newer, belongs to the same context, and matches the query."""
        return (
            self.when > older.when > 0.0
            and self.context == older.context
            and self.score >= MIN_RELATIVE_SCORE * older.score
        )

    @cached_property
    def words(self) -> frozenset[str]:
        """Its content words."""
        found = {word for text in self._texts for word in _WORD.findall(text.casefold())}
        return frozenset(stem(word) for word in found - _STOP_WORDS)

    @cached_property
    def amends(self) -> bool:
        """Whether it says that something else is no longer in force."""
        return any(_AMENDS.search(text, 0, _MAX_START) for text in self._texts)

    @cached_property
    def slots(self) -> Slots | None:
        """What it asks for and rejects, where it is one statement."""
        single = len(self._texts) == 1 and len(self._texts[0]) <= _MAX_STATEMENT
        return slots_of(self._texts[0]) if single else None


def demote_replaced(groups: Sequence[MemoryGroup]) -> list[MemoryGroup]:
    """Return the groups in order, each replaced group after its replacement."""
    top = list(groups[:MAX_GROUPS])
    contents = [_GroupContent(group) for group in top]
    frequencies = (
        Counter(word for each in contents for word in each.words)
        if any(each.amends for each in contents)
        else Counter()
    )
    common = frozenset(word for word, groups in frequencies.items() if groups > max(3, len(contents) * COMMON_SHARE))
    replacements: dict[int, int] = {}
    for newer in sorted(range(len(top)), key=lambda number: contents[number].when):
        for older in _find_replaced(newer, contents, common):
            replacements[older] = newer
            top[newer] = top[newer]._replace(score=max(top[newer].score, top[older].score))
    if not replacements:
        return list(groups)
    for older, newest in replacements.items():
        top[older] = top[older]._replace(replaced_by=top[newest].key)
    # Of the same score, what was not replaced comes first, then what is newer.
    order = sorted(range(len(top)), key=lambda each: (-top[each].score, each in replacements, -contents[each].when))
    return [*(top[each] for each in order), *groups[MAX_GROUPS:]]


def _find_replaced(number: int, contents: Sequence[_GroupContent], common: frozenset[str]) -> list[int]:
    """Return the older groups that a group replaces: those it opposes, and the most similar one if it amends.

    `common` are mostly the words of the query, which do not distinguish groups.
    """
    newer = contents[number]
    older = [each for each, group in enumerate(contents) if newer.may_replace(group)]
    replaced = [each for each in older if _are_opposed(newer.slots, contents[each].slots)]
    if newer.amends and older:
        similarity = {each: _similarity(newer.words - common, contents[each].words - common) for each in older}
        most_similar = max(older, key=lambda each: similarity[each])
        if similarity[most_similar] >= MIN_SHARED and most_similar not in replaced:
            replaced.append(most_similar)
    return replaced


def _are_opposed(one: Slots | None, other: Slots | None) -> bool:
    return one is not None and other is not None and are_opposed(one, other)


def _similarity(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of the shorter one's words that the other has; 0 where too few are shared."""
    shared = len(one & other)
    return shared / min(len(one), len(other)) if shared >= MIN_SHARED_WORDS else 0.0
