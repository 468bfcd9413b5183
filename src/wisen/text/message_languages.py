"""Tells which languages a message may be in, by its letters and words; each with its words for directives."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from wisen.text.directive_grammar import DirectiveGrammar
from wisen.text.directive_words import SHIPPED, DirectiveWords, shipped_words
from wisen.text.letter_folding import fold_letters

if TYPE_CHECKING:
    from collections.abc import Mapping

_SCRIPTS = (
    ("kana", re.compile("[\u3040-\u30ff]")),
    ("hangul", re.compile("[\uac00-\ud7af]")),
    ("han", re.compile("[\u3400-\u9fff]")),
    ("cyrillic", re.compile("[\u0400-\u04ff]")),
    ("arabic", re.compile("[\u0600-\u06ff]")),
    ("devanagari", re.compile("[\u0900-\u097f]")),
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_ENGLISH_ENOUGH = 0.15
"""From such a share of English words on a text in ASCII is not looked at in other languages."""
_READ = 600
"""So much of a text tells its language."""
_BY_VOCABULARY, _BY_MARK, _BY_LETTER = 1, 2, 3
"""How surely words of patterns, frequent words and letters tell a language."""


class MessageLanguages:
    """The languages that are shipped, and those that were added."""

    def __init__(self, added: Mapping[str, DirectiveWords] | None = None) -> None:
        self._added = {code: words for code, words in (added or {}).items() if words != DirectiveWords()}
        self._grammars: dict[str, DirectiveGrammar] = {}

    def is_added(self, grammar: DirectiveGrammar) -> bool:
        """Whether a language does not come with the package, or in other words than those that do."""
        return grammar.code in self._added

    def grammars_of(self, text: str) -> list[DirectiveGrammar]:
        """The languages that a text may be in, the likeliest first."""
        if not text.isascii():
            for script, letters in _SCRIPTS:
                if letters.search(text):
                    return [self.grammar(code) for code in self._codes(script)]
        if text.isascii():
            words = set(text[:_READ].lower().split())
            if words and len(words & self.grammar("en").unique_words) >= max(1, _ENGLISH_ENOUGH * len(words)):
                return [self.grammar("en")]
        return self._latin(text[:_READ])

    def every_grammar_of(self, text: str) -> list[DirectiveGrammar]:
        """All languages in the letters of a text, the likeliest first: a few words do not tell which one it is."""
        likely = self.grammars_of(text)
        script = likely[0].words.script
        return list(dict.fromkeys([*likely, *(self.grammar(code) for code in self._codes(script))]))

    def _latin(self, text: str) -> list[DirectiveGrammar]:
        """The languages in Latin letters that a text may be in, by its words and letters."""
        likely: dict[str, int] = {}
        telling = self._telling
        plain = text.isascii()
        words = set(_WORD.findall(text.lower())) if plain else {fold_letters(word) for word in _WORD.findall(text)}
        for word in words:
            for code, weight in telling.get(word, ()):
                likely[code] = likely.get(code, 0) + weight
        if not plain:
            for letter in set(text.lower()):
                for code, weight in telling.get(letter, ()):
                    likely[code] = likely.get(code, 0) + weight
        most = max(likely.values(), default=0)
        # What is nearly as likely is looked at too: a few words tell little.
        near = [code for code in self._latin_codes if code in likely and likely[code] >= most - 1]
        codes = sorted(near, key=lambda code: -likely[code])  # of two that are as likely the one that is listed first
        if not codes or (plain and "en" not in codes and most <= _BY_LETTER):
            codes.append("en")  # a few words without accents may be English, whatever they look like
        return [self.grammar(code) for code in codes]

    @cached_property
    def _latin_codes(self) -> list[str]:
        return self._codes("latin")

    @cached_property
    def _telling(self) -> dict[str, list[tuple[str, int]]]:
        """The words and letters that tell a language in Latin letters, and how surely."""
        telling: dict[str, list[tuple[str, int]]] = {}
        for code in self._latin_codes:
            grammar = self.grammar(code)
            weights = dict.fromkeys(grammar.vocabulary, _BY_VOCABULARY)
            for word in grammar.common_words:
                weights[word] = weights.get(word, 0) + _BY_MARK
            weights |= dict.fromkeys(grammar.words.letters, _BY_LETTER)
            for word, weight in weights.items():
                telling.setdefault(word, []).append((code, weight))
        return telling

    def _codes(self, script: str) -> list[str]:
        added = sorted(self._added.keys() - set(SHIPPED))
        return [code for code in (*SHIPPED, *added) if self._script_of(code) == script]

    def _script_of(self, code: str) -> str:
        return self._words(code).script

    def _words(self, code: str) -> DirectiveWords:
        return self._added[code] if code in self._added else shipped_words(code)

    def grammar(self, code: str) -> DirectiveGrammar:
        """The words of one language."""
        if code not in self._grammars:
            self._grammars[code] = DirectiveGrammar(code, self._words(code))
        return self._grammars[code]
