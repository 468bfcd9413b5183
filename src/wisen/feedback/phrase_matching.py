"""Finds the phrases of all languages in a text in one pass; the language of the text is never guessed beforehand.

A phrase matches whole words, ignoring case and accents; in scripts without spaces it matches anywhere. A phrase that
several languages claim belongs to those that the other phrases of the text belong to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

from wisen.feedback.pattern_search import PatternSearch
from wisen.feedback.text_normalization import fold, is_unspaced_letter, is_word_letter
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from wisen.feedback.language import Language, Words
    from wisen.feedback.phrase_table import Claim, PhraseTable

T = TypeVar("T")
Match: TypeAlias = tuple[int, int, int]
"""The number of a pattern, and its start and end in the padded text: as the automaton returns it, to save time."""
_SURROGATE = lazy_regex("[\ud800-\udfff]")
_REACH, _REACH_AFTER, _REACH_DENSE = 14, 10, 4
"""How far from a phrase a negation may be: before it, after it, and in scripts without spaces."""


class Negators(NamedTuple):
    """The negations of a language, prepared for searching."""

    before: Words
    after: Words
    reach: int


class PhraseMatcher:
    """The phrases of a set of languages, prepared for searching."""

    def __init__(self, table: PhraseTable) -> None:
        self.codes = {1 << number: code for number, code in enumerate(table.codes)}
        self.non_languages = table.non_languages
        """Sets that are no language: emoji."""
        self._patterns, self._prefixed_languages = table.patterns, table.prefixed_languages
        self.claims = _NumberTable(lambda number: table.rows[number].claims)
        """The claims on each pattern, by number."""
        self.bits = _NumberTable(self._bit_of)
        """The language that each pattern belongs to; 0 where several may claim it."""
        self._foreign = _NumberTable(self._is_foreign)
        """Whether only languages other than the first one have a pattern."""
        self._glued = _NumberTable(self._may_have_prefix)
        """Whether it is a word that may have a prefix glued to it."""
        self._whole_word = _NumberTable(
            lambda number: not table.rows[number].is_open and is_word_letter(table.patterns[number][-1])
        )
        """Whether only whole words match, or also the beginnings of longer ones."""
        self._shared_marks = _NumberTable(lambda number: _shared_mark(table.patterns[number]))
        """How a pattern shares a mark with its neighbors; None where it does not."""
        self._prefixes = {"", *table.prefixes}
        self._heads = _HeadTable(table.patterns)
        self._search = PatternSearch(table.patterns)

    def _bit_of(self, number: int) -> int:
        claimed = self.claims[number]
        return claimed[0].bit if len(claimed) == 1 and claimed[0].sure else 0

    def _is_foreign(self, number: int) -> bool:
        claimed = self.claims[number]
        return all(claim.bit != 1 and claim.bit not in self.non_languages for claim in claimed) and any(
            claim.sure for claim in claimed
        )

    def _may_have_prefix(self, number: int) -> bool:
        return is_word_letter(self._patterns[number][0]) and any(
            claim.bit & self._prefixed_languages for claim in self.claims[number]
        )

    def __len__(self) -> int:
        return len(self._patterns)

    def matches(self, text: str) -> list[Match]:
        """The patterns in a folded text, in order; the longest where several begin."""
        padded = f" {text}   "
        whole, glued, shared = self._whole_word, self._glued, self._shared_marks
        found: list[Match] = []
        try:
            matches = self._search.find(padded)
        except UnicodeEncodeError:  # half an emoji: replaced by one character, so that positions stay
            padded = _SURROGATE.sub("\ufffd", padded)
            matches = self._search.find(padded)
        for match in matches:
            number, start, end = match
            if not glued[number] and shared[number] is None:
                if padded[end] == " " or not whole[number] or _ends_word(padded, end):
                    found.append(match)
                    continue
                if self._heads[number] < 0 and " " not in padded[start + 1 : end]:
                    continue
            # Another pattern may begin here or be skipped: from here on use the careful search.
            while start >= 0:
                start = self._match_from(padded, start, found)
            break
        return found

    def _match_from(self, padded: str, since: int, found: list[Match]) -> int:
        """Search from a position. Returns where to continue if something was skipped; else -1."""
        whole, glued, shared = self._whole_word, self._glued, self._shared_marks
        for number, begin, stop in self._search.find(padded[since:] if since else padded):
            start, end = begin + since, stop + since
            if glued[number] and not self._starts_word(padded, start):
                continue
            if padded[end] == " " or not whole[number] or _ends_word(padded, end):
                if (mark := shared[number]) is not None:
                    found.append((number, start, end - mark.blanks))
                    return start + mark.next
                found.append((number, start, end))
                continue
            shorter = self._shorter(padded, (number, start, end))
            if shorter:
                found.append(shorter)
            if " " in padded[start + 1 : end]:
                return shorter[2] if shorter else padded.index(" ", start + 1)
        return -1

    def _starts_word(self, padded: str, start: int) -> bool:
        """Whether a word begins here, or a known prefix is glued to its front."""
        return padded[padded.rfind(" ", 0, start) + 1 : start] in self._prefixes

    def shorter(self, text: str, match: Match) -> Match | None:
        """The longest shorter pattern that begins at the same position and ends at a word boundary."""
        return self._shorter(f" {text}   ", match)

    def _shorter(self, padded: str, match: Match) -> Match | None:
        number, start, _ = match
        while True:
            behind_comma = self._patterns[number].startswith("  ")
            number = self._heads[number]
            if number < 0:
                break
            start += behind_comma and not self._patterns[number].startswith("  ")
            end = start + len(self._patterns[number])
            if not self._whole_word[number] or _ends_word(padded, end):
                return number, start, end
        return None

    def languages_of(self, found: Iterable[Match]) -> tuple[int, int]:
        """The languages that patterns belong to, and by how many patterns the others exceed the first one."""
        bits, spoken, first, others = self.bits, 0, 0, 0
        for number, _, _ in found:
            bit = bits[number]
            if bit:
                spoken |= bit
                if bit == 1:
                    first += 1
            others += self._foreign[number]
        return spoken, others - first

    def claims_in(self, number: int, languages: int) -> tuple[Claim, ...]:
        """The claims on a pattern that count in a text with the given languages."""
        claims = self.claims[number]
        if not languages:
            return claims
        return tuple([claim for claim in claims if claim.bit & languages] or [claim for claim in claims if claim.sure])

    def guest_matches(self, found: Iterable[Match]) -> list[Match]:
        """The foreign phrases that are hardly there by chance in a text that is mostly English."""
        return [match for match in found if any(map(self._is_guest, self.claims[match[0]]))]

    def _is_guest(self, claim: Claim) -> bool:
        of_others = claim.bit != 1 and claim.bit not in self.non_languages
        return of_others and claim.sure and (" " in claim.phrase or not claim.phrase.isascii())

    def count_groups(self, text: str) -> dict[str, int]:
        """The number of phrases of each group in a text."""
        found = self.matches(fold(text))
        (spoken, _), counted = self.languages_of(found), dict[str, int]()
        for number, _, _ in found:
            for group in {group for claim in self.claims_in(number, spoken) for group in claim.groups}:
                counted[group] = counted.get(group, 0) + 1
        return counted

    def shift(self, number: int) -> int:
        """The offset between a pattern and its phrase: a pattern of words begins with the space before it."""
        return 0 if self._patterns[number][0] == " " and self._patterns[number][1:2] != " " else 1

    def span_of(self, match: Match) -> tuple[int, int]:
        """Where in the folded text a phrase begins and ends."""
        number, start, end = match
        return start - self.shift(number), end - 1


def is_negated(text: str, start: int, end: int, negators: Negators) -> bool:
    """Whether a negation is just before a phrase of a folded text, or after it where the language puts it there."""
    before, after, reach = negators
    if before:
        # Two spaces stand for a comma: what is before it belongs to the previous clause.
        nearby = f" {text[max(0, start - reach) : start]}".rpartition("  ")[2]
        nearby = f" {nearby}"
        for negation in before:
            if negation in nearby:
                return True
    if after:
        nearby = f"{text[end : end + min(reach, _REACH_AFTER)]} "
        for negation in after:
            if negation in nearby:
                return True
    return False


def build_negators(language: Language) -> Negators:
    """The negations of a language, prepared for searching."""
    dense = any(
        is_unspaced_letter(letter)
        for word in (*language.negations.before, *language.negations.after)
        for letter in word
    )
    if dense:
        return Negators(
            tuple(fold(word.rstrip("*")) for word in language.negations.before),
            tuple(fold(word.rstrip("*")) for word in language.negations.after),
            _REACH_DENSE,
        )
    before = tuple(f"{'' if _is_ending(word) else ' '}{fold(word.rstrip('*'))} " for word in language.negations.before)
    after = tuple(
        f"{'' if _is_ending(word) else ' '}{fold(word.rstrip('*'))}{'' if word.endswith('*') else ' '}"
        for word in language.negations.after
    )
    return Negators(before, after, _REACH)


def _is_ending(word: str) -> bool:
    """Whether it is glued to the word before it."""
    return not word[0].isalnum() or "'" in word


class _NumberTable(dict[int, T]):
    """What is known of each pattern by its number; computed on first use, because most patterns never match."""

    def __init__(self, compute: Callable[[int], T]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, number: int) -> T:
        return self.setdefault(number, self._compute(number))


class _HeadTable(dict[int, int]):
    """Maps a pattern to the longest other one that it begins with, without its comma if necessary; -1 for none."""

    def __init__(self, patterns: Sequence[str]) -> None:
        super().__init__()
        self._patterns = patterns
        self._at: dict[str, int] = {}

    def __missing__(self, number: int) -> int:
        pattern = self._patterns[number]
        self._at = self._at or {pattern: number for number, pattern in enumerate(self._patterns)}
        heads = [pattern[:end] for end in range(len(pattern) - 1, 0, -1)]
        if pattern.startswith("  "):
            heads += [pattern[1:end] for end in range(len(pattern), 1, -1)]
        found = next((self._at[head] for head in heads if head in self._at), -1)
        return self.setdefault(number, found)


class _SharedMark(NamedTuple):
    """How a pattern leaves a shared mark to its neighbors."""

    blanks: int
    """How many spaces at its end stand for a mark."""
    next: int
    """The offset from which others are searched."""


def _shared_mark(pattern: str) -> _SharedMark | None:
    blanks = len(pattern) - len(pattern.rstrip())
    if pattern.startswith("  "):
        return _SharedMark(blanks, 1)
    return _SharedMark(blanks, len(pattern) - blanks) if blanks else None


def _ends_word(padded: str, end: int) -> bool:
    """Whether a word ends here: no letter follows, nor a mark that belongs to it."""
    mark = padded[end]
    return not (is_word_letter(mark) or (mark in "-/." and is_word_letter(padded[end + 1])))
