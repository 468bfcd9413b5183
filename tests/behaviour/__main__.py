"""`python -m tests.behaviour`: record what a version does, compare recordings, check this tree against one."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.behaviour.comparing import compare
from tests.behaviour.private_place import run_in_private_place
from tests.behaviour.recorder import record

_HERE = Path(__file__).resolve().parents[2]


def main() -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(prog="python -m tests.behaviour", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="record what a checkout does with real sessions")
    recording.add_argument("out", type=Path, help="the folder for the recording")
    recording.add_argument("--source", type=Path, default=_HERE, help="a checkout; this one unless told")
    recording.add_argument("--old-source", type=Path, help="a checkout of the older version that makes the second home")
    comparing = commands.add_parser("compare", help="compare two recordings; exit 1 where they differ")
    comparing.add_argument("one", type=Path)
    comparing.add_argument("other", type=Path)
    comparing.add_argument("--most", type=int, default=40, help="how many differences are shown")
    checking = commands.add_parser("check", help="record a revision and this tree, and compare")
    checking.add_argument("--baseline", required=True, help="a revision, or a folder that holds its recording")
    checking.add_argument("--old", help="the revision that makes the second home")
    for each in (recording, checking):
        each.add_argument("--sessions", type=Path, action="append", required=True, help="a folder; may be repeated")
        each.add_argument("--few", type=int, help="use so many sessions only")
    arguments = parser.parse_args()
    if arguments.command == "compare":
        return compare(arguments.one, arguments.other, arguments.most)
    ended = run_in_private_place(sys.argv[1:])
    if ended is not None:
        return ended
    if arguments.command == "record":
        record(arguments.out, arguments.source, arguments.sessions, arguments.old_source, arguments.few)
        return 0
    return _check(arguments)


def _check(arguments: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory(prefix="behaviour-") as folder, _worktrees(Path(folder)) as check_out:
        old = check_out(arguments.old) if arguments.old else None
        before, after = Path(arguments.baseline), Path(folder, "present")
        if not (before / "recording.txt").is_file():
            before = Path(folder, "baseline")
            record(before, check_out(arguments.baseline), arguments.sessions, old, arguments.few)
        record(after, _HERE, arguments.sessions, old, arguments.few)
        return compare(before, after)


@contextmanager
def _worktrees(folder: Path) -> Iterator[Callable[[str], Path]]:
    made: dict[str, Path] = {}

    def check_out(revision: str) -> Path:
        if revision not in made:
            made[revision] = folder / f"tree-{len(made)}"
            _git("worktree", "add", "--quiet", "--detach", str(made[revision]), revision)
        return made[revision]

    try:
        yield check_out
    finally:
        for each in made.values():
            _git("worktree", "remove", "--force", str(each))


def _git(*words: str) -> None:
    subprocess.run(["git", "-C", str(_HERE), *words], check=True)


if __name__ == "__main__":
    sys.exit(main())
