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
FIRING = (
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
_REST = (
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
_BEGINNING = frozenset(
    "forbid dislikes habits conventions wishes opening remember polite orders tasks permissions narratives suppositions"
    " questions mandates".split()
)
"""Kinds of words that a clause begins with; the others count wherever they stand."""
_LEADING = ("leads", "joints", "opening", "project", "polite", "passing", "lasting")
"""Kinds of words behind which a clause may begin."""
_FIRES = frozenset(FIRING)
_RECENT = 16
"""So many sentences are kept: a message is read in several ways, and then no more."""


def matches_of(grammar: DirectiveGrammar, text: str) -> SentenceMatches:
    """The words of each kind in a sentence as it was typed; looked for once while its message is read."""
    recent = grammar.recent
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
        self.said = said
        self._glued = grammar.words.glued
        self._begins: set[int] | None = None
        self._chain: set[int] = set()
        self._rest: dict[str, list[Span]] | None = None
        self._inside: dict[str, list[Span]] = {}
        self._begun: dict[str, list[Span]] = {}
        self._fires: dict[str, list[Span]] | None = None

    @property
    def _found(self) -> dict[str, list[Span]]:
        """Words without which a sentence is no directive; looked for when first asked."""
        if self._fires is None:
            self._fires = self._look("firing", FIRING)
            if "closing" in self._fires:
                self._fires["closing"] = [span for span in self._fires["closing"] if self._closes(span)]
        return self._fires

    @cached_property
    def _words(self) -> list[tuple[int, str]]:
        """Where words begin, and how."""
        head = _ASCII_HEAD if self.said.isascii() else _HEAD
        return [] if self._glued else [(found.start(), found[0]) for found in head.finditer(self.said)]

    def __bool__(self) -> bool:
        return any(self._found.values())

    def spans(self, name: str) -> list[Span]:
        """Where words of a kind stand; of some kinds only at the beginning of a clause."""
        if name in _FIRES:
            return self._found.get(name, [])
        if self._rest is None:
            self._rest = self._look("rest", _REST)
        return self._rest.get(name, [])

    def kinds(self) -> list[tuple[str, bool]]:
        """The kinds of words that stand in it, and whether it begins with them, but for what only leads to them."""
        if self._rest is None:
            self._rest = self._look("rest", _REST)
        self.begins()
        chain = self._chain
        return [
            (name, not chain.isdisjoint([span[0] for span in spans]))
            for found in (self._found, self._rest)
            for name, spans in found.items()
            if spans
        ]

    def inside(self, name: str) -> list[Span]:
        """Where words of a kind stand, also inside a clause."""
        if name not in self._inside:
            self._inside[name] = sorted(self._matches(name))
        return self._inside[name]

    def clause_end(self, start: int) -> int:
        """Where a clause ends that goes on behind a place."""
        end = _CLAUSE_ENDS.search(self.said, start)
        return end.start() if end is not None else len(self.said)

    def begins(self) -> set[int]:
        """Where clauses begin, and the words behind what only leads to them."""
        if self._begins is None:
            self._begins = set(self._dense_beginnings()) if self._glued else self._beginnings()
        return self._begins

    def opens(self, name: str) -> list[Span]:
        """Where words of a kind stand at the beginning of the sentence, but for what only leads to them."""
        self.begins()
        return [span for span in self.spans(name) if span[0] in self._chain]

    def begun(self, name: str) -> list[Span]:
        """The same of a kind that is only looked for there: its patterns may begin with any word."""
        if name not in self._begun:
            pattern = self.grammar.pattern(name) if getattr(self.grammar.words, name) else None
            self.begins()
            found = [pattern.match(self.said, start) for start in sorted(self._chain)] if pattern is not None else []
            self._begun[name] = [match.span() for match in found if match is not None]
        return self._begun[name]

    def _look(self, key: str, names: tuple[str, ...]) -> dict[str, list[Span]]:
        """Looks once for all words of some kinds."""
        found: dict[str, list[Span]] = {}
        if self._glued:
            for name in names:
                if spans := sorted(self._dense_matches(name, begins=name in _BEGINNING)):
                    found[name] = spans
            return found
        index = self.grammar.index(key, names, _BEGINNING)
        said, heads, begins = self.said, index.heads, self.begins()
        for start, head in self._words:
            if head not in heads:
                continue
            inside, begin = heads[head]
            if inside is not None and inside.begins_any(said, start) is not None:
                inside.collect(said, start, found)
            if begin is not None and start in begins and begin.begins_any(said, start) is not None:
                begin.collect(said, start, found)
        for entry in index.anywhere:
            if entry.holds in said:
                for match in entry.pattern.finditer(said):
                    if entry.name not in _BEGINNING or match.start() in self.begins():
                        found.setdefault(entry.name, []).append(match.span())
        return found

    def _closes(self, span: Span) -> bool:
        return not _WORD.search(self.said, span[1], self.clause_end(span[1]))

    def _matches(self, name: str) -> Iterator[Span]:
        if self._glued:
            yield from self._dense_matches(name, begins=False)
            return
        index = self.grammar.index(name, (name,))
        for start, head in self._words:
            if (groups := index.heads.get(head)) is not None:
                assert groups[0] is not None
                for _, span in groups[0].matches(self.said, start):
                    yield span
        for entry in index.anywhere:
            if entry.holds in self.said:
                for match in entry.pattern.finditer(self.said):
                    yield match.span()

    def _dense_matches(self, name: str, *, begins: bool) -> Iterator[Span]:
        if not getattr(self.grammar.words, name):
            return
        pattern = self.grammar.pattern(name)
        if begins:
            for start in self.begins():
                if (match := pattern.match(self.said, start)) is not None:
                    yield match.span()
        else:
            for match in pattern.finditer(self.said):
                yield match.span()

    def _beginnings(self) -> set[int]:
        leads = self.grammar.index("leading", _LEADING).heads
        said, until, chain = self.said, 0, self._chain
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
            for name, span in group.matches(said, start):
                if begins or name == "joints":
                    # what follows begins a clause too, but for the blanks and marks between
                    following = _next_word(said, span[1])
                    behind.add(following)
                    if chained and name != "joints":
                        chain.add(following)
        return beginnings

    def _breaks(self, end: int, start: int) -> bool:
        """Whether a mark between two words ends a clause."""
        said = self.said
        if said[start - 1] == " " and said[start - 2].isalnum():
            return False
        apart = said[end:start]
        return (not _BREAKS.isdisjoint(apart) and apart not in _WITHIN) or " - " in apart

    def _dense_beginnings(self) -> Iterator[int]:
        leads = self.grammar.dense_leads
        for found in _DENSE_STARTS.finditer(self.said):
            yield found.end()
            self._chain.add(found.end())
            if (lead := leads.match(self.said, found.end())) is not None:
                yield lead.end()
                self._chain.add(lead.end())


def _next_word(said: str, end: int) -> int:
    found = _WORD.search(said, end)
    return found.start() if found is not None else len(said)
