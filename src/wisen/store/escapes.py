"""Strings and moments as every database can hold them, exactly.

A file name may hold bytes that are no UTF-8 (Python shows them as lone surrogates) and a text may hold a NUL, which
PostgreSQL refuses. Both are escaped on the way in and come back as they were.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

_SIGN = "\x1a"
_HOSTILE = re.compile(r"[\x00\x1a\ud800-\udfff]")
_ESCAPED = re.compile(_SIGN + r"([0-9a-f]{4})")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_MILLISECOND = timedelta(milliseconds=1)


def pack(text: str) -> str:
    """The text without what a database cannot hold; the same text nearly always."""
    if "\x00" not in text and _SIGN not in text and (text.isascii() or _is_unicode(text)):
        return text
    return _HOSTILE.sub(lambda found: f"{_SIGN}{ord(found[0]):04x}", text)


def _is_unicode(text: str) -> bool:
    # Far faster than looking for lone surrogates with a pattern.
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def unpack(text: str) -> str:
    """What `pack` was given."""
    return text if _SIGN not in text else _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)


def microseconds(moment: datetime) -> int:
    """Microseconds since 1970, in UTC."""
    return (moment - _EPOCH) // _MICROSECOND


def milliseconds(moment: datetime) -> int:
    """Whole milliseconds since 1970, in UTC."""
    return (moment - _EPOCH) // _MILLISECOND


def from_microseconds(number: int) -> datetime:
    """The moment, in UTC."""
    return _EPOCH + timedelta(microseconds=number)


def from_milliseconds(number: int) -> datetime:
    """The moment, in UTC."""
    return _EPOCH + timedelta(milliseconds=number)
