"""Tables of what each phrase and feature adds to the scores: computed once, then looked up."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from wisen.feedback.language import MARKS

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.feedback.lexicon import Lexicon
    from wisen.feedback.packed_weights import WeightRows
    from wisen.feedback.phrase_matching import Match, Negators, PhraseMatcher
    from wisen.feedback.phrase_table import Claim

    Tell = Callable[..., dict[str, float]]

_QUESTION_SENSITIVE = frozenset(
    "deny refuse otherwise again contrast failing lacking praise finding wish keep lasting opinion told turning "
    "unmistakable dislike sigh sight isnt softly frown smile".split()
)
_NEGATION_SENSITIVE = frozenset("praise failing lasting thanks keep otherwise finding".split())
_COUNTED_ONCE = frozenset(
    "agree order new_work asking other_people supposing ourselves addressed myself pointing asked_check telling".split()
)
"""Groups of everyday words: their presence counts, not their number."""
PAIR_SEPARATOR = " & "
"""Between the names of a pair of features."""
NEIGHBOR_SEPARATOR = " > "
"""Between two consecutive words; no word contains it."""
WORD_PREFIX = "word "
"""Before a word that counts by itself."""
WORD_ENDS = ".:?"
"""What may follow a word in a folded text."""


class _Feature(NamedTuple):
    name: str
    row: int


class _GroupEffect(NamedTuple):
    """What a phrase of a group adds."""

    name: str
    row: int
    most: float
    """How often it counts."""
    negated: _Feature | None
    """None where negation does not matter."""
    asked: _Feature | None
    first: _Feature
    early: _Feature


class _PatternEffect(NamedTuple):
    """What a pattern adds."""

    plain_group: str
    """Its group, if only its presence counts. Such phrases are the most frequent."""
    combined_row: int
    """What it and the group add together."""
    own_feature: str
    """Its own feature; empty where it has none."""
    own_row: int
    shift: int
    groups: tuple[_GroupEffect, ...]
    negators: Negators


class FeatureTable:
    """What each feature adds to the scores."""

    def __init__(
        self, rows: WeightRows, phrases: PhraseMatcher, negators: dict[str, Negators], circumstances: Tell, work: Tell
    ) -> None:
        self.rows, self.phrases, self._negators = rows, phrases, negators
        self.circumstances = _CombinationCache(rows, circumstances)
        self.work = _CombinationCache(rows, work)
        self._groups: dict[str, _GroupEffect] = {}
        self.pairs: dict[str, dict[str, int]] = {}
        """What pairs of features add, by their names in order."""
        self._neighbors: dict[tuple[str, str], int] = {}
        """What a word and the next one add."""
        self._words = {
            name.removeprefix(WORD_PREFIX): row for name, row in rows.items() if name.startswith(WORD_PREFIX)
        }
        for name, row in rows.items():
            one, both, other = name.partition(PAIR_SEPARATOR)
            if both:
                self.pairs.setdefault(one, {})[other] = row
            one, follows, other = name.partition(NEIGHBOR_SEPARATOR)
            if follows:
                self._neighbors[one, other] = row
        self.effects: list[_PatternEffect | None] = [None] * len(phrases)
        """The effect of each pattern, by number; None where it depends on the text or was not computed yet."""
        self._effect_cache: dict[tuple[int, int], _PatternEffect | None] = {}

    def weigh_neighbors(self, words: list[str]) -> int:
        """What words add by their predecessors; the first item stands for the beginning."""
        return sum(filter(None, map(self._neighbors.get, pairwise(words))))

    def weigh_words(self, words: list[str]) -> int:
        """What words add by themselves, each once."""
        return sum(filter(None, map(self._words.get, {word.rstrip(WORD_ENDS) for word in words})))

    def effect_of(self, number: int, languages: int) -> _PatternEffect | None:
        """The effect of a pattern in a text with the given languages; None where it has none there."""
        key = number, languages
        if key not in self._effect_cache:
            chosen = self.phrases.claims_in(number, languages)
            effect = self._effect_cache[key] = self._build_effect(number, chosen) if chosen else None
            if effect and self.phrases.bits[number]:
                self.effects[number] = effect
        return self._effect_cache[key]

    def shorter_effect(self, text: str, match: Match, languages: int) -> tuple[_PatternEffect | None, int, int]:
        """The effect of the longest shorter pattern in place of one that has none here, with its position."""
        shorter = self.phrases.shorter(text, match)
        while shorter is not None:
            effect = self.effect_of(shorter[0], languages)
            if effect is not None:
                return effect, shorter[1], shorter[2]
            shorter = self.phrases.shorter(text, shorter)
        return None, 0, 0

    def _build_effect(self, number: int, claims: tuple[Claim, ...]) -> _PatternEffect:
        named = dict.fromkeys(group for claim in claims for group in claim.groups if group != MARKS)
        groups = tuple(self._group(name) for name in named)
        feature = self._own_feature(claims)
        plain = [group for group in groups if len(groups) == 1 and not group.negated and not group.asked]
        row = self.rows[feature] if feature else 0
        both = row + sum(group.row for group in plain)
        negators = self._negators[self.phrases.codes[claims[0].bit]]
        return _PatternEffect(
            plain[0].name if plain else "", both, feature, row, self.phrases.shift(number), groups, negators
        )

    def _own_feature(self, claims: tuple[Claim, ...]) -> str:
        """English phrases and emoji have weights of their own; other languages share those of their groups."""
        return f"= {claims[0].phrase}" if claims[0].bit == 1 or claims[0].bit in self.phrases.non_languages else ""

    def _group(self, group: str) -> _GroupEffect:
        if group not in self._groups:
            self._groups[group] = _GroupEffect(
                group,
                self.rows[group],
                1.0 if group in _COUNTED_ONCE else 3.0,
                self._feature(f"{group} negated") if group in _NEGATION_SENSITIVE else None,
                self._feature(f"{group} asked") if group in _QUESTION_SENSITIVE else None,
                self._feature(f"{group} first"),
                self._feature(f"{group} early"),
            )
        return self._groups[group]

    def _feature(self, name: str) -> _Feature:
        return _Feature(name, self.rows[name])


class _CombinationCache(dict[tuple[object, ...], tuple[dict[str, float], int]]):
    """Features that come in few combinations, and what they add: each combination is computed once."""

    def __init__(self, rows: WeightRows, tell: Tell) -> None:
        super().__init__()
        self._rows, self._tell = rows, tell

    def __missing__(self, key: tuple[object, ...]) -> tuple[dict[str, float], int]:
        values = self._tell(*key)
        return self.setdefault(key, (values, self._rows.weigh(values)))


class FeatureTables:
    """The tables by which a turn is weighed: one for English, others for other languages, built on first use."""

    def __init__(self, english: WeightRows, foreign: WeightRows, lexicon: Lexicon, around: Tell, work: Tell) -> None:
        self.lexicon = lexicon
        self._english_rows, self._foreign_rows, self._tell = english, foreign, (around, work)
        self.english = FeatureTable(english, lexicon.english, lexicon.english_negators, around, work)

    @cached_property
    def guests(self) -> FeatureTable:
        """For phrases of other languages in an English text."""
        return FeatureTable(self._english_rows, self.lexicon.phrases, self.lexicon.negators, *self._tell)

    @cached_property
    def foreign(self) -> FeatureTable:
        """For texts in other languages."""
        return FeatureTable(self._foreign_rows, self.lexicon.phrases, self.lexicon.negators, *self._tell)
