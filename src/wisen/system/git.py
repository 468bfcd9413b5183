"""Runs the git command to query a checkout; the only module that starts git.

Git never runs in the repository itself, whose configuration can name programs, but in a view of it (`git_view.py`). It
never writes and never uses the network. What git cannot or will not answer (it is not installed, the repository is
broken or belongs to somebody else) yields no answer, never an error.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Timer
from typing import TYPE_CHECKING

from wisen.model.change import Checkout, HeadStep, HeadStepKind
from wisen.system.git_view import NoView, git_directories, head_moves, head_of, is_midway, make_view, owners_of, top_of
from wisen.system.programs import find_program

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from wisen.system.git_view import HeadMove

_SECONDS = 10
_PATIENCE = 4
"""How many checkouts may time out; one that did is not queried again, and after this many none is."""
LARGEST_ANSWER = 128 << 20
"""Maximum bytes of an answer; a longer one is discarded."""
_LARGEST_FILE = 16 << 20
"""Maximum bytes of a file whose committed content is compared with what is on disk."""
_MEMORY = 2 << 30
"""Bytes of address space that git may use: an object can be packed so that it fills any memory."""
_IN_MEMORY = "/dev/shm"  # noqa: S108 - a folder of our own is made in it, private as in any temporary folder
"""Where a view is made if it exists: some hundred links take ten times as long on a busy disk."""
_USER_CONFIGURATION = ("HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM")
"""Environment variables that lead git to the user's own configuration, which says whose directories are safe."""
_QUIET = {
    "LC_ALL": "C",
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "GIT_ALLOW_PROTOCOL": "",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ATTR_NOSYSTEM": "1",
}
_NO_CONFIGURATION = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_CONFIG_GLOBAL": os.devnull,
}
_FORWARD = frozenset({"commit", "merge", "pull", "cherry-pick", "revert", "am"})
"""How the reflog message of a move begins that went forward on a branch."""
_MOST_MOVES = 100
"""How many moves of HEAD are examined, newest ones."""
NO_ANSWER = (OSError, ValueError, LookupError, OverflowError, subprocess.SubprocessError)
"""No git, a refusal, a malformed answer: all of them mean that nothing is known."""


class GitView:
    """A checkout as git sees it, without anything that was configured in it."""

    def __init__(self, git: Git, top: Path, folder: Path, head: str) -> None:
        self._git, self._folder = git, folder
        self.top, self.head = top, head

    def ask(self, *arguments: str, typed: bytes = b"", most: int = LARGEST_ANSWER) -> bytes:
        """Return what git prints. Raises: one of NO_ANSWER."""
        where = str(self._folder)
        environment = {**_QUIET, **_NO_CONFIGURATION, "HOME": where, "XDG_CONFIG_HOME": where, "GIT_DIR": where}
        return self._git.run(self.top, arguments, environment, typed, most)


class Git:
    """The git command, which gives up on checkouts whose queries take too long."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._late: set[Path] = set()

    @contextmanager
    def view(self, top: Path, *, needs_head: bool = True) -> Iterator[GitView]:
        """Open a view of the checkout that begins in a folder, for the duration of the block. Raises: one of NO_ANSWER.

        `needs_head`: whether a HEAD that cannot be resolved makes the view useless; the index does not need one.
        """
        if top in self._late or len(self._late) >= _PATIENCE:
            raise subprocess.SubprocessError("git took too long before")
        where = git_directories(top)
        try:
            head = head_of(where)
        except (OSError, ValueError):
            if needs_head:
                raise
            head = ""
        place = _IN_MEMORY if os.access(_IN_MEMORY, os.W_OK | os.X_OK) else None
        with tempfile.TemporaryDirectory(prefix="wisen-git-", dir=place, ignore_cleanup_errors=True) as made:
            folder = Path(made)
            make_view(folder, where, head)
            if not owners_of(top, where) <= self._users() and not self._is_safe(top, folder):
                raise NoView(f"{top} belongs to somebody else")
            yield GitView(self, top, folder, head)

    def run(
        self, top: Path, arguments: tuple[str, ...], environment: Mapping[str, str], typed: bytes, most: int
    ) -> bytes:
        """Return what git prints in the view that the environment names. Raises: one of NO_ANSWER."""
        program = find_program("git", self._environment, (top,))
        if program is None:
            raise FileNotFoundError("no git was found that may be started")
        folder = Path(environment["GIT_DIR"])
        question = folder / "question"
        question.write_bytes(typed)
        with question.open("rb") as given:
            child = subprocess.Popen(  # noqa: S603 - no shell, and what others wrote comes after `--`
                [program, "--no-pager", "--literal-pathspecs", *arguments],
                cwd=folder,
                env=environment,
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        ended_late = Event()

        def end() -> None:
            ended_late.set()
            child.kill()

        timer = Timer(_SECONDS, end)
        timer.start()
        try:
            with child:
                _limit_memory(child.pid)
                assert child.stdout is not None
                answer = child.stdout.read(most + 1)
                if len(answer) > most:
                    child.kill()
        finally:
            timer.cancel()
        if ended_late.is_set():
            self._late.add(top)
            raise subprocess.TimeoutExpired("git", _SECONDS)
        if child.returncode or len(answer) > most:
            raise subprocess.CalledProcessError(child.returncode, "git")
        return answer

    def _users(self) -> set[int]:
        """Return the users whose repositories are trusted: ours, and under sudo also the caller's, as git does it."""
        user = os.geteuid()
        caller = self._environment.get("SUDO_UID", "")
        return {user, int(caller)} if user == 0 and caller.isdecimal() else {user}

    def _is_safe(self, top: Path, folder: Path) -> bool:
        """Whether the user's own configuration declares somebody else's repository safe."""
        own = {name: self._environment[name] for name in _USER_CONFIGURATION if name in self._environment}
        asked = ("config", "--null", "--type=path", "--get-all", "safe.directory")
        try:
            told = self.run(top, asked, {**_QUIET, **own, "GIT_DIR": str(folder)}, b"", LARGEST_ANSWER)
        except NO_ANSWER:
            return False
        is_safe, place = False, os.path.realpath(top)
        for value in told.decode("utf-8", "surrogateescape").split("\0")[:-1]:
            if not value:
                is_safe = False  # an empty value resets the list
            else:
                inside = value.endswith("/*") and place.startswith(os.path.realpath(value[:-2]) + "/")
                is_safe = is_safe or inside or value == "*" or os.path.realpath(value) == place
        return is_safe


class GitCheckouts:
    """Reads what is checked out around the user's files."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._git = Git(environment)

    def at(self, path: str) -> Checkout | None:
        """Return what git knows about a file, by its real path; None if git does not track it, or cannot say."""
        file = Path(os.path.realpath(path))
        top = top_of(file)
        if top is None:
            return None
        name = os.fsencode(file.relative_to(top))
        try:
            with self._git.view(top) as view:
                if not view.head:
                    return None
                content = _committed(view, name)
                midway = is_midway(git_directories(top))
                if content is None:
                    return Checkout(view.head, b"", midway) if _is_in_index(view, name) else None
                return Checkout(view.head, content, midway)
        except NO_ANSWER:
            return None

    def steps(self, path: str, head: str, at: datetime) -> tuple[HeadStep, ...] | None:
        """Return how HEAD moved since a commit and moment, with the file's contents; None if that is unknown."""
        file = Path(os.path.realpath(path))
        top = top_of(file)
        if top is None:
            return None
        try:
            moves = _moves_since(head_moves(git_directories(top)), head, int(at.timestamp()))
            if moves is None:
                return None
            with self._git.view(top) as view:
                if (moves[-1].new if moves else head or view.head) != view.head:
                    return None  # the reflog is incomplete
                held = _contents(
                    view, {each for move in moves for each in move[:2]}, os.fsencode(file.relative_to(top))
                )
        except NO_ANSWER:
            return None
        return tuple(HeadStep(_kind_of(each), held[each.old], held[each.new]) for each in moves)

    def is_tracked(self, path: str) -> bool:
        """Whether git tracks a file, as named or as resolved; also true if git cannot say."""
        return any(self._is_kept(Path(each)) for each in dict.fromkeys((_named(path), os.path.realpath(path))))

    def _is_kept(self, file: Path) -> bool:
        top = top_of(file)
        if top is None:
            return False
        try:
            return self.tracks(top, file)
        except NO_ANSWER:
            return True

    def tracks(self, top: Path, file: Path) -> bool:
        """Whether the repository whose checkout begins at `top` tracks a file below it. Raises: one of NO_ANSWER."""
        name = os.fsencode(file.relative_to(top))
        with self._git.view(top, needs_head=False) as view:
            return _is_in_index(view, name) or bool(view.head and _committed(view, name) is not None)


def _moves_since(moves: Sequence[HeadMove], head: str, second: int) -> list[HeadMove] | None:
    """Return the moves of HEAD since it named a commit, or without a commit since a moment; None if not logged.

    A reset to the commit that is checked out is a move as well; creating a branch at HEAD changes nothing.
    """
    later = next((number for number, each in enumerate(moves) if each.at > second), len(moves))
    last = next((number for number in reversed(range(len(moves))) if moves[number].new == head), None)
    if head and last is None and (not moves or moves[0].old != head):
        return None
    start = later if not head or last is None else min(last + 1, later)
    found = [each for each in moves[start:] if each.old != each.new or not each.message.startswith("checkout")]
    return found[-_MOST_MOVES:] if found or head or moves else None


def _kind_of(move: HeadMove) -> HeadStepKind:
    """Return how HEAD moved, judging by git's message; what is not recognised may have been anything."""
    what = move.message.partition(":")[0]
    if "rebase" in what:
        began = "(start)" in what or "(finish)" in what or "(abort)" in what or "checkout" in move.message
        return HeadStepKind.REWRITTEN if began or "(" not in what else HeadStepKind.FORWARD
    return HeadStepKind.FORWARD if what.split(" ")[0] in _FORWARD else HeadStepKind.SWITCHED


def _contents(view: GitView, commits: set[str], name: bytes) -> dict[str, bytes]:
    """Return what commits hold under a name; empty if the file or the commit is missing. Raises: one of NO_ANSWER."""
    if b"\n" in name:
        raise ValueError("a query is one line")
    order = sorted(commits)
    told = view.ask("cat-file", "--batch", typed=b"".join(each.encode() + b":" + name + b"\n" for each in order))
    held = {}
    for each in order:
        head, _, told = told.partition(b"\n")
        size = 0 if head.endswith(b" missing") else int(head.split()[2])
        held[each] = told[:size]
        told = told[size + 1 :] if not head.endswith(b" missing") else told
    return held


def _named(path: str) -> str:
    """Resolve the folder of a path but not the file: where git would track the link itself."""
    folder, name = os.path.split(os.path.abspath(path))  # noqa: PTH100 - a link at the end stays one
    return os.path.join(os.path.realpath(folder), name)  # noqa: PTH118


def _committed(view: GitView, name: bytes) -> bytes | None:
    """Return what the checked-out commit holds under a name; None if nothing. Raises: one of NO_ANSWER."""
    if b"\n" in name:
        raise ValueError("a query is one line")
    asked = view.head.encode() + b":" + name + b"\n"
    told, _, content = view.ask("cat-file", "--batch", typed=asked, most=_LARGEST_FILE + len(asked) + 200).partition(
        b"\n"
    )
    if told.endswith(b" missing"):
        # If the commit itself is missing, nothing is known about what it holds.
        view.ask("cat-file", "-e", f"{view.head}^{{tree}}")
        return None
    return content[: int(told.split()[2])]


def _is_in_index(view: GitView, name: bytes) -> bool:
    """Whether a file is tracked already, or will be with the next commit."""
    return bool(view.ask("ls-files", "-z", "--", os.fsdecode(name)))


def _limit_memory(process: int) -> None:
    if sys.platform == "linux":
        import resource

        with suppress(OSError, ValueError):
            resource.prlimit(process, resource.RLIMIT_AS, (_MEMORY, _MEMORY))
