"""Installs into this environment what the tests need: the files that the lock names, else the newest versions.

The lock cannot always be satisfied: an index may lack a version, a system may have no wheel of it. Then one line says
so, and the plain way is taken. Under WISEN_TEST_LOCKED=1, as in CI, a file that is another one than the lock
names is a failure. This module needs nothing but the standard library: nothing else is installed yet.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
LOCK = ROOT / "requirements-dev.txt"
OTHER_FILE = "DO NOT MATCH THE HASHES"
"""What pip says of a file that is not the one that was locked."""
PIP = (sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")


def install_locked(lock: Path, options: Sequence[str] = ()) -> str:
    """Install what a lock names; return what pip said if it cannot be satisfied.

    Wheels alone: building another's source would run build tools that no hash holds for.
    """
    command = [*PIP, *options, "--require-hashes", "--only-binary", ":all:", "--requirement", str(lock)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stderr.strip() or f"pip ended with {done.returncode}"


def reason(said: str) -> str:
    """Return the line of what pip said that tells why."""
    errors = [line.removeprefix("ERROR: ") for line in said.splitlines() if line.startswith("ERROR: ")]
    return errors[-1][:200] if errors else said.rpartition("\n")[2][:200]


def is_failure(said: str, *, strict: bool) -> bool:
    """Whether an unsatisfied lock ends the installation: where it must hold, if a file is not the one it names."""
    return strict and OTHER_FILE in said


def main() -> int:
    """Install; the exit code."""
    said = install_locked(LOCK)
    if is_failure(said, strict=bool(os.environ.get("WISEN_TEST_LOCKED"))):
        print(f"{said}\n{LOCK.name} names other files than this index has.", file=sys.stderr)
        return 1
    if said:
        what = "a file differs from its hash" if OTHER_FILE in said else reason(said)
        print(f"Not from {LOCK.name} ({what}): installing the newest versions instead.")
        return subprocess.run([*PIP, "--editable", f"{ROOT}[dev]"], check=False).returncode
    # The build backend is installed by now, from the lock: pip fetches none of its own.
    own = [*PIP, "--no-index", "--no-deps", "--no-build-isolation", "--editable", str(ROOT)]
    return subprocess.run(own, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
