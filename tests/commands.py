"""Runs the command line as a person does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

WISEN = Path(sys.executable).parent / "wisen"
AS_PERSON = (sys.executable, str(Path(__file__).with_name("as_person.py")))
"""The same as a person runs it, with everything that only a person may decide."""


def run(*arguments: str | Path, expect: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([*AS_PERSON, *arguments], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == expect, done.stderr or done.stdout
    assert "Traceback" not in done.stderr
    return done
