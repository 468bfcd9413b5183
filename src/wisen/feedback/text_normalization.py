"""Normalizes text for phrase matching: folds equivalent letters of all scripts, and blanks out quotes and code.

A phrase and the text that is searched for it are folded the same way. In nearly all texts each character keeps its
position; where characters are removed (Arabic diacritics, emoji joiners, combining accents), the original positions
are kept.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from wisen.text.lazy_regex import lazy_regex
from wisen.text.letter_ranges import letter_ranges

_SEPARATORS = '\t\r\n\f\v\u00a0\u3000()[]{}"“”„«»‹›「」『』【】（）*,，、;；،؛!！¡¿>|=~—–'
_REPLACEMENTS = {**dict.fromkeys(_SEPARATORS, " "), **dict.fromkeys("’‘´", "'")}
"""Word separators and curly apostrophes, each with its replacement."""
_ASCII_TABLE = "".join(
    _REPLACEMENTS.get(letter, letter) for letter in map(chr, range(128))
).casefold().encode() + bytes(128)
"""The same plus lowercasing for ASCII texts, which nearly all are: their bytes are translated in one call."""
_EQUIVALENT = {
    **dict(zip("أإآٱىةؤئ", "اااايهوي", strict=True)),
    **dict(zip("ıİ", "ii", strict=True)),
    **dict(zip("\u0958\u0959\u095a\u095b\u095c\u095d\u095e\u095f\u0901", "कखगजडढफयं", strict=True)),
    "؟": "?",
    "？": "?",
    "‥": "…",
    "ё": "е",
}
"""Letters that people use interchangeably."""
_REMOVED = lazy_regex(
    "[\u0300-\u036f\u0610-\u061a\u064b-\u065f\u0670\u0640\u093c\u3099\u309a"
    "\u200b-\u200f\u2060\ufe00-\ufe0f\ufeff\U0001f3fb-\U0001f3ff]"
)
"""Characters that are removed or merged into the letter before: combining marks, skin tones, emoji joiners."""
_ELIDED = lazy_regex(r"['’](?<=\w.)(?!(?:t|s|m|d|re|ve|ll|em)\b)(?=\w)", re.IGNORECASE)
"""An apostrophe after an elided word (l'erreur), except for the English ones (don't)."""
_QUOTES = (
    r"[`\"“'„«「『](?:(?<=`)``.*?(?:```|\Z)|(?<=`)[^`\n]{1,300}`|(?<=\")[^\"\n]{1,300}\"|(?<=“)[^”\n]{1,300}”|"
    r"(?<=„)[^“”\n]{1,300}[“”]|(?<=«)[^»\n]{1,300}»|(?<=「)[^」\n]{1,300}」|(?<=『)[^』\n]{1,300}』|"
    r"(?<=')(?<!\w')[^'\n]{2,80}'(?!\w))"
)
"""Quotes and code. The pattern begins with rare characters, so that the search is fast."""
_QUOTED = lazy_regex(_QUOTES, re.DOTALL)
_QUOTED_OR_CITED = lazy_regex(rf"^[ \t]*>[^\n]*|{_QUOTES}", re.DOTALL | re.MULTILINE)
_ENDS = lazy_regex(r"[?。।]|[?.](?=\s|$)")
_UNSPACED = letter_ranges("\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff")
"""Letters of scripts that put no spaces between words."""
_FOREIGN = letter_ranges("\u0370-\u1fff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff")
_LATIN = lazy_regex("[a-z\u00df-\u024f]")
_WORD = lazy_regex(r"\w")
_UNSPACED_WEIGHT = 2
"""How many additional alphabetic letters one such letter is worth."""


class FoldedText(NamedTuple):
    """A folded text."""

    text: str
    places: list[int] | None
    """The original position of each character and of the end; None where no position changed."""

    def place(self, at: int) -> int:
        """The position in the original text of a character."""
        return at if self.places is None else self.places[at]


class _LetterTable(dict[int, str]):
    """Maps each letter to its folded form, always one letter; computed on first use."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        return self.setdefault(code, _REPLACEMENTS.get(letter) or _EQUIVALENT.get(letter) or _fold_letter(letter))


def _fold_letter(letter: str) -> str:
    plain = unicodedata.normalize("NFKC", letter).casefold()
    plain = _REPLACEMENTS.get(plain) or _EQUIVALENT.get(plain) or plain
    return plain if len(plain) == 1 else letter


_LETTERS = _LetterTable()


def fold_with_places(text: str) -> FoldedText:
    """The text in lowercase, with spaces for word separators, and the original positions."""
    if "'" in text or "’" in text:
        text = _ELIDED.sub(" ", text)
    if text.isascii():
        return FoldedText(text.encode().translate(_ASCII_TABLE).decode(), None)
    if _REMOVED.search(text) is None:
        return FoldedText(text.translate(_LETTERS), None)
    letters, places = list[str](), list[int]()
    for at, letter in enumerate(text):
        if _REMOVED.match(letter):
            if letters and (joined := unicodedata.normalize("NFC", letters[-1] + letter)) and len(joined) == 1:
                letters[-1] = joined.translate(_LETTERS)
            continue
        letters.append(letter.translate(_LETTERS))
        places.append(at)
    return FoldedText("".join(letters), [*places, len(text)])


def fold(text: str) -> str:
    """The folded text, where positions do not matter."""
    return fold_with_places(text).text


def mask(text: str) -> str:
    """The text with quotes and code blanked out; each character keeps its position."""
    if ">" in text:
        return _QUOTED_OR_CITED.sub(_blank, text)
    if '"' in text or "`" in text or " '" in text or text.startswith("'"):
        return _QUOTED.sub(_blank, text)
    if text.isascii() or not ("“" in text or "„" in text or "«" in text or "「" in text or "『" in text):
        return text
    return _QUOTED.sub(_blank, text)


def sentence_end(text: str, place: int) -> int:
    """Where the sentence around a position of a folded text ends; its last character if nothing ends it."""
    stop = _ENDS.search(text, place)
    return len(text) - 1 if stop is None else stop.start()


def is_unspaced_letter(letter: str) -> bool:
    """Whether a letter belongs to a script that puts no spaces between words."""
    return _UNSPACED.match(letter) is not None


def alphabetic_length(text: str) -> int:
    """The length of a text, converted to letters of an alphabet."""
    return len(text) if text.isascii() else len(text) + _UNSPACED_WEIGHT * len(_UNSPACED.findall(text))


def has_words(text: str) -> bool:
    """Whether a text has a letter or a digit."""
    return _WORD.search(text) is not None


def is_foreign(text: str) -> bool:
    """Whether most letters of a folded text belong to a script other than Latin."""
    if text.isascii():
        return False
    return len(_FOREIGN.findall(text)) > len(_LATIN.findall(text))


def is_word_letter(letter: str) -> bool:
    """Whether a letter is part of the word around it."""
    if letter.isascii():
        return letter.isalnum() or letter == "_"
    return unicodedata.category(letter)[0] in "LMN" and not is_unspaced_letter(letter)


def strip_accents(text: str) -> str:
    """A text without accents, as many people type it; for alphabets with accents only."""
    apart = unicodedata.normalize("NFD", text.translate(_STROKES))
    return "".join(letter for letter in apart if not "\u0300" <= letter <= "\u036f") if text != apart else text


_STROKES = str.maketrans("đłøæ", "dloa")


def _blank(quoted: re.Match[str]) -> str:
    return "\0" * len(quoted[0])
