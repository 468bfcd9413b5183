"""Runs the command line as a user does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tests.command_server import command_server

if TYPE_CHECKING:
    from collections.abc import Mapping

WISEN = Path(sys.executable).parent / "wisen"
AS_PERSON = (sys.executable, str(Path(__file__).with_name("as_person.py")))
"""The same as a person runs it, with everything that only a person may decide."""


def run(
    *arguments: str | Path,
    expect: int = 0,
    stdin: str = "",
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    words = [str(word) for word in arguments]
    environment, folder = os.environ if env is None else env, cwd or Path.cwd()
    if (server := command_server()).fits(environment):
        done = server.run(words, environment, folder, stdin, 60)
    else:
        done = subprocess.run(
            [*AS_PERSON, *words],
            input=stdin,
            env=environment,
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    assert done.returncode == expect, done.stderr or done.stdout
    assert "Traceback" not in done.stderr
    return done
