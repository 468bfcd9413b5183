"""Gives each recording the fixed paths in its own mount namespace, so that several can run at once.

In a mount namespace of its own a folder lies over the fixed one. Elsewhere recordings wait for one another.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from tests.behaviour.world import PRIVATE, ROOT

_SCRIPT = 'mount --bind "$1" "$2" && shift 2 && exec "$@"'


def run_in_private_place(arguments: list[str]) -> int | None:
    """Run this program again where its paths are its own; None where that is so already, or cannot be had."""
    if os.environ.get(PRIVATE) or not _is_possible():
        return None
    ROOT.mkdir(mode=0o755, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="wisen-behaviour-") as private:
        os.chmod(private, 0o755)  # noqa: PTH101
        again = [sys.executable, "-m", "tests.behaviour", *arguments]
        words = ["unshare", "--mount", "sh", "-c", _SCRIPT, "sh", private, str(ROOT), *again]
        return subprocess.run(words, env={**os.environ, PRIVATE: "1"}, check=False).returncode


def _is_possible() -> bool:
    try:
        return os.geteuid() == 0 and subprocess.run(["unshare", "--mount", "true"], check=False).returncode == 0
    except OSError:
        return False
