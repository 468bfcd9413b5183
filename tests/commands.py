"""Runs the command line as a person does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

WISEN = Path(sys.executable).parent / "wisen"
AS_PERSON = (sys.executable, str(Path(__file__).with_name("as_person.py")))
"""The same as a person runs it, with everything that only a person may decide."""


def run(*arguments: str | Path, expect: int = 0, typed: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command; `typed` is what comes through a pipe, and its end is the end of the input."""
    command = [*AS_PERSON, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, input=typed)
    assert done.returncode == expect, done.stderr or done.stdout
    assert "Traceback" not in done.stderr
    return done
