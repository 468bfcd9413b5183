"""Folds letters for matching words of directives: small letters, no accents; each stays in its place."""

from __future__ import annotations

import re
import unicodedata

_ALIKE = {
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
"""Letters and marks that people write one for the other."""
_POINTS = re.compile("[\u0300-\u036f\u064b-\u065f\u0670\u0640\u200b-\u200f\u2060\ufe0f\ufeff]")
"""Marks that fall away: accents and points written apart, and what is not seen."""
_TONED = re.compile("[ăâđêôơưĂÂĐÊÔƠƯ\u1ea0-\u1ef9]")


class _Letters(dict[int, str]):
    """What each letter is folded to: always one letter, worked out when first met."""

    def __init__(self, *, accents: bool) -> None:
        super().__init__()
        self._accents = accents

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        folded = _ALIKE.get(letter) if not (self._accents and letter in "đĐ") else "đ"
        if folded is None:
            folded = unicodedata.normalize("NFKC", letter).lower()
            if not self._accents and ("\u00c0" <= letter <= "\u024f" or "\u1e00" <= letter <= "\u1eff"):
                folded = unicodedata.normalize("NFD", folded)[:1]
            folded = folded if len(folded) == 1 else letter
        return self.setdefault(code, folded)


_PLAIN, _ACCENTED = _Letters(accents=False), _Letters(accents=True)
_ASCII = bytes(ord(" ") if code in b"\t\r\n\f\v" else ord("'") if code == ord("`") else code for code in range(128))
_ASCII = _ASCII.lower() + bytes(128)


def fold_letters(text: str, *, accents: bool = False) -> str:
    """A text for matching, as long as it was but for accents written apart; `accents`: whether they stay."""
    if text.isascii():
        return text.encode().translate(_ASCII).decode()
    if _POINTS.search(text):
        text = _POINTS.sub("", unicodedata.normalize("NFC", text))
    return text.translate(_ACCENTED if accents else _PLAIN)


def has_accents(text: str) -> bool:
    """Whether a text is written with the letters of Vietnamese: without accents its words mean other things."""
    return _TONED.search(text) is not None
