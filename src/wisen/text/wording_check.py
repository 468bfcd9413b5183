"""Checks that a rewording keeps the meaning of a quote: same polarity, same conditions, same names.

It compares words that change the meaning (negators, limits, conditions, exceptions: `meaning_words.py`) and names
(tools, paths, identifiers, numbers), whatever the language of each text. It is strict: an accepted wording has the
polarity of the quote; a rejected one may still be right, and a person may say so.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from wisen.text.lazy_regex import lazy_regex
from wisen.text.meaning_words import MeaningTurn, language_of, turn_words
from wisen.text.negations import count_negations
from wisen.text.slots import slots_of
from wisen.text.standing_alone import stands_alone

if TYPE_CHECKING:
    from wisen.text.meaning_words import TurnWords

_CLAUSE = lazy_regex(r"[,;:.!?…。！？；，、：।؟،؛()\n]+(?=\s|$|[^\x00-\x7f])|\s[-–—]+\s|[。！？；，、：।]")
_NAME = lazy_regex(
    r"`([^`\n]+)`"  # as code
    r"|((?<![\w/])(?:\.{1,2}|~)?/?[\w.@-]+(?:/[\w.@*-]+)+/?)"  # a path
    r"|((?<![\w-])--?[a-z][\w-]+(?:=\S+)?)"  # a flag
    r"|((?<![\w.])[\w-]+\.[a-z]{1,4}(?![\w.]))"  # a file
    r"|(\b[A-Za-z][a-z0-9]*(?:[A-Z][a-z0-9]*)+\b|\b\w+_\w+\b|\b[A-Z][A-Z0-9_]{2,}\b)"  # an identifier
    r"|((?<![\w.])\d+(?:[.,]\d+)*%?(?![\w]))",  # a number
    re.ASCII,
)
_ASCII_WORD = lazy_regex(r"[A-Za-z][A-Za-z0-9+#._-]*[A-Za-z0-9+#]|[A-Za-z]")
_WORDS = lazy_regex(r"[^\W_]+(?:['-][^\W_]+)*")
_OTHER_LETTERS = lazy_regex(r"[\u0400-\u06ff\u0900-\u097f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}")
_MIN_WORD_LENGTH = 3
_INVERTING = frozenset({MeaningTurn.NOT, MeaningTurn.SWAP})
_COMPARED = frozenset(MeaningTurn) - _INVERTING
_COMPARED_FIRST = (
    MeaningTurn.SWAP,
    MeaningTurn.WITHOUT,
    MeaningTurn.EXCEPT,
    MeaningTurn.MOST,
    MeaningTurn.LEAST,
    MeaningTurn.ONLY,
    MeaningTurn.UNTIL,
)
"""They may contain a word that negates on its own."""
_LIST_NUMBER = lazy_regex(r"^\s*\d+[.)]\s+")
_OTHER_SCRIPTS = frozenset({"zh", "ja", "ko", "ru", "ar", "hi"})
_POSTPOSITIONAL = frozenset({"ja", "ko", "tr", "hi"})
"""Languages in which the unwanted thing comes before the word that refuses it."""


class _Meaning(NamedTuple):
    """What must not be lost or inverted in a text."""

    language: str
    inversions: int
    """Number of clauses that negate or replace one thing with another."""
    turns: frozenset[MeaningTurn]
    is_refused: dict[str, bool]
    """Whether each word is in a refused part; only words that occur on one side."""


def find_mismatch(quote: str, wording: str) -> str:
    """Return how a wording differs from what the user said, as a message; empty if nothing is wrong."""
    quote_code, wording_code = language_of(quote), language_of(wording)
    # A text too short to detect its language is read in the language of the other.
    quoted, worded = (
        _read_meaning(quote, quote_code or _latin_code(wording_code)),
        _read_meaning(wording, wording_code or _latin_code(quote_code)),
    )
    return (
        _find_inversion(quoted, worded)
        or _find_reversal(quote, wording, quoted, worded)
        or _find_lost_limit(quoted, worded)
        or _find_lost_name(quote, wording)
    )


def _latin_code(code: str) -> str:
    return "" if code in _OTHER_SCRIPTS else code


def _find_inversion(quoted: _Meaning, worded: _Meaning) -> str:
    if quoted.inversions and not worded.inversions:
        return "you said what not to do, and it does not"
    if worded.inversions and not quoted.inversions:
        return "it says what not to do, and you did not"
    if worded.inversions > quoted.inversions:
        return "it refuses more than you did"
    return ""


def _find_reversal(quote: str, wording: str, quoted: _Meaning, worded: _Meaning) -> str:
    """Find a word that is refused in one text and wanted in the other."""
    if quoted.language == worded.language == "en":
        quote_slots, wording_slots = slots_of(quote), slots_of(wording)
        flipped = sorted((quote_slots.unwanted & wording_slots.wanted) | (quote_slots.wanted & wording_slots.unwanted))
    else:
        flipped = sorted(
            word for word, refused in quoted.is_refused.items() if worded.is_refused.get(word, refused) is not refused
        )
    return f"“{flipped[0]}” is the other way round" if flipped else ""


def _find_lost_limit(quoted: _Meaning, worded: _Meaning) -> str:
    for turn in MeaningTurn:
        if turn in _COMPARED and (turn in quoted.turns) is not (turn in worded.turns):
            is_missing = turn in quoted.turns
            return f"“{turn.value}” is {'missing' if is_missing else 'not what you said'}"
    return ""


def _find_lost_name(quote: str, wording: str) -> str:
    """Find a name that is missing, or that was added although the quote stands alone."""
    is_whole = stands_alone(quote)
    for name in _names_in(quote):
        if not _contains(wording, name):
            return f"“{name}” is missing"
    for name in _names_in(wording):
        if (is_whole or name[:1].isdigit()) and not _contains(quote, name):
            return f"“{name}” is not what you said"
    return ""


def _contains(text: str, name: str) -> bool:
    """Whether a text contains a name as a whole word."""
    return re.search(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])", text, re.IGNORECASE) is not None


def _read_meaning(text: str, language: str) -> _Meaning:
    text = _LIST_NUMBER.sub("", text.replace("’", "'"))
    code = language or "en"
    words = turn_words(code)
    plain = _NAME.sub(lambda found: " " if found[1] else found[0], text)
    plain = words.spared.sub(" ", plain.strip())
    turns: set[MeaningTurn] = set()
    refused, wanted = set[str](), set[str]()
    inversions = 0
    for clause in (each.strip() for each in _CLAUSE.split(plain)):
        found = _turns_in(clause, words)
        turns |= found.keys() & _COMPARED
        inversions += len(found.keys() & _INVERTING)
        refused_part, wanted_part = _sides(clause, found.get(MeaningTurn.NOT), found.get(MeaningTurn.SWAP), code)
        refused |= _comparable_words(refused_part)
        wanted |= _comparable_words(wanted_part)
    is_refused = dict.fromkeys(refused - wanted, True) | dict.fromkeys(wanted - refused, False)
    if not language:
        inversions = max(inversions, min(1, count_negations(plain)))
    return _Meaning(code, inversions, frozenset(turns), is_refused)


def _turns_in(clause: str, words: TurnWords) -> dict[MeaningTurn, re.Match[str]]:
    """Find the words that change a clause; parts of a longer one, as "not" in "but not", are not counted twice."""
    found = {}
    for turn in (*_COMPARED_FIRST, *(each for each in MeaningTurn if each not in _COMPARED_FIRST)):
        match = words.turns[turn].search(clause)
        if match:
            found[turn] = match
            if turn in _COMPARED_FIRST:
                clause = words.turns[turn].sub(lambda each: "\0" * len(each[0]), clause)
    return found


def _sides(clause: str, negation: re.Match[str] | None, swap: re.Match[str] | None, code: str) -> tuple[str, str]:
    """Split a clause into its refused and its wanted part."""
    if swap is None:
        return (clause, "") if negation else ("", clause)
    before, after = clause[: swap.start()], clause[swap.end() :]
    refused_part, wanted_part = (before, after) if code in _POSTPOSITIONAL else (after, before)
    return (wanted_part, refused_part) if negation else (refused_part, wanted_part)


def _comparable_words(text: str) -> set[str]:
    """Return the words of a text that can be compared: ASCII words, and the longer ones of any language."""
    found = {word.casefold() for word in _ASCII_WORD.findall(text) if len(word) >= _MIN_WORD_LENGTH}
    return found | {word.casefold() for word in _WORDS.findall(text) if len(word) > _MIN_WORD_LENGTH}


def _names_in(text: str) -> list[str]:
    """Return tools, paths, identifiers and numbers; in a non-Latin text every Latin word is a name."""
    text = _LIST_NUMBER.sub("", text)
    found = [next(filter(None, match.groups())).strip("`'\"").rstrip("/.") for match in _NAME.finditer(text)]
    if _OTHER_LETTERS.search(text):
        found += [word for word in _ASCII_WORD.findall(_NAME.sub(" ", text)) if len(word) > 1]
    return found
