"""The words of a language made ready for matching: patterns are found by how they begin, and compiled when needed."""

from __future__ import annotations

import re
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

from wisen.text.letter_folding import fold_letters, has_accents
from wisen.text.pattern_heads import heads_of, literal_in

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from wisen.text.directive_matches import SentenceMatches
    from wisen.text.directive_words import DirectiveWords, Words

LETTER = r"[\w\u0900-\u0963\u0970-\u097f]"
_WORD_END = rf"(?:(?<=\s)|(?!{LETTER}))"
BLANKED, QUOTED = "\u00b7", "\u2026"
"""What stands in the place of words that are not read, and of a quotation."""
_GAP = r"(?:\S+ ){0,4}?"
_QUOTATION = re.compile(
    r"\"[^\"\n]{6,}\"|“[^”\n]{4,}”|„[^“”\n]{4,}[“”]|«[^»\n]{4,}»|「[^」\n]{3,}」|『[^』\n]{3,}』"
    r"|(?<!\w)'[^'\n]* [^'\n]*'(?!\w)"
)
_QUOTES = re.compile("[\"“„«「『']")
_CODE = re.compile(r"`[^`\n]+`")
_CODE_SIGNS = frozenset(" (){}=;")
"""With one of these it is code that stands between such marks, and not a name, which is a word like others."""
_SHORTEST_MISSPELT = 5
_REAL_WORDS = frozenset(
    "ever avid forget instead place lease last case ties noting hans tank sand sore util rater".split()
)
"""What looks misspelt, and is another word."""
_TYPED_SHORT = {"u": "you", "ur": "your", "ppl": "people", "tho": "though", "w/o": "without", "n't": "not"}
"""How English words are typed in a hurry."""
_LONG_WORD = re.compile(r"[^\W\d_]{4,}")
_ESCAPES = re.compile(r"\\.")
_TELLING = (
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
_PLAIN_WORD = re.compile(r"[^\W\d_]+")
_MARKED = r"\s*[,!.:…–、，。-]+\s*"


class PatternEntry:
    """One pattern of a kind of words."""

    __slots__ = ("_pattern", "literal", "name", "source", "words")

    def __init__(self, name: str, source: str, said: str) -> None:
        self.name = name
        self.source = source
        self.words = said
        """The same without what tells where words begin and end."""
        self.literal = literal_in(said)
        """What stands in whatever it matches: looked for first, as that is faster."""
        self._pattern: re.Pattern[str] | None = None

    @property
    def pattern(self) -> re.Pattern[str]:
        """The pattern; compiling all of them would take longer than a start may."""
        if self._pattern is None:
            self._pattern = re.compile(self.source)
        return self._pattern


class PatternGroup:
    """Patterns that begin alike: one look tells whether any of them matches where a word begins."""

    __slots__ = ("_entries", "match_any")

    def __init__(self) -> None:
        self._entries: list[PatternEntry] = []
        self.match_any: Callable[[str, int], object] = self._compile
        """Whether any of them matches at a place."""

    def add(self, entry: PatternEntry) -> None:
        """One more."""
        self._entries.append(entry)

    def find_matches(self, said: str, start: int) -> list[tuple[str, tuple[int, int]]]:
        """The kinds of words that begin at a place, each with where it stands."""
        if self.match_any(said, start) is None:
            return []
        found = [(entry.name, entry.pattern.match(said, start)) for entry in self._entries]
        return [(name, match.span()) for name, match in found if match is not None]

    def collect_matches(self, said: str, start: int, found: dict[str, list[tuple[int, int]]]) -> None:
        """Adds them to those that were found before."""
        for entry in self._entries:
            if (match := entry.pattern.match(said, start)) is not None:
                found.setdefault(entry.name, []).append(match.span())

    def _compile(self, said: str, start: int) -> object:
        """Makes one pattern of all when it is first needed."""
        said_any = "|".join([_plain_pattern(entry.words) for entry in self._entries])
        self.match_any = re.compile(f"(?:{said_any}){_WORD_END}").match
        return self.match_any(said, start)


class PatternIndex:
    """The patterns of some kinds of words by how they begin; those that clauses begin with apart from the others."""

    def __init__(self, grammar: DirectiveGrammar, names: tuple[str, ...], beginning: Collection[str]) -> None:
        self.heads: dict[str, tuple[PatternGroup | None, PatternGroup | None]] = {}
        """What counts anywhere, and what counts at the beginning of a clause."""
        self.anywhere: list[PatternEntry] = []
        """Those that may begin with any word."""
        groups: dict[tuple[str, bool], PatternGroup] = {}
        for name in names:
            for entry in getattr(grammar.words, name):
                made = grammar.entry(name, entry)
                begins = None if grammar.words.prefix else heads_of(grammar.fold_pattern(entry))
                if begins is None:
                    self.anywhere.append(made)
                for head in begins or ():
                    groups.setdefault((head, name in beginning), PatternGroup()).add(made)
        for head in {head for head, _ in groups}:
            self.heads[head] = groups.get((head, False)), groups.get((head, True))


class DirectiveGrammar:
    """The words of one language."""

    def __init__(self, code: str, words: DirectiveWords, *, toneless: bool = False) -> None:
        self.code = code
        self.words = words
        self.accents = words.accents and not toneless
        """Whether accents are looked at."""
        self.recent_sentences: dict[str, SentenceMatches] = {}
        """What was found in the sentences that were read last."""
        self._indexes: dict[str, PatternIndex] = {}
        self._entries: dict[tuple[str, str], PatternEntry] = {}
        self._patterns: dict[str, re.Pattern[str]] = {}

    @cached_property
    def without_accents(self) -> DirectiveGrammar:
        """The same language as it is typed without accents."""
        return DirectiveGrammar(self.code, self.words, toneless=True)

    def with_accents_of(self, text: str) -> DirectiveGrammar:
        """The one for a text: with accents or without."""
        return self.without_accents if self.words.accents and not has_accents(text) else self

    def fold(self, text: str) -> str:
        """A sentence as it is matched; what it quotes is blanked out, misspelt words are corrected."""
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
        """Words that tell the language."""
        return frozenset(fold_letters(word) for word in self.words.marks)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Other words of its patterns, which tell the language too, if less surely."""
        entries = [entry for name in _TELLING for entry in getattr(self.words, name)]
        return frozenset(
            word for entry in entries for word in _LONG_WORD.findall(_ESCAPES.sub(" ", fold_letters(entry)))
        )

    @cached_property
    def unique_words(self) -> frozenset[str]:
        """Words that no other language has."""
        return frozenset(fold_letters(word) for word in self.words.sure)

    def index(self, key: str, names: tuple[str, ...], beginning: Collection[str] = ()) -> PatternIndex:
        """The patterns of some kinds of words, made once for a key; those in `beginning` count where clauses begin."""
        found = self._indexes.get(key)
        if found is None:
            found = self._indexes[key] = PatternIndex(self, names, beginning)
        return found

    def entry(self, name: str, entry: str) -> PatternEntry:
        """One pattern; the same object each time."""
        if (name, entry) not in self._entries:
            folded = self.fold_pattern(entry)
            self._entries[name, entry] = PatternEntry(name, self._bounded(folded), folded)
        return self._entries[name, entry]

    def fold_pattern(self, entry: str) -> str:
        """An entry in folded letters; what begins with a backslash keeps its meaning."""
        parts = re.split(r"(\\.)", entry)
        return "".join(part if part[:1] == "\\" else fold_letters(part, accents=self.accents) for part in parts)

    def _bounded(self, entry: str) -> str:
        entry = _plain_pattern(entry)
        return entry if self.words.glued else rf"(?<!{LETTER}){self.words.prefix}(?:{entry}){_WORD_END}"

    def alternatives(self, *names: str) -> str:
        """Kinds of words as one pattern; one that never matches without any."""
        words: Words = tuple(word for name in names for word in getattr(self.words, name))
        return f"(?:{'|'.join(self._bounded(self.fold_pattern(word)) for word in words)})" if words else "(?!)"

    def pattern(self, name: str) -> re.Pattern[str]:
        """All words of a kind in one pattern."""
        if name not in self._patterns:
            self._patterns[name] = re.compile(self.alternatives(name))
        return self._patterns[name]

    @cached_property
    def leading_courtesy(self) -> re.Pattern[str]:
        """What falls away in front of a directive."""
        greetings, pleases = self.alternatives("greetings"), self.alternatives("pleases")
        apart = rf"(?:{_MARKED}|\s+)" if not self.words.glued else rf"(?:{_MARKED}|\s*)"
        return re.compile(rf"(?:{greetings}{_MARKED}|{pleases}{apart})+(?=\S)")

    @cached_property
    def unspaced_leads(self) -> re.Pattern[str]:
        """What leads to a clause, where words are not written apart."""
        leads = self.alternatives("leads", "opening", "project", "polite", "joints", "passing", "lasting")
        return re.compile(rf"(?:{leads}[\s,、，:]*)+")

    @cached_property
    def trailing_courtesy(self) -> re.Pattern[str]:
        """What falls away behind it."""
        return re.compile(rf"(?:[\s,，、–-]+{self.alternatives('pleases')})+[\s.!。！]*$")

    @cached_property
    def misspellings(self) -> dict[str, str]:
        """How words that count are misspelt: two letters changed places, one is missing, or one stands twice."""
        if self.words.glued or self.words.script not in ("latin", "cyrillic"):
            return {}
        known = {
            fold_letters(word)
            for name in ("negators", "lasting", "opening", "quantifiers", "pleases", "remember")
            for entry in getattr(self.words, name)
            for word in entry.split(" ")
            if _PLAIN_WORD.fullmatch(word) and len(word) >= _SHORTEST_MISSPELT
        }
        found = dict(_TYPED_SHORT) if self.code == "en" else {}
        for word in known:
            for wrong in _misspellings(word):
                if wrong not in known and wrong not in self.common_words and wrong not in _REAL_WORDS:
                    found.setdefault(wrong, word)
        return found


def _plain_pattern(entry: str) -> str:
    """An entry as a regular expression: a gap may be there, an apostrophe may be missing."""
    return entry.replace("~", _GAP).replace("'", "'?")


def _without_code(found: re.Match[str]) -> str:
    code = found.group()
    return code if _CODE_SIGNS.isdisjoint(code) else BLANKED * len(code)


def _misspellings(word: str) -> set[str]:
    swapped = {word[:at] + b + a + word[at + 2 :] for at, (a, b) in enumerate(pairwise(word)) if at}
    missing = {word[:at] + word[at + 1 :] for at in range(1, len(word) - 1)}
    doubled = {word[:at] + word[at] + word[at:] for at in range(1, len(word))}
    return (swapped | missing | doubled) - {word}
