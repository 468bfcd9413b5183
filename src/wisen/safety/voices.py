"""Whose voice a passage of a typed message is: what programs and other people put into it is taken out.

A memory plug-in writes what it recalled around the user's prompt; a user pastes somebody's mail. Both stand in the
user's message and neither is the user's word. Only the frame decides, never what a passage says; when a frame is broken
or closed early from within, too much is taken out rather than too little.
"""

from __future__ import annotations

import re

_TAGS = (
    r"(?P<tag>[a-z][\w-]*memor(?:y|ies)[\w-]*|memor(?:y|ies)[\w-]*|hook[_-]context|system-reminder"
    r"|injected[_-]context|recalled[\w-]*|retrieved[\w-]*)"
)
# To the last end, not the first: what stands inside may hold an end of its own and go on in the user's voice.
_FRAME = re.compile(rf"<{_TAGS}\b[^>]*>.*</(?P=tag)\s*>\s*", re.IGNORECASE | re.DOTALL)
_OPEN_FRAME = re.compile(rf"^[ \t]*<{_TAGS}(?:\s[^>]*)?>.*", re.IGNORECASE | re.DOTALL | re.MULTILINE)
_BEHEADED = re.compile(rf".*</{_TAGS}\s*>\s*", re.IGNORECASE | re.DOTALL)
_FORWARDED = re.compile(
    # A ruled line with words in it, and right behind it the head of a mail; or the line that begins a quoted reply.
    r"^[ \t]*[-_*=]{3,}[ \t]*\S[^\n]{0,80}?[-_*=]{3,}[ \t]*\n(?:[^\n]{0,200}\n){0,2}?[^\n:]{2,20}:[^\n]*\S+@\S+"
    r"|^[ \t]*[-_]{3,}[ \t]*(?:Original|Forwarded)[ \t]+Message\b"
    r"|^[ \t]*Begin forwarded message:"
    r"|^[^\n]{0,120}\S+@\S+[^\n]{0,60}:[ \t]*\n[ \t]*>"
    r"|^[ \t]*On [^\n]{6,160} wrote:[ \t]*\n[ \t]*>"
    r"|^[ \t]*\[?Forwarded (?:message )?from\b",
    re.IGNORECASE | re.MULTILINE,
)


def own_words(text: str) -> str:
    """The passages of a typed message that are the user's; the same object when all of it is."""
    if "<" in text:
        text = _BEHEADED.sub("", _OPEN_FRAME.sub("", _FRAME.sub("", text)))
    forwarded = _FORWARDED.search(text)
    return text if forwarded is None else text[: forwarded.start()].rstrip()
