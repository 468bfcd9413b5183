"""Classifies Claude Code transcript lines by their bytes, without decoding: most are output of successful calls.

It only answers for lines that look exactly as Claude Code writes them; all others are decoded, and a test compares both
paths. It relies on one fact: inside a JSON string every quotation mark is escaped, so bytes like `","` or `"uuid":"`
cannot be part of what a tool printed or a person typed.
"""

from __future__ import annotations

from wisen.agents.citations import may_cite
from wisen.agents.concessions import may_concede
from wisen.text.lazy_regex import lazy_regex

_MESSAGE = b'"message":'
_MAIN = b'"isSidechain":false'
_BY_USER = b'"type":"user","message":'
_PROGRESS = b'"type":"progress","data":'
_RESULT = b'"role":"user","content":[{"tool_use_id":"'
_CONTENT = b'","type":"tool_result","content":"'
_BY_ASSISTANT = b'"role":"assistant","content":['
_THOUGHT = b'{"type":"thinking","thinking":"'
_LAST = b'"}]'
_TEXT = b'{"type":"text","text":"'
_CALL = b'"type":"tool_use"'
_TEXT_OR_CALL = b'"type":"t'
_END = b'}]},"uuid":"'
_STAMP = lazy_regex(rb'\}\]\},"uuid":"[0-9a-f-]{36}","timestamp":"([^"\\]+)"')
_NEXT_FIELD = b'","'
_NO_ERROR = b'","is_error":false'
_FEW_QUOTES = 12
_CLOSED = ord("}")
_ESCAPE = ord("\\")

IRRELEVANT = ("", "")
"""A line from which nothing can be learned."""


def scan_line(block: bytearray, start: int, end: int) -> tuple[str, str] | None:
    """Return call id and time if a line is one successful result; `IRRELEVANT`; or None if it must be decoded."""
    brace = block.find(b"{", start + 1, end)
    if brace < 0:
        return None
    # Before the first inner brace there can only be fields of the record itself.
    if block.endswith(_MESSAGE, start, brace):
        if block.startswith(_RESULT, brace + 1, end):
            return _parse_success(block, start, end, brace)
        return IRRELEVANT if _is_prose(block, brace + 1, end) else None
    return IRRELEVANT if block.endswith(_PROGRESS, start, brace) else None


def _parse_success(block: bytearray, start: int, end: int, message: int) -> tuple[str, str] | None:
    if not block.endswith(_BY_USER, start, message) or block.find(_MAIN, start, message) < 0:
        return None
    begin = message + 1 + len(_RESULT)
    stop = block.find(b'"', begin, end)
    close = _end_of_content(block, stop, end)
    stamp = _STAMP.match(block, close, end) if close >= 0 else None
    call = block[begin:stop]
    if stamp is None or b"\\" in call:
        return None
    return call.decode("utf-8", "replace"), stamp[1].decode("ascii", "replace")


def _end_of_content(block: bytearray, stop: int, end: int) -> int:
    """Return where the only block of the message ends, if it is a text and not an error; -1 otherwise."""
    if stop < 0 or not block.startswith(_CONTENT, stop, end) or block[end - 1] != _CLOSED:
        return -1
    quote = _end_of_text(block, stop + len(_CONTENT), end)
    close = quote + len(_NO_ERROR) if block.startswith(_NO_ERROR, quote, end) else quote + 1
    return close if quote >= 0 and block.startswith(_END, close, end) else -1


def _end_of_text(block: bytearray, begin: int, end: int) -> int:
    """Return where the quotation mark is that ends a text, or -1: if it is after a backslash, it may be missed."""
    quote = block.find(b'"', begin, end)
    for _ in range(_FEW_QUOTES):  # single bytes are found far faster than several
        if quote < 0 or block[quote - 1] != _ESCAPE:
            return quote
        quote = block.find(b'"', quote + 1, end)
    close = block.find(_END, quote, end) if quote >= 0 else -1
    field = block.find(_NEXT_FIELD, quote, close) if close >= 0 else -1
    return close - 1 if field < 0 else field


def _is_prose(block: bytearray, message: int, end: int) -> bool:
    """Whether a message is plain thinking or text of the assistant, without concession, citation or call."""
    content = block.find(b"{", message, end)
    if content < 0 or not block.endswith(_BY_ASSISTANT, message, content):
        return False
    if not block.startswith(_TEXT, content, end):
        return block.startswith(_THOUGHT, content, end) and block.find(_TEXT_OR_CALL, content + len(_THOUGHT), end) < 0
    begin = content + len(_TEXT)
    quote = block.find(b'"', begin, end)
    if quote < 0 or may_concede(block, begin, quote) or may_cite(block, begin, end):
        return False
    is_all = block.startswith(_LAST, quote, end) and block[quote - 1] != _ESCAPE
    return is_all or block.find(_CALL, quote, end) < 0
