"""Decides which OpenHands user messages were typed by the user.

Text added by hooks, skills and rules is separate from the message. But where the agent continues by itself (a judge
wants more, a call is invalid), OpenHands writes a user message; those are recognized by how they begin.
"""

from __future__ import annotations

import re

from wisen.text.lazy_regex import lazy_regex

_MACHINE = lazy_regex(
    r"\s*(?:The task appears incomplete \(iteration|The goal is NOT yet complete \(audit iteration"
    r"|Resuming a goal that was paused or interrupted\.|Your previous response was blocked by the model's"
    r"|Evaluate this \w+ hook event and make your decision\.|\[Stop hook feedback\]|<<RESUMED CONVERSATION>>"
    r"|Missing required parameters for function '|Function '[^'\n]+' not found in available tools"
    r"|Parameter '[^'\n]+' is (?:not allowed for function|expected to be (?:an|one of)))"
)
_NO_REASON = lazy_regex(
    r"\s*(?:(?:The )?User (?:rejected|denied|declined)\b[^.\n]{0,40}\.?|Superseded by a new user message)?\s*\Z", re.I
)
"""What is recorded if the user gave no reason."""


def extract_typed_text(text: str) -> str | None:
    """Return what the user typed in a message; None if the user did not type it."""
    text = text.strip()
    return None if not text or _MACHINE.match(text) else text


def extract_reason(text: str) -> str | None:
    """Return why the user rejected a call, as typed; None if they gave no reason."""
    return None if _NO_REASON.match(text) else text.strip()
