"""Settings of feedback detection."""

from __future__ import annotations

from dataclasses import dataclass

from wisen.model.policy import setting


@dataclass(frozen=True, kw_only=True)
class FeedbackPolicy:
    """Whether the user's own agent may help to classify what they said."""

    pointing: bool = setting(
        False,
        "Whether your agent is asked, once a session, to point at your words in earlier turns that are in doubt.",
    )
