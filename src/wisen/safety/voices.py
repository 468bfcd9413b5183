"""Whose voice a passage of a typed message is: what programs and other people put into it is taken out.

A memory plug-in writes what it recalled around the user's prompt; a user pastes somebody's mail. Both stand in the
user's message and neither is the user's word. Only the frame decides, never what a passage says; when a frame is broken
or closed early from within, too much is taken out rather than too little.
"""

from __future__ import annotations

import re

_MARK = re.compile(
    r"<(?P<close>/?)(?:[a-z][a-z0-9_-]{0,30}memor(?:y|ies)|memor(?:y|ies)|hook[_-]context|system-reminder"
    r"|injected[_-]context|recalled|retrieved)[a-z0-9_-]{0,30}(?P<rest>\s[^<>]{0,300})?\s?>",
    re.IGNORECASE,
)
"""The beginning or the end of a frame."""
_FORWARDED = re.compile(
    # A ruled line with words in it, and right behind it the head of a mail; or the line that begins a quoted reply.
    # Every part is bounded, so that no text can be made to be slow.
    r"^[ \t]{0,8}[-_*=]{3,80}[ \t]{0,8}[^\s\-_*=][^\n]{0,80}?[-_*=]{3,80}[ \t]{0,8}\n(?:[^\n]{0,200}\n){0,2}?"
    r"[^\n:]{2,20}:[^\n]{0,100}?\S@\S"
    r"|^[ \t]{0,8}[-_]{3,80}[ \t]{0,8}(?:Original|Forwarded)[ \t]{1,4}Message\b"
    r"|^[ \t]{0,8}Begin forwarded message:"
    r"|^[^\n]{0,160}?\S@\S[^\n]{0,100}?:[ \t]{0,8}\n[ \t]{0,8}>"
    r"|^[ \t]{0,8}On [^\n]{6,160}? wrote:[ \t]{0,8}\n[ \t]{0,8}>"
    r"|^[ \t]{0,8}\[?Forwarded (?:message )?from\b",
    re.IGNORECASE | re.MULTILINE,
)
_FORWARDS = re.compile(r"forwarded|original message|wrote:", re.IGNORECASE)


def own_words(text: str) -> str:
    """The passages of a typed message that are the user's; the same object when all of it is."""
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
        # From the first beginning to the last end: what stands inside may hold an end of its own and then go on in the
        # user's voice. An end without a beginning lost it somewhere before.
        begin = 0 if marks[0]["close"] else marks[0].start()
        text = text[:begin] + text[ends[-1].end() :].lstrip()
    for mark in _MARK.finditer(text):
        line_start = text.rfind("\n", 0, mark.start()) + 1
        if not mark["close"] and not text[line_start : mark.start()].strip():
            return text[:line_start]
    return text
