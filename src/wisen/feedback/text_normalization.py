"""How texts are written: letters that mean the same become one, whatever the script; what is quoted is blanked out.

A phrase and the text it is looked for in are folded alike. In nearly all texts each character stays where it is; where
letters fall away (points of Arabic, what joins emoji, accents written apart), it is told where the others stood.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

_SEPARATORS = '\t\r\n\f\v\u00a0\u3000()[]{}"“”„«»‹›「」『』【】（）*,，、;；،؛!！¡¿>|=~—–'
_REPLACEMENTS = {**dict.fromkeys(_SEPARATORS, " "), **dict.fromkeys("’‘´", "'")}
"""What parts words, and curly apostrophes, with what is put in their place."""
_ASCII_TABLE = "".join(
    _REPLACEMENTS.get(letter, letter) for letter in map(chr, range(128))
).casefold().encode() + bytes(128)
"""The same and small letters for a text in ASCII, as nearly all are: its bytes are translated at once."""
_EQUIVALENT = {
    **dict(zip("أإآٱىةؤئ", "اااايهوي", strict=True)),
    **dict(zip("ıİ", "ii", strict=True)),
    **dict(zip("\u0958\u0959\u095a\u095b\u095c\u095d\u095e\u095f\u0901", "कखगजडढफयं", strict=True)),
    "؟": "?",
    "？": "?",
    "‥": "…",
    "ё": "е",
}
"""Letters that people write one for the other."""
_REMOVED = re.compile(
    "[\u0300-\u036f\u0610-\u061a\u064b-\u065f\u0670\u0640\u093c\u3099\u309a"
    "\u200b-\u200f\u2060\ufe00-\ufe0f\ufeff\U0001f3fb-\U0001f3ff]"
)
"""What falls away or joins the letter before it: accents and points written apart, skin tones, what joins emoji."""
_ELIDED = re.compile(r"['’](?<=\w.)(?!(?:t|s|m|d|re|ve|ll|em)\b)(?=\w)", re.IGNORECASE)
"""An apostrophe behind a word of its own (l'erreur), but for the English ones (don't)."""
_QUOTES = (
    r"[`\"“'„«「『](?:(?<=`)``.*?(?:```|\Z)|(?<=`)[^`\n]{1,300}`|(?<=\")[^\"\n]{1,300}\"|(?<=“)[^”\n]{1,300}”|"
    r"(?<=„)[^“”\n]{1,300}[“”]|(?<=«)[^»\n]{1,300}»|(?<=「)[^」\n]{1,300}」|(?<=『)[^』\n]{1,300}』|"
    r"(?<=')(?<!\w')[^'\n]{2,80}'(?!\w))"
)
"""What is quoted or code. It begins with what is rare, so that the search is fast."""
_QUOTED = re.compile(_QUOTES, re.DOTALL)
_QUOTED_OR_CITED = re.compile(rf"^[ \t]*>[^\n]*|{_QUOTES}", re.DOTALL | re.MULTILINE)
_ENDS = re.compile(r"[?。।]|[?.](?=\s|$)")
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
"""Letters of scripts that put no spaces between words."""
_FOREIGN = re.compile("[\u0370-\u1fff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_LATIN = re.compile("[a-z\u00df-\u024f]")
_WORD = re.compile(r"\w")
_UNSPACED_WEIGHT = 2
"""A letter of theirs says as much as so many more of others."""


class FoldedText(NamedTuple):
    """A folded text."""

    text: str
    places: list[int] | None
    """Where each character stood, and where the text ended; None where each still stands there."""

    def place(self, at: int) -> int:
        """Where in the text as it was written a character stood."""
        return at if self.places is None else self.places[at]


class _LetterTable(dict[int, str]):
    """What each letter is folded to: always one letter, worked out when first met."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        return self.setdefault(code, _REPLACEMENTS.get(letter) or _EQUIVALENT.get(letter) or _fold_letter(letter))


def _fold_letter(letter: str) -> str:
    plain = unicodedata.normalize("NFKC", letter).casefold()
    plain = _REPLACEMENTS.get(plain) or _EQUIVALENT.get(plain) or plain
    return plain if len(plain) == 1 else letter


_LETTERS = _LetterTable()


def fold_with_places(text: str) -> FoldedText:
    """The text in small letters, with spaces for what parts words."""
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
    """The folded text, where places do not matter."""
    return fold_with_places(text).text


def mask(text: str) -> str:
    """The text with blanks for what is quoted or code: each character stays where it is."""
    if ">" in text:
        return _QUOTED_OR_CITED.sub(_blank, text)
    if '"' in text or "`" in text or " '" in text or text.startswith("'"):
        return _QUOTED.sub(_blank, text)
    if text.isascii() or not ("“" in text or "„" in text or "«" in text or "「" in text or "『" in text):
        return text
    return _QUOTED.sub(_blank, text)


def sentence_end(text: str, place: int) -> int:
    """Where the sentence of a folded text ends that goes on at a place; at its last character, if nothing ends it."""
    stop = _ENDS.search(text, place)
    return len(text) - 1 if stop is None else stop.start()


def is_unspaced_letter(letter: str) -> bool:
    """Whether a letter is of a script that puts no spaces between words."""
    return _UNSPACED.match(letter) is not None


def alphabetic_length(text: str) -> int:
    """How long a text is, in letters of an alphabet."""
    return len(text) if text.isascii() else len(text) + _UNSPACED_WEIGHT * len(_UNSPACED.findall(text))


def has_words(text: str) -> bool:
    """Whether a text holds a letter or a digit."""
    return _WORD.search(text) is not None


def is_foreign(text: str) -> bool:
    """Whether most letters of a folded text are of no Latin alphabet."""
    if text.isascii():
        return False
    return len(_FOREIGN.findall(text)) > len(_LATIN.findall(text))


def is_word_letter(letter: str) -> bool:
    """Whether a letter belongs to the word it stands in."""
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
