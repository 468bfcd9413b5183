"""Matches the word lists of a language against one folded sentence and finds where its clauses begin."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from wisen.text.directive_grammar import LETTER
from wisen.text.lazy_regex import lazy_regex
from wisen.text.pattern_heads import HEAD_LENGTH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wisen.text.directive_grammar import DirectiveGrammar

Span = tuple[int, int]
_WORD = lazy_regex(rf"{LETTER}+")
_HEAD = lazy_regex(rf"(?<!{LETTER}){LETTER}{{1,{HEAD_LENGTH}}}")
_ASCII_HEAD = lazy_regex(rf"\b\w{{1,{HEAD_LENGTH}}}", re.ASCII)
_BREAKS = frozenset(",;:–(…!?.、。，؛،|/<←")
_NAME_SEPARATORS = frozenset(".:|")
"""Without whitespace around them they are part of a name: `console.log`."""
_CLAUSE_ENDS = lazy_regex(r"[,;:–(!?.、。，…](?=\s|$)|[、。，]|\s-\s|$")
_UNSPACED_STARTS = lazy_regex(r"(?:^|[,;:–(…!?.、。，\s])\W*")
FIRING_KINDS = (
    *(
        "forbid",
        "forbidden",
        "dislikes",
        "required",
        "swap",
        "habits",
        "conventions",
        "wishes",
        "opening",
        "lasting",
        "general",
    ),
    *("remember", "complaints", "lapses", "closing", "bare", "mandates", "binding"),
)
"""A sentence without words of any of these kinds is not a directive."""
_OTHER_KINDS = (
    *(
        "negators",
        "citations",
        "harmless",
        "permissions",
        "narratives",
        "suppositions",
        "questions",
        "polite",
        "checks",
    ),
    *("orders", "tasks", "conditions", "passing", "pointing", "project", "insists", "adverbs", "tails"),
)
"""Kinds that are only looked for in candidates."""
_CLAUSE_OPENING_KINDS = frozenset(
    "forbid dislikes habits conventions wishes opening remember polite orders tasks permissions narratives suppositions"
    " questions mandates".split()
)
"""Kinds of words that count only at the beginning of a clause; the others count anywhere."""
_LEADING_KINDS = ("leads", "joints", "opening", "project", "polite", "passing", "lasting")
"""Kinds of words after which a clause may begin."""
_FIRING_SET = frozenset(FIRING_KINDS)
_MAX_RECENT = 16
"""Maximum number of cached sentences: a message is read in several ways, and then never again."""


def matches_of(grammar: DirectiveGrammar, text: str) -> SentenceMatches:
    """Return the words of each kind in a sentence as typed; cached while its message is read."""
    recent = grammar.recent_sentences
    found = recent.get(text)
    if found is None:
        if len(recent) >= _MAX_RECENT:
            recent.clear()
        found = recent[text] = SentenceMatches(grammar, grammar.fold(text))
    return found


class SentenceMatches:
    """The words of each kind in one sentence."""

    def __init__(self, grammar: DirectiveGrammar, folded: str) -> None:
        self.grammar = grammar
        self.folded = folded
        self._glued = grammar.words.glued
        self._clause_starts: set[int] | None = None
        self._opening_starts: set[int] = set()
        self._other_spans: dict[str, list[Span]] | None = None
        self._anywhere_spans: dict[str, list[Span]] = {}
        self._start_spans: dict[str, list[Span]] = {}
        self._firing_cache: dict[str, list[Span]] | None = None

    @property
    def _firing_spans(self) -> dict[str, list[Span]]:
        """Words without which a sentence is not a directive, computed on first use."""
        if self._firing_cache is None:
            self._firing_cache = self._find_spans("firing", FIRING_KINDS)
            if "closing" in self._firing_cache:
                self._firing_cache["closing"] = [
                    span for span in self._firing_cache["closing"] if self._ends_clause(span)
                ]
        return self._firing_cache

    @cached_property
    def _words(self) -> list[tuple[int, str]]:
        """The position and first letters of each word."""
        head = _ASCII_HEAD if self.folded.isascii() else _HEAD
        return [] if self._glued else [(found.start(), found[0]) for found in head.finditer(self.folded)]

    def __bool__(self) -> bool:
        return any(self._firing_spans.values())

    def spans(self, name: str) -> list[Span]:
        """Return the positions of words of a kind; for some kinds only at the beginning of a clause."""
        if name in _FIRING_SET:
            return self._firing_spans.get(name, [])
        if self._other_spans is None:
            self._other_spans = self._find_spans("rest", _OTHER_KINDS)
        return self._other_spans.get(name, [])

    def kinds(self) -> list[tuple[str, bool]]:
        """Return the kinds of words that occur, each with whether it opens the sentence after introductory words."""
        if self._other_spans is None:
            self._other_spans = self._find_spans("rest", _OTHER_KINDS)
        self.clause_starts()
        opening_starts = self._opening_starts
        return [
            (name, not opening_starts.isdisjoint([span[0] for span in spans]))
            for found in (self._firing_spans, self._other_spans)
            for name, spans in found.items()
            if spans
        ]

    def spans_anywhere(self, name: str) -> list[Span]:
        """Return the positions of words of a kind, also inside a clause."""
        if name not in self._anywhere_spans:
            self._anywhere_spans[name] = sorted(self._find_anywhere(name))
        return self._anywhere_spans[name]

    def clause_end(self, start: int) -> int:
        """Return the end of the clause that contains a position."""
        end = _CLAUSE_ENDS.search(self.folded, start)
        return end.start() if end is not None else len(self.folded)

    def clause_starts(self) -> set[int]:
        """Return where clauses begin, including the words after an introduction."""
        if self._clause_starts is None:
            self._clause_starts = (
                set(self._find_unspaced_clause_starts()) if self._glued else self._find_clause_starts()
            )
        return self._clause_starts

    def opening_spans(self, name: str) -> list[Span]:
        """Return the positions of words of a kind that open the sentence, after introductory words."""
        self.clause_starts()
        return [span for span in self.spans(name) if span[0] in self._opening_starts]

    def spans_at_start(self, name: str) -> list[Span]:
        """Like `opening_spans`, for a kind that is only looked for there: its patterns may begin with any word."""
        if name not in self._start_spans:
            pattern = self.grammar.pattern(name) if getattr(self.grammar.words, name) else None
            self.clause_starts()
            found = (
                [pattern.match(self.folded, start) for start in sorted(self._opening_starts)]
                if pattern is not None
                else []
            )
            self._start_spans[name] = [match.span() for match in found if match is not None]
        return self._start_spans[name]

    def _find_spans(self, key: str, names: tuple[str, ...]) -> dict[str, list[Span]]:
        """Find all words of some kinds in one pass."""
        found: dict[str, list[Span]] = {}
        if self._glued:
            for name in names:
                if spans := sorted(self._find_unspaced(name, at_clause_start=name in _CLAUSE_OPENING_KINDS)):
                    found[name] = spans
            return found
        index = self.grammar.index(key, names, _CLAUSE_OPENING_KINDS)
        folded, heads, clause_starts = self.folded, index.heads, self.clause_starts()
        for start, head in self._words:
            if head not in heads:
                continue
            anywhere, at_start = heads[head]
            if anywhere is not None and anywhere.match_any(folded, start) is not None:
                anywhere.collect_matches(folded, start, found)
            if at_start is not None and start in clause_starts and at_start.match_any(folded, start) is not None:
                at_start.collect_matches(folded, start, found)
        for entry in index.anywhere:
            if entry.literal in folded:
                for match in entry.pattern.finditer(folded):
                    if entry.name not in _CLAUSE_OPENING_KINDS or match.start() in self.clause_starts():
                        found.setdefault(entry.name, []).append(match.span())
        return found

    def _ends_clause(self, span: Span) -> bool:
        return not _WORD.search(self.folded, span[1], self.clause_end(span[1]))

    def _find_anywhere(self, name: str) -> Iterator[Span]:
        if self._glued:
            yield from self._find_unspaced(name, at_clause_start=False)
            return
        index = self.grammar.index(name, (name,))
        for start, head in self._words:
            if (groups := index.heads.get(head)) is not None:
                assert groups[0] is not None
                for _, span in groups[0].find_matches(self.folded, start):
                    yield span
        for entry in index.anywhere:
            if entry.literal in self.folded:
                for match in entry.pattern.finditer(self.folded):
                    yield match.span()

    def _find_unspaced(self, name: str, *, at_clause_start: bool) -> Iterator[Span]:
        if not getattr(self.grammar.words, name):
            return
        pattern = self.grammar.pattern(name)
        if at_clause_start:
            for start in self.clause_starts():
                if (match := pattern.match(self.folded, start)) is not None:
                    yield match.span()
        else:
            for match in pattern.finditer(self.folded):
                yield match.span()

    def _find_clause_starts(self) -> set[int]:
        leads = self.grammar.index("leading", _LEADING_KINDS).heads
        folded, previous_end, opening_starts = self.folded, 0, self._opening_starts
        clause_starts: set[int] = set()
        after_lead: set[int] = set()
        for start, head in self._words:
            at_clause_start = not previous_end or start in after_lead or self._is_clause_break(previous_end, start)
            if at_clause_start:
                clause_starts.add(start)
            is_opening = not previous_end or start in opening_starts
            if is_opening:
                opening_starts.add(start)
            previous_end = start + len(head)
            if head not in leads or (group := leads[head][0]) is None:
                continue
            for name, span in group.find_matches(folded, start):
                if at_clause_start or name == "joints":
                    # the next word begins a clause too
                    following = _next_word(folded, span[1])
                    after_lead.add(following)
                    if is_opening and name != "joints":
                        opening_starts.add(following)
        return clause_starts

    def _is_clause_break(self, end: int, start: int) -> bool:
        """Whether punctuation between two words ends a clause."""
        folded = self.folded
        if folded[start - 1] == " " and folded[start - 2].isalnum():
            return False
        between = folded[end:start]
        return (not _BREAKS.isdisjoint(between) and between not in _NAME_SEPARATORS) or " - " in between

    def _find_unspaced_clause_starts(self) -> Iterator[int]:
        leads = self.grammar.unspaced_leads
        for found in _UNSPACED_STARTS.finditer(self.folded):
            yield found.end()
            self._opening_starts.add(found.end())
            if (lead := leads.match(self.folded, found.end())) is not None:
                yield lead.end()
                self._opening_starts.add(lead.end())


def _next_word(folded: str, end: int) -> int:
    found = _WORD.search(folded, end)
    return found.start() if found is not None else len(folded)
