"""Whether a sentence gives leave for something, in every language of the directive reader: that is never learnt.

It does by the reader's own words for permissions at the beginning of a clause ("tu peux pousser", "可以推送"), or by a
yes and what is let happen ("ja, push es"). What orders or forbids beside it is a directive, and no mere permission.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

import msgspec

from wisen.text.directive_matches import SentenceMatches
from wisen.text.letter_folding import fold_letters

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.text.directive_grammar import DirectiveGrammar
    from wisen.text.directives import DirectiveReader

_BETWEEN = r"[\s,.!:;–-]+(?:[^\s,.!:;]+[\s,.!:;–-]+){0,3}?"
"""What may stand between a yes and what it lets happen: a few words."""
_DENSE_BETWEEN = r"[\s,.!:;、。，！–-]*.{0,6}?"


_LETTER = re.compile(r"\w")
_ENDS = " .!…。！।"
_FEW = 3
"""Up to so many words are looked at in all languages."""


class _PermissionWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    agree: tuple[str, ...]
    deeds: tuple[str, ...]
    dense_agree: tuple[str, ...]
    """The same for languages that are written without spaces."""
    dense_deeds: tuple[str, ...]


def is_permission(sentence: str, reader: DirectiveReader) -> bool:
    """Whether somebody only allows something in a sentence."""
    sentence = sentence.strip().rstrip(_ENDS)
    few = len(sentence.split()) <= _FEW
    grammars = reader.every_grammar_of(sentence) if few else reader.grammars_of(sentence)
    allows = _assents(sentence, grammars) or any(_permits(sentence, grammar) for grammar in grammars)
    return allows and not reader.directives_in(sentence)


def _permits(sentence: str, grammar: DirectiveGrammar) -> bool:
    suited = grammar.with_accents_of(sentence)
    matches = SentenceMatches(suited, suited.fold(sentence))
    if matches.folded.rstrip().endswith("?"):
        return False
    negators = {start for start, _ in matches.spans_anywhere("negators")}
    # Where verbs stand last, so does what allows. "ça marche" agrees, "ça marche pas" does not.
    closing = [span for span in matches.spans_anywhere("permissions") if not _LETTER.search(matches.folded, span[1])]
    begun = [span for span in matches.spans("permissions") if _skip_separators(matches.folded, span[1]) not in negators]
    return bool(begun or closing)


def _assents(sentence: str, grammars: Iterable[DirectiveGrammar]) -> bool:
    folded = fold_letters(sentence)
    if _assent().match(folded) is None or folded.rstrip().endswith("?"):
        return False
    for grammar in grammars:
        suited = grammar.with_accents_of(sentence)
        if SentenceMatches(suited, suited.fold(sentence)).spans_anywhere("negators"):
            return False  # "ja, aber push es nicht"
    return True


def _skip_separators(said: str, end: int) -> int:
    return end + len(said[end:]) - len(said[end:].lstrip())


@cache
def _assent() -> re.Pattern[str]:
    file = resources.files(__package__).joinpath("permission_words.toml")
    words = msgspec.convert(tomllib.loads(file.read_text(encoding="utf-8")), _PermissionWords)
    spaced = rf"(?:{_alternatives(words.agree)})(?!\w){_BETWEEN}(?:{_alternatives(words.deeds)})(?!\w)"
    dense = rf"(?:{_alternatives(words.dense_agree)}){_DENSE_BETWEEN}(?:{_alternatives(words.dense_deeds)})"
    return re.compile(rf"\W*(?:{spaced}|{dense})")


def _alternatives(words: Iterable[str]) -> str:
    folded = dict.fromkeys(fold_letters(word) for word in sorted(words, key=len, reverse=True))
    return "|".join(re.escape(word.rstrip("*")) + (r"\w*" if word.endswith("*") else "") for word in folded)
