"""The words that turn what a sentence says, in all the languages that are shipped: negators, limits, conditions.

Languages that are written with the same letters share words that mean different things ("no", "para", "mai"), so that
each language has words of its own in `meaning_words.toml`; a text is read in the language that its small words tell.
An entry there is a list of regular expressions, in which `\\s` stands for a blank.
"""

from __future__ import annotations

import re
import tomllib
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import NamedTuple


class MeaningTurn(StrEnum):
    """What a word does to a sentence; the value names it for people."""

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
    """Words that tell the language: small ones, and those that turn."""
    spared: re.Pattern[str]
    """What looks like a word that turns, and turns nothing: "don't forget to", "not only"."""
    turns: dict[MeaningTurn, re.Pattern[str]]


_GLUED = frozenset({"zh", "ja", "ko"})
"""Languages that are written without blanks between words, or with endings glued to them."""
_SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("zh", re.compile(r"[\u3400-\u9fff]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
)
_LATIN = tuple("en de fr es pt it pl sv tr vi".split())
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_ROMAN_HINDI = frozenset("mat karo nahi hai ke ki mein bina hamesha kabhi istemal karna karein na".split())
_TELLING = {
    "pl": "ąćęłńóśźż",
    "de": "ßäöü",
    "tr": "ığş",
    "sv": "åäö",
    "vi": "ạảấầẩậắằẳẵặẹẻẽếềểễệịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹđơư",
}
"""Letters that few other languages have; each counts as a small word."""


def language_of(text: str) -> str:
    """The language of a text, by its letters or by its small words; empty where nothing tells."""
    for code, letters in _SCRIPTS:
        if len(letters.findall(text)) > 1:
            return code
    plain = text.casefold()
    words = _WORD.findall(plain)
    if len(_ROMAN_HINDI.intersection(words)) > 1:
        return "hi"
    scores = {
        code: sum(word in turn_words(code).marks for word in words) + 2 * len({*_TELLING.get(code, "")} & {*plain})
        for code in _LATIN
    }
    best = max(scores, key=lambda code: (scores[code], code == "en"))
    return best if scores[best] else ""


@cache
def turn_words(code: str) -> TurnWords:
    """The words of a language."""
    table = _tables()[code]
    turns = {turn: _pattern(table[turn.name.lower()], is_glued=code in _GLUED) for turn in MeaningTurn}
    plain = (word for words in table.values() for word in words.split() if word.isalpha())
    return TurnWords(frozenset(plain), re.compile(table["spared"], re.IGNORECASE), turns)


@cache
def _tables() -> dict[str, dict[str, str]]:
    return tomllib.loads(resources.files(__package__).joinpath("meaning_words.toml").read_text(encoding="utf-8"))


def _pattern(words: str, *, is_glued: bool) -> re.Pattern[str]:
    found = "|".join(sorted(words.split(), key=len, reverse=True))
    return re.compile(found if is_glued else rf"(?<![\w'])(?:{found})(?![\w'])", re.IGNORECASE)
