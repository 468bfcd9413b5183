"""Decides whether a text contains a phrase as a person would judge it: its words in order, as whole words.

Case, whitespace and Unicode form do not count. Punctuation counts only if the phrase has some: `use uv` is in
“use `uv`”, and `C++` is not in “C”. In scripts without spaces between words, each letter counts as a word.
"""

from __future__ import annotations

import hmac
import re
import unicodedata
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple, Protocol

from wisen.model.tombstone import TombstoneKey, TombstoneKeyKind
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_LETTER = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
"""Letters of scripts without spaces between words."""
_JOINED = "\u0300-\u036f\u0591-\u05bd\u064b-\u065f\u0900-\u0963\u0966-\u0dff"
"""Characters that belong to the letter before, though they are not letters themselves."""
_TOKEN = lazy_regex(rf"[{_LETTER}]|(?:(?![{_LETTER}])[\w{_JOINED}])+|[^\w\s]")
_PART = lazy_regex(rf"[\w{_LETTER}{_JOINED}]")
_EDGE_PUNCTUATION = ".,;:!?\"'`“”„‘’‚«»‹›「」『』…"
"""Punctuation that around a phrase belongs to the sentence."""
_ESCAPE = lazy_regex(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "b": " ", "f": " "}
_MAX_ESCAPES = 2
"""How often a text may be escaped: arguments are JSON, and may contain JSON."""
_MAX_PREFILTERED = 8
"""Up to this many phrases and words, searching for the words first is faster than tokenizing the text."""


class Needle(Protocol):
    """Something that is searched for in texts."""

    @property
    def words(self) -> tuple[tuple[str, ...], ...] | None:
        """Folded words: every text that contains it has all words of one group, perhaps escaped or in another form.

        None: it may be in any text. Empty: it is in none.
        """
        ...

    def holds(self, text: str) -> bool:
        """Whether a text contains it."""
        ...


class Phrase(NamedTuple):
    """Words, and punctuation if there was some, in order."""

    tokens: tuple[str, ...]
    marked: bool

    def key(self, salt: bytes) -> TombstoneKey:
        """Return the phrase as a keyed digest."""
        kind = TombstoneKeyKind.MARKED if self.marked else TombstoneKeyKind.WORDS
        return TombstoneKey(kind=kind, value=_digest(salt, self.tokens), size=len(self.tokens))


def phrase_of(text: str) -> Phrase | None:
    """Return the phrase that a person meant; None if the text has no word and no punctuation."""
    tokens = tuple(_tokens(text.strip().strip(_EDGE_PUNCTUATION)) or _tokens(text))
    return Phrase(tokens, any(map(_is_mark, tokens))) if tokens else None


class ForgottenPhrases:
    """Phrases by their words."""

    def __init__(self, phrases: Iterable[Phrase]) -> None:
        self._by_first_token: dict[tuple[str, bool], list[tuple[str, ...]]] = defaultdict(list)
        groups: set[tuple[str, ...]] = set()
        sequences: set[str] = set()
        for phrase in set(phrases):
            # Between two tokens of a phrase only blanks and punctuation can be.
            sequences.add(r"\W*".join(map(re.escape, phrase.tokens)))
            self._by_first_token[phrase.tokens[0], phrase.marked].append(phrase.tokens)
            # The longest word is the rarest, as a rule.
            groups.add(tuple(sorted(set(phrase.tokens), key=lambda word: (-len(word), word))))
        self._groups = tuple(sorted(groups)) if len(groups) <= _MAX_PREFILTERED else None
        self._sequences = [re.compile(each) for each in sorted(sequences)] if self._groups is not None else []
        self._kinds = {marked for _, marked in self._by_first_token}
        letters = {letter for words in self._groups or () for word in words for letter in word}
        self._escaped = _escape_of(letters) if self._groups and all(map(str.isascii, letters)) else None

    @property
    def words(self) -> tuple[tuple[str, ...], ...] | None:
        """Return the words of each phrase; None if there are too many phrases."""
        return self._groups

    def holds(self, text: str) -> bool:
        """Whether a text contains one of them."""
        if "\\" not in text:
            return self._is_in(text)
        if self._escaped is not None and not self._escaped.search(text) and not self._may_be_in(_fold(text)):
            return False
        return any(self._is_in(view) for view in _unescaped_views(text))

    def _is_in(self, text: str) -> bool:
        folded = _fold(text)
        if not self._may_be_in(folded):
            return False
        if self._groups is not None and not any(each.search(folded) for each in self._sequences):
            return False
        return any(self._matches(tokens, marked) for marked, tokens in _token_streams(folded, self._kinds))

    def _may_be_in(self, folded: str) -> bool:
        """Whether a text has all words of a phrase, in whatever order."""
        return self._groups is None or any(_has_all(folded, words) for words in self._groups)

    def _matches(self, tokens: Sequence[str], marked: bool) -> bool:  # noqa: FBT001 - one of two streams
        for at, token in enumerate(tokens):
            for wanted in self._by_first_token.get((token, marked), ()):
                if tuple(tokens[at : at + len(wanted)]) == wanted:
                    return True
        return False


class PhraseDigests:
    """Phrases of which only keyed digests are left."""

    def __init__(self, keys: Iterable[TombstoneKey], salt: bytes) -> None:
        self._salt = salt
        self._sizes: dict[tuple[bool, int], set[str]] = defaultdict(set)
        for key in keys:
            if key.kind in (TombstoneKeyKind.WORDS, TombstoneKeyKind.MARKED):
                self._sizes[key.kind is TombstoneKeyKind.MARKED, key.size].add(key.value)
        self._kinds = {marked for marked, _ in self._sizes}

    @property
    def words(self) -> tuple[tuple[str, ...], ...] | None:
        """The words are not stored, so any text may contain them; none does if there are no digests."""
        return None if self._sizes else ()

    def holds(self, text: str) -> bool:
        """Whether a text contains one of them."""
        return bool(self._sizes) and any(
            self._matches(tokens, marked)
            for view in _unescaped_views(text)
            for marked, tokens in _token_streams(_fold(view), self._kinds)
        )

    def _matches(self, tokens: Sequence[str], marked: bool) -> bool:  # noqa: FBT001 - as above
        return any(
            _digest(self._salt, tokens[at : at + size]) in known
            for (is_marked, size), known in self._sizes.items()
            if is_marked is marked
            for at in range(len(tokens) - size + 1)
        )


class AnyText:
    """Every text, for what is forgotten as a whole."""

    words = None

    def holds(self, text: str) -> bool:
        """Every text does."""
        del text
        return True


def _escape_of(letters: Iterable[str]) -> re.Pattern[str]:
    """Return the pattern of an escape that may stand for one of these ASCII letters, or for any by its code."""
    cases = {case for letter in letters for case in (letter, letter.upper())} - _ESCAPED.keys()
    return re.compile(rf"\\[u{re.escape(''.join(sorted(cases)))}]")


def _has_all(folded: str, words: Iterable[str]) -> bool:
    return all(word in folded for word in words)


def _token_streams(folded: str, kinds: Iterable[bool]) -> Iterator[tuple[bool, list[str]]]:
    """Yield a text's tokens with and without punctuation, as far as requested."""
    tokens = _TOKEN.findall(folded)
    for marked in kinds:
        yield marked, tokens if marked else [token for token in tokens if not _is_mark(token)]


def _unescaped_views(text: str) -> Iterator[str]:
    """Yield a text as it is, and unescaped if something in it is escaped."""
    yield text
    for _ in range(_MAX_ESCAPES):
        if "\\" not in text:
            return
        text = _ESCAPE.sub(_unescape, text)
        yield text


def _unescape(match: re.Match[str]) -> str:
    if match[1]:
        return chr(int(match[1], 16))
    return _ESCAPED.get(match[2], match[2])


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(_fold(text))


def _fold(text: str) -> str:
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _is_mark(token: str) -> bool:
    return len(token) == 1 and not _PART.match(token)


def _digest(salt: bytes, tokens: Iterable[str]) -> str:
    raw = "\x1f".join(tokens).encode("utf-8", "surrogatepass")
    return hmac.digest(salt, raw, "sha256").hex()[:32]
