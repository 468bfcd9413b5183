"""Extracts the text that the user typed from Hermes messages, by the frames around all other text."""

from __future__ import annotations

import re

import msgspec

from wisen.text.lazy_regex import lazy_regex

_PARTS = "\0json:"
"""Prefix of a content that is a list of parts."""
_MACHINE = lazy_regex(
    r"\s*(?:\[(?:CONTEXT (?:COMPACTION|SUMMARY)|PRIOR CONTEXT|ASYNC DELEGATION|IMPORTANT:|SYSTEM:|System note:"
    r"|Your active task list was preserved|Continuing toward your standing goal|The user sent (?:a|an)\b)"
    r"|Review the conversation above and )"
)
"""How texts begin that Hermes writes as user messages: summaries, skills, finished processes, reviews."""
_REPLY = lazy_regex(r"\[Replying to: .{0,1000}\]\n\n", re.DOTALL)
"""The message that is replied to, up to the last bracket that can end it: what is quoted may contain one, too."""
_COMMAND = lazy_regex(r"/[a-z][\w-]*(?:\s|\Z)")


class _Part(msgspec.Struct):
    type: str = ""
    text: str | None = None


_parts = msgspec.json.Decoder(list[_Part])


def text_of(content: str) -> str:
    """Return the text of a content. Raises: msgspec.DecodeError."""
    if not content.startswith(_PARTS):
        return content
    return "\n".join(part.text for part in _parts.decode(content.removeprefix(_PARTS)) if part.text)


def extract_typed_text(text: str) -> str | None:
    """Return what the user typed; None if nothing of it was typed."""
    reply = _REPLY.match(text)
    text = (text[reply.end() :] if reply else text).strip()
    return None if not text or _MACHINE.match(text) or _COMMAND.match(text) else text
