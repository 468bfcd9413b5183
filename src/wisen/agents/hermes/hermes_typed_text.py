"""Which text of a user message was typed by the user, told by the frames that Hermes puts around everything else."""

from __future__ import annotations

import re

import msgspec

_PARTS = "\0json:"
"""How a content begins that is a list of parts."""
_MACHINE = re.compile(
    r"\s*(?:\[(?:CONTEXT (?:COMPACTION|SUMMARY)|PRIOR CONTEXT|ASYNC DELEGATION|IMPORTANT:|SYSTEM:|System note:"
    r"|Your active task list was preserved|Continuing toward your standing goal|The user sent (?:a|an)\b)"
    r"|Review the conversation above and )"
)
"""How texts begin that Hermes writes in the user's place: summaries, skills, finished processes, reviews."""
_REPLY = re.compile(r"\[Replying to: .{0,1000}?\]\n\n", re.DOTALL)
_COMMAND = re.compile(r"/[a-z][\w-]*(?:\s|\Z)")


class _Part(msgspec.Struct):
    type: str = ""
    text: str | None = None


_parts = msgspec.json.Decoder(list[_Part])


def text_of(content: str) -> str:
    """A content as text. Raises: msgspec.DecodeError."""
    if not content.startswith(_PARTS):
        return content
    return "\n".join(part.text for part in _parts.decode(content.removeprefix(_PARTS)) if part.text)


def extract_typed_text(text: str) -> str | None:
    """What the user typed; None when all of it is somebody else's."""
    reply = _REPLY.match(text)
    text = (text[reply.end() :] if reply else text).strip()
    return None if not text or _MACHINE.match(text) or _COMMAND.match(text) else text
