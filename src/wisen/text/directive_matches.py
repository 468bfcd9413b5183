"""Finds the words of a language in one folded sentence, and where its clauses begin."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from wisen.text.directive_grammar import LETTER
from wisen.text.pattern_heads import HEAD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from wisen.text.directive_grammar import DirectiveGrammar

Span = tuple[int, int]
_WORD = re.compile(rf"{LETTER}+")
_HEAD = re.compile(rf"(?<!{LETTER}){LETTER}{{1,{HEAD}}}")
_ASCII_HEAD = re.compile(rf"\b\w{{1,{HEAD}}}", re.ASCII)
_BREAKS = frozenset(",;:–(…!?.、。，؛،|/<←")
_WITHIN = frozenset(".:|")
"""They stand within a name where no blank does: `console.log`."""
_CLAUSE_ENDS = re.compile(r"[,;:–(!?.、。，…](?=\s|$)|[、。，]|\s-\s|$")
_DENSE_STARTS = re.compile(r"(?:^|[,;:–(…!?.、。，\s])\W*")
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
"""Without words of these kinds a sentence is no directive."""
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
"""What is looked for in those that may be one."""
_CLAUSE_OPENING_KINDS = frozenset(
    "forbid dislikes habits conventions wishes opening remember polite orders tasks permissions narratives suppositions"
    " questions mandates".split()
)
"""Kinds of words that a clause begins with; the others count wherever they stand."""
_LEADING_KINDS = ("leads", "joints", "opening", "project", "polite", "passing", "lasting")
"""Kinds of words behind which a clause may begin."""
_FIRES = frozenset(FIRING_KINDS)
_RECENT = 16
"""So many sentences are kept: a message is read in several ways, and then no more."""


def matches_of(grammar: DirectiveGrammar, text: str) -> SentenceMatches:
    """The words of each kind in a sentence as it was typed; looked for once while its message is read."""
    recent = grammar.recent_sentences
    found = recent.get(text)
    if found is None:
        if len(recent) >= _RECENT:
            recent.clear()
        found = recent[text] = SentenceMatches(grammar, grammar.fold(text))
    return found


class SentenceMatches:
    """The words of each kind in one sentence."""

    def __init__(self, grammar: DirectiveGrammar, said: str) -> None:
        self.grammar = grammar
        self.folded = said
        self._glued = grammar.words.glued
        self._begins: set[int] | None = None
        self._chain: set[int] = set()
        self._rest: dict[str, list[Span]] | None = None
        self._inside: dict[str, list[Span]] = {}
        self._begun: dict[str, list[Span]] = {}
        self._fires: dict[str, list[Span]] | None = None

    @property
    def _firing_spans(self) -> dict[str, list[Span]]:
        """Words without which a sentence is no directive; looked for when first asked."""
        if self._fires is None:
            self._fires = self._find_spans("firing", FIRING_KINDS)
            if "closing" in self._fires:
                self._fires["closing"] = [span for span in self._fires["closing"] if self._ends_clause(span)]
        return self._fires

    @cached_property
    def _words(self) -> list[tuple[int, str]]:
        """Where words begin, and how."""
        head = _ASCII_HEAD if self.folded.isascii() else _HEAD
        return [] if self._glued else [(found.start(), found[0]) for found in head.finditer(self.folded)]

    def __bool__(self) -> bool:
        return any(self._firing_spans.values())

    def spans(self, name: str) -> list[Span]:
        """Where words of a kind stand; of some kinds only at the beginning of a clause."""
        if name in _FIRES:
            return self._firing_spans.get(name, [])
        if self._rest is None:
            self._rest = self._find_spans("rest", _OTHER_KINDS)
        return self._rest.get(name, [])

    def kinds(self) -> list[tuple[str, bool]]:
        """The kinds of words that stand in it, and whether it begins with them, but for what only leads to them."""
        if self._rest is None:
            self._rest = self._find_spans("rest", _OTHER_KINDS)
        self.clause_starts()
        chain = self._chain
        return [
            (name, not chain.isdisjoint([span[0] for span in spans]))
            for found in (self._firing_spans, self._rest)
            for name, spans in found.items()
            if spans
        ]

    def spans_anywhere(self, name: str) -> list[Span]:
        """Where words of a kind stand, also inside a clause."""
        if name not in self._inside:
            self._inside[name] = sorted(self._matches(name))
        return self._inside[name]

    def clause_end(self, start: int) -> int:
        """Where a clause ends that goes on behind a place."""
        end = _CLAUSE_ENDS.search(self.folded, start)
        return end.start() if end is not None else len(self.folded)

    def clause_starts(self) -> set[int]:
        """Where clauses begin, and the words behind what only leads to them."""
        if self._begins is None:
            self._begins = set(self._find_unspaced_clause_starts()) if self._glued else self._find_clause_starts()
        return self._begins

    def opening_spans(self, name: str) -> list[Span]:
        """Where words of a kind stand at the beginning of the sentence, but for what only leads to them."""
        self.clause_starts()
        return [span for span in self.spans(name) if span[0] in self._chain]

    def spans_at_start(self, name: str) -> list[Span]:
        """The same of a kind that is only looked for there: its patterns may begin with any word."""
        if name not in self._begun:
            pattern = self.grammar.pattern(name) if getattr(self.grammar.words, name) else None
            self.clause_starts()
            found = [pattern.match(self.folded, start) for start in sorted(self._chain)] if pattern is not None else []
            self._begun[name] = [match.span() for match in found if match is not None]
        return self._begun[name]

    def _find_spans(self, key: str, names: tuple[str, ...]) -> dict[str, list[Span]]:
        """Looks once for all words of some kinds."""
        found: dict[str, list[Span]] = {}
        if self._glued:
            for name in names:
                if spans := sorted(self._find_unspaced(name, begins=name in _CLAUSE_OPENING_KINDS)):
                    found[name] = spans
            return found
        index = self.grammar.index(key, names, _CLAUSE_OPENING_KINDS)
        said, heads, begins = self.folded, index.heads, self.clause_starts()
        for start, head in self._words:
            if head not in heads:
                continue
            inside, begin = heads[head]
            if inside is not None and inside.match_any(said, start) is not None:
                inside.collect_matches(said, start, found)
            if begin is not None and start in begins and begin.match_any(said, start) is not None:
                begin.collect_matches(said, start, found)
        for entry in index.anywhere:
            if entry.literal in said:
                for match in entry.pattern.finditer(said):
                    if entry.name not in _CLAUSE_OPENING_KINDS or match.start() in self.clause_starts():
                        found.setdefault(entry.name, []).append(match.span())
        return found

    def _ends_clause(self, span: Span) -> bool:
        return not _WORD.search(self.folded, span[1], self.clause_end(span[1]))

    def _matches(self, name: str) -> Iterator[Span]:
        if self._glued:
            yield from self._find_unspaced(name, begins=False)
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

    def _find_unspaced(self, name: str, *, begins: bool) -> Iterator[Span]:
        if not getattr(self.grammar.words, name):
            return
        pattern = self.grammar.pattern(name)
        if begins:
            for start in self.clause_starts():
                if (match := pattern.match(self.folded, start)) is not None:
                    yield match.span()
        else:
            for match in pattern.finditer(self.folded):
                yield match.span()

    def _find_clause_starts(self) -> set[int]:
        leads = self.grammar.index("leading", _LEADING_KINDS).heads
        said, until, chain = self.folded, 0, self._chain
        beginnings: set[int] = set()
        behind: set[int] = set()
        for start, head in self._words:
            begins = not until or start in behind or self._breaks(until, start)
            if begins:
                beginnings.add(start)
            chained = not until or start in chain
            if chained:
                chain.add(start)
            until = start + len(head)
            if head not in leads or (group := leads[head][0]) is None:
                continue
            for name, span in group.find_matches(said, start):
                if begins or name == "joints":
                    # what follows begins a clause too, but for the blanks and marks between
                    following = _next_word(said, span[1])
                    behind.add(following)
                    if chained and name != "joints":
                        chain.add(following)
        return beginnings

    def _breaks(self, end: int, start: int) -> bool:
        """Whether a mark between two words ends a clause."""
        said = self.folded
        if said[start - 1] == " " and said[start - 2].isalnum():
            return False
        apart = said[end:start]
        return (not _BREAKS.isdisjoint(apart) and apart not in _WITHIN) or " - " in apart

    def _find_unspaced_clause_starts(self) -> Iterator[int]:
        leads = self.grammar.unspaced_leads
        for found in _DENSE_STARTS.finditer(self.folded):
            yield found.end()
            self._chain.add(found.end())
            if (lead := leads.match(self.folded, found.end())) is not None:
                yield lead.end()
                self._chain.add(lead.end())


def _next_word(said: str, end: int) -> int:
    found = _WORD.search(said, end)
    return found.start() if found is not None else len(said)
