"""Prints the client's answer: the text between its marks, in the agent's format, whole or not at all."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found,unused-ignore]  # the part in C: `signal` makes enums first
import posix

from .hook_store import GEMINI, HookStore
from .lean_json import dumps

LIMIT = 0.08
"""Seconds of CPU time. A normal answer takes a tenth of it, and on a busy machine it waits without working."""
PATIENCE = 1.0
"""Seconds of wall time after which the agent continues without us."""
_DIGITS = "51902"
_NAME = f"wisen{_DIGITS}"


def print_answer(name: str, text: str, store: HookStore, *, decision: str = "") -> None:
    """Answer an event, by the agent's name for it."""
    from .block_seal import seal_marks

    text = seal_marks(text, store.salt(), store.agent, store.session)
    content = (
        {"permissionDecision": decision, "permissionDecisionReason": text} if decision else {"additionalContext": text}
    )
    answer: dict[str, object] = {"hookSpecificOutput": {"hookEventName": name, **content}}
    if decision and store.agent == GEMINI:
        answer = {"decision": decision, "reason": text}
    rest = dumps(answer).encode("ascii")
    set_limits(0, 0)  # half an answer is worse than a late one
    while rest:
        rest = rest[posix.write(1, rest) :]
    set_usual_limits()


def wrap(lines: list[str]) -> str:
    """Wrap lines in the marks by which our log readers remove them again; `safety/sentinel.py` knows them."""
    return f"<{_NAME}> {escape_name(lines)}\n</{_NAME}>"


def append_mark(lines: list[str]) -> str:
    """Append one mark to lines, for text that a person reads too."""
    inside = escape_name(lines)
    many = sum(1 for line in inside.split("\n") if line.strip(" \t\r>"))
    return f"{inside}\n<{_NAME} {min(max(many, 1), 99)}/>"


def escape_name(lines: list[str]) -> str:
    inside = "\n".join(lines)
    position = inside.find(_DIGITS)
    while position >= 0:
        if inside[max(0, position - 5) : position].lower() == "wisen":
            inside = f"{inside[:position]} {inside[position:]}"
        position = inside.find(_DIGITS, position + len(_DIGITS))
    return inside


def set_limits(work: float, wait: float) -> None:
    """Limit CPU time and wall time in seconds; 0 for no limit."""
    _signal.setitimer(_signal.ITIMER_PROF, work)
    _signal.setitimer(_signal.ITIMER_REAL, wait)


def set_usual_limits() -> None:
    """Set the usual limits."""
    set_limits(LIMIT, PATIENCE)
