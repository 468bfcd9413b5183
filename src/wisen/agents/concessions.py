"""Detects whether an assistant message begins by conceding that the user was right.

Only the beginning of a text is examined, and nothing of it is kept. `may_concede` checks an undecoded line and never
returns False where `is_concession` would return True.
"""

from __future__ import annotations

from wisen.text.lazy_regex import lazy_regex

_BEGINNING = 140
"""Characters of a text that are examined."""

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
_HAS_WORD = lazy_regex("|".join(_WORDS))
# Only the case of ASCII letters is ignored: the check on bytes knows no other.
_CONCEDES = lazy_regex(rf"(?<!\w)(?ai:{_ANY})(?!\w)".replace(" ", r"\s+").replace("'", f"['{_CURLY}]"))

# In an undecoded line, a line break is a backslash and a letter, which looks like the start of the next word.
_BREAKS = "bfnrt"
_WORDS_IN_BYTES = frozenset((letter + word).encode("ascii") for word in _WORDS for letter in ("", *_BREAKS))
_CONCEDES_IN_BYTES = lazy_regex(_ANY.replace(" ", rf"(?:\s|\\[{_BREAKS}])+").replace("'", f"(?:'|{_CURLY})").encode())
_LETTERS = bytes(code | 32 if chr(code).isascii() and chr(code).isalpha() else 32 for code in range(256))
"""Translation table: lowercases letters and replaces everything else by a space."""
_ESCAPE = ord("\\")
_NO_CHARACTERS = bytes((_ESCAPE, *range(0x80, 0xC0)))
"""Bytes that are only part of a character: without them, at most as many bytes remain as there are characters."""


def is_concession(text: str) -> bool:
    """Whether a text begins with a concession."""
    if _HAS_WORD.search(text[:_BEGINNING].lower()) is None:
        return False
    # One more character, to see whether the last word ends there.
    match = _CONCEDES.search(text, 0, _BEGINNING + 1)
    return match is not None and match.end() <= _BEGINNING


def may_concede(line: bytearray, begin: int, quote: int) -> bool:
    """Whether a JSON string that begins at this byte of a line may begin with a concession.

    `quote` is the position of the next quotation mark: the end of the string, or an escaped one inside it.
    """
    stop = quote if line[quote - 1] != _ESCAPE else len(line)
    end = begin + _BEGINNING
    beginning = bytes(line[begin : min(end, stop)])
    while end < stop and (missing := _BEGINNING - len(beginning.translate(None, _NO_CHARACTERS))) > 0:
        end += missing
        beginning = bytes(line[begin : min(end, stop)])
    if b"\\u" in beginning:
        return True  # an escaped character
    if _WORDS_IN_BYTES.isdisjoint(beginning.translate(_LETTERS).split()):
        return False
    return _CONCEDES_IN_BYTES.search(beginning.lower()) is not None
