"""Asks the user a question in the terminal, or reads the answer from a pipe; only an explicit yes counts."""

from __future__ import annotations

import select
import sys

_NO = ("n", "no")
_YES = ("y", "yes")


def is_confirmed(question: str) -> bool:
    """Ask, and return whether the answer is y or yes; anything else, or the end of the input, is a no."""
    answer = read_answer(f"{question} [y/N] ")
    return answer is not None and answer.lower() in _YES


def read_answer(question: str) -> str | None:
    """Ask, and return the answer, stripped; None if the input ended or cannot be read."""
    sys.stdout.write(question)
    sys.stdout.flush()
    answer, on_screen = "", False
    try:
        if sys.stdin is not None:
            answer, on_screen = sys.stdin.readline(), sys.stdin.isatty()
    except (OSError, ValueError):  # it is closed, or contains bytes that are not text
        answer = ""
    if not (on_screen and answer.endswith("\n")):
        sys.stdout.write("\n")  # nobody pressed return on this screen
    return answer.strip() if answer else None


def is_declined_in_pipe() -> bool:
    """Return whether a no waits in a pipe, for a command that asks only at a terminal; never blocks."""
    try:
        if sys.stdin is None or sys.stdin.isatty() or not select.select([sys.stdin], [], [], 0)[0]:
            return False
        return sys.stdin.readline().strip().lower() in _NO
    except (OSError, ValueError):
        return False
