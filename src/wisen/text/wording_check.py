"""Whether a wording still says what the user said: the same way round, under the same conditions, of the same things.

It compares what turns a sentence (negators, limits, conditions, exceptions: `meaning_words.py`) and the names in it
(tools, paths, identifiers, numbers), in whatever language each of the two is. It is strict: a wording that it lets
pass says the same way round what was said; one that it refuses may still be right, and a person may say so.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from wisen.text.meaning_words import MeaningTurn, language_of, turn_words
from wisen.text.negations import count_negations
from wisen.text.slots import slots_of
from wisen.text.standing_alone import stands_alone

if TYPE_CHECKING:
    from wisen.text.meaning_words import TurnWords

_CLAUSE = re.compile(r"[,;:.!?…。！？；，、：।؟،؛()\n]+(?=\s|$|[^\x00-\x7f])|\s[-–—]+\s|[。！？；，、：।]")
_NAME = re.compile(
    r"`([^`\n]+)`"  # as code
    r"|((?<![\w/])(?:\.{1,2}|~)?/?[\w.@-]+(?:/[\w.@*-]+)+/?)"  # a path
    r"|((?<![\w-])--?[a-z][\w-]+(?:=\S+)?)"  # a flag
    r"|((?<![\w.])[\w-]+\.[a-z]{1,4}(?![\w.]))"  # a file
    r"|(\b[A-Za-z][a-z0-9]*(?:[A-Z][a-z0-9]*)+\b|\b\w+_\w+\b|\b[A-Z][A-Z0-9_]{2,}\b)"  # an identifier
    r"|((?<![\w.])\d+(?:[.,]\d+)*%?(?![\w]))",  # a number
    re.ASCII,
)
_ASCII_WORD = re.compile(r"[A-Za-z][A-Za-z0-9+#._-]*[A-Za-z0-9+#]|[A-Za-z]")
_WORDS = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_OTHER_LETTERS = re.compile(r"[\u0400-\u06ff\u0900-\u097f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2}")
_SHORTEST = 3
_TURNING = frozenset({MeaningTurn.NOT, MeaningTurn.SWAP})
_COMPARED = frozenset(MeaningTurn) - _TURNING
_COMPARED_FIRST = (
    MeaningTurn.SWAP,
    MeaningTurn.WITHOUT,
    MeaningTurn.EXCEPT,
    MeaningTurn.MOST,
    MeaningTurn.LEAST,
    MeaningTurn.ONLY,
    MeaningTurn.UNTIL,
)
"""They may hold a word that negates by itself."""
_LIST_NUMBER = re.compile(r"^\s*\d+[.)]\s+")
_OTHER_SCRIPTS = frozenset({"zh", "ja", "ko", "ru", "ar", "hi"})
_POSTPOSED = frozenset({"ja", "ko", "tr", "hi"})
"""Languages in which the thing that is not wanted stands before the word that says so."""


class _Meaning(NamedTuple):
    """What of a text must not be lost or turned round."""

    language: str
    turned: int
    """How many of its clauses negate, or put one thing in the place of another."""
    turns: frozenset[MeaningTurn]
    signs: dict[str, bool]
    """Of each word, whether it stands where something is refused; only words that stand on one side alone."""


def find_mismatch(quote: str, wording: str) -> str:
    """What a wording says otherwise than the user did, for a person to read; empty where nothing is wrong."""
    mine, theirs = language_of(quote), language_of(wording)
    # What is too short to tell its language is taken to be in that of the other.
    said, worded = _read(quote, mine or _latin(theirs)), _read(wording, theirs or _latin(mine))
    return (
        _find_inversion(said, worded)
        or _find_reversal(quote, wording, said, worded)
        or _find_lost_limit(said, worded)
        or _find_lost_name(quote, wording)
    )


def _latin(code: str) -> str:
    return "" if code in _OTHER_SCRIPTS else code


def _find_inversion(said: _Meaning, worded: _Meaning) -> str:
    if said.turned and not worded.turned:
        return "you said what not to do, and it does not"
    if worded.turned and not said.turned:
        return "it says what not to do, and you did not"
    if worded.turned > said.turned:
        return "it refuses more than you did"
    return ""


def _find_reversal(quote: str, wording: str, said: _Meaning, worded: _Meaning) -> str:
    """A word that is refused on one side and wanted on the other."""
    if said.language == worded.language == "en":
        mine, theirs = slots_of(quote), slots_of(wording)
        flipped = sorted((mine.unwanted & theirs.wanted) | (mine.wanted & theirs.unwanted))
    else:
        flipped = sorted(word for word, refused in said.signs.items() if worded.signs.get(word, refused) is not refused)
    return f"“{flipped[0]}” is the other way round" if flipped else ""


def _find_lost_limit(said: _Meaning, worded: _Meaning) -> str:
    for turn in MeaningTurn:
        if turn in _COMPARED and (turn in said.turns) is not (turn in worded.turns):
            gone = turn in said.turns
            return f"“{turn.value}” is {'missing' if gone else 'not what you said'}"
    return ""


def _find_lost_name(quote: str, wording: str) -> str:
    """A name that is missing, or that was not said where the words were whole by themselves."""
    is_whole = stands_alone(quote)
    for name in _names_in(quote):
        if not _holds(wording, name):
            return f"“{name}” is missing"
    for name in _names_in(wording):
        if (is_whole or name[:1].isdigit()) and not _holds(quote, name):
            return f"“{name}” is not what you said"
    return ""


def _holds(text: str, name: str) -> bool:
    """Whether a name stands in a text, by itself."""
    return re.search(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])", text, re.IGNORECASE) is not None


def _read(text: str, language: str) -> _Meaning:
    text = _LIST_NUMBER.sub("", text.replace("’", "'"))
    code = language or "en"
    words = turn_words(code)
    bare = _NAME.sub(lambda found: " " if found[1] else found[0], text)
    bare = words.spared.sub(" ", bare.strip())
    turns: set[MeaningTurn] = set()
    refused, wanted = set[str](), set[str]()
    turned = 0
    for clause in (each.strip() for each in _CLAUSE.split(bare)):
        found = _turns_in(clause, words)
        turns |= found.keys() & _COMPARED
        turned += len(found.keys() & _TURNING)
        minus, plus = _sides(clause, found.get(MeaningTurn.NOT), found.get(MeaningTurn.SWAP), code)
        refused |= _content(minus)
        wanted |= _content(plus)
    signs = dict.fromkeys(refused - wanted, True) | dict.fromkeys(wanted - refused, False)
    if not language:
        turned = max(turned, min(1, count_negations(bare)))
    return _Meaning(code, turned, frozenset(turns), signs)


def _turns_in(clause: str, words: TurnWords) -> dict[MeaningTurn, re.Match[str]]:
    """The words of a clause that turn it; what is part of a longer one, as "not" of "but not", is not counted twice."""
    found = {}
    for turn in (*_COMPARED_FIRST, *(each for each in MeaningTurn if each not in _COMPARED_FIRST)):
        match = words.turns[turn].search(clause)
        if match:
            found[turn] = match
            if turn in _COMPARED_FIRST:
                clause = words.turns[turn].sub(lambda each: "\0" * len(each[0]), clause)
    return found


def _sides(clause: str, no: re.Match[str] | None, swap: re.Match[str] | None, code: str) -> tuple[str, str]:
    """What of a clause is refused, and what is wanted."""
    if swap is None:
        return (clause, "") if no else ("", clause)
    before, after = clause[: swap.start()], clause[swap.end() :]
    minus, plus = (before, after) if code in _POSTPOSED else (after, before)
    return (plus, minus) if no else (minus, plus)


def _content(text: str) -> set[str]:
    """The words of a text that can be compared: those that are written alike in any language, and the longer ones."""
    found = {word.casefold() for word in _ASCII_WORD.findall(text) if len(word) >= _SHORTEST}
    return found | {word.casefold() for word in _WORDS.findall(text) if len(word) > _SHORTEST}


def _names_in(text: str) -> list[str]:
    """Tools, paths, identifiers and numbers; in other letters than ours every word of ours is a name."""
    text = _LIST_NUMBER.sub("", text)
    found = [next(filter(None, match.groups())).strip("`'\"").rstrip("/.") for match in _NAME.finditer(text)]
    if _OTHER_LETTERS.search(text):
        found += [word for word in _ASCII_WORD.findall(_NAME.sub(" ", text)) if len(word) > 1]
    return found
