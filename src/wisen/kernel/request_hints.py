"""Tells of most messages that they ask nothing of wisen, without the whole table of requests; and what one recalls.

`request_reading.py` reads the others. Plain Python without imports, because the hook client loads this file at every
prompt.
"""

from __future__ import annotations

MAX_LENGTH = 400
"""How long a request can be."""
MARKS = " .!?…。！？؟।¡¿·*`\"'“”„«»「」"
COMMAS_AND_SPACE = " ,،，、"
SPACELESS = "\u3000"
"""The first letter of the scripts without spaces; Hangul, which has spaces, comes after it."""
_DIGITS = (0x660, 0x6F0, 0x966, 0x9E6, 0xFF10)
"""Where the digits of other scripts begin."""
_LETTERS = {
    "a": "àáâãäåāăąạảấầẩẫậắằẳẵặ",
    "c": "çćč",
    "d": "đďð",
    "e": "èéêëēęěẹẻẽếềểễệ",
    "g": "ğ",
    "i": "ìíîïīıịỉĩ",
    "l": "ł",
    "n": "ñńň",
    "o": "òóôõöøōőọỏốồổỗộớờởỡợơ",
    "r": "ř",
    "s": "śşšș",
    "t": "ţț",
    "u": "ùúûüūůűụủứừửữựưũ",
    "y": "ýÿỳỵỷỹ",
    "z": "źżž",
    "е": "ё",
    "ا": "أإآٱ",
    "ي": "ىئی",
    "ه": "ة",
    "و": "ؤ",
    "ं": "ँ",
    "क": "\u0958",
    "ख": "\u0959",
    "ग": "\u095a",
    "ज": "\u095b",
    "ड": "\u095c",
    "ढ": "\u095d",
    "फ": "\u095e",
    "'": "’‘ʼ`´",
    "-": "‐‑–",
    " ": "\u3000\u00a0",
}
_MARK_RANGES = ((0x300, 0x36F), (0x640, 0x640), (0x64B, 0x652), (0x93C, 0x93C), (0x200B, 0x200F), (0xFE00, 0xFE0F))
"""Combining marks, which may be left out."""
_WIDE = (0xFF01, 0xFF5E)
_HINTED = ("polite", "recall")
_folds: dict[str, str] = {}


def fold(text: str) -> tuple[str, list[int]]:
    """A casefolded text without accents, in plain digits; and the original position of each of its letters."""
    if text.isascii():
        return text, list(range(len(text) + 1))
    if not _folds:
        _folds.update({letter: plain for plain, letters in _LETTERS.items() for letter in letters})
    letters, places = list[str](), list[int]()
    for place, letter in enumerate(text):
        plain = letter if letter < "\x80" else _fold_letter(letter)
        letters.append(plain)
        places += [place] * len(plain)
    return "".join(letters), [*places, len(text)]


def hints_of(table: dict[str, object]) -> dict[str, object]:
    """What is enough of a table to tell that most messages ask nothing: all phrases, and a part of each form."""
    phrases, forms = table["phrases"], table["forms"]
    assert isinstance(phrases, dict)
    assert isinstance(forms, list)
    parts: list[str] = []
    for before, between, after, _, _, slots in forms:
        needed = (before, after) if slots in ("n", "w") else (before, between, after)
        parts.append(max(needed, key=len))
    shortest: list[str] = []
    for part in sorted(set(parts), key=lambda each: (len(each), each)):
        if not any(each in part for each in shortest):
            shortest.append(part)
    return {"phrases": "".join(phrases.values()), "parts": shortest, **{name: table[name] for name in _HINTED}}


def may_ask(text: str, hints: dict[str, object]) -> bool:
    """Whether a message may be a request; if not, `read_request` finds nothing in the table of the hints."""
    raw = text.strip()
    if not raw or len(raw) > MAX_LENGTH or "\n" in raw:
        return False
    phrases, parts = hints["phrases"], hints["parts"]
    assert isinstance(phrases, str)
    assert isinstance(parts, list)
    folded, _ = fold(" ".join(raw.casefold().split()).strip(MARKS))
    return f"\n{strip_polite(folded, hints)}\n" in phrases or any(part in folded for part in parts)


def recall_query(prompt: str, table: dict[str, object]) -> str | None:
    """What is left of a prompt that asks for something said before, without the words that ask; else None."""
    plain = prompt.casefold()
    if len(plain) > 2 * MAX_LENGTH:
        plain = f"{plain[:MAX_LENGTH]} {plain[-MAX_LENGTH:]}"
    folded, places = fold(plain)
    phrases, met = table.get("recall"), False
    for phrase in phrases if isinstance(phrases, list) else ():
        at = folded.find(phrase)
        if at < 0 or (at and phrase[0] < SPACELESS and folded[at - 1].isalnum()):
            continue
        met = True
        first, last = places[at], places[at + len(phrase)]
        plain = f"{plain[:first]}{' ' * (last - first)}{plain[last:]}"
        folded = f"{folded[:at]}{' ' * len(phrase)}{folded[at + len(phrase) :]}"
    return plain if met else None


def strip_polite(folded: str, table: dict[str, object]) -> str:
    """A message without a "please" before or after it."""
    polite = table["polite"]
    assert isinstance(polite, list)
    for word in polite:
        if (
            folded.startswith(word)
            and len(folded) > len(word)
            and not (folded[len(word)].isalpha() and word < SPACELESS)
        ):
            folded = folded[len(word) :].strip(COMMAS_AND_SPACE)
        if (
            folded.endswith(word)
            and len(folded) > len(word)
            and not (folded[-len(word) - 1].isalpha() and word < SPACELESS)
        ):
            folded = folded[: -len(word)].strip(COMMAS_AND_SPACE)
    return folded


def _fold_letter(letter: str) -> str:
    known = _folds.get(letter)
    if known is not None:
        return known
    code = ord(letter)
    for first in _DIGITS:
        if first <= code < first + 10:
            return str(code - first)
    if _WIDE[0] <= code <= _WIDE[1]:
        return chr(code - 0xFEE0).casefold()
    return "" if any(first <= code <= last for first, last in _MARK_RANGES) else letter
