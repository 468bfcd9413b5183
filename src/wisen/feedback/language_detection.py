"""Detects the languages that a user writes in, from all their turns together: by scripts and by small words.

It only suggests which languages may deserve a file. Signal detection never depends on it, and no language is
determined for a single turn.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter, defaultdict
from functools import cache
from importlib import resources
from typing import NamedTuple

import msgspec

from wisen.feedback.text_normalization import fold, mask

LATIN = "Latin"
SCRIPTS = {
    LATIN: "A-Za-zªºÀ-ÖØ-öø-ɏḀ-ỿ",
    "Greek": "Ͱ-Ͽἀ-῿",
    "Cyrillic": "Ѐ-ԯ",
    "Armenian": "Ա-֏",
    "Hebrew": "א-ת",
    "Arabic": "ء-يٮ-ۓۺ-ۿݐ-ݿ",
    "Devanagari": "ऀ-ॣ",
    "Bengali": "ঀ-৾",
    "Gurmukhi": "ਁ-ੵ",
    "Gujarati": "ઁ-૿",
    "Tamil": "ஂ-௺",
    "Telugu": "ఀ-౿",
    "Kannada": "ಀ-ೲ",
    "Malayalam": "ഀ-ൿ",
    "Sinhala": "ඁ-෴",
    "Thai": "ก-๎",
    "Lao": "ກ-ໟ",
    "Myanmar": "က-႟",
    "Georgian": "Ⴀ-ჿ",
    "Ethiopic": "ሀ-፼",
    "Khmer": "ក-៓",
    "Kana": "ぁ-ヿ",
    "Han": "㐀-鿿",
    "Hangul": "가-힣",
}
"""The letters of each script."""
_MIN_SHARE = 0.3
"""The minimum share of letters of a script other than Latin: names of code are mixed in."""
_MIN_LETTERS = 4
_MIN_WORDS, _MIN_SCORE = 2, 1.5
"""How many words of a language a turn needs to count for it; a word shared with others scores less."""
_MIN_TURNS, _MIN_DISTINCT, _LONG_WORD = 3, 5, 3
"""A language needs so many turns, so many different words, and as many turns with words of three letters or more."""
_RELATED_SHARE, _RELATED_MIN = 0.25, 0.1
"""Languages that share so many words are related; next to a more frequent relative a small share is chance."""
_MAX_READ = 2_000
_MAX_EXAMPLES = 8
_EDGES = ".:?!'\"-…।۔၊။៖·/\\`+&%$#@<>^"


class LanguageProfile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a language is distinguished from others."""

    name: str
    own_name: str
    words: str
    script: str = LATIN


class WrittenLanguage(NamedTuple):
    """A language in which a user writes."""

    code: str
    turns: int
    words: tuple[str, ...]
    """Small words of it that the user wrote, the most frequent first."""


@cache
def language_profiles() -> dict[str, LanguageProfile]:
    """The languages that can be distinguished, by code."""
    text = resources.files(__package__).joinpath("tongues.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, LanguageProfile])


def is_in_script(script: str, text: str) -> bool:
    """Whether a text has letters of a script, and otherwise only Latin ones."""
    scripts = {name for name, pattern in _patterns().items() if pattern.search(text)}
    return script in scripts and scripts <= {script, LATIN}


class LanguageCounter:
    """Counts the languages of what a user writes."""

    def __init__(self) -> None:
        self._words = _words()
        self._by_script = _single_language_scripts()
        self._turns = Counter[str]()
        self._found: dict[str, Counter[str]] = {}
        self._long_turns = Counter[str]()

    def add(self, text: str) -> str:
        """Count a turn. Returns the language it counts for, which is a guess; empty for none."""
        plain = fold(mask(text[:_MAX_READ])).replace("\0", " ")
        words = {word.strip(_EDGES) for word in plain.split()}
        script = _script_of(plain)
        code = self._by_script.get(script, "") or self._guess_by_words(script, words)
        if not code:
            return ""
        known = self._words[code]
        found = self._found.setdefault(code, Counter())
        held = known & words if script not in _UNSPACED else {word for word in known if word in plain}
        found.update(held if script == LATIN or held else words)
        self._turns[code] += 1
        self._long_turns[code] += script != LATIN or any(len(word) >= _LONG_WORD for word in held)
        return code

    def languages(self) -> tuple[WrittenLanguage, ...]:
        """The languages that are certain, the most frequent first."""
        sure = [code for code in self._turns if self._is_sure(code)]
        return tuple(
            WrittenLanguage(code, self._turns[code], self._example_words(code))
            for code in sorted(sure, key=lambda code: (-self._turns[code], code))
        )

    def _guess_by_words(self, script: str, words: set[str]) -> str:
        """The language with most words in the text; empty where that is unclear."""
        scores, counts = defaultdict[str, float](float), Counter[str]()
        for word in words:
            claimed = _claims().get((script, word), ())
            for code in claimed:
                scores[code] += 1 / len(claimed)
                counts[code] += 1
        best = sorted(scores, key=lambda code: -scores[code])[:2]
        if not best or scores[best[0]] < _MIN_SCORE or counts[best[0]] < _MIN_WORDS:
            return ""
        return "" if best[1:] and counts[best[1]] >= counts[best[0]] else best[0]

    def _is_sure(self, code: str) -> bool:
        turns = self._turns[code]
        if turns < _MIN_TURNS or self._long_turns[code] < _MIN_TURNS or len(self._found[code]) < _MIN_DISTINCT:
            return False
        return all(turns >= _RELATED_MIN * self._turns[other] for other in self._turns if _are_related(code, other))

    def _example_words(self, code: str) -> tuple[str, ...]:
        known = self._words[code]
        counted = [(many, word) for word, many in self._found[code].items() if word in known]
        return tuple(word for _, word in sorted(counted, key=lambda each: (-each[0], each[1]))[:_MAX_EXAMPLES])


_UNSPACED = ("Thai", "Lao", "Myanmar", "Khmer")


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return {name: re.compile(f"[{letters}]") for name, letters in SCRIPTS.items()}


@cache
def _words() -> dict[str, frozenset[str]]:
    return {code: frozenset(fold(profile.words).split()) for code, profile in language_profiles().items()}


@cache
def _claims() -> dict[tuple[str, str], tuple[str, ...]]:
    """The languages of each word, by script."""
    claims: dict[tuple[str, str], tuple[str, ...]] = {}
    for code, words in _words().items():
        for word in words:
            key = (language_profiles()[code].script, word)
            claims[key] = (*claims.get(key, ()), code)
    return claims


@cache
def _single_language_scripts() -> dict[str, str]:
    """The scripts of only one language, with its code."""
    many = Counter(profile.script for profile in language_profiles().values())
    return {profile.script: code for code, profile in language_profiles().items() if many[profile.script] == 1}


@cache
def _are_related(one: str, other: str) -> bool:
    words, others = _words()[one], _words()[other]
    return one != other and len(words & others) >= _RELATED_SHARE * min(len(words), len(others))


def _script_of(plain: str) -> str:
    """The script of a text."""
    if plain.isascii():
        return LATIN
    counts = {name: len(pattern.findall(plain)) for name, pattern in _patterns().items()}
    latin = counts.pop(LATIN)
    most = max(counts, key=lambda name: counts[name])
    return most if counts[most] >= max(_MIN_LETTERS, _MIN_SHARE * (counts[most] + latin)) else LATIN
