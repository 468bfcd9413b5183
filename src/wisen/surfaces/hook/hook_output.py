"""How the client answers: the text between its marks, in the shape that the agent reads, whole or not at all."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found,unused-ignore]  # the part in C: `signal` makes enums first
import os

from .hook_shelf import GEMINI, Shelf
from .lean_json import dumps

LIMIT = 0.08
"""Seconds of work. A good answer takes a tenth of it, and on a busy machine it waits without working."""
PATIENCE = 1.0
"""Seconds after which the agent goes on without us, whatever we wait for."""
_DIGITS = "51902"
_NAME = f"wisen{_DIGITS}"


def print_answer(name: str, text: str, shelf: Shelf, *, decision: str = "") -> None:
    """Answer an event, by the name that the agent has for it."""
    from .sealing import sealed

    text = sealed(text, shelf.salt(), shelf.agent, shelf.session)
    told = (
        {"permissionDecision": decision, "permissionDecisionReason": text} if decision else {"additionalContext": text}
    )
    answer: dict[str, object] = {"hookSpecificOutput": {"hookEventName": name, **told}}
    if decision and shelf.agent == GEMINI:
        answer = {"decision": decision, "reason": text}
    rest = dumps(answer).encode("ascii")
    set_limits(0, 0)  # half an answer is worse than a late one
    while rest:
        rest = rest[os.write(1, rest) :]
    set_usual_limits()


def wrapped(lines: list[str]) -> str:
    """Lines between the marks that every reader of ours takes out again; `safety/sentinel.py` knows them."""
    return f"<{_NAME}> {without_name(lines)}\n</{_NAME}>"


def marked_behind(lines: list[str]) -> str:
    """Lines with one mark behind them, for what a person reads as well."""
    inside = without_name(lines)
    many = sum(1 for line in inside.split("\n") if line.strip(" \t\r>"))
    return f"{inside}\n<{_NAME} {min(max(many, 1), 99)}/>"


def without_name(lines: list[str]) -> str:
    inside = "\n".join(lines)
    position = inside.find(_DIGITS)
    while position >= 0:
        if inside[max(0, position - 5) : position].lower() == "wisen":
            inside = f"{inside[:position]} {inside[position:]}"
        position = inside.find(_DIGITS, position + len(_DIGITS))
    return inside


def set_limits(work: float, wait: float) -> None:
    """How long the client may work, and how long it may take; 0 for no limit."""
    _signal.setitimer(_signal.ITIMER_PROF, work)
    _signal.setitimer(_signal.ITIMER_REAL, wait)


def set_usual_limits() -> None:
    """As long as the client may work and take."""
    set_limits(LIMIT, PATIENCE)
