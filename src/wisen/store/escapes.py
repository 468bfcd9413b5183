"""Encodes strings and timestamps so that every database can hold them, and decodes them exactly.

A file name may hold bytes that are not UTF-8 (lone surrogates in Python) and a text may hold a NUL, which PostgreSQL
rejects. Both are escaped when written and restored when read.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from wisen.text.lazy_regex import lazy_regex

_ESCAPE = "\x1a"
_HOSTILE = lazy_regex(r"[\x00\x1a\ud800-\udfff]")
_ESCAPED = lazy_regex(_ESCAPE + r"([0-9a-f]{4})")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_MILLISECOND = timedelta(milliseconds=1)


def escape(text: str) -> str:
    """Escape what a database cannot hold; nearly always the text itself."""
    if "\x00" not in text and _ESCAPE not in text and (text.isascii() or _is_unicode(text)):
        return text
    return _HOSTILE.sub(lambda found: f"{_ESCAPE}{ord(found[0]):04x}", text)


def _is_unicode(text: str) -> bool:
    # Far faster than searching for lone surrogates with a pattern.
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def unescape(text: str) -> str:
    """Return what `escape` was given."""
    return text if _ESCAPE not in text else _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)


def microseconds(moment: datetime) -> int:
    """Return microseconds since 1970, in UTC."""
    return (moment - _EPOCH) // _MICROSECOND


def milliseconds(moment: datetime) -> int:
    """Return whole milliseconds since 1970, in UTC."""
    return (moment - _EPOCH) // _MILLISECOND


def from_microseconds(number: int) -> datetime:
    """Return the moment, in UTC."""
    return _EPOCH + timedelta(microseconds=number)


def from_milliseconds(number: int) -> datetime:
    """Return the moment, in UTC."""
    return _EPOCH + timedelta(milliseconds=number)
