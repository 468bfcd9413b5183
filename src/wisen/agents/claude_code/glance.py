"""What the bytes of a line tell without decoding it: most of a transcript is output of calls that succeeded.

It answers only for lines that look exactly as Claude Code writes them; every other line is decoded, and a test compares
both ways. It rests on one fact: inside a JSON string each quote is escaped, so that bytes like `","` or `"uuid":"`
cannot be part of what a tool printed or a person typed.
"""

from __future__ import annotations

import re

_HEAD = 1200
"""The fields before a record's content fit in this many bytes."""
_MESSAGE = b'"message":{'
_USER = b'"type":"user",'
_MAIN = b'"isSidechain":false'
_RESULT = b'"role":"user","content":[{"tool_use_id":"'
_CONTENT = b'","type":"tool_result","content":"'
_SAID = b'"role":"assistant","content":[{"type":"'
_CALL = b'"type":"tool_use"'
_PROGRESS = b'"type":"progress","data":{'
_END = b'}]},"uuid":"'
_STAMP = re.compile(rb'\}\]\},"uuid":"[0-9a-f-]{36}","timestamp":"([^"\\]+)"')
_NEXT_FIELD = b'","'
_WELL = b'","is_error":false'


def own_message(block: bytearray, start: int, end: int) -> int:
    """Where the record's own message begins, behind its brace; -1 when there is none or another object comes first."""
    message = block.find(_MESSAGE, start, min(start + _HEAD, end))
    return message + len(_MESSAGE) if message >= 0 and block.find(b"{", start + 1, message) < 0 else -1


def plain_success(block: bytearray, start: int, end: int, message: int) -> tuple[str, str] | None:
    """The id of the one call whose good result a line is, and the time; None when it is not plainly that."""
    if not block.startswith(_RESULT, message, end):
        return None
    fields = message - len(_MESSAGE)
    if not block.endswith(_USER, start, fields) or block.find(_MAIN, start, fields) < 0:
        return None
    call = message + len(_RESULT)
    call_end = block.find(b'"', call, min(start + _HEAD, end))
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


def is_prose(block: bytearray, start: int, end: int, message: int) -> bool:
    """Whether a line plainly is something the assistant said or thought, without a call."""
    said = block.find(_SAID, message, min(start + _HEAD, end))
    return said >= 0 and block.find(b"{", message, said) < 0 and block.find(_CALL, said, end) < 0


def is_progress(block: bytearray, start: int, end: int) -> bool:
    """Whether a line plainly is a progress record; before its first inner brace only its own fields can stand."""
    progress = block.find(_PROGRESS, start, min(start + _HEAD, end))
    return progress >= 0 and block.find(b"{", start + 1, progress) < 0
