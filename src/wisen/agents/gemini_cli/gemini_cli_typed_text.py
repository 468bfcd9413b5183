"""Extracts the text that the user typed from Gemini CLI messages, by the frames around all other text.

Hook context is stored inside user messages and tool results: in a frame before the typed text, and as separate parts
after it. A hook's text may itself contain a closing tag, so in each part everything from the first opening tag to the
last closing tag is removed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterable

_BEGIN, _END = "<hook_context>", "</hook_context>"
_FILES = lazy_regex(r"\n?--- Content from referenced files ---(?:\n|\Z)")
"""Where the content of files begins that the user referenced with @; it is the rest of the message."""
_MACHINE = lazy_regex(
    r"\s*(?:<session_context>|<state_snapshot>|<loaded_context>|System: |This is the Gemini CLI\. We are setting up"
    r"|Please continue\.\s*\Z|User steering update:|Here is (?:the user's editor context|a summary of changes))"
)
"""How texts begin that Gemini CLI writes as user messages."""
_COMMAND = lazy_regex(r"[/?][a-zA-Z][\w:.-]*(?:\s|\Z)|\?\s*\Z")


def strip_hook_context(text: str) -> str:
    """Return a part without hook context; an unmatched tag removes everything on its side."""
    if _END in text:
        begin, end = text.find(_BEGIN), text.rfind(_END)
        text = (text[:begin] if 0 <= begin < end else "") + text[end + len(_END) :].lstrip("\n")
    return text.partition(_BEGIN)[0]


def extract_typed_text(texts: Iterable[str]) -> str | None:
    """Return what the user typed in the parts of a message; None if nothing of it was typed."""
    text = "\n".join(filter(None, map(strip_hook_context, texts)))
    files = _FILES.search(text)
    text = (text[: files.start()] if files else text).strip()
    return None if not text or _MACHINE.match(text) or _COMMAND.match(text) else text
