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
_SPACES = str.maketrans({**dict.fromkeys('\t\r\n\f\v\u00a0()[]{}"“”„*,;!>|=~—–', " "), "’": "'", "‘": "'"})
_QUOTED = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]{1,300}`|^[ \t]*>[^\n]*|\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|(?<!\w)'[^'\n]{2,80}'(?!\w)",
    re.DOTALL | re.MULTILINE,
)
_NEGATIONS = (" not ", " no ", "n't ", " never ", " hardly ", " without ", " nothing ")
_NEGATION_REACH = 14
_ENDS = re.compile(r"[?.](?=\s|$)")


Found: TypeAlias = tuple[int, int, str]
"""Where a phrase begins and ends in a text, and which it is. A plain tuple, because each turn makes a dozen of them."""


class Phrases:
    """The phrases of one language, ready to be looked for."""

    def __init__(self, groups: dict[str, tuple[str, ...]], harmless: tuple[str, ...]) -> None:
        of: dict[str, tuple[str, ...]] = {}
        for group, phrases in groups.items():
            for phrase in phrases:
                of[phrase] = (*of.get(phrase, ()), group)
        self.groups_of = dict(of)
        of.update(dict.fromkeys(harmless, ()))
        self._phrases = [(phrase, bool(groups), not phrase.endswith("*")) for phrase, groups in of.items()]
        # A word begins after a space; an emoji begins anywhere.
        self._automaton = AhoCorasick(
            [(f" {phrase}" if phrase[0].isalnum() else phrase).removesuffix("*") for phrase in of],
            matchkind=MatchKind.LeftmostLongest,
        )

    def find(self, folded: str) -> list[Found]:
        """The phrases of a folded text, in order; the longest where several begin, and none inside a harmless one."""
        padded = f" {folded}  "
        found = []
        for number, start, end in self._automaton.find_matches_as_indexes(padded):
            phrase, tells, whole = self._phrases[number]
            if tells and not (whole and _goes_on(padded, end)):
                # The blank before a word makes up for the one that the text was padded with.
                found.append((start if padded[start] == " " else start - 1, end - 1, phrase))
        return found


def is_negated(folded: str, start: int) -> bool:
    """Whether a negation stands just before a phrase."""
    reach = f" {folded[max(0, start - _NEGATION_REACH) : start]}"
    if " no  " in reach:
        # Two blanks stand for a comma: that no belongs to what was said before.
        reach = reach.replace(" no  ", " ")
    return any(negation in reach for negation in _NEGATIONS)


def is_asked(folded: str, end: int) -> bool:
    """Whether the sentence of a phrase ends as a question."""
    if folded[end - 1] == "?":
        return True
    stop = _ENDS.search(folded, end)
    return stop is not None and stop[0] == "?"


def fold(text: str) -> str:
    """The text in small letters, with spaces for what parts words: each character stays where it is."""
    folded = text.translate(_SPACES).casefold()
    if len(folded) == len(text):
        return folded
    return "".join(low if len(low := letter.casefold()) == 1 else letter for letter in text.translate(_SPACES))


def mask(text: str) -> str:
    """The text with blanks for what is quoted or code: each character stays where it is."""
    if '"' in text or "`" in text or ">" in text or "“" in text or " '" in text or text.startswith("'"):
        return _QUOTED.sub(lambda quoted: "\0" * len(quoted[0]), text)
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


def _goes_on(padded: str, end: int) -> bool:
    following = padded[end]
    if following.isalnum() or following == "_":
        return True
    return following in "-/." and padded[end + 1].isalnum()
