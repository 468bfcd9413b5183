"""`make try`: learn from the sample sessions in a home that is gone afterwards, and say what to do next."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path


def main() -> int:
    """Run the command a user would run, on an invented week of work."""
    wisen = Path(sys.executable).parent / "wisen"
    print("$ wisen learn --sample\n", flush=True)
    with tempfile.TemporaryDirectory(prefix="wisen-try-") as home:
        environment = {**os.environ, "WISEN_HOME": home}
        result = subprocess.run([wisen, "learn", "--sample"], env=environment, check=False)
    if result.returncode == 0:
        print(f"\nThose sessions were samples. Now with your own (your files are only read):\n\n    {wisen} learn\n")
    return result.returncode


if __name__ == "__main__":
    sys.exit(main())
