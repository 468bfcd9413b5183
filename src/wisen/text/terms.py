"""Normalizes words for comparing lessons: stems, synonyms and a worth for each term."""

from __future__ import annotations

from functools import lru_cache

from wisen.kernel.word_stems import CANONICAL, EMPTY, stem
from wisen.text.lazy_regex import lazy_regex

_FILLERS = "directly currently existing recent latest current first"
_MINOR_WORDS = f"{_FILLERS} repository code file name new change review"
_COMMON_VERBS = "add write keep run pass call set give show start update check look open"
_PLAIN = lazy_regex(r"[^\W\d_]+\Z")
_HYPHENED = lazy_regex(r"[^\W\d_]+(?:-[^\W\d_]+)+\Z")
_WELL_KNOWN_FILE = lazy_regex(r"@?(changelog|readme)(?:\.(?:md|rst|txt))?")
"""Files that are referred to by name alone."""
_MINOR, LIGHT, _FULL, _NAMED = 0.25, 0.4, 1.0, 1.5
"""The worth of a word: one that occurs in many lessons, a common verb, any other, and a name or number."""
BOUND = "→"
"""Separates a word from what it is bound to, as in before→commit."""


_WORTH = {stem(word): _MINOR for word in _MINOR_WORDS.split()} | {stem(word): LIGHT for word in _COMMON_VERBS.split()}
_FILLER_STEMS = frozenset(map(stem, _FILLERS.split()))
_DECISIVE_STEMS = frozenset(
    map(stem, "off out down less fewer except unless without only last hardly rarely seldom".split())
)


@lru_cache(maxsize=20_000)
def term_of(token: str) -> tuple[str, ...]:
    """Return the terms of a word: several for a compound; names of files, flags and packages stay whole."""
    if _PLAIN.match(token):
        plain = stem(token)
        return () if token in EMPTY else (CANONICAL.get(plain, plain),)
    if _HYPHENED.match(token):
        return tuple(term for part in token.split("-") for term in term_of(part))
    if file := _WELL_KNOWN_FILE.fullmatch(token):
        return (stem(file[1]),)
    return (token.removeprefix("./").rstrip("/") or token,)


@lru_cache(maxsize=20_000)
def parts_of(term: str) -> tuple[str, ...]:
    """Return the terms of a command; any other term is its own only part."""
    if " " not in term or BOUND in term:
        return (term,)
    return tuple(dict.fromkeys(part for word in term.split() for part in term_of(word) or (word,)))


@lru_cache(maxsize=20_000)
def worth_of(term: str) -> float:
    """Return how significant a term is: a name or number more than a word, a word of many lessons less."""
    term = term.rpartition(BOUND)[2]
    if " " in term:
        return sum(map(worth_of, parts_of(term)))
    return _WORTH.get(term, _FULL if term.isalpha() else _NAMED)


def is_filler(term: str) -> bool:
    """Whether a term only says how or which, so that nothing else replaces it."""
    return term in _FILLER_STEMS


@lru_cache(maxsize=20_000)
def is_decisive(term: str) -> bool:
    """Whether lessons with and without the term differ: numbers, flags, conditions."""
    return term in _DECISIVE_STEMS or BOUND in term or term[0] == "-" or any(map(str.isdigit, term))
