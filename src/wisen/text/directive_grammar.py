"""Compiles the word lists of a language for matching: patterns are indexed by their first letters, compiled lazily."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from wisen.text.lazy_regex import lazy_regex
from wisen.text.letter_folding import fold_letters, has_accents
from wisen.text.pattern_heads import heads_of, literal_in
from wisen.text.pattern_spellings import spellings_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from wisen.text.directive_matches import SentenceMatches
    from wisen.text.directive_words import DirectiveWords, Words
    from wisen.text.pattern_spellings import Spellings

LETTER = r"[\w\u0900-\u0963\u0970-\u097f]"
_LETTER = lazy_regex(LETTER)
_WORD_END = rf"(?:(?<=\s)|(?!{LETTER}))"
BLANKED, QUOTED = "\u00b7", "\u2026"
"""Placeholder characters for code that is not read, and for a quotation."""
_GAP = r"(?:\S+ ){0,4}?"
_QUOTATION = lazy_regex(
    r"\"[^\"\n]{6,}\"|“[^”\n]{4,}”|„[^“”\n]{4,}[“”]|«[^»\n]{4,}»|「[^」\n]{3,}」|『[^』\n]{3,}』"
    r"|(?<!\w)'[^'\n]* [^'\n]*'(?!\w)"
)
_QUOTES = lazy_regex("[\"“„«「『']")
_CODE = lazy_regex(r"`[^`\n]+`")
_CODE_SIGNS = frozenset(" (){}=;")
"""Text in backticks is code if it contains one of these; otherwise it is a name, which is read like any word."""
_MIN_MISSPELLED_LENGTH = 5
_CORRECT_WORDS = frozenset(
    "ever avid forget instead place lease last case ties noting hans tank sand sore util rater".split()
)
"""Words that look like misspellings but are words of their own."""
_ABBREVIATIONS = {"u": "you", "ur": "your", "ppl": "people", "tho": "though", "w/o": "without", "n't": "not"}
"""How English words are abbreviated when typed in a hurry."""
_LONG_WORD = lazy_regex(r"[^\W\d_]{4,}")
_ESCAPES = lazy_regex(r"\\.")
_VOCABULARY_KINDS = (
    "forbid",
    "forbidden",
    "habits",
    "orders",
    "tasks",
    "remember",
    "lasting",
    "wishes",
    "conventions",
    "negators",
    "narratives",
)
_PLAIN_WORD = lazy_regex(r"[^\W\d_]+")
_COMPILE_AFTER = 32
"""How often patterns are tried one by one before they are combined: compiling costs more than a few matches."""
_PUNCTUATION = r"\s*[,!.:…–、，。-]+\s*"


class PatternEntry:
    """One pattern of a kind of words."""

    __slots__ = ("_literal", "_pattern", "_spellings", "name", "source", "words")

    def __init__(self, name: str, source: str, folded: str) -> None:
        self.name = name
        self.source = source
        self.words = folded
        """The pattern without word boundaries."""
        self._literal: str | None = None
        self._spellings: Spellings | None = None
        self._pattern: re.Pattern[str] | None = None

    @property
    def literal(self) -> str:
        """Text that is part of every match: looked for first, because that is faster."""
        if self._literal is None:
            self._literal = literal_in(self.words)
        return self._literal

    @property
    def pattern(self) -> re.Pattern[str]:
        """The compiled pattern; compiling all of them would make startup too slow."""
        if self._pattern is None:
            self._pattern = re.compile(self.source)
        return self._pattern

    def match_word(self, folded: str, start: int) -> tuple[int, int] | None:
        """Return the span of the match that begins with the word at a position; compiles the pattern only if needed."""
        spellings = self._spellings
        if spellings is None:
            spellings = self._spellings = spellings_of(self.words)
        if not folded.startswith(spellings.beginnings, start):
            return None
        if spellings.is_complete:
            for spelling in spellings.beginnings:
                if folded.startswith(spelling, start) and _ends_word(folded, end := start + len(spelling)):
                    return start, end
            return None
        if self.literal not in folded:
            return None
        match = self.pattern.match(folded, start)
        return None if match is None else match.span()


class PatternGroup:
    """Patterns with the same head: one combined match tells whether any of them matches at a word."""

    __slots__ = ("_entries", "_uses", "match_any")

    def __init__(self) -> None:
        self._entries: list[PatternEntry] = []
        self._uses = 0
        self.match_any: Callable[[str, int], object] = self._match_each
        """Matches any of the patterns at a position."""

    def add(self, entry: PatternEntry) -> None:
        """Add a pattern to the group."""
        self._entries.append(entry)

    def find_matches(self, folded: str, start: int) -> list[tuple[str, tuple[int, int]]]:
        """Return the kinds of words that begin at a position, each with its span."""
        if self.match_any(folded, start) is None:
            return []
        found = [(entry.name, entry.match_word(folded, start)) for entry in self._entries]
        return [(name, span) for name, span in found if span is not None]

    def collect_matches(self, folded: str, start: int, found: dict[str, list[tuple[int, int]]]) -> None:
        """Add the matches at a position to those found before."""
        for entry in self._entries:
            if (span := entry.match_word(folded, start)) is not None:
                found.setdefault(entry.name, []).append(span)

    def _match_each(self, folded: str, start: int) -> object:
        """Try one pattern after the other; the combined one is compiled once it is used often."""
        self._uses += 1
        if self._uses > _COMPILE_AFTER:
            alternatives = "|".join([_plain_pattern(entry.words) for entry in self._entries])
            self.match_any = re.compile(f"(?:{alternatives}){_WORD_END}").match
            return self.match_any(folded, start)
        return next(filter(None, (entry.match_word(folded, start) for entry in self._entries)), None)


class PatternIndex:
    """The patterns of some kinds of words by their heads; those that only open clauses are kept separately."""

    def __init__(
        self, grammar: DirectiveGrammar, names: tuple[str, ...], clause_opening_kinds: Collection[str]
    ) -> None:
        self.heads: dict[str, tuple[PatternGroup | None, PatternGroup | None]] = {}
        """By head: the patterns that count anywhere, and those that count at the beginning of a clause."""
        self.anywhere: list[PatternEntry] = []
        """Patterns that may begin with any word."""
        groups: dict[tuple[str, bool], PatternGroup] = {}
        for name in names:
            for entry in getattr(grammar.words, name):
                pattern_entry = grammar.entry(name, entry)
                heads = None if grammar.words.prefix else heads_of(pattern_entry.words)
                if heads is None:
                    self.anywhere.append(pattern_entry)
                for head in heads or ():
                    groups.setdefault((head, name in clause_opening_kinds), PatternGroup()).add(pattern_entry)
        for head in {head for head, _ in groups}:
            self.heads[head] = groups.get((head, False)), groups.get((head, True))


class DirectiveGrammar:
    """The word lists of one language, ready for matching."""

    def __init__(self, code: str, words: DirectiveWords, *, ignore_accents: bool = False) -> None:
        self.code = code
        self.words = words
        self.accents = words.accents and not ignore_accents
        """Whether accents are significant."""
        self.recent_sentences: dict[str, SentenceMatches] = {}
        """Cache of the matches in the sentences read last."""
        self._indexes: dict[str, PatternIndex] = {}
        self._entries: dict[tuple[str, str], PatternEntry] = {}
        self._patterns: dict[str, re.Pattern[str]] = {}

    @cached_property
    def without_accents(self) -> DirectiveGrammar:
        """The same language typed without accents."""
        return DirectiveGrammar(self.code, self.words, ignore_accents=True)

    def with_accents_of(self, text: str) -> DirectiveGrammar:
        """Return the variant for a text: with accents or without."""
        return self.without_accents if self.words.accents and not has_accents(text) else self

    def fold(self, text: str) -> str:
        """Normalize a sentence for matching: quotations are blanked out, misspelled words corrected."""
        if "`" in text:
            text = _CODE.sub(_without_code, text)
        folded = fold_letters(text, accents=self.accents)
        if not self.misspellings.keys().isdisjoint(words := folded.split(" ")):
            folded = " ".join([self.misspellings.get(word, word) for word in words])
        if _QUOTES.search(text) is not None:
            if _QUOTATION.fullmatch(text.strip().rstrip(".!")):
                return QUOTED * len(folded)
            folded = _QUOTATION.sub(lambda found: QUOTED * len(found.group()), folded)
        return folded

    @cached_property
    def common_words(self) -> frozenset[str]:
        """Frequent words that identify the language."""
        return frozenset(fold_letters(word) for word in self.words.marks)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Other words of its patterns, which identify the language less reliably."""
        entries = [entry for name in _VOCABULARY_KINDS for entry in getattr(self.words, name)]
        return frozenset(
            word for entry in entries for word in _LONG_WORD.findall(_ESCAPES.sub(" ", fold_letters(entry)))
        )

    @cached_property
    def unique_words(self) -> frozenset[str]:
        """Words that no other language has."""
        return frozenset(fold_letters(word) for word in self.words.sure)

    def index(self, key: str, names: tuple[str, ...], clause_opening_kinds: Collection[str] = ()) -> PatternIndex:
        """Return the patterns of some kinds, built once per key; `clause_opening_kinds` count only at clause starts."""
        found = self._indexes.get(key)
        if found is None:
            found = self._indexes[key] = PatternIndex(self, names, clause_opening_kinds)
        return found

    def entry(self, name: str, entry: str) -> PatternEntry:
        """Return one pattern; the same object each time."""
        if (name, entry) not in self._entries:
            folded = self.fold_pattern(entry)
            self._entries[name, entry] = PatternEntry(name, self._with_word_bounds(folded), folded)
        return self._entries[name, entry]

    def fold_pattern(self, entry: str) -> str:
        """Fold the letters of an entry; escape sequences keep their meaning."""
        if "\\" not in entry:
            return fold_letters(entry, accents=self.accents)
        parts = re.split(r"(\\.)", entry)
        return "".join(part if part[:1] == "\\" else fold_letters(part, accents=self.accents) for part in parts)

    def _with_word_bounds(self, entry: str) -> str:
        entry = _plain_pattern(entry)
        if self.words.glued:
            return f"(?:{entry})"
        return rf"(?<!{LETTER}){self.words.prefix}(?:{entry}){_WORD_END}"

    def alternatives(self, *names: str) -> str:
        """Return kinds of words as one pattern; if there are no words, one that never matches."""
        words: Words = tuple(word for name in names for word in getattr(self.words, name))
        return self._with_word_bounds("|".join(map(self.fold_pattern, words))) if words else "(?!)"

    def pattern(self, name: str) -> re.Pattern[str]:
        """Return all words of a kind as one compiled pattern."""
        if name not in self._patterns:
            self._patterns[name] = re.compile(self.alternatives(name))
        return self._patterns[name]

    @cached_property
    def leading_courtesy(self) -> re.Pattern[str]:
        """Greetings and polite words that are trimmed from the front of a directive."""
        greetings, pleases = self.alternatives("greetings"), self.alternatives("pleases")
        separator = rf"(?:{_PUNCTUATION}|\s+)" if not self.words.glued else rf"(?:{_PUNCTUATION}|\s*)"
        return re.compile(rf"(?:{greetings}{_PUNCTUATION}|{pleases}{separator})+(?=\S)")

    @cached_property
    def unspaced_leads(self) -> re.Pattern[str]:
        """What introduces a clause, in scripts without spaces."""
        leads = self.alternatives("leads", "opening", "project", "polite", "joints", "passing", "lasting")
        return re.compile(rf"(?:{leads}[\s,、，:]*)+")

    @cached_property
    def trailing_courtesy(self) -> re.Pattern[str]:
        """Polite words that are trimmed from its end."""
        return re.compile(rf"(?:[\s,，、–-]+{self.alternatives('pleases')})+[\s.!。！]*$")

    @cached_property
    def misspellings(self) -> dict[str, str]:
        """Misspellings of important words: two letters swapped, one missing, or one doubled."""
        if self.words.glued or self.words.script not in ("latin", "cyrillic"):
            return {}
        known = {
            fold_letters(word)
            for name in ("negators", "lasting", "opening", "quantifiers", "pleases", "remember")
            for entry in getattr(self.words, name)
            for word in entry.split(" ")
            if _PLAIN_WORD.fullmatch(word) and len(word) >= _MIN_MISSPELLED_LENGTH
        }
        found = dict(_ABBREVIATIONS) if self.code == "en" else {}
        for word in known:
            for misspelling in _misspellings(word):
                if (
                    misspelling not in known
                    and misspelling not in self.common_words
                    and misspelling not in _CORRECT_WORDS
                ):
                    found.setdefault(misspelling, word)
        return found


def _ends_word(folded: str, end: int) -> bool:
    """Whether a word ends at a position: the same as `_WORD_END`."""
    if end >= len(folded) or folded[end - 1].isspace():
        return True
    following = folded[end]
    return not (following.isalnum() or following == "_" or _LETTER.match(following))


def _plain_pattern(entry: str) -> str:
    """Return an entry as a regular expression: `~` is a gap, an apostrophe is optional."""
    return entry.replace("~", _GAP).replace("'", "'?")


def _without_code(found: re.Match[str]) -> str:
    code = found.group()
    return code if _CODE_SIGNS.isdisjoint(code) else BLANKED * len(code)


def _misspellings(word: str) -> set[str]:
    swapped = {word[:index] + b + a + word[index + 2 :] for index, (a, b) in enumerate(pairwise(word)) if index}
    missing = {word[:index] + word[index + 1 :] for index in range(1, len(word) - 1)}
    doubled = {word[:index] + word[index] + word[index:] for index in range(1, len(word))}
    return (swapped | missing | doubled) - {word}
