"""Tells whether a text holds a phrase, as a person would say it does: its words in their order, as whole words.

Case, white space and the form of letters do not count. Marks count only where the phrase has some: `use uv` stands in
“use `uv`”, and `C++` does not stand in “C”. Of scripts that put no blanks between words each letter counts as one.
"""

from __future__ import annotations

import hmac
import re
import unicodedata
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple, Protocol

from wisen.model.tombstone import TombstoneKey, TombstoneKeyKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_LETTER = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
"""Of scripts without blanks between words."""
_JOINED = "\u0300-\u036f\u0591-\u05bd\u064b-\u065f\u0900-\u0963\u0966-\u0dff"
"""What belongs to the letter before it, though it is none by itself."""
_TOKEN = re.compile(rf"[{_LETTER}]|(?:(?![{_LETTER}])[\w{_JOINED}])+|[^\w\s]")
_PART = re.compile(rf"[\w{_LETTER}{_JOINED}]")
_AROUND = ".,;:!?\"'“”‘’…"
"""Marks that around a phrase belong to the sentence."""
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "b": " ", "f": " "}
_DEPTH = 2
"""How often a text may be escaped: arguments are JSON, and may hold JSON."""
_FEW = 8
"""Up to so many phrases, looking for a word of each first is faster than taking the text apart."""


class Needle(Protocol):
    """Something that is looked for in texts."""

    def holds(self, text: str) -> bool:
        """Whether a text holds it."""
        ...


class Phrase(NamedTuple):
    """Words, and marks where there were some, in their order."""

    tokens: tuple[str, ...]
    marked: bool

    def key(self, salt: bytes) -> TombstoneKey:
        """The phrase without its words."""
        kind = TombstoneKeyKind.MARKED if self.marked else TombstoneKeyKind.WORDS
        return TombstoneKey(kind=kind, value=_digest(salt, self.tokens), size=len(self.tokens))


def phrase_of(text: str) -> Phrase | None:
    """The phrase that a person meant; None where the text holds no word and no mark."""
    tokens = tuple(_tokens(text.strip().strip(_AROUND)) or _tokens(text))
    return Phrase(tokens, any(map(_is_mark, tokens))) if tokens else None


class ForgottenPhrases:
    """Phrases, by their words."""

    def __init__(self, phrases: Iterable[Phrase]) -> None:
        self._begin: dict[tuple[str, bool], list[tuple[str, ...]]] = defaultdict(list)
        longest: list[str] = []
        for phrase in set(phrases):
            self._begin[phrase.tokens[0], phrase.marked].append(phrase.tokens)
            longest.append(max(phrase.tokens, key=len))
        self._rare = longest if len(longest) <= _FEW else None
        self._kinds = {marked for _, marked in self._begin}

    def holds(self, text: str) -> bool:
        """Whether a text holds one of them."""
        return any(self._stands_in(view) for view in _views(text))

    def _stands_in(self, text: str) -> bool:
        folded = _folded(text)
        if self._rare is not None and not any(word in folded for word in self._rare):
            return False
        return any(self._follow(tokens, marked) for marked, tokens in _streams(folded, self._kinds))

    def _follow(self, tokens: Sequence[str], marked: bool) -> bool:  # noqa: FBT001 - one of two streams
        for at, token in enumerate(tokens):
            for wanted in self._begin.get((token, marked), ()):
                if tuple(tokens[at : at + len(wanted)]) == wanted:
                    return True
        return False


class Keys:
    """Phrases of which only keyed digests are left."""

    def __init__(self, keys: Iterable[TombstoneKey], salt: bytes) -> None:
        self._salt = salt
        self._sizes: dict[tuple[bool, int], set[str]] = defaultdict(set)
        for key in keys:
            if key.kind in (TombstoneKeyKind.WORDS, TombstoneKeyKind.MARKED):
                self._sizes[key.kind is TombstoneKeyKind.MARKED, key.size].add(key.value)
        self._kinds = {marked for marked, _ in self._sizes}

    def holds(self, text: str) -> bool:
        """Whether a text holds one of them."""
        return bool(self._sizes) and any(
            self._follow(tokens, marked)
            for view in _views(text)
            for marked, tokens in _streams(_folded(view), self._kinds)
        )

    def _follow(self, tokens: Sequence[str], marked: bool) -> bool:  # noqa: FBT001 - as above
        return any(
            _digest(self._salt, tokens[at : at + size]) in known
            for (of, size), known in self._sizes.items()
            if of is marked
            for at in range(len(tokens) - size + 1)
        )


class Anything:
    """Every text, for what is forgotten whole."""

    def holds(self, text: str) -> bool:
        """Every text does."""
        del text
        return True


def _streams(folded: str, kinds: Iterable[bool]) -> Iterator[tuple[bool, list[str]]]:
    """What a text is made of, with its marks and without, as far as that is asked."""
    tokens = _TOKEN.findall(folded)
    for marked in kinds:
        yield marked, tokens if marked else [token for token in tokens if not _is_mark(token)]


def _views(text: str) -> Iterator[str]:
    """A text as it stands, and as it is meant where something in it is escaped."""
    yield text
    for _ in range(_DEPTH):
        if "\\" not in text:
            return
        text = _ESCAPE.sub(_meant, text)
        yield text


def _meant(found: re.Match[str]) -> str:
    if found[1]:
        return chr(int(found[1], 16))
    return _ESCAPED.get(found[2], found[2])


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(_folded(text))


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _is_mark(token: str) -> bool:
    return len(token) == 1 and not _PART.match(token)


def _digest(salt: bytes, tokens: Iterable[str]) -> str:
    told = "\x1f".join(tokens).encode("utf-8", "surrogatepass")
    return hmac.digest(salt, told, "sha256").hex()[:32]
