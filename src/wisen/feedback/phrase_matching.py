"""Finds the phrases of all languages in a text in one pass; the language of the text is never guessed beforehand.

A phrase matches whole words, ignoring case and accents; in scripts without spaces it matches anywhere. A phrase that
several languages claim belongs to those that the other phrases of the text belong to.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ahocorasick_rs import AhoCorasick, MatchKind

from wisen.feedback.text_normalization import fold, is_unspaced_letter, is_word_letter, strip_accents

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from wisen.feedback.language import Language, Words

Match: TypeAlias = tuple[int, int, int]
"""The number of a pattern, and its start and end in the padded text: as the automaton returns it, to save time."""
_SURROGATE = re.compile("[\ud800-\udfff]")
_REACH, _REACH_AFTER, _REACH_DENSE = 14, 10, 4
"""How far from a phrase a negation may be: before it, after it, and in scripts without spaces."""
_MAX_SHORT, _MAX_SHORT_BARE = 3, 5
"""So short a word, and one without its accents, counts for its language only next to others of it."""


class Claim(NamedTuple):
    """What a pattern means in one language."""

    bit: int
    """The language."""
    phrase: str
    groups: Words
    """Empty means that it hides the phrases in it."""
    sure: bool
    """Whether it counts without other phrases of the language."""


class Negators(NamedTuple):
    """The negations of a language, prepared for searching."""

    before: Words
    after: Words
    reach: int


class PhraseMatcher:
    """The phrases of a set of languages, prepared for searching."""

    def __init__(self, of_languages: Iterable[tuple[Language, dict[str, Words], Words]]) -> None:
        """Each language with its phrases by group, and with the phrases that hide others."""
        languages = tuple(of_languages)
        claims: dict[str, dict[int, Claim]] = {}
        self.codes: dict[int, str] = {}
        self.non_languages = set[int]()
        """Sets that are no language: emoji."""
        for number, (language, groups, harmless) in enumerate(languages):
            self.codes[1 << number] = language.code
            if not language.own_name:
                self.non_languages.add(1 << number)
            for pattern, claim in _claims(language, 1 << number, groups, harmless):
                known = claims.setdefault(pattern, {})
                known[claim.bit] = _merge(known[claim.bit], claim) if claim.bit in known else claim
        self.claims = [tuple(claimed.values()) for claimed in claims.values()]
        """The claims on each pattern, by number."""
        self.bits = [claimed[0].bit if len(claimed) == 1 and claimed[0].sure else 0 for claimed in self.claims]
        """The language that each pattern belongs to; 0 where several may claim it."""
        self._foreign = {
            number
            for number, claimed in enumerate(self.claims)
            if all(claim.bit != 1 and claim.bit not in self.non_languages for claim in claimed)
            and any(claim.sure for claim in claimed)
        }
        """The patterns that only languages other than the first one have."""
        self._patterns = [pattern.removesuffix("*") for pattern in claims]
        self._prefixes = {"", *(fold(each) for language, _, _ in languages for each in language.prefixes)}
        glue = sum(1 << number for number, (language, _, _) in enumerate(languages) if language.prefixes)
        self._glued = {
            number
            for number, (pattern, claimed) in enumerate(zip(claims, self.claims, strict=True))
            if is_word_letter(pattern[0]) and any(claim.bit & glue for claim in claimed)
        }
        """The patterns of words that may have a prefix glued to them."""
        self._whole_word = [pattern[-1] != "*" and is_word_letter(pattern[-1]) for pattern in claims]
        """Whether only whole words match, or also the beginnings of longer ones."""
        self._heads = _HeadTable(self._patterns)
        self._shared_marks = {
            number: mark for number, pattern in enumerate(self._patterns) if (mark := _shared_mark(pattern)) is not None
        }
        """The patterns that share a mark with their neighbors."""
        self._careful = self._glued | self._shared_marks.keys()
        self._automaton = AhoCorasick(self._patterns, matchkind=MatchKind.LeftmostLongest)

    def matches(self, text: str) -> list[Match]:
        """The patterns in a folded text, in order; the longest where several begin."""
        padded = f" {text}   "
        whole, careful = self._whole_word, self._careful
        found: list[Match] = []
        try:
            matches = self._automaton.find_matches_as_indexes(padded)
        except UnicodeEncodeError:  # half an emoji: replaced by one character, so that positions stay
            padded = _SURROGATE.sub("\ufffd", padded)
            matches = self._automaton.find_matches_as_indexes(padded)
        for match in matches:
            number, start, end = match
            if number not in careful:
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
        for number, begin, stop in self._automaton.find_matches_as_indexes(padded[since:] if since else padded):
            start, end = begin + since, stop + since
            if glued and number in glued and not self._starts_word(padded, start):
                continue
            if padded[end] == " " or not whole[number] or _ends_word(padded, end):
                if number in shared:
                    found.append((number, start, end - shared[number].blanks))
                    return start + shared[number].next
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
            others += number in self._foreign
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


class _HeadTable(dict[int, int]):
    """Maps a pattern to the longest other one that it begins with, without its comma if necessary; -1 for none."""

    def __init__(self, patterns: list[str]) -> None:
        super().__init__()
        self._patterns = patterns
        self._at = {pattern: number for number, pattern in enumerate(patterns)}

    def __missing__(self, number: int) -> int:
        pattern = self._patterns[number]
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


def _merge(one: Claim, other: Claim) -> Claim:
    """The claim of two phrases of a language that are spelled alike."""
    groups = (*one.groups, *(group for group in other.groups if group not in one.groups))
    return one._replace(groups=groups, sure=one.sure or other.sure)


def _claims(language: Language, bit: int, groups: dict[str, Words], harmless: Words) -> Iterator[tuple[str, Claim]]:
    """The patterns of a language, each with its claim."""
    groups_of: dict[str, Words] = dict.fromkeys(harmless, ())
    for group, phrases in groups.items():
        for phrase in phrases:
            groups_of[phrase] = (*groups_of.get(phrase, ()), group)
    confusable = frozenset(language.confusable)
    respelled = [(fold(letter), put) for letter, put in language.respell.items()]
    for phrase, named in groups_of.items():
        plain = _normalize(phrase)
        short = bit != 1 and len(plain.strip("* ")) <= _MAX_SHORT and plain.strip("* ").isascii()
        claim = Claim(bit, phrase, named, phrase not in confusable and not short)
        yield plain if language.prefixes and not plain.isascii() else _pattern(plain), claim
        if not plain.isascii():
            yield from _spelling_variants(plain, respelled, claim)


def _normalize(phrase: str) -> str:
    """A folded phrase. A final star stays; a final mark means that one must follow: two spaces, or the end."""
    if phrase.endswith("*"):
        return fold(phrase[:-1]).rstrip() + "*"
    plain = fold(phrase)
    if plain.endswith(" ") and not is_unspaced_letter(plain.rstrip()[-1]):
        return plain.rstrip() + "  "
    return plain


def _spelling_variants(plain: str, respelled: Iterable[tuple[str, str]], claim: Claim) -> Iterator[tuple[str, Claim]]:
    """The other patterns that match a phrase: alternative letters, and without accents."""
    other = plain
    for letter, put in respelled:
        other = other.replace(letter, put)
    if other != plain:
        yield _pattern(other), claim
    without = strip_accents(plain)
    if without.isascii():
        long = " " in without.strip() or len(without.strip("*")) > _MAX_SHORT_BARE
        yield _pattern(without), claim if long else claim._replace(sure=False)


def _pattern(plain: str) -> str:
    """A word begins after a space; signs and letters of scripts without spaces match anywhere."""
    return f" {plain}" if is_word_letter(plain[0]) else plain


def _ends_word(padded: str, end: int) -> bool:
    """Whether a word ends here: no letter follows, nor a mark that belongs to it."""
    mark = padded[end]
    return not (is_word_letter(mark) or (mark in "-/." and is_word_letter(padded[end + 1])))
