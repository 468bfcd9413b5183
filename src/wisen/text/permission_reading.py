"""Detects sentences that only give permission, in every language of the directive reader: these are never learned.

They have permission words at the beginning of a clause ("tu peux pousser", "可以推送"), or a yes and the permitted
action ("ja, push es"). A sentence that also orders or forbids is a directive, not just a permission.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from wisen.text.directive_matches import SentenceMatches
from wisen.text.lazy_regex import lazy_regex
from wisen.text.letter_folding import fold_letters
from wisen.text.stored_tables import stored_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.text.directive_grammar import DirectiveGrammar
    from wisen.text.directives import DirectiveReader

_BETWEEN = r"[\s,.!:;–-]+(?:[^\s,.!:;]+[\s,.!:;–-]+){0,3}?"
"""What may come between a yes and the permitted action: a few words."""
_UNSPACED_BETWEEN = r"[\s,.!:;、。，！–-]*.{0,6}?"


_LETTER = lazy_regex(r"\w")
_SENTENCE_ENDS = " .!…。！।"
_MAX_FEW_WORDS = 3
"""Sentences of up to this many words are read in all languages."""


class _PermissionWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    agree: tuple[str, ...]
    deeds: tuple[str, ...]
    dense_agree: tuple[str, ...]
    """The same for languages written without spaces."""
    dense_deeds: tuple[str, ...]


def is_permission(sentence: str, reader: DirectiveReader) -> bool:
    """Whether a sentence only allows something."""
    sentence = sentence.strip().rstrip(_SENTENCE_ENDS)
    is_short = len(sentence.split()) <= _MAX_FEW_WORDS
    grammars = reader.every_grammar_of(sentence) if is_short else reader.grammars_of(sentence)
    is_allowed = _is_assent(sentence, grammars) or any(_has_permission_words(sentence, grammar) for grammar in grammars)
    return is_allowed and not reader.directives_in(sentence)


def _has_permission_words(sentence: str, grammar: DirectiveGrammar) -> bool:
    variant = grammar.with_accents_of(sentence)
    matches = SentenceMatches(variant, variant.fold(sentence))
    if matches.folded.rstrip().endswith("?"):
        return False
    negators = {start for start, _ in matches.spans_anywhere("negators")}
    # In verb-final languages the permission comes last. "ça marche" agrees, "ça marche pas" does not.
    closing = [span for span in matches.spans_anywhere("permissions") if not _LETTER.search(matches.folded, span[1])]
    opening = [
        span for span in matches.spans("permissions") if _skip_separators(matches.folded, span[1]) not in negators
    ]
    return bool(opening or closing)


def _is_assent(sentence: str, grammars: Iterable[DirectiveGrammar]) -> bool:
    folded = fold_letters(sentence)
    if _assent_pattern().match(folded) is None or folded.rstrip().endswith("?"):
        return False
    for grammar in grammars:
        variant = grammar.with_accents_of(sentence)
        if SentenceMatches(variant, variant.fold(sentence)).spans_anywhere("negators"):
            return False  # "ja, aber push es nicht"
    return True


def _skip_separators(folded: str, end: int) -> int:
    return end + len(folded[end:]) - len(folded[end:].lstrip())


@cache
def _assent_pattern() -> re.Pattern[str]:
    words = msgspec.json.decode(stored_json(__package__, "permission_words"), type=_PermissionWords)
    spaced = rf"(?:{_alternatives(words.agree)})(?!\w){_BETWEEN}(?:{_alternatives(words.deeds)})(?!\w)"
    unspaced = rf"(?:{_alternatives(words.dense_agree)}){_UNSPACED_BETWEEN}(?:{_alternatives(words.dense_deeds)})"
    return re.compile(rf"\W*(?:{spaced}|{unspaced})")


def _alternatives(words: Iterable[str]) -> str:
    folded = dict.fromkeys(fold_letters(word) for word in sorted(words, key=len, reverse=True))
    return "|".join(re.escape(word.rstrip("*")) + (r"\w*" if word.endswith("*") else "") for word in folded)
