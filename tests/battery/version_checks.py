"""T4: an older version of the program and this one at work on one home, in turn and at the same time."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

from tests.battery.busy_home import LIMIT, BusyHome
from tests.battery.check import Check, Tally
from tests.conftest import OLDER_VERSION

ROOT = Path(__file__).parents[2]
_MAIN = "from wisen.surfaces.cli import main; main()"
_REFUSED = "a newer wisen wrote it. Upgrade"


def work_with_two_versions(seed: int, folder: Path) -> Tally:
    """The older version made the home; both read new sessions at once; then the older one is tried again."""
    chance, tally = random.Random(seed), Tally()
    old_source = folder / "old"
    _extract(old_source)
    home = BusyHome(folder, lambda: _old(folder, old_source, "learn").wait(LIMIT))
    home.add_session()
    older = [_old(folder, old_source, each) for each in ("learn", "cycle")]
    time.sleep(chance.uniform(0, 2))
    newer = home.run("learn")
    tally.expect(newer.returncode == 0, f"the newer one ended with {newer.returncode}: {newer.stderr}")
    for each in older:
        said = each.communicate(timeout=LIMIT)[1].decode()
        tally.expect(each.returncode == 0 or _REFUSED in said, f"the older one, beside a newer: {said}")
    found = home.recover()
    tally.expect(not found, f"after both at once: {found}")
    before = home.look()
    for words in (("learn",), ("cycle",), ("status",)):
        process = _old(folder, old_source, *words)
        said = process.communicate(timeout=LIMIT)[1].decode()
        tally.expect(process.returncode != 0 and _REFUSED in said, f"older {words}: {process.returncode} {said}")
        now = home.look()
        same = (now.entries, now.proposals, now.sessions) == (before.entries, before.proposals, before.sessions)
        tally.expect(same, f"older {words} was refused, and changed something")
    return tally


def _extract(folder: Path) -> None:
    """Write the program of the older commit into a folder."""
    folder.mkdir()
    command = ["git", "-C", str(ROOT), "archive", OLDER_VERSION, "src/wisen"]
    packed = subprocess.run(command, capture_output=True, check=True)
    subprocess.run(["tar", "x"], input=packed.stdout, cwd=folder, check=True)


def _old(folder: Path, source: Path, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", _MAIN, *words],
        env={**os.environ, "PYTHONPATH": str(source / "src")},
        cwd=folder / "shop",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


CHECKS = (
    Check(
        "T4",
        "versions",
        "an older version changes a newer home, or what it did is lost",
        work_with_two_versions,
        quick=0,  # ten cold starts of the program
        full=10,
        needs=("git", "history"),
    ),
)
