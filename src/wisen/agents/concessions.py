"""Whether the assistant begins what it says by admitting that the user was right.

It looks at how a text begins and says yes or no; nothing of the text is kept. `may_concede` asks the same of a line
that was not decoded, and never says no where `concedes` would say yes.
"""

from __future__ import annotations

import re

_BEGINNING = 140
"""Characters of a text that are looked at."""

# For another language, add its phrases here; nothing else has to change. A space stands for any whitespace, an
# apostrophe for either form of it. Each phrase comes with lowercase words, one of which occurs in every form of it:
# most texts contain none and are ruled out by that. A phrase that begins with an alternation would be slower to search.
_PHRASES = (
    (r"you(?:'re| are)(?: \w+)? right(?!-)", "right"),
    (r"good catch|great catch|nice catch", "catch"),
    (r"good point|great point|fair point", "point"),
    (r"good call", "call"),
    (r"my mistake|my bad", "mistake bad"),
    (r"apologies|apologi[sz]e", "apologies apologize apologise"),
    (r"sorry", "sorry"),
    (r"i (?:misunderstood|misread|overlooked|missed)", "misunderstood misread overlooked missed"),
    (r"i was wrong", "wrong"),
    (r"i should(?:n't)? have", "should shouldn"),
    (r"got it", "got"),
    (r"understood", "understood"),
)

_ANY = "|".join(phrase for phrase, _ in _PHRASES)
_WORDS = tuple(word for _, words in _PHRASES for word in words.split())
_CURLY = "\N{RIGHT SINGLE QUOTATION MARK}"
_HAS_WORD = re.compile("|".join(_WORDS))
# The case of plain letters alone is passed over: bytes know no other.
_CONCEDES = re.compile(rf"(?<!\w)(?ai:{_ANY})(?!\w)".replace(" ", r"\s+").replace("'", f"['{_CURLY}]"))

# In a line, a line break is a backslash and a letter, which seems to begin the word behind it.
_BREAKS = "bfnrt"
_WORDS_IN_BYTES = frozenset((letter + word).encode("ascii") for word in _WORDS for letter in ("", *_BREAKS))
_CONCEDES_IN_BYTES = re.compile(_ANY.replace(" ", rf"(?:\s|\\[{_BREAKS}])+").replace("'", f"(?:'|{_CURLY})").encode())
_LETTERS = bytes(code | 32 if chr(code).isascii() and chr(code).isalpha() else 32 for code in range(256))
"""Makes capital letters small, and whatever is no letter a space."""
_ESCAPE = ord("\\")
_NO_CHARACTERS = bytes((_ESCAPE, *range(0x80, 0xC0)))
"""Bytes that only help to write a character: without them at most as many are left as there are characters."""


def is_concession(text: str) -> bool:
    """Whether a text begins by conceding."""
    if _HAS_WORD.search(text[:_BEGINNING].lower()) is None:
        return False
    # One character more, to see whether the last word ends there.
    found = _CONCEDES.search(text, 0, _BEGINNING + 1)
    return found is not None and found.end() <= _BEGINNING


def may_concede(line: bytearray, begin: int, quote: int) -> bool:
    """Whether a JSON string, which begins at this byte of a line, may begin by conceding.

    `quote` is where the next quote mark stands: the end of the string, or an escaped one inside it.
    """
    stop = quote if line[quote - 1] != _ESCAPE else len(line)
    end = begin + _BEGINNING
    beginning = bytes(line[begin : min(end, stop)])
    while end < stop and (missing := _BEGINNING - len(beginning.translate(None, _NO_CHARACTERS))) > 0:
        end += missing
        beginning = bytes(line[begin : min(end, stop)])
    if b"\\u" in beginning:
        return True  # a character by its number
    if _WORDS_IN_BYTES.isdisjoint(beginning.translate(_LETTERS).split()):
        return False
    return _CONCEDES_IN_BYTES.search(beginning.lower()) is not None
