"""Invisible characters, and their removal from a text."""

from __future__ import annotations

from wisen.text.lazy_regex import lazy_regex

INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c"
    "\u202d\u202e\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\u206a\u206b\u206c\u206d\u206e\u206f\u3164\ufeff"
    "\uffa0" + "".join(map(chr, range(0xFE00, 0xFE10)))
)
TAGS = "\U000e0000-\U000e0fff"
"""The tag characters, an alphabet that no screen shows, as the inside of a character class."""
TAG_LEAD = b"\xf3\xa0"
"""How each of them begins in UTF-8."""

_INVISIBLE_PATTERN = lazy_regex(f"[{INVISIBLE}{TAGS}]")


def remove_invisible(text: str) -> str:
    """Return the text as it is displayed."""
    return _INVISIBLE_PATTERN.sub("", text)
