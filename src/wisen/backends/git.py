"""Asks the git command about a checkout, and tells what it knows of the files in it.

It never writes, asks no network, and starts nothing that a repository names in its configuration. What git cannot or
will not tell (it is not installed, the repository is broken or belongs to somebody else) is no answer, never an error.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.domain.changes import Checkout

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECONDS = 10
_PATIENCE = 2
"""After so many questions that took too long, git is not asked again."""
_PASSED_ON = ("PATH", "HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM")
"""The user's own configuration counts: it says which directories are safe."""
_QUIET = {
    "LC_ALL": "C",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
NO_ANSWER = (OSError, ValueError, LookupError, OverflowError, subprocess.SubprocessError)
"""No git, a refusal, an answer that is none: all of them mean that nothing is known."""


class Git:
    """The git command, with patience for questions that take too long."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = {name: environment[name] for name in _PASSED_ON if name in environment} | _QUIET
        self._late = 0

    def ask(self, folder: Path, *arguments: str, typed: bytes = b"") -> bytes:
        """What git prints. Raises: one of NO_ANSWER."""
        if self._late >= _PATIENCE:
            raise subprocess.SubprocessError("git took too long before")
        try:
            return subprocess.run(  # noqa: S603 - no shell, and what others wrote stands behind `--`
                ["git", "--no-pager", "--literal-pathspecs", *arguments],  # noqa: S607 - the user's PATH decides
                cwd=folder,
                env=self._environment,
                input=typed,
                check=True,
                capture_output=True,
                timeout=_SECONDS,
            ).stdout
        except subprocess.TimeoutExpired:
            self._late += 1
            raise


class GitCheckouts:
    """What is checked out around the user's files."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._git = Git(environment)

    def at(self, path: str) -> Checkout | None:
        """What git knows of the file whose real path this is; None where git does not track it, or cannot tell."""
        file = Path(os.path.realpath(path))
        top = top_of(file)
        if top is None:
            return None
        name = os.fsencode(file.relative_to(top))
        try:
            if b"\n" in name:
                return None  # a question is one line
            answer = self._git.ask(top, "cat-file", "--batch", typed=b"HEAD\nHEAD:" + name + b"\n")
            head, kind, size = answer.partition(b"\n")[0].decode("ascii").split(" ")
            if kind != "commit":
                return None
            start = answer.index(b"\n") + 1 + int(size) + 1
            told, _, rest = answer[start:].partition(b"\n")
            if told.endswith(b" missing"):
                return Checkout(head, b"") if self._is_added(top, name) else None
            return Checkout(head, rest[: int(told.split()[2])])
        except NO_ANSWER:
            return None

    def _is_added(self, top: Path, name: bytes) -> bool:
        """Whether a file that no commit holds yet will be in the next one."""
        return bool(self._git.ask(top, "ls-files", "-z", "--", os.fsdecode(name)))


def top_of(file: Path) -> Path | None:
    """Where the checkout begins that a file lies in."""
    return next((folder for folder in file.parents if os.path.lexists(folder / ".git")), None)
