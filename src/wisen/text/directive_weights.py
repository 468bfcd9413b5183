"""Scores how likely a sentence is a directive by its words and their order: a small linear model per language.

The rules of a language (`directive_reading.py`) match what they were written for; people find other ways to say it,
and say other things in the same words. The weights were trained on sentences written for that purpose
(`python -m benchmarks.train_directives`); each language has its file in directive_weights/. A sentence is scored as
typed, after letter folding only (`letter_folding.py`); nothing is reworded.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

import msgspec

from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from wisen.text.directive_matches import SentenceMatches
    from wisen.text.sentence_reading import SentenceReading

_CHUNK = lazy_regex(r"[,;:!?]+|\.+(?=\s|$)|[^\s,;:!?]+?(?=\.*(?:\s|$)|[,;:!?])")
_NAME = lazy_regex(r"[\d_/.()<>=@#$%&*+\\{}\[\]|~\"]")
_LATIN_RUN = lazy_regex(r"[!-~]+")
_MAX_WORDS = 60
"""Maximum number of words read of a sentence."""
_MAX_CACHED = 20_000
_ENDINGS = ("ing", "ed", "ly", "s", "er", "tion", "ment", "able")
"""Suffixes that classify an unknown English word."""
_MIN_SUFFIX_WORD = 4
"""Words up to this length are not classified by their suffix."""
_MAX_RUN = 4
"""Maximum length of the letter runs that are features in scripts without spaces."""
_MAX_RULE_SCORE = 0.5
"""Rule features are skipped if they would have to add more than this: they seldom do if no rule matches."""
_MIN_KNOWN_SHARE = 0.4
"""Minimum share of the words of a sentence that must be known."""
START, END, UNKNOWN, NAME, NUMBER = "^", "$", "+", "#", "0"
"""Tokens for the start, the end, an unknown word, a code-like name and a number."""


class _StoredModel(msgspec.Struct, frozen=True):
    """A model as stored in directive_weights/*.json."""

    letters: bool
    """Whether the features are runs of letters instead of words."""
    bias: float
    sure: float
    """From this score on a sentence is a directive, whether or not a rule matches."""
    threshold: float
    """From this score on it is a possible directive that needs confirmation."""
    veto: float
    """Below this score even a sentence that a rule matches is only a possible directive."""
    standing: float
    """Below this score it is not delivered at every session start, whatever it says about lasting."""
    words: list[str]
    """The known words; others are classified by their suffixes."""
    weights: dict[str, float]


class TokenTable(dict[str, str]):
    """Maps each word to its token: itself if known, otherwise a class of words."""

    def __init__(self, words: Iterable[str], *, english: bool = False) -> None:
        self._known = {word: word for word in words}
        self._english = english
        super().__init__(self._known)

    def __missing__(self, chunk: str) -> str:
        token = self._classify(chunk.replace("'", ""))
        if len(self) > _MAX_CACHED:
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
        if len(last) <= _MIN_SUFFIX_WORD:
            return UNKNOWN
        if self._english:
            return UNKNOWN + next((ending for ending in _ENDINGS if last.endswith(ending)), "")
        return UNKNOWN + last[-2:]


def chunks_of(folded: str) -> list[str]:
    """Split a folded sentence into words and punctuation."""
    return _CHUNK.findall(folded)[:_MAX_WORDS]


def word_features(folded: str, table: TokenTable) -> set[str]:
    """Return the features of a sentence: its unigrams, bigrams and trigrams of tokens."""
    chunks = chunks_of(folded)
    tokens = [table[chunk] for chunk in chunks]
    features = set(tokens)
    first, second = START, START
    for token in (*tokens, END):
        features.add(f"{second} {token}")
        features.add(f"{first} {second} {token}")
        first, second = second, token
    if not folded.isascii():
        features.update([f"~{chunk[-3:]}" for chunk in chunks if len(chunk) > _MIN_SUFFIX_WORD])
    return features


def letter_features(folded: str) -> set[str]:
    """Return the features in a script without spaces: letter n-grams; a name in Latin letters counts as one letter."""
    framed = f"{START}{_LATIN_RUN.sub(NAME, folded[: _MAX_WORDS * 3])}{END}"
    sizes = range(1, _MAX_RUN + 1)
    return {framed[start : start + size] for size in sizes for start in range(len(framed) - size + 1)}


def rule_features(matches: SentenceMatches, reading: SentenceReading | None) -> Iterator[str]:
    """Yield what the rules found in a sentence as features: kinds of words, which of them open it, and its form."""
    for name, opens in matches.kinds():
        yield f"kind {name}"
        if opens:
            yield f"opens {name}"
    yield "form none" if reading is None else f"form {reading.form}"


class DirectiveWeights:
    """The linear model of a language."""

    def __init__(self, stored: _StoredModel, *, english: bool) -> None:
        self.certain_threshold, self.doubt_threshold, self.veto_threshold = stored.sure, stored.threshold, stored.veto
        self.standing_threshold = stored.standing
        self._bias = stored.bias
        self._table = None if stored.letters else TokenTable(stored.words, english=english)
        self._weights = stored.weights
        self._no_rule_weight = stored.weights.get("form none", 0.0)

    def score_words(self, folded: str) -> float:
        """Return the log odds that a folded sentence is a directive, by its words."""
        weight_of = self._weights.get
        features = letter_features(folded) if self._table is None else word_features(folded, self._table)
        return self._bias + sum([weight_of(feature, 0.0) for feature in features])

    def knows_words_of(self, folded: str) -> bool:
        """Whether enough words are known for the score to mean anything: the language may not be a shipped one."""
        if self._table is None:
            return True
        tokens = [
            token for chunk in chunks_of(folded) if (token := self._table[chunk])[:1].isalpha() or token[:1] == UNKNOWN
        ]
        return sum(not token.startswith(UNKNOWN) for token in tokens) >= _MIN_KNOWN_SHARE * len(tokens)

    def may_reach(self, word_score: float) -> bool:
        """Whether a sentence that no rule matches may still be a directive, given the score of its words."""
        return word_score + self._no_rule_weight + _MAX_RULE_SCORE >= self.doubt_threshold

    def score_rule_features(self, matches: SentenceMatches, reading: SentenceReading | None) -> float:
        """Return what the rules add to the score."""
        weight_of = self._weights.get
        return sum([weight_of(feature, 0.0) for feature in rule_features(matches, reading)])


@cache
def shipped_weights(code: str) -> DirectiveWeights | None:
    """Return the model of a shipped language; None for others."""
    file = resources.files(__package__).joinpath("directive_weights", f"{code}.json")
    if not file.is_file():
        return None
    return DirectiveWeights(msgspec.json.decode(file.read_bytes(), type=_StoredModel), english=code == "en")
