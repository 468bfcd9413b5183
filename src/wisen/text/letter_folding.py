"""Normalizes letters for matching directive words: lowercase, no accents, positions preserved."""

from __future__ import annotations

import unicodedata

from wisen.text.lazy_regex import lazy_regex

_EQUIVALENTS = {
    **dict(zip("أإآٱىةؤئ", "اااايهوي", strict=True)),
    **dict(zip("ıİđĐłŁøØßёЁ", "iiddlloosее", strict=True)),
    **dict.fromkeys("’‘´`ʼ＇", "'"),
    **dict.fromkeys("\t\r\n\f\v\u00a0\u3000", " "),
    **dict(zip("？！，：；（）", "?!,:;()", strict=True)),
    "؟": "?",
    "،": ",",
    "؛": ";",
    "—": "–",
}
"""Letters and punctuation that people use interchangeably."""
_COMBINING_MARKS = lazy_regex("[\u0300-\u036f\u064b-\u065f\u0670\u0640\u200b-\u200f\u2060\ufe0f\ufeff]")
"""Removed characters: combining accents and vowel points, and invisible characters."""
_VIETNAMESE_LETTERS = lazy_regex("[ăâđêôơưĂÂĐÊÔƠƯ\u1ea0-\u1ef9]")


class _FoldingTable(dict[int, str]):
    """Maps each letter to its folded form, always one letter; computed on first use."""

    def __init__(self, *, accents: bool) -> None:
        super().__init__()
        self._accents = accents

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        folded = _EQUIVALENTS.get(letter) if not (self._accents and letter in "đĐ") else "đ"
        if folded is None:
            folded = unicodedata.normalize("NFKC", letter).lower()
            if not self._accents and ("\u00c0" <= letter <= "\u024f" or "\u1e00" <= letter <= "\u1eff"):
                folded = unicodedata.normalize("NFD", folded)[:1]
            folded = folded if len(folded) == 1 else letter
        return self.setdefault(code, folded)


_PLAIN, _ACCENTED = _FoldingTable(accents=False), _FoldingTable(accents=True)
_ASCII = bytes(ord(" ") if code in b"\t\r\n\f\v" else ord("'") if code == ord("`") else code for code in range(128))
_ASCII = _ASCII.lower() + bytes(128)


def fold_letters(text: str, *, accents: bool = False) -> str:
    """Fold a text for matching; its length changes only by combining marks. `accents`: whether to keep accents."""
    if text.isascii():
        return text.encode().translate(_ASCII).decode()
    if _COMBINING_MARKS.search(text):
        text = _COMBINING_MARKS.sub("", unicodedata.normalize("NFC", text))
    return text.translate(_ACCENTED if accents else _PLAIN)


def has_accents(text: str) -> bool:
    """Whether a text uses Vietnamese letters: without accents its words change their meaning."""
    return _VIETNAMESE_LETTERS.search(text) is not None
