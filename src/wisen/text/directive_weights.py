"""Scores how likely a sentence is a directive, by its words and their order: a small linear model for each language.

The rules of a language (`directive_reading.py`) hear what they were written for; people find other ways to say it, and
say other things in the same words. The weights were trained on sentences that were written for it
(`python -m benchmarks.train_directives`); each language has its file in directive_weights/. A sentence is scored as it
was typed but for its letters (`letter_folding.py`); nothing is reworded.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from wisen.text.directive_matches import SentenceMatches
    from wisen.text.sentence_reading import SentenceReading

_CHUNK = re.compile(r"[,;:!?]+|\.+(?=\s|$)|[^\s,;:!?]+?(?=\.*(?:\s|$)|[,;:!?])")
_NAME = re.compile(r"[\d_/.()<>=@#$%&*+\\{}\[\]|~\"]")
_LATIN_RUN = re.compile(r"[!-~]+")
_MOST_WORDS = 60
"""A longer sentence is read up to here."""
_MOST_CACHED = 20_000
_ENDINGS = ("ing", "ed", "ly", "s", "er", "tion", "ment", "able")
"""What an English word that is not known counts by."""
_SHORTEST = 4
"""Shorter words count by no ending."""
_LONGEST_RUN = 4
"""Up to so many letters in a row count, where words are not told apart by blanks, or by far more than their order."""
_SIGNS_ADD = 0.5
"""What the rules find is not looked at where it would have to add more than this: seldom does it, where none hears."""
_KNOWN = 0.4
"""So many of the words of a sentence must be known."""
START, END, UNKNOWN, NAME, NUMBER = "^", "$", "+", "#", "0"
"""What stands for the beginning, the end, a word that is not known, a name as in code, and a number."""


class _Stored(msgspec.Struct, frozen=True):
    letters: bool
    """Whether runs of letters are weighed, and not words."""
    bias: float
    sure: float
    """From here on a sentence is a directive, whether or not a rule hears it."""
    threshold: float
    """From here on it may be one: somebody has to say so."""
    veto: float
    """Below this also a sentence that a rule hears only may be one."""
    standing: float
    """Below this it is not told at every start, whatever it says of how long it lasts."""
    words: list[str]
    """The words that are known; others count by their endings."""
    weights: dict[str, float]


class TokenTable(dict[str, str]):
    """What each word counts as: itself where it is known, else a class of words."""

    def __init__(self, words: Iterable[str], *, english: bool = False) -> None:
        self._known = {word: word for word in words}
        self._english = english
        super().__init__(self._known)

    def __missing__(self, chunk: str) -> str:
        token = self._classify(chunk.replace("'", ""))
        if len(self) > _MOST_CACHED:
            self.clear()
            self.update(self._known)
        self[chunk] = token
        return token

    def _classify(self, word: str) -> str:
        if word in self._known or (not word[:1].isalnum() and len(word) <= 2):
            return word
        if word.isdigit():
            return NUMBER
        if _NAME.search(word):
            return NAME
        last = word.rpartition("-")[2]
        if len(last) <= _SHORTEST:
            return UNKNOWN
        if self._english:
            return UNKNOWN + next((ending for ending in _ENDINGS if last.endswith(ending)), "")
        return UNKNOWN + last[-2:]


def chunks_of(said: str) -> list[str]:
    """The words and marks of a folded sentence."""
    return _CHUNK.findall(said)[:_MOST_WORDS]


def word_features(said: str, table: TokenTable) -> set[str]:
    """What is weighed: each word, and two and three that follow each other."""
    chunks = chunks_of(said)
    tokens = [table[chunk] for chunk in chunks]
    found = set(tokens)
    first, second = START, START
    for token in (*tokens, END):
        found.add(f"{second} {token}")
        found.add(f"{first} {second} {token}")
        first, second = second, token
    if not said.isascii():
        found.update([f"~{chunk[-3:]}" for chunk in chunks if len(chunk) > _SHORTEST])
    return found


def letter_features(said: str) -> set[str]:
    """The same where words are not written apart: runs of letters; a name in Latin letters counts as one."""
    plain = f"{START}{_LATIN_RUN.sub(NAME, said[: _MOST_WORDS * 3])}{END}"
    ends = range(1, _LONGEST_RUN + 1)
    return {plain[start : start + size] for size in ends for start in range(len(plain) - size + 1)}


def rule_features(matches: SentenceMatches, reading: SentenceReading | None) -> Iterator[str]:
    """What the rules found in a sentence, as features: kinds of words, where they open it, and how they read it."""
    for name, opens in matches.kinds():
        yield f"kind {name}"
        if opens:
            yield f"opens {name}"
    yield "form none" if reading is None else f"form {reading.form}"


class DirectiveWeights:
    """The linear model of a language."""

    def __init__(self, stored: _Stored, *, english: bool) -> None:
        self.certain_threshold, self.doubt_threshold, self.veto_threshold = stored.sure, stored.threshold, stored.veto
        self.standing_threshold = stored.standing
        self._bias = stored.bias
        self._table = None if stored.letters else TokenTable(stored.words, english=english)
        self._weights = stored.weights
        self._unheard = stored.weights.get("form none", 0.0)

    def score_words(self, said: str) -> float:
        """How much the words of a folded sentence speak for a directive: a log of odds."""
        weigh = self._weights.get
        found = letter_features(said) if self._table is None else word_features(said, self._table)
        return self._bias + sum([weigh(feature, 0.0) for feature in found])

    def knows_words_of(self, said: str) -> bool:
        """Whether enough of its words are known to say anything of it: it may be in a language that is not shipped."""
        if self._table is None:
            return True
        tokens = [
            token for chunk in chunks_of(said) if (token := self._table[chunk])[:1].isalpha() or token[:1] == UNKNOWN
        ]
        return sum(not token.startswith(UNKNOWN) for token in tokens) >= _KNOWN * len(tokens)

    def may_reach(self, by_words: float) -> bool:
        """Whether a sentence that no rule hears may still be a directive, by what its words give."""
        return by_words + self._unheard + _SIGNS_ADD >= self.doubt_threshold

    def score_rule_features(self, matches: SentenceMatches, reading: SentenceReading | None) -> float:
        """What the rules add to that."""
        weigh = self._weights.get
        return sum([weigh(feature, 0.0) for feature in rule_features(matches, reading)])


@cache
def shipped_weights(code: str) -> DirectiveWeights | None:
    """The model of a language that comes with the package; None for others."""
    file = resources.files(__package__).joinpath("directive_weights", f"{code}.json")
    if not file.is_file():
        return None
    return DirectiveWeights(msgspec.json.decode(file.read_bytes(), type=_Stored), english=code == "en")
