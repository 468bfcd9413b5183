"""Runs the learner on disks of many sizes, then with room: `small_disks.py MOUNT LOGS SIZE...`, in bytes, as root.

For each size it prints what the first try said, what was left, and whether the second one, with room, went through.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from wisen import app
from wisen.errors import WisenError


def main(mount: str, logs: str, *sizes: str) -> None:
    """Go through the sizes."""
    for size in sizes:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", mount], check=True)
        result: dict[str, Any] = {"size": int(size), "first": run_learner(mount, logs)}
        result["left"] = sorted(str(each.relative_to(mount)) for each in Path(mount).rglob("*") if each.is_file())
        subprocess.run(["mount", "-o", "remount,size=64m", mount], check=True)
        result["second"] = run_learner(mount, logs)
        result["parts"] = sorted(
            each.name for each in Path(mount).rglob("*") if ".part" in each.name or ".new-" in each.name
        )
        print(json.dumps(result), flush=True)
        subprocess.run(["umount", mount], check=True)


def run_learner(mount: str, logs: str) -> str:
    """What a process of its own said when it learned and prepared; `ok` where it went through."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, _try(mount, logs).encode()[:4000])
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading, "rb") as output:
        return output.read().decode()


def _try(mount: str, logs: str) -> str:
    try:
        with app.wire(Path(mount) / "home").learner() as learner:
            learner.learn(Path(logs), jobs=1)
            learner.delivery.prepare_snapshots()
            learner.home.ledger.check()
            learner.home.index.check()
    except WisenError as error:
        return f"{type(error).__name__}: {error}"
    except BaseException as error:  # noqa: BLE001 - a traceback is what must not be
        return f"TRACEBACK {error!r}"
    return "ok"


if __name__ == "__main__":
    main(*sys.argv[1:])
