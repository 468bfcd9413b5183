"""Which messages in the user's place were typed by the user.

What hooks, skills and rules add stands apart from the message. But where the agent goes on by itself (a judge wants
more, a call cannot be read), OpenHands writes a message in the user's name; those are told by how they begin.
"""

from __future__ import annotations

import re

_MACHINE = re.compile(
    r"\s*(?:The task appears incomplete \(iteration|The goal is NOT yet complete \(audit iteration"
    r"|Resuming a goal that was paused or interrupted\.|Your previous response was blocked by the model's"
    r"|Evaluate this \w+ hook event and make your decision\.|\[Stop hook feedback\]|<<RESUMED CONVERSATION>>"
    r"|Missing required parameters for function '|Function '[^'\n]+' not found in available tools"
    r"|Parameter '[^'\n]+' is (?:not allowed for function|expected to be (?:an|one of)))"
)
_NO_REASON = re.compile(
    r"\s*(?:(?:The )?User (?:rejected|denied|declined)\b[^.\n]{0,40}\.?|Superseded by a new user message)?\s*\Z", re.I
)
"""What is noted where the user gave no reason."""


def extract_typed_text(text: str) -> str | None:
    """What the user typed in a message; None when it is somebody else's."""
    text = text.strip()
    return None if not text or _MACHINE.match(text) else text


def reason_in(text: str) -> str | None:
    """Why the user refused a call, in his own words; None where he gave none."""
    return None if _NO_REASON.match(text) else text.strip()
