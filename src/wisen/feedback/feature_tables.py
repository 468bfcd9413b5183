"""What each phrase and each feature adds to the scores: worked out once, and then only looked up."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from wisen.feedback.language import MARKS

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.feedback.lexicon import Lexicon
    from wisen.feedback.packed_weights import Rows
    from wisen.feedback.phrase_matching import Claim, Match, Negators, Phrases

    Tell = Callable[..., dict[str, float]]

_TURNS_ON_QUESTION = frozenset(
    "deny refuse otherwise again contrast failing lacking praise finding wish keep lasting opinion told turning "
    "unmistakable dislike sigh sight isnt softly frown smile".split()
)
_TURNS_ON_NEGATION = frozenset("praise failing lasting thanks keep otherwise finding".split())
_ONCE = frozenset(
    "agree order new_work asking other_people supposing ourselves addressed myself pointing asked_check telling".split()
)
"""Groups of everyday words: that one stands there counts, not how many."""
BOTH = " & "
"""What stands between the names of a pair."""
NEXT = " > "
"""What stands between two words of which one follows the other; no word holds it."""
WORD = "word "
"""What stands before a word that counts by itself."""
WORD_ENDS = ".:?"
"""What may stand behind a word in a folded text."""


class _Feature(NamedTuple):
    name: str
    row: int


class _Group(NamedTuple):
    """What a phrase of a group tells."""

    name: str
    row: int
    most: float
    """How often it counts."""
    negated: _Feature | None
    """None where negation tells nothing."""
    asked: _Feature | None
    first: _Feature
    early: _Feature


class _Told(NamedTuple):
    """What a pattern tells."""

    plain: str
    """Its group, if that is plain: told by nothing but that the phrase is there. Such phrases are the most frequent."""
    both: int
    """What it and the group add."""
    own: str
    """Its own feature; empty where it has none."""
    own_row: int
    shift: int
    groups: tuple[_Group, ...]
    negators: Negators


class FeatureTable:
    """What each feature adds to the scores."""

    def __init__(self, rows: Rows, phrases: Phrases, negators: dict[str, Negators], around: Tell, work: Tell) -> None:
        self.rows, self.phrases, self._negators = rows, phrases, negators
        self.around = _Known(rows, around)
        self.work = _Known(rows, work)
        self._groups: dict[str, _Group] = {}
        self.pairs: dict[str, dict[str, int]] = {}
        """What pairs of features add, by their names in order."""
        self._neighbours: dict[tuple[str, str], int] = {}
        """What a word and the next one add."""
        self._words = {name.removeprefix(WORD): row for name, row in rows.items() if name.startswith(WORD)}
        for name, row in rows.items():
            one, both, other = name.partition(BOTH)
            if both:
                self.pairs.setdefault(one, {})[other] = row
            one, follows, other = name.partition(NEXT)
            if follows:
                self._neighbours[one, other] = row
        self.told: list[_Told | None] = [None] * len(phrases.claims)
        """What each pattern tells, by number; None where that depends on the text, or was not asked yet."""
        self._depends: dict[tuple[int, int], _Told | None] = {}

    def weigh_neighbours(self, words: list[str]) -> int:
        """What words add by what they stand beside; the first is the beginning."""
        return sum(filter(None, map(self._neighbours.get, pairwise(words))))

    def weigh_words(self, words: list[str]) -> int:
        """What words add by themselves, each once."""
        return sum(filter(None, map(self._words.get, {word.rstrip(WORD_ENDS) for word in words})))

    def tell(self, number: int, spoken: int) -> _Told | None:
        """What a pattern tells in a text with such languages; None where it tells nothing there."""
        key = number, spoken
        if key not in self._depends:
            chosen = self.phrases.chosen(number, spoken)
            told = self._depends[key] = self._told(number, chosen) if chosen else None
            if told and self.phrases.bits[number]:
                self.told[number] = told
        return self._depends[key]

    def instead(self, text: str, match: Match, spoken: int) -> tuple[_Told | None, int, int]:
        """What the longest shorter pattern tells in place of one that tells nothing here, and where it stands."""
        shorter = self.phrases.shorter(text, match)
        while shorter is not None:
            told = self.tell(shorter[0], spoken)
            if told is not None:
                return told, shorter[1], shorter[2]
            shorter = self.phrases.shorter(text, shorter)
        return None, 0, 0

    def _told(self, number: int, claims: tuple[Claim, ...]) -> _Told:
        named = dict.fromkeys(group for claim in claims for group in claim.groups if group != MARKS)
        of = tuple(self._group(name) for name in named)
        own = self._own(claims)
        plain = [group for group in of if len(of) == 1 and not group.negated and not group.asked]
        row = self.rows[own] if own else 0
        both = row + sum(group.row for group in plain)
        negators = self._negators[self.phrases.codes[claims[0].bit]]
        return _Told(plain[0].name if plain else "", both, own, row, self.phrases.shift(number), of, negators)

    def _own(self, claims: tuple[Claim, ...]) -> str:
        """English phrases and emoji have weights of their own; other languages share what is learnt of their groups."""
        return f"= {claims[0].phrase}" if claims[0].bit == 1 or claims[0].bit in self.phrases.signs else ""

    def _group(self, group: str) -> _Group:
        if group not in self._groups:
            self._groups[group] = _Group(
                group,
                self.rows[group],
                1.0 if group in _ONCE else 3.0,
                self._feature(f"{group} negated") if group in _TURNS_ON_NEGATION else None,
                self._feature(f"{group} asked") if group in _TURNS_ON_QUESTION else None,
                self._feature(f"{group} first"),
                self._feature(f"{group} early"),
            )
        return self._groups[group]

    def _feature(self, name: str) -> _Feature:
        return _Feature(name, self.rows[name])


class _Known(dict[tuple[object, ...], tuple[dict[str, float], int]]):
    """Features that come in few combinations, and what they add: each combination is worked out once."""

    def __init__(self, rows: Rows, tell: Tell) -> None:
        super().__init__()
        self._rows, self._tell = rows, tell

    def __missing__(self, key: tuple[object, ...]) -> tuple[dict[str, float], int]:
        values = self._tell(*key)
        return self.setdefault(key, (values, self._rows.weigh(values)))


class Tables:
    """The tables by which a turn is weighed: one for English, others for other languages, made when first met."""

    def __init__(self, home: Rows, abroad: Rows, lexicon: Lexicon, around: Tell, work: Tell) -> None:
        self.lexicon = lexicon
        self._rows, self._rows_abroad, self._tell = home, abroad, (around, work)
        self.home = FeatureTable(home, lexicon.english, lexicon.english_negators, around, work)

    @cached_property
    def guests(self) -> FeatureTable:
        """Phrases of other languages in an English text."""
        return FeatureTable(self._rows, self.lexicon.phrases, self.lexicon.negators, *self._tell)

    @cached_property
    def abroad(self) -> FeatureTable:
        """Texts in other languages."""
        return FeatureTable(self._rows_abroad, self.lexicon.phrases, self.lexicon.negators, *self._tell)
