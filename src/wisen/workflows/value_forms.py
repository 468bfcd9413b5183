"""Splits a word of a command into typed pieces and says what kind of value a text is."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.model.workflow import ParameterKind
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Collection

_VERSION = (
    r"\d+(?:\.\d+)+(?:[-.]?(?:alpha|beta|rc|dev|pre|preview|next|canary|snapshot|post|a|b)[-.]?\d+(?:\.\d+)*"
    r"|-(?:alpha|beta|rc|dev|pre|preview|next|canary|snapshot)\b)?"
)
_REVISION = r"(?<![0-9A-Za-z])(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![0-9A-Za-z])"
_PIECE = lazy_regex(rf"v(?=\d+\.\d)|{_VERSION}|{_REVISION}|[^\W\d_]+|\d+|.", 0)
_WHOLE_VERSION = lazy_regex(rf"v?{_VERSION}\Z")
_WHOLE_REVISION = lazy_regex(rf"{_REVISION}\Z")
_ADDRESS = lazy_regex(r"\d+\.\d+\.\d+\.\d+\Z")
_DECIMAL = lazy_regex(r"\d+(?:\.\d+)?\Z")
_URL = lazy_regex(r"[a-z][a-z0-9+.-]*://\S+\Z", 0)
_PATH = lazy_regex(r"(?:[~.]{0,2}/)?[\w.@+-]+(?:/[\w.@+-]+)*/?\Z|[~.]{0,2}/[^\s]*\Z")
_FILE_ENDING = lazy_regex(r"[\w-]\.[A-Za-z]\w{0,4}\Z")


class WordForm(NamedTuple):
    """A word as pieces, and its shape: what is left of it when the typed pieces may be any value."""

    pieces: tuple[str, ...]
    shape: tuple[str, ...]


def word_form(word: str) -> WordForm:
    """Split a word into versions, hashes, letters, digits and the characters between them."""
    pieces = tuple(_PIECE.findall(word))
    return WordForm(pieces, tuple(_shape(each) for each in pieces))


def _shape(piece: str) -> str:
    """Return the kind of a value, or the character itself between values."""
    if _WHOLE_VERSION.match(piece):
        return "number" if piece.isdecimal() else "version"
    if piece.isdecimal():
        return "number"
    if _WHOLE_REVISION.match(piece):
        return "revision"
    return "letters" if piece.isalpha() and piece != "v" else piece


def kind_of_values(values: Collection[str]) -> ParameterKind:
    """Return what all these values are; a word if they are different things."""
    kinds = {_kind(each) for each in values}
    if len(kinds) == 1:
        return kinds.pop()
    if kinds <= {ParameterKind.VERSION, ParameterKind.NUMBER}:
        return ParameterKind.VERSION
    if kinds <= {ParameterKind.REVISION, ParameterKind.NUMBER} and all(len(each) >= 7 for each in values):
        return ParameterKind.REVISION
    return ParameterKind.TEXT if ParameterKind.TEXT in kinds else ParameterKind.WORD


def _kind(value: str) -> ParameterKind:
    if any(each.isspace() for each in value):
        return ParameterKind.TEXT
    if _URL.match(value):
        return ParameterKind.URL
    if _DECIMAL.match(value):
        return ParameterKind.NUMBER
    if _WHOLE_VERSION.match(value) and not _ADDRESS.match(value):
        return ParameterKind.VERSION
    if _WHOLE_REVISION.match(value):
        return ParameterKind.REVISION
    is_path = ("/" in value or _FILE_ENDING.search(value)) and _PATH.match(value)
    return ParameterKind.PATH if is_path else ParameterKind.WORD
