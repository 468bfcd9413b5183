"""Runs tools of others in an environment of their own that is gone afterwards: nothing of ours depends on them."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PATIENCE = 900


class ToolFailed(Exception):
    """A tool could not be installed, or ended with an error; the text is what it said last."""


@contextmanager
def tool_environment(*packages: str) -> Iterator[Path]:
    """Install packages into an environment in a temporary folder, and yield the folder. Raises: ToolFailed."""
    with tempfile.TemporaryDirectory(prefix="wisen-tool-") as name:
        folder = Path(name)
        make_environment(folder / "venv")
        run_tool(folder, "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages)
        yield folder


def make_environment(folder: Path) -> None:
    """Make a virtual environment. Raises: ToolFailed."""
    _run([sys.executable, "-m", "venv", str(folder)])


def run_tool(
    folder: Path, program: str, *words: str, allowed: tuple[int, ...] = (0,)
) -> subprocess.CompletedProcess[str]:
    """Run a program of an environment that `tool_environment` gave. Raises: ToolFailed."""
    return _run([str(folder / "venv" / "bin" / program), *words], allowed)


def _run(command: list[str], allowed: tuple[int, ...] = (0,)) -> subprocess.CompletedProcess[str]:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_PATIENCE)
    except subprocess.TimeoutExpired as error:
        raise ToolFailed(f"{Path(command[0]).name} took more than {_PATIENCE} seconds") from error
    if done.returncode not in allowed:
        raise ToolFailed((done.stderr or done.stdout).strip().rpartition("\n")[2] or f"exit {done.returncode}")
    return done
