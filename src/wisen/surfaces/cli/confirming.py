"""Asks a person a question in the terminal, or reads the answer from a pipe: only an explicit yes goes on."""

from __future__ import annotations

import select
import sys

_NO = ("n", "no")
_YES = ("y", "yes")


def is_confirmed(question: str) -> bool:
    """Whether the answer is y or yes; everything else is a no: another word, an empty line, the end of the input."""
    answer = read_answer(f"{question} [y/N] ")
    return answer is not None and answer.lower() in _YES


def read_answer(question: str) -> str | None:
    """What is answered, without space around it; None where the input ended or cannot be read."""
    sys.stdout.write(question)
    sys.stdout.flush()
    answer, on_screen = "", False
    try:
        if sys.stdin is not None:
            answer, on_screen = sys.stdin.readline(), sys.stdin.isatty()
    except (OSError, ValueError):  # it is closed, or holds bytes that are no text
        answer = ""
    if not (on_screen and answer.endswith("\n")):
        sys.stdout.write("\n")  # nobody pressed return on this screen
    return answer.strip() if answer else None


def is_refused_unasked() -> bool:
    """Whether a no waits in a pipe for a command that asks only at a terminal; where nothing waits, it is not read."""
    try:
        if sys.stdin is None or sys.stdin.isatty() or not select.select([sys.stdin], [], [], 0)[0]:
            return False
        return sys.stdin.readline().strip().lower() in _NO
    except (OSError, ValueError):
        return False
