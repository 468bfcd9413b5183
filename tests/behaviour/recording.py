"""The folder of a recording: one readable text file for each thing the program did."""

from __future__ import annotations

import re
from pathlib import Path

from tests.behaviour.world import Done

_UNSAFE = re.compile(r"[^A-Za-z0-9@._+-]+")
_LONGEST = 120
_MEASURED = (
    (re.compile(r"\b\d+(?:\.\d+)? (?:ms|milliseconds)\b"), "N ms"),
    (re.compile(r"\b\d+(?:\.\d+)? (?:GB|GiB) (?:are )?free\b"), "N GB free"),
    (re.compile(r"\(pid \d+\)"), "(pid N)"),
)
"""What is measured on the machine and not known beforehand. Everything else is made the same (`determinism.py`)."""


class Recording:
    """What one world did."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._taken: set[str] = set()

    def save(self, group: str, name: str, text: str) -> None:
        """Keep one item; a name that was taken gets a number."""
        plain = _UNSAFE.sub("_", name).strip("_")[:_LONGEST]
        path, number = f"{group}/{plain}", 1
        while path.casefold() in self._taken:
            number += 1
            path = f"{group}/{plain}~{number}"
        self._taken.add(path.casefold())
        file = self.folder / f"{path}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(normalised(text), "utf-8", newline="")

    def save_run(self, group: str, name: str, words: tuple[str, ...], done: Done) -> None:
        """Keep what a command or hook printed."""
        parts = [f"$ {' '.join(words)}", f"exit {done.code}"]
        for title, text in (("stdout", done.stdout), ("stderr", done.stderr), ("woken", done.woken)):
            if text:
                parts.append(f"--- {title}\n{text}")
        self.save(group, name, "\n".join(parts) + "\n")


def normalised(text: str) -> str:
    """A text without what is measured."""
    for pattern, instead in _MEASURED:
        text = pattern.sub(instead, text)
    return text
