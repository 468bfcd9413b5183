"""What the bytes of a line tell without decoding it: most of a transcript is output of calls that succeeded.

It answers only for lines that look exactly as Claude Code writes them; every other line is decoded, and a test compares
both ways. It rests on one fact: inside a JSON string each quote is escaped, so that bytes like `","` or `"uuid":"`
cannot be part of what a tool printed or a person typed.
"""

from __future__ import annotations

import re

from wisen.agents.citations import may_cite
from wisen.agents.concessions import may_concede

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
_STAMP = re.compile(rb'\}\]\},"uuid":"[0-9a-f-]{36}","timestamp":"([^"\\]+)"')
_NEXT_FIELD = b'","'
_WELL = b'","is_error":false'
_CLOSED = ord("}")
_ESCAPE = ord("\\")

IRRELEVANT = ("", "")
"""A line in which nothing can teach."""


def scan_line(block: bytearray, start: int, end: int) -> tuple[str, str] | None:
    """The id of the one call whose good result a line is, and the time; `IRRELEVANT`; None where it must be decoded."""
    brace = block.find(b"{", start + 1, end)
    if brace < 0:
        return None
    # Before its first inner brace only a record's own fields can stand.
    if block.endswith(_MESSAGE, start, brace):
        if block.startswith(_RESULT, brace + 1, end):
            return _plain_success(block, start, end, brace)
        return IRRELEVANT if _is_prose(block, brace + 1, end) else None
    return IRRELEVANT if block.endswith(_PROGRESS, start, brace) else None


def _plain_success(block: bytearray, start: int, end: int, message: int) -> tuple[str, str] | None:
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
    """Where the one block of the message ends, if it holds a text that is no error; -1 otherwise."""
    if stop < 0 or not block.startswith(_CONTENT, stop, end) or block[end - 1] != _CLOSED:
        return -1
    content = stop + len(_CONTENT)
    close = block.find(_END, content, end)
    field = block.find(_NEXT_FIELD, content, close) if close >= 0 else -1
    return close if field < 0 or block[field:close] == _WELL else -1


def _is_prose(block: bytearray, message: int, end: int) -> bool:
    """Whether a message plainly is something the assistant thought, or said; without conceding, naming or calling."""
    said = block.find(b"{", message, end)
    if said < 0 or not block.endswith(_BY_ASSISTANT, message, said):
        return False
    if not block.startswith(_TEXT, said, end):
        return block.startswith(_THOUGHT, said, end) and block.find(_TEXT_OR_CALL, said + len(_THOUGHT), end) < 0
    begin = said + len(_TEXT)
    quote = block.find(b'"', begin, end)
    if quote < 0 or may_concede(block, begin, quote) or may_cite(block, begin, end):
        return False
    is_all = block.startswith(_LAST, quote, end) and block[quote - 1] != _ESCAPE
    return is_all or block.find(_CALL, quote, end) < 0
