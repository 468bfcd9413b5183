"""Adds to a session's start what the user's agent is asked to sort: only one that can answer, and each line once."""

from __future__ import annotations

import os
from time import time

from .block_lines import is_first

DAYS = 30
"""For how long an agent that asked for our tools is held to have them."""


def questions_for(home: str, agent: str, session: str, asked: list[tuple[str, str]], source: object) -> list[str]:
    """The ids of what this session is asked: nothing where the agent has not got the tool that answers."""
    if source in ("resume", "compact") or not _can_answer(home, agent):
        return []
    return [id_ for id_, _ in asked if is_first(home, id_, session, again=source == "again")]


def _can_answer(home: str, agent: str) -> bool:
    plain = "".join(each for each in agent if each.isalnum() or each == "-")
    try:
        return time() - os.stat(f"{home}/snapshots/pointing/{plain}").st_mtime < DAYS * 86_400
    except OSError:
        return False
