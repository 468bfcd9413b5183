"""Finds the phrases of a language in a text: whole words, whatever the case, in one pass. Their meaning is learnt."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources
from typing import Any, TypeAlias

from ahocorasick_rs import AhoCorasick, MatchKind

_HARMLESS = "harmless"
_KINDS = ("correction", "praise", "preference", "feature_request", "knowledge_gap", "remember", "plain")
_PUT = {**dict.fromkeys('\t\r\n\f\v\u00a0()[]{}"“”„*,;!>|=~—–', " "), "’": "'", "‘": "'"}
"""What parts words, and curly apostrophes, with what is put in their place."""
_PUT_BYTES = "".join(_PUT.get(letter, letter) for letter in map(chr, range(128))).casefold().encode() + bytes(128)
"""The same and small letters for a text in ASCII, as nearly all are: its bytes are translated at once."""
_QUOTES = (
    r"[`\"“'](?:(?<=`)``.*?(?:```|\Z)|(?<=`)[^`\n]{1,300}`|(?<=\")[^\"\n]{1,300}\"|(?<=“)[^”\n]{1,300}”|"
    r"(?<=')(?<!\w')[^'\n]{2,80}'(?!\w))"
)
"""What is quoted or code. It begins with what is rare, so that the search is fast."""
_QUOTED = re.compile(_QUOTES, re.DOTALL)
_QUOTED_OR_CITED = re.compile(rf"^[ \t]*>[^\n]*|{_QUOTES}", re.DOTALL | re.MULTILINE)
_NEGATIONS = (" not ", " no ", "n't ", " never ", " hardly ", " without ", " nothing ")
_NEGATION_REACH = 14
_ENDS = re.compile(r"[?.](?=\s|$)")


Match: TypeAlias = tuple[int, int, int]
"""The number of a phrase, and where it begins and ends in a padded text: as the automaton tells it, to save time."""
_HARMLESS_ONE, _BEGINNING, _WHOLE = range(3)
"""What a phrase is: one that hides others, one that longer words may begin with, one of whole words."""


class Phrases:
    """The phrases of one language, ready to be looked for."""

    def __init__(self, groups: dict[str, tuple[str, ...]], harmless: tuple[str, ...]) -> None:
        of: dict[str, tuple[str, ...]] = {}
        for group, phrases in groups.items():
            for phrase in phrases:
                of[phrase] = (*of.get(phrase, ()), group)
        self.groups_of = dict(of)
        of.update(dict.fromkeys(harmless, ()))
        self.numbered = tuple(of)
        """Each phrase at its number."""
        self._sorts = [
            (_BEGINNING if phrase.endswith("*") else _WHOLE) if groups else _HARMLESS_ONE
            for phrase, groups in of.items()
        ]
        self._automaton = AhoCorasick(
            [(f" {phrase}" if phrase[0].isalnum() else phrase).removesuffix("*") for phrase in of],
            matchkind=MatchKind.LeftmostLongest,
        )

    def matches(self, folded: str) -> list[Match]:
        """The phrases of a folded text, in order; the longest where several begin, and none inside a harmless one."""
        padded = f" {folded}  "
        sorts = self._sorts
        return [
            match
            for match in self._automaton.find_matches_as_indexes(padded)
            if (sort := sorts[match[0]]) and (padded[match[2]] == " " or sort is _BEGINNING or _ends(padded, match[2]))
        ]

    def place(self, match: Match) -> tuple[int, int]:
        """Where in the folded text a phrase begins and ends."""
        number, start, end = match
        return start - self.shift(self.numbered[number]), end - 1

    @staticmethod
    def shift(phrase: str) -> int:
        """A word begins after a space, an emoji anywhere: it is moved by the blank that a text is padded with."""
        return 0 if phrase[0].isalnum() else 1


def is_negated(folded: str, start: int) -> bool:
    """Whether a negation stands just before a phrase."""
    reach = f" {folded[max(0, start - _NEGATION_REACH) : start]}"
    if " no  " in reach:
        # Two blanks stand for a comma: that no belongs to what was said before.
        reach = reach.replace(" no  ", " ")
    for negation in _NEGATIONS:  # noqa: SIM110  # a loop takes half the time of any()
        if negation in reach:
            return True
    return False


def sentence_end(folded: str, place: int) -> int:
    """Where the sentence ends that goes on at a place; at its last character, if nothing ends it."""
    stop = _ENDS.search(folded, place)
    return len(folded) - 1 if stop is None else stop.start()


def fold(text: str) -> str:
    """The text in small letters, with spaces for what parts words: each character stays where it is."""
    if text.isascii():
        return text.encode().translate(_PUT_BYTES).decode()
    for mark, put in _PUT.items():
        if mark in text:
            text = text.replace(mark, put)
    folded = text.casefold()
    if len(folded) == len(text):
        return folded
    return "".join(low if len(low := letter.casefold()) == 1 else letter for letter in text)


def mask(text: str) -> str:
    """The text with blanks for what is quoted or code: each character stays where it is."""
    if ">" in text:
        return _QUOTED_OR_CITED.sub(_blank, text)
    if '"' in text or "`" in text or "“" in text or " '" in text or text.startswith("'"):
        return _QUOTED.sub(_blank, text)
    return text


@cache
def english() -> Phrases:
    """The English phrases."""
    read = _read()
    groups = {group: tuple(words) for kind in _KINDS for group, words in read[kind].items()}
    return Phrases(groups, tuple(read[_HARMLESS]))


@cache
def english_lessons() -> Phrases:
    """The English words by which lessons are understood; a group is named by its table and its own name."""
    groups = {
        f"{table} {group}": tuple(words)
        for table in ("about", "lasting")
        for group, words in _read()["lesson"][table].items()
    }
    return Phrases(groups, ())


@cache
def english_orders() -> Phrases:
    """The English words of sentences that say what is to be done."""
    return Phrases({"orders": tuple(_read()["lesson"]["orders"])}, ())


@cache
def _read() -> dict[str, Any]:
    return tomllib.loads(resources.files(__package__).joinpath("english.toml").read_text(encoding="utf-8"))


def _blank(quoted: re.Match[str]) -> str:
    return "\0" * len(quoted[0])


def _ends(padded: str, end: int) -> bool:
    """Whether a word ends here: no letter follows, nor a mark that belongs to it."""
    mark = padded[end]
    return not (mark.isalnum() or mark == "_" or (mark in "-/." and padded[end + 1].isalnum()))
