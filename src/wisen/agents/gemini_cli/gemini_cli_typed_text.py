"""Which text of a user message was typed by the user, told by the frames that Gemini CLI puts around everything else.

What hooks inject is stored inside the user's message and inside tool results: in a frame before the typed text, and as
parts of their own behind it. A hook's text may hold the end of a frame itself, so that in each part everything from the
first frame's beginning to the last one's end goes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_BEGIN, _END = "<hook_context>", "</hook_context>"
_FILES = re.compile(r"\n?--- Content from referenced files ---(?:\n|\Z)")
"""Where the files begin that the user named with @; they are the rest of the message."""
_MACHINE = re.compile(
    r"\s*(?:<session_context>|<state_snapshot>|<loaded_context>|System: |This is the Gemini CLI\. We are setting up"
    r"|Please continue\.\s*\Z|User steering update:|Here is (?:the user's editor context|a summary of changes))"
)
"""How texts begin that Gemini CLI writes in the user's place."""
_COMMAND = re.compile(r"[/?][a-zA-Z][\w:.-]*(?:\s|\Z)|\?\s*\Z")


def strip_hook_context(text: str) -> str:
    """A part without what hooks put into it; a frame whose other half is missing takes all on its side."""
    if _END in text:
        begin, end = text.find(_BEGIN), text.rfind(_END)
        text = (text[:begin] if 0 <= begin < end else "") + text[end + len(_END) :].lstrip("\n")
    return text.partition(_BEGIN)[0]


def extract_typed_text(texts: Iterable[str]) -> str | None:
    """What the user typed in the parts of a message; None when all of it is somebody else's."""
    text = "\n".join(filter(None, map(strip_hook_context, texts)))
    files = _FILES.search(text)
    text = (text[: files.start()] if files else text).strip()
    return None if not text or _MACHINE.match(text) or _COMMAND.match(text) else text
