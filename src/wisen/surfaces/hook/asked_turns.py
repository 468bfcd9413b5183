"""Adds questions for the agent to a session's start: only if it can answer them, and each question once."""

from __future__ import annotations

import posix
from time import time

from .block_lines import is_first

DAYS = 30
"""For how many days an agent that used our tools is assumed to have them."""


def questions_for(home: str, agent: str, session: str, asked: list[tuple[str, str]], source: object) -> list[str]:
    """Return the ids of what this session is asked: nothing if the agent lacks the tool that answers."""
    if source in ("resume", "compact") or not _can_answer(home, agent):
        return []
    return [id_ for id_, _ in asked if is_first(home, id_, session, again=source == "again")]


def _can_answer(home: str, agent: str) -> bool:
    plain = "".join(each for each in agent if each.isalnum() or each == "-")
    try:
        return time() - posix.stat(f"{home}/snapshots/pointing/{plain}").st_mtime < DAYS * 86_400
    except OSError:
        return False
