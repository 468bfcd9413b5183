"""Settings of delivery: how much agents receive."""

from __future__ import annotations

from dataclasses import dataclass

from wisen.model.policy import MAX_DAYS, setting


@dataclass(frozen=True, kw_only=True)
class DeliverPolicy:
    """How much is delivered to an agent, and what of it without approval."""

    tokens: int = setting(800, "About how many tokens a session may start with; lines are never cut.", at_least=0)
    said: int = setting(8, "How many of your statements, not approved as rules yet, may be among them.", at_least=0)
    hints: bool = setting(False, "Whether agents receive what was only inferred, marked as a hint.")
    due: int = setting(3, "How many proposals, and how many high-priority entries, a session starts with.", at_least=0)
    fix_sessions: int = setting(
        1, "In how many sessions a fix must have helped; with one, it applies to the same command only.",
        at_least=1,
    )  # fmt: skip
    pinned_days: int = setting(
        7, "How many days a session may keep using the snapshot it started with.", at_least=1, at_most=MAX_DAYS
    )
    moments: int = setting(
        0,
        "How many reminders a session may get when a call like the one that you corrected comes up again; "
        "0 disables them.",
        at_least=0,
    )
    local_words: bool = setting(
        False,
        "Whether agents receive what you typed only to local models; they may pass it on to hosted ones.",
    )
    prompt_tokens: int = setting(
        400, "About how many tokens may be delivered at one prompt or call, besides what you ask for.", at_least=0
    )
    session_tokens: int = setting(
        2000, "About how many tokens may be delivered to a session in all, besides its start.", at_least=0
    )
