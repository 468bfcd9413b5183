"""What a user can choose about what agents are told."""

from __future__ import annotations

from dataclasses import dataclass

from wisen.model.policy import YEARS, setting


@dataclass(frozen=True, kw_only=True)
class DeliverPolicy:
    """How much reaches an agent, and what of it without having been approved."""

    tokens: int = setting(
        800, "About how many tokens a session may begin with; nothing is cut in the midst.", at_least=0
    )
    said: int = setting(
        8, "How many things that you said, and did not approve as rules yet, are among them.", at_least=0
    )
    hints: bool = setting(False, "Whether what was only inferred is told to agents, marked as a hint.")
    due: int = setting(
        3, "How many proposals, and how many things of high priority, a session begins with.", at_least=0
    )
    fix_sessions: int = setting(
        1, "In how many sessions a fix must have helped; one of a single session is told for the same command only.",
        at_least=1,
    )  # fmt: skip
    pinned_days: int = setting(
        7, "How many days a session may go on with what it began with.", at_least=1, at_most=YEARS
    )
    moments: int = setting(
        0,
        "How many lessons of the moment a session may be told when a call like the one that you corrected comes again; "
        "0 tells none.",
        at_least=0,
    )
    local_words: bool = setting(
        False,
        "Whether agents are told what you typed to models on your own machine only; they may pass it to hosted ones.",
    )
    prompt_tokens: int = setting(
        400, "About how many tokens may be told at one prompt or call, beside what you ask for.", at_least=0
    )
    session_tokens: int = setting(
        2000, "About how many tokens a session may be told in all, beside how it begins.", at_least=0
    )
