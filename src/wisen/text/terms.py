"""Normalizes words for comparing lessons: stems, synonyms and a worth for each term."""

from __future__ import annotations

from functools import lru_cache

from wisen.text.lazy_regex import lazy_regex

EMPTY = frozenset(
    "a an the this that these those it its is are was were be been being do does did done doing to of in on at by "
    "for with from as and or nor so if then than there here we you i us our your my me they them their he she have "
    "has had having can could would should will shall may might must need needs needed want wants please pls just "
    "also too very really all any some one ones every each both ever what which who when where how why let lets "
    "make making makes sure get got go goes into up about now still again always use uses using used utilize "
    "utilise prefer remember note ensure thanks thank anything something everything anyway like instead but ok okay "
    "yes hey while inside within during own yourself exactly simply actually already going forward onwards time "
    "and/or via onto supposed ought able since because even yet well sorry everywhere hmm hmmm yeah yep nope "
    "think guess maybe probably still here's there's theres there feel great right ready fine somehow actually "
    "forgot forget forgotten other another such same way thing things stuff bit lot much quite "
    "said told asked tell back done end "
    "benutze benutzen nutze nutzen verwende verwenden nimm usa usar usad utiliza utilizar utilise utiliser utilisez "
    "usare usiamo usate gebruik använd brug bruk użyj używaj используй используйте використовуй kullan "
    "用 使用 使って を使って 를 을".split()
)
"""Stop words: they say nothing about the subject of a lesson."""
_SYNONYMS = (
    "repository repo project codebase",
    "directly straight",
    "folder dir directory",
    "documentation doc",
    "delete remove drop erase removal deletion",
    "add include insert put belong contain",
    "write wrote written create",
    "keep kept stay leave",
    "check verify",
    "lint linter",
    "format formatter",
    "javascript js",
    "typescript ts",
    "python py",
    "environment env",
    "configuration config",
    "database db",
    "message msg",
    "pr prs",
    "function func",
    "variable var",
    "argument arg parameter param",
    "answer reply response respond replie",
    "test spec",
    "emoji emojis emoticon smiley",
    "fail failure broken error crash",
    "discuss talk chat discussion",
    "address handle resolve",
    "dependency dep package",
    "fix repair mend",
    "edit modify alter touch",
    "run ran execute",
    "short brief concise terse succinct shorter briefly concisely",
    "long verbose lengthy wordy longer",
    "alphabetically alphabetical alphabetic",
    "entire whole",
    "library lib",
    "application app",
    "build built",
    "indent indentation",
)
"""Synonyms in lessons about code; the first of each row represents all."""
_FILLERS = "directly currently existing recent latest current first"
_MINOR_WORDS = f"{_FILLERS} repository code file name new change review"
_COMMON_VERBS = "add write keep run pass call set give show start update check look open"
_VOWEL = lazy_regex(r"[aeiouy]")
_PLAIN = lazy_regex(r"[^\W\d_]+\Z")
_HYPHENED = lazy_regex(r"[^\W\d_]+(?:-[^\W\d_]+)+\Z")
_WELL_KNOWN_FILE = lazy_regex(r"@?(changelog|readme)(?:\.(?:md|rst|txt))?")
"""Files that are referred to by name alone."""
_MIN_STEM = 3
_MINOR, LIGHT, _FULL, _NAMED = 0.25, 0.4, 1.0, 1.5
"""The worth of a word: one that occurs in many lessons, a common verb, any other, and a name or number."""
BOUND = "→"
"""Separates a word from what it is bound to, as in before→commit."""


def stem(word: str) -> str:
    """Strip the plural and tense endings of a word."""
    if len(word) <= _MIN_STEM:
        return word
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= _MIN_STEM - (rest[:1] in "aeiou") and _VOWEL.search(rest):
            word = rest
            break
    if len(word) > _MIN_STEM and word[-1] == word[-2] and word[-1] not in "aeious":
        word = word[:-1]
    if len(word) > _MIN_STEM and word.endswith("e"):
        word = word[:-1]
    return f"{word[:-1]}i" if len(word) > _MIN_STEM and word.endswith("y") else word


_CANONICAL = {stem(word): stem(words.split()[0]) for words in _SYNONYMS for word in words.split()}
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
        return () if token in EMPTY else (_CANONICAL.get(plain, plain),)
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
