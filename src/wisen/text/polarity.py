"""Which words of a text negate, count, condition or except, so that a wording can be compared with what was said.

It does not tell what is negated: two texts that say the same have the same kinds of such words, in any language.
"""

from __future__ import annotations

from typing import NamedTuple

from wisen.text.directive_matches import SentenceMatches
from wisen.text.directives import directives_in, shipped_reader
from wisen.text.message_sentences import sentences_of


class TextPolarity(NamedTuple):
    """The words of a text that decide what it asks for, folded."""

    negators: tuple[str, ...]
    quantifiers: tuple[str, ...]
    conditions: tuple[str, ...]
    exceptions: tuple[str, ...]
    forbids: bool
    """Whether it only says what not to do."""

    @property
    def is_negated(self) -> bool:
        """Whether anything in it negates."""
        return bool(self.negators)


def polarity_of(text: str) -> TextPolarity:
    """The words of a text that decide what it asks for."""
    found: dict[str, list[str]] = {name: [] for name in ("negators", "quantifiers", "conditions", "exceptions")}
    for sentence in sentences_of(text):
        grammar = shipped_reader().grammars_of(sentence.text)[0].suited_to(sentence.text)
        matches = SentenceMatches(grammar, grammar.fold(sentence.text))
        for name, words in found.items():
            end = -1
            for start, stop in sorted(matches.inside(name), key=lambda span: (span[0], -span[1])):
                if start >= end:
                    words.append(matches.said[start:stop].strip())
                    end = stop
    told = directives_in(text)
    forbids = bool(told) and all(each.forbids for each in told)
    return TextPolarity(**{name: tuple(words) for name, words in found.items()}, forbids=forbids)
