"""Finds words that change the meaning of a sentence in all shipped languages: negators, limits, conditions.

Languages with the same script share words of different meaning ("no", "para", "mai"), so each language has its own
words in `meaning_words.toml`; a text is read in the language that its function words indicate. An entry there is a
list of regular expressions, in which `\\s` stands for a space.
"""

from __future__ import annotations

import re
import tomllib
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import NamedTuple

from wisen.text.lazy_regex import lazy_regex


class MeaningTurn(StrEnum):
    """How a word changes a sentence; the value is shown to people."""

    NOT = "not"
    SWAP = "instead of"
    WITHOUT = "without"
    ONLY = "only"
    ALL = "all"
    IF = "if"
    EXCEPT = "except"
    BEFORE = "before"
    AFTER = "after"
    UNTIL = "until"
    LEAST = "at least"
    MOST = "at most"


class TurnWords(NamedTuple):
    """The words of one language."""

    marks: frozenset[str]
    """Words that identify the language: function words, and those that change the meaning."""
    spared: re.Pattern[str]
    """Phrases that look like such words but do not change the meaning: "don't forget to", "not only"."""
    turns: dict[MeaningTurn, re.Pattern[str]]


_UNSPACED = frozenset({"zh", "ja", "ko"})
"""Languages written without spaces between words, or with endings attached."""
_SCRIPTS = (
    ("ja", lazy_regex(r"[\u3040-\u30ff]")),
    ("ko", lazy_regex(r"[\uac00-\ud7af]")),
    ("zh", lazy_regex(r"[\u3400-\u9fff]")),
    ("ru", lazy_regex(r"[\u0400-\u04ff]")),
    ("ar", lazy_regex(r"[\u0600-\u06ff]")),
    ("hi", lazy_regex(r"[\u0900-\u097f]")),
)
_LATIN = tuple("en de fr es pt it pl sv tr vi".split())
_WORD = lazy_regex(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_ROMAN_HINDI = frozenset("mat karo nahi hai ke ki mein bina hamesha kabhi istemal karna karein na".split())
_RARE_LETTERS = {
    "pl": "ąćęłńóśźż",
    "de": "ßäöü",
    "tr": "ığş",
    "sv": "åäö",
    "vi": "ạảấầẩậắằẳẵặẹẻẽếềểễệịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹđơư",
}
"""Letters that few other languages have; each counts as two function words."""


def language_of(text: str) -> str:
    """Return the language of a text by its script or function words; empty if unknown."""
    for code, letters in _SCRIPTS:
        if len(letters.findall(text)) > 1:
            return code
    lowered = text.casefold()
    words = _WORD.findall(lowered)
    if len(_ROMAN_HINDI.intersection(words)) > 1:
        return "hi"
    scores = {
        code: sum(word in turn_words(code).marks for word in words)
        + 2 * len({*_RARE_LETTERS.get(code, "")} & {*lowered})
        for code in _LATIN
    }
    best = max(scores, key=lambda code: (scores[code], code == "en"))
    return best if scores[best] else ""


@cache
def turn_words(code: str) -> TurnWords:
    """Load the words of a language."""
    table = _tables()[code]
    turns = {turn: _pattern(table[turn.name.lower()], is_unspaced=code in _UNSPACED) for turn in MeaningTurn}
    plain_words = (word for words in table.values() for word in words.split() if word.isalpha())
    return TurnWords(frozenset(plain_words), re.compile(table["spared"], re.IGNORECASE), turns)


@cache
def _tables() -> dict[str, dict[str, str]]:
    return tomllib.loads(resources.files(__package__).joinpath("meaning_words.toml").read_text(encoding="utf-8"))


def _pattern(words: str, *, is_unspaced: bool) -> re.Pattern[str]:
    alternatives = "|".join(sorted(words.split(), key=len, reverse=True))
    return re.compile(alternatives if is_unspaced else rf"(?<![\w'])(?:{alternatives})(?![\w'])", re.IGNORECASE)
