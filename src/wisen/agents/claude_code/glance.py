"""What the bytes of a line tell without decoding it: most of a transcript is output of calls that succeeded.

It answers only for lines that look exactly as Claude Code writes them; every other line is decoded, and a test compares
both ways. It rests on one fact: inside a JSON string each quote is escaped, so that bytes like `","` or `"uuid":"`
cannot be part of what a tool printed or a person typed.
"""

from __future__ import annotations

import re

_HEAD = 1200
"""The fields before a record's content fit in this many bytes."""
_PROGRESS = b'"type":"progress","data":{'
_MESSAGE = b'"message":{"'
_USER = b'"type":"user",'
_RESULT = b'role":"user","content":[{"tool_use_id":"'
_CONTENT = b'","type":"tool_result","content":"'
_MAIN = b'"isSidechain":false'
_END = b'}]},"uuid":"'
_STAMP = re.compile(rb'\}\]\},"uuid":"[0-9a-f-]{36}","timestamp":"([^"\\]+)"')
_NEXT_FIELD = b'","'
_WELL = b'","is_error":false'


def plain_success(block: bytearray, start: int, end: int) -> tuple[str, str] | None:
    """The id of the one call whose good result a line is, and the time; None when it is not plainly that."""
    head = min(start + _HEAD, end)
    message = block.find(_MESSAGE, start, head)
    begin = message + len(_MESSAGE)
    if message < 0 or not block.startswith(_RESULT, begin, end) or not block.endswith(_USER, start, message):
        return None
    if block.find(b"{", start + 1, message) >= 0 or block.find(_MAIN, start, message) < 0:
        return None
    call = begin + len(_RESULT)
    call_end = block.find(b'"', call, head)
    close = _end_of_content(block, call_end, end)
    stamp = _STAMP.match(block, close, end) if close >= 0 else None
    if stamp is None or b"\\" in block[call:call_end]:
        return None
    return block[call:call_end].decode("utf-8", "replace"), stamp[1].decode("ascii", "replace")


def _end_of_content(block: bytearray, call_end: int, end: int) -> int:
    """Where the one block of the message ends, if it holds a text that is no error; -1 otherwise."""
    content = call_end + len(_CONTENT)
    if call_end < 0 or block[call_end:content] != _CONTENT or block[end - 1 : end] != b"}":
        return -1
    close = block.find(_END, content, end)
    field = block.find(_NEXT_FIELD, content, close) if close >= 0 else -1
    return close if field < 0 or block[field:close] == _WELL else -1


def is_idle(block: bytearray, start: int, end: int) -> bool:
    """Whether a line plainly is a progress record or prose of the assistant, which never teach."""
    head = min(start + _HEAD, end)
    progress = block.find(_PROGRESS, start, head)
    if progress >= 0:
        # Before the first inner brace only the record's own fields can stand.
        return block.find(b"{", start + 1, progress) < 0
    if block.find(b'"role":"assistant"', start, head) < 0 or block.find(b'"type":"tool_use"', start, end) >= 0:
        return False
    return block.find(b'"role":"user"', start, end) < 0 and block.find(b'"type":"assistant"', start, end) >= 0
