"""Detects the likely languages of a message by script and words, each with its directive grammar."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from wisen.text.directive_grammar import DirectiveGrammar
from wisen.text.directive_words import SHIPPED, DirectiveWords, shipped_words
from wisen.text.lazy_regex import lazy_regex
from wisen.text.letter_folding import fold_letters
from wisen.text.letter_ranges import letter_ranges

if TYPE_CHECKING:
    from collections.abc import Mapping

_SCRIPTS = (
    ("kana", letter_ranges("\u3040-\u30ff")),
    ("hangul", letter_ranges("\uac00-\ud7af")),
    ("han", letter_ranges("\u3400-\u9fff")),
    ("cyrillic", letter_ranges("\u0400-\u04ff")),
    ("arabic", letter_ranges("\u0600-\u06ff")),
    ("devanagari", letter_ranges("\u0900-\u097f")),
)
_WORD = lazy_regex(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_MIN_ENGLISH_SHARE = 0.15
"""With at least this share of English words, an ASCII text is not read in other languages."""
_MAX_READ = 600
"""Number of characters of a text that are examined."""
_BY_VOCABULARY, _BY_MARK, _BY_LETTER = 1, 2, 3
"""Weights of pattern words, frequent words and letters as evidence for a language."""


class MessageLanguages:
    """The shipped languages and those that the user added."""

    def __init__(self, added: Mapping[str, DirectiveWords] | None = None) -> None:
        self._added = {code: words for code, words in (added or {}).items() if words != DirectiveWords()}
        self._grammars: dict[str, DirectiveGrammar] = {}

    def is_added(self, grammar: DirectiveGrammar) -> bool:
        """Whether a language is not shipped, or its shipped words are replaced."""
        return grammar.code in self._added

    def grammars_of(self, text: str) -> list[DirectiveGrammar]:
        """Return the languages that a text may be in, the likeliest first."""
        if not text.isascii():
            for script, letters in _SCRIPTS:
                if letters.search(text):
                    return [self.grammar(code) for code in self._codes(script)]
        if text.isascii():
            words = set(text[:_MAX_READ].lower().split())
            if words and len(words & self.grammar("en").unique_words) >= max(1, _MIN_ENGLISH_SHARE * len(words)):
                return [self.grammar("en")]
        return self._latin_grammars(text[:_MAX_READ])

    def every_grammar_of(self, text: str) -> list[DirectiveGrammar]:
        """Return all languages written in a text's script, the likeliest first: a few words do not identify one."""
        likely = self.grammars_of(text)
        script = likely[0].words.script
        return list(dict.fromkeys([*likely, *(self.grammar(code) for code in self._codes(script))]))

    def _latin_grammars(self, text: str) -> list[DirectiveGrammar]:
        """Return the Latin-script languages that a text may be in, by its words and letters."""
        scores: dict[str, int] = {}
        weights_by_word = self._weights_by_word
        is_ascii = text.isascii()
        words = set(_WORD.findall(text.lower())) if is_ascii else {fold_letters(word) for word in _WORD.findall(text)}
        for word in words:
            for code, weight in weights_by_word.get(word, ()):
                scores[code] = scores.get(code, 0) + weight
        if not is_ascii:
            for letter in set(text.lower()):
                for code, weight in weights_by_word.get(letter, ()):
                    scores[code] = scores.get(code, 0) + weight
        best_score = max(scores.values(), default=0)
        # Nearly as likely languages are included: a few words are weak evidence.
        near_best = [code for code in self._latin_codes if code in scores and scores[code] >= best_score - 1]
        codes = sorted(near_best, key=lambda code: -scores[code])  # ties keep the listed order
        if not codes or (is_ascii and "en" not in codes and best_score <= _BY_LETTER):
            codes.append("en")  # a few words without accents may be English, whatever they look like
        return [self.grammar(code) for code in codes]

    @cached_property
    def _latin_codes(self) -> list[str]:
        return self._codes("latin")

    @cached_property
    def _weights_by_word(self) -> dict[str, list[tuple[str, int]]]:
        """Words and letters that indicate Latin-script languages, with their weights."""
        weights_by_word: dict[str, list[tuple[str, int]]] = {}
        for code in self._latin_codes:
            grammar = self.grammar(code)
            weights = dict.fromkeys(grammar.vocabulary, _BY_VOCABULARY)
            for word in grammar.common_words:
                weights[word] = weights.get(word, 0) + _BY_MARK
            weights |= dict.fromkeys(grammar.words.letters, _BY_LETTER)
            for word, weight in weights.items():
                weights_by_word.setdefault(word, []).append((code, weight))
        return weights_by_word

    def _codes(self, script: str) -> list[str]:
        added = sorted(self._added.keys() - set(SHIPPED))
        return [code for code in (*SHIPPED, *added) if self._script_of(code) == script]

    def _script_of(self, code: str) -> str:
        return self._words(code).script

    def _words(self, code: str) -> DirectiveWords:
        return self._added[code] if code in self._added else shipped_words(code)

    def grammar(self, code: str) -> DirectiveGrammar:
        """Return the grammar of one language."""
        if code not in self._grammars:
            self._grammars[code] = DirectiveGrammar(code, self._words(code))
        return self._grammars[code]
