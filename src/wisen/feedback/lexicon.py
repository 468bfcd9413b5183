"""Lookup tables of a set of languages: phrases, openings, emoticons and words of lessons; built on first use."""

from __future__ import annotations

import re
from functools import cache, cached_property
from importlib import resources
from typing import TYPE_CHECKING

from wisen.feedback.language import ENGLISH, english_languages
from wisen.feedback.phrase_matching import PhraseMatcher, build_negators
from wisen.feedback.phrase_table import build_phrase_table, stored_phrases
from wisen.feedback.text_normalization import fold, is_foreign, is_unspaced_letter, strip_accents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wisen.feedback.language import Language, Words
    from wisen.feedback.phrase_matching import Negators
    from wisen.feedback.phrase_table import StoredPhrases

_BEGINS = {
    "command": "begins as command",
    "auxiliary": "begins with auxiliary",
    "question": "begins as question",
    "thing": "begins with thing",
    "person": "begins with person",
}
_MAX_HEAD = 6
"""How many letters of a word are compared with the beginnings of longer words."""


class Openings:
    """How messages begin."""

    def __init__(self, languages: Iterable[Language]) -> None:
        self.leads, self.commands = set[str](), set[str]()
        self._features: dict[str, str] = {}
        self._heads: dict[str, str] = {}
        """Those that longer words may begin with."""
        for language in languages:
            self.leads.update(map(fold, language.opening.lead))
            self.commands.update(map(fold, language.opening.command))
            for table, feature in _BEGINS.items():
                for word in getattr(language.opening, table):
                    if word.endswith("*"):
                        self._heads.setdefault(fold(word[:-1]), feature)
                    else:
                        self._features.setdefault(fold(word), feature)

    def feature_of(self, words: list[str]) -> str:
        """The feature for how a folded text begins."""
        if not words:
            return "begins otherwise"
        first = words[0].rstrip(".:?")
        found = self._features.get(first)
        if found is None and first and not first.isascii():
            heads = self._features if is_unspaced_letter(first[0]) else self._heads
            for many in range(min(len(first), _MAX_HEAD), 0, -1):
                if found := heads.get(first[:many]):
                    break
        return found or "begins otherwise"


class Emoticons:
    """Emoticons, and the emoji they stand for."""

    def __init__(self, languages: Iterable[Language]) -> None:
        signs = {sign: emoji for each in languages for emoji, signs in each.emoticons.items() for sign in signs}
        self._emoji_of = signs
        self._pattern = _pattern_of(signs) if signs else None

    def with_emoji(self, text: str) -> str:
        """The text with emoji in place of emoticons; each character keeps its position."""
        if self._pattern is None or not (":" in text or "_" in text or "<" in text or "=" in text or "^" in text):
            return text
        return self._pattern.sub(self._replace, text)

    def _replace(self, found: re.Match[str]) -> str:
        return self._emoji_of[found[0]].ljust(len(found[0]))


class LessonPhrases:
    """The words of lessons, in all languages and in English alone; built on first use."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    @cached_property
    def orders(self) -> PhraseMatcher:
        """The words of sentences that say what is to be done."""
        return _orders(self._lexicon.languages)

    @cached_property
    def english_orders(self) -> PhraseMatcher:
        """The same in English."""
        return _orders(self._lexicon.first_language)

    @cached_property
    def lessons(self) -> PhraseMatcher:
        """The words by which lessons are classified; a group is named by its table and its own name."""
        return _lessons(self._lexicon.languages)

    @cached_property
    def english_lessons(self) -> PhraseMatcher:
        """The same in English."""
        return _lessons(self._lexicon.first_language)


class Lexicon:
    """A set of languages, of which the first has priority."""

    def __init__(
        self,
        languages: Iterable[Language],
        load_all: Callable[[], StoredPhrases] | None = None,
        foreign_words: frozenset[str] | None = None,
    ) -> None:
        """`languages`: all of them; or, with `load_all`, those that English texts need, and a function for all.

        `foreign_words`: the words that reveal texts in other languages, where they were computed before.
        """
        loaded = self._loaded = tuple(languages)
        self.first_language = loaded[:1]
        """The language with priority."""
        self._load_all = load_all
        self._foreign_words = find_foreign_words(loaded) if foreign_words is None else foreign_words
        english = [each for each in loaded if each.code in ENGLISH]
        self.english = _phrases(english)
        """English and emoji alone: other languages must not claim a word of an English text."""
        self.english_negators = {each.code: build_negators(each) for each in english}
        self.english_openings = Openings(self.first_language)
        self.emoticons = Emoticons(loaded)
        self.lesson_phrases = LessonPhrases(self)

    @cached_property
    def languages(self) -> tuple[Language, ...]:
        """All languages, loaded when a text first may not be English; loaded ones are without their phrases."""
        return self._loaded if self._load_all is None else self._load_all().languages

    @cached_property
    def negators(self) -> dict[str, Negators]:
        """The negations of each language, by its code."""
        return {each.code: build_negators(each) for each in self.languages}

    @cached_property
    def english_bits(self) -> int:
        """The bits of English and emoji."""
        return sum(1 << at for at, each in enumerate(self.languages) if each.code in ENGLISH)

    @cached_property
    def openings(self) -> Openings:
        """How messages begin in any language."""
        return Openings(self.languages)

    def may_be_foreign(self, text: str) -> bool:
        """Whether a folded text has a word that English does not know and another language does, or its letters."""
        if is_foreign(text):
            return True
        for mark in ".?:":
            if mark in text:
                text = text.replace(mark, " ")
        return not self._foreign_words.isdisjoint(text.split())

    @cached_property
    def phrases(self) -> PhraseMatcher:
        """The phrases of all languages, loaded when a text first may not be English."""
        return _phrases(self._loaded) if self._load_all is None else PhraseMatcher(self._load_all().table)

    @cached_property
    def english_words(self) -> frozenset[str]:
        """The words of the English phrases, and common words."""
        return frozenset(word for each in self.first_language for word in (*_words(each), *each.common))

    def languages_of(self, bits: int) -> tuple[Language, ...]:
        """The languages of a bit set."""
        return tuple(language for at, language in enumerate(self.languages) if bits >> at & 1)


def _pattern_of(signs: Iterable[str]) -> re.Pattern[str]:
    """A pattern for emoticons between spaces. Each alternative begins with a letter, so that the search is fast."""
    by_first: dict[str, list[str]] = {}
    for sign in sorted(signs, key=len, reverse=True):
        by_first.setdefault(sign[0], []).append(re.escape(sign[1:]))
    ways = (rf"{re.escape(first)}(?<!\S.)(?:{'|'.join(rests)})" for first, rests in by_first.items())
    return re.compile(rf"(?:{'|'.join(ways)})(?![\w(/])")


def _matcher(of_languages: Iterable[tuple[Language, dict[str, Words], Words]]) -> PhraseMatcher:
    return PhraseMatcher(build_phrase_table(of_languages))


def _phrases(languages: Iterable[Language]) -> PhraseMatcher:
    return _matcher((language, language.groups, language.harmless) for language in languages)


def _orders(languages: Iterable[Language]) -> PhraseMatcher:
    return _matcher((language, {"orders": language.lesson.orders}, ()) for language in languages)


def _lessons(languages: Iterable[Language]) -> PhraseMatcher:
    return _matcher((language, _lesson_groups(language), ()) for language in languages)


@cache
def shipped_lexicon() -> Lexicon:
    """The shipped languages; English texts load only two files."""
    read = resources.files(__package__).joinpath("strange.txt").read_text(encoding="utf-8")
    return Lexicon(english_languages(), stored_phrases, frozenset(read.split()))


def find_foreign_words(languages: Iterable[Language]) -> frozenset[str]:
    """The words of the phrases of other languages in Latin letters that English does not have."""
    english, foreign = set[str](), set[str]()
    for language in languages:
        text = " ".join(_words(language))
        if language.code in ENGLISH:
            english.update(text.split(), language.common)
        elif not is_foreign(text):
            for letter, put in language.respell.items():
                text += f" {text.replace(fold(letter), put)}"
            foreign.update(text.split(), strip_accents(text).split())
    return frozenset(word for word in foreign - english if len(word) > 1)


def _words(language: Language) -> list[str]:
    """The folded words of its phrases, and of the phrases that hide others."""
    phrases = [*language.harmless, *(phrase for words in language.groups.values() for phrase in words)]
    return fold(" ".join(phrases)).replace(".", " ").replace("?", " ").replace(":", " ").replace("*", " ").split()


def _lesson_groups(language: Language) -> dict[str, tuple[str, ...]]:
    words = language.lesson
    groups = {f"about {group}": phrases for group, phrases in words.about.items()}
    groups |= {f"lasting {group}": phrases for group, phrases in words.lasting.items()}
    if words.always:
        groups["lasting always"] = (*groups.get("lasting always", ()), *words.always)
    return groups
