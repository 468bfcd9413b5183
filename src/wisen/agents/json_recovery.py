"""Recovers JSON records from a damaged line: joined records, torn writes, characters that JSON forbids.

Only top-level records count. A record nested in another one (a sub-agent's message, a tool's result) must never be
recovered from a torn line as a record of its own: that would change who said it. The caller decides what is top-level.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Callable

_RECORD_START = lazy_regex(r'\{"(?:parentUuid|type|timestamp|isSidechain)":')
_MAX_TRIES = 200
_decoder = json.JSONDecoder(strict=False)


def recover_records(line: bytes, is_record: Callable[[dict[str, object]], bool]) -> tuple[list[bytes], bool]:
    """Return the records from the start of the line, plus the one that ends it, and whether they cover the line."""
    text = line.decode("utf-8", "replace").strip().removeprefix("\ufeff").replace("\0", "")
    records: list[bytes] = []
    position = 0
    while position < len(text) and (parsed := _parse_record(text, position, is_record)):
        value, position = parsed
        records.append(value)
        while position < len(text) and text[position].isspace():
            position += 1
    if position >= len(text):
        return records, True
    last = _find_last_record(text, position, is_record)
    return ([*records, last] if last else records), False


def replace_invalid_text(data: bytes) -> bytes:
    """Return a JSON value with invalid UTF-8 and lone surrogates replaced; unchanged if it cannot be parsed."""
    text = data.decode("utf-8", "replace")
    try:
        value = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        return data
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")


def _find_last_record(text: str, position: int, is_record: Callable[[dict[str, object]], bool]) -> bytes | None:
    """Return the record after a torn one: it begins like a record and ends with the line."""
    for tries, match in enumerate(_RECORD_START.finditer(text, position + 1)):
        if tries >= _MAX_TRIES:
            return None
        parsed = _parse_record(text, match.start(), is_record)
        if parsed is not None and parsed[1] == len(text):
            return parsed[0]
    return None


def _parse_record(text: str, position: int, is_record: Callable[[dict[str, object]], bool]) -> tuple[bytes, int] | None:
    try:
        value, end = _decoder.raw_decode(text, position)
    except (json.JSONDecodeError, RecursionError):
        return None
    if not isinstance(value, dict) or not is_record(value):
        return None
    # Encoding replaces lone surrogates, which scripts leave behind when they cut a text inside an emoji.
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"), end
