"""Removes what programs and other people put into a typed message, so that only the user's own passages are left.

A memory plug-in writes what it recalled around the user's prompt; a user pastes somebody's mail. Both are in the user's
message and neither is the user's statement. Only the frame decides, never the content; if a frame is broken or closed
early from within, better too much is removed than too little.
"""

from __future__ import annotations

import re

from wisen.text.lazy_regex import lazy_regex

_MARK = lazy_regex(
    r"<(?P<close>/?)(?:[a-z][a-z0-9_-]{0,30}memor(?:y|ies)|memor(?:y|ies)|hook[_-]context|system-reminder"
    r"|injected[_-]context|recalled|retrieved)[a-z0-9_-]{0,30}(?P<rest>\s[^<>]{0,300})?\s?>",
    re.IGNORECASE,
)
"""The beginning or the end of a frame."""
_FORWARDED = lazy_regex(
    # A ruled line with words in it, directly followed by a mail header; or the line that begins a quoted reply.
    # Every part is bounded, so that no text can make it slow.
    r"^[ \t]{0,8}[-_*=]{3,80}[ \t]{0,8}[^\s\-_*=][^\n]{0,80}?[-_*=]{3,80}[ \t]{0,8}\n(?:[^\n]{0,200}\n){0,2}?"
    r"[^\n:]{2,20}:[^\n]{0,100}?\S@\S"
    r"|^[ \t]{0,8}[-_]{3,80}[ \t]{0,8}(?:Original|Forwarded)[ \t]{1,4}Message\b"
    r"|^[ \t]{0,8}Begin forwarded message:"
    r"|^[^\n]{0,160}?\S@\S[^\n]{0,100}?:[ \t]{0,8}\n[ \t]{0,8}>"
    r"|^[ \t]{0,8}On [^\n]{6,160}? wrote:[ \t]{0,8}\n[ \t]{0,8}>"
    r"|^[ \t]{0,8}\[?Forwarded (?:message )?from\b",
    re.IGNORECASE | re.MULTILINE,
)
_FORWARDS = lazy_regex(r"forwarded|original message|wrote:", re.IGNORECASE)


def remove_injected(text: str) -> str:
    """Return the passages of a typed message that are the user's; the same object if all of it is."""
    if "<" in text:
        text = _outside_frames(text)
    if "@" not in text and not _FORWARDS.search(text):
        return text
    forwarded = _FORWARDED.search(text)
    return text if forwarded is None else text[: forwarded.start()].rstrip()


def _outside_frames(text: str) -> str:
    marks = list(_MARK.finditer(text))
    ends = [mark for mark in marks if mark["close"]]
    if ends:
        # From the first beginning to the last end: what is inside may contain an end of its own and then continue in
        # the user's voice. An end without a beginning lost it somewhere before.
        begin = 0 if marks[0]["close"] else marks[0].start()
        text = text[:begin] + text[ends[-1].end() :].lstrip()
    for mark in _MARK.finditer(text):
        line_start = text.rfind("\n", 0, mark.start()) + 1
        if not mark["close"] and not text[line_start : mark.start()].strip():
            return text[:line_start]
    return text
