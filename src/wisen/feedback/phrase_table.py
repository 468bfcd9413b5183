"""The patterns of a set of languages, each with what it means in which of them.

The table of all shipped languages is stored in `phrases.txt`: building it takes a third of a second, and most of its
patterns never match, so that it is decoded only where one does.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple, overload

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from wisen.feedback.language import GROUPS, Language, Words
from wisen.feedback.text_normalization import fold, is_unspaced_letter, is_word_letter, strip_accents

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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


class PatternRow(NamedTuple):
    """One pattern."""

    is_open: bool
    """Whether it also matches the beginnings of longer words."""
    claims: tuple[Claim, ...]


class PhraseTable(Struct, frozen=True, kw_only=True):
    """The patterns of a set of languages."""

    codes: tuple[str, ...]
    """The languages; each has the bit of its position."""
    non_languages: frozenset[int]
    """The bits of sets that are no language: emoji."""
    prefixes: Words
    """What is glued to the front of words."""
    prefixed_languages: int
    """The bits of the languages that have such prefixes."""
    patterns: Sequence[str]
    """Sorted; of two equal ones the first is the one that is found."""
    rows: Sequence[PatternRow]
    """What is known of each pattern, by number."""


class StoredPhrases(NamedTuple):
    """What is stored of the shipped languages."""

    languages: tuple[Language, ...]
    """The languages without their phrases: those are in the table."""
    table: PhraseTable


def build_phrase_table(of_languages: Iterable[tuple[Language, dict[str, Words], Words]]) -> PhraseTable:
    """Build a table from languages, each with its phrases by group, and with the phrases that hide others."""
    languages = tuple(of_languages)
    claims: dict[str, dict[int, Claim]] = {}
    for number, (language, groups, harmless) in enumerate(languages):
        for pattern, claim in _claims(language, 1 << number, groups, harmless):
            known = claims.setdefault(pattern, {})
            known[claim.bit] = _merge(known[claim.bit], claim) if claim.bit in known else claim
    patterns = sorted(claims, key=lambda pattern: pattern.removesuffix("*"))  # equal ones keep their order
    rows = [PatternRow(pattern.endswith("*"), tuple(claims[pattern].values())) for pattern in patterns]
    return _table([each for each, _, _ in languages], [pattern.removesuffix("*") for pattern in patterns], rows)


def encode_phrases(languages: Iterable[Language]) -> str:
    """Encode languages and their table for a file: the languages in the first line, then a line for each pattern."""
    languages = tuple(languages)
    table = build_phrase_table((each, each.groups, each.harmless) for each in languages)
    head = [replace(each, harmless=(), common=(), **{name: {} for name in GROUPS}) for each in languages]
    names = dict.fromkeys(group for row in table.rows for claim in row.claims for group in claim.groups)
    numbers = {name: number for number, name in enumerate(names)}
    lines = [_encode((*names,)), _encode(head)]
    for pattern, row in zip(table.patterns, table.rows, strict=True):
        claims = [
            (
                claim.bit.bit_length() - 1,
                int(claim.sure),
                [numbers[group] for group in claim.groups],
                *((claim.phrase,) if claim.phrase != pattern.strip() else ()),
            )
            for claim in row.claims
        ]
        lines.append(f"{pattern}\t{'*' if row.is_open else ''}{_encode(claims)}")
    return "\n".join(lines)


@cache
def stored_phrases() -> StoredPhrases:
    """Load the shipped languages and their table."""
    text = resources.files(__package__).joinpath("phrases.txt").read_text(encoding="utf-8")
    names, head, *lines = text.split("\n")
    languages = msgspec.json.decode(head, type=tuple[Language, ...])
    patterns = [line.partition("\t")[0] for line in lines]
    return StoredPhrases(languages, _table(languages, patterns, _StoredRows(lines, msgspec.json.decode(names))))


class _StoredRows(Sequence[PatternRow]):
    """Rows that are decoded when they are needed."""

    def __init__(self, lines: list[str], groups: list[str]) -> None:
        self._lines, self._groups = lines, groups

    def __len__(self) -> int:
        return len(self._lines)

    @overload
    def __getitem__(self, number: int) -> PatternRow: ...

    @overload
    def __getitem__(self, number: slice) -> list[PatternRow]: ...

    def __getitem__(self, number: int | slice) -> PatternRow | list[PatternRow]:
        if isinstance(number, slice):
            return [self._decode(line) for line in self._lines[number]]
        return self._decode(self._lines[number])

    def _decode(self, line: str) -> PatternRow:
        pattern, _, claims = line.partition("\t")
        groups, plain = self._groups, pattern.strip()
        return PatternRow(
            claims.startswith("*"),
            tuple(
                Claim(1 << at, phrase[0] if phrase else plain, tuple(groups[number] for number in numbers), sure == 1)
                for at, sure, numbers, *phrase in msgspec.json.decode(claims.removeprefix("*"))
            ),
        )


def _table(languages: Sequence[Language], patterns: Sequence[str], rows: Sequence[PatternRow]) -> PhraseTable:
    return PhraseTable(
        codes=tuple(each.code for each in languages),
        non_languages=frozenset(1 << number for number, each in enumerate(languages) if not each.own_name),
        prefixes=tuple(fold(prefix) for each in languages for prefix in each.prefixes),
        prefixed_languages=sum(1 << number for number, each in enumerate(languages) if each.prefixes),
        patterns=patterns,
        rows=rows,
    )


def _encode(value: object) -> str:
    return msgspec.json.encode(value).decode()


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
