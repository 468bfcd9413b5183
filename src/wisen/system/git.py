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

from wisen.model.change import CheckedOutFile, HeadStep, HeadStepKind
from wisen.system.git_view import (
    ViewError,
    git_directories,
    has_operation_in_progress,
    head_moves,
    head_of,
    make_view,
    owners_of,
    top_of,
)
from wisen.system.programs import find_program

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from wisen.system.git_view import HeadMove

_TIMEOUT_SECONDS = 10
_MAX_TIMEOUTS = 4
"""How many checkouts may time out; one that did is not queried again, and after this many none is."""
MAX_ANSWER_BYTES = 128 << 20
"""Maximum bytes of an answer; a longer one is discarded."""
_MAX_FILE_BYTES = 16 << 20
"""Maximum bytes of a file whose committed content is compared with what is on disk."""
_MEMORY_LIMIT = 2 << 30
"""Bytes of address space that git may use: an object can be packed so that it fills any memory."""
_MEMORY_FOLDER = "/dev/shm"  # noqa: S108 - a folder of our own is made in it, private as in any temporary folder
"""Where a view is made if it exists: some hundred links take ten times as long on a busy disk."""
_USER_CONFIGURATION = ("HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM")
"""Environment variables that lead git to the user's own configuration, which says whose directories are safe."""
_SAFE_ENVIRONMENT = {
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
_FORWARD_ACTIONS = frozenset({"commit", "merge", "pull", "cherry-pick", "revert", "am"})
"""How the reflog message of a move begins that went forward on a branch."""
_MAX_MOVES = 100
"""How many moves of HEAD are examined, newest ones."""
NO_ANSWER = (OSError, ValueError, LookupError, OverflowError, subprocess.SubprocessError)
"""No git, a refusal, a malformed answer: all of them mean that nothing is known."""


class GitView:
    """A checkout as git sees it, without anything that was configured in it."""

    def __init__(self, git: Git, top: Path, folder: Path, head: str) -> None:
        self._git, self._folder = git, folder
        self.top, self.head = top, head

    def query(self, *arguments: str, stdin: bytes = b"", max_bytes: int = MAX_ANSWER_BYTES) -> bytes:
        """Return what git prints. Raises: one of NO_ANSWER."""
        folder = str(self._folder)
        environment = {
            **_SAFE_ENVIRONMENT,
            **_NO_CONFIGURATION,
            "HOME": folder,
            "XDG_CONFIG_HOME": folder,
            "GIT_DIR": folder,
        }
        return self._git.run(self.top, arguments, environment, stdin, max_bytes)


class Git:
    """The git command, which gives up on checkouts whose queries take too long."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._timed_out: set[Path] = set()

    @contextmanager
    def view(self, top: Path, *, needs_head: bool = True) -> Iterator[GitView]:
        """Open a view of the checkout that begins in a folder, for the duration of the block. Raises: one of NO_ANSWER.

        `needs_head`: whether a HEAD that cannot be resolved makes the view useless; the index does not need one.
        """
        if top in self._timed_out or len(self._timed_out) >= _MAX_TIMEOUTS:
            raise subprocess.SubprocessError("git took too long before")
        directories = git_directories(top)
        try:
            head = head_of(directories)
        except (OSError, ValueError):
            if needs_head:
                raise
            head = ""
        place = _MEMORY_FOLDER if os.access(_MEMORY_FOLDER, os.W_OK | os.X_OK) else None
        with tempfile.TemporaryDirectory(prefix="wisen-git-", dir=place, ignore_cleanup_errors=True) as temporary:
            folder = Path(temporary)
            make_view(folder, directories, head)
            if not owners_of(top, directories) <= self._users() and not self._is_safe(top, folder):
                raise ViewError(f"{top} belongs to somebody else")
            yield GitView(self, top, folder, head)

    def run(
        self, top: Path, arguments: tuple[str, ...], environment: Mapping[str, str], stdin: bytes, max_bytes: int
    ) -> bytes:
        """Return what git prints in the view that the environment names. Raises: one of NO_ANSWER."""
        program = find_program("git", self._environment, (top,))
        if program is None:
            raise FileNotFoundError("no git was found that may be started")
        folder = Path(environment["GIT_DIR"])
        input_file = folder / "question"
        input_file.write_bytes(stdin)
        with input_file.open("rb") as input_stream:
            child = subprocess.Popen(  # noqa: S603 - no shell, and what others wrote comes after `--`
                [program, "--no-pager", "--literal-pathspecs", *arguments],
                cwd=folder,
                env=environment,
                stdin=input_stream,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        is_late = Event()

        def kill_late() -> None:
            is_late.set()
            child.kill()

        timer = Timer(_TIMEOUT_SECONDS, kill_late)
        timer.start()
        try:
            with child:
                _limit_memory(child.pid)
                assert child.stdout is not None
                answer = child.stdout.read(max_bytes + 1)
                if len(answer) > max_bytes:
                    child.kill()
        finally:
            timer.cancel()
        if is_late.is_set():
            self._timed_out.add(top)
            raise subprocess.TimeoutExpired("git", _TIMEOUT_SECONDS)
        if child.returncode or len(answer) > max_bytes:
            raise subprocess.CalledProcessError(child.returncode, "git")
        return answer

    def _users(self) -> set[int]:
        """Return the users whose repositories are trusted: ours, and under sudo also the caller's, as git does it."""
        user = os.geteuid()
        caller = self._environment.get("SUDO_UID", "")
        return {user, int(caller)} if user == 0 and caller.isdecimal() else {user}

    def _is_safe(self, top: Path, folder: Path) -> bool:
        """Whether the user's own configuration declares somebody else's repository safe."""
        configuration = {name: self._environment[name] for name in _USER_CONFIGURATION if name in self._environment}
        arguments = ("config", "--null", "--type=path", "--get-all", "safe.directory")
        try:
            answer = self.run(
                top, arguments, {**_SAFE_ENVIRONMENT, **configuration, "GIT_DIR": str(folder)}, b"", MAX_ANSWER_BYTES
            )
        except NO_ANSWER:
            return False
        is_safe, place = False, os.path.realpath(top)
        for value in answer.decode("utf-8", "surrogateescape").split("\0")[:-1]:
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

    def checkout_of(self, path: str) -> CheckedOutFile | None:
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
                content = _committed_content(view, name)
                midway = has_operation_in_progress(git_directories(top))
                if content is None:
                    return CheckedOutFile(view.head, b"", midway) if _is_in_index(view, name) else None
                return CheckedOutFile(view.head, content, midway)
        except NO_ANSWER:
            return None

    def head_steps(self, path: str, head: str, at: datetime) -> tuple[HeadStep, ...] | None:
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
                contents = _contents_at(
                    view, {each for move in moves for each in move[:2]}, os.fsencode(file.relative_to(top))
                )
        except NO_ANSWER:
            return None
        return tuple(HeadStep(_kind_of(each), contents[each.old], contents[each.new]) for each in moves)

    def is_tracked(self, path: str) -> bool:
        """Whether git tracks a file, as named or as resolved; also true if git cannot say."""
        return any(
            self._may_be_tracked(Path(each)) for each in dict.fromkeys((_resolve_folder(path), os.path.realpath(path)))
        )

    def _may_be_tracked(self, file: Path) -> bool:
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
            return _is_in_index(view, name) or bool(view.head and _committed_content(view, name) is not None)


def _moves_since(moves: Sequence[HeadMove], head: str, second: int) -> list[HeadMove] | None:
    """Return the moves of HEAD since it named a commit, or without a commit since a moment; None if not logged.

    A reset to the commit that is checked out is a move as well; creating a branch at HEAD changes nothing.
    """
    first_later = next((number for number, each in enumerate(moves) if each.at > second), len(moves))
    last_at_head = next((number for number in reversed(range(len(moves))) if moves[number].new == head), None)
    if head and last_at_head is None and (not moves or moves[0].old != head):
        return None
    start = first_later if not head or last_at_head is None else min(last_at_head + 1, first_later)
    relevant = [each for each in moves[start:] if each.old != each.new or not each.message.startswith("checkout")]
    return relevant[-_MAX_MOVES:] if relevant or head or moves else None


def _kind_of(move: HeadMove) -> HeadStepKind:
    """Return how HEAD moved, judging by git's message; what is not recognized may have been anything."""
    action = move.message.partition(":")[0]
    if "rebase" in action:
        is_boundary = "(start)" in action or "(finish)" in action or "(abort)" in action or "checkout" in move.message
        return HeadStepKind.REWRITTEN if is_boundary or "(" not in action else HeadStepKind.FORWARD
    return HeadStepKind.FORWARD if action.split(" ")[0] in _FORWARD_ACTIONS else HeadStepKind.SWITCHED


def _contents_at(view: GitView, commits: set[str], name: bytes) -> dict[str, bytes]:
    """Return what commits hold under a name; empty if the file or the commit is missing. Raises: one of NO_ANSWER."""
    if b"\n" in name:
        raise ValueError("a query is one line")
    order = sorted(commits)
    answer = view.query("cat-file", "--batch", stdin=b"".join(each.encode() + b":" + name + b"\n" for each in order))
    contents = {}
    for each in order:
        head, _, answer = answer.partition(b"\n")
        size = 0 if head.endswith(b" missing") else int(head.split()[2])
        contents[each] = answer[:size]
        answer = answer[size + 1 :] if not head.endswith(b" missing") else answer
    return contents


def _resolve_folder(path: str) -> str:
    """Resolve the folder of a path but not the file: where git would track the link itself."""
    folder, name = os.path.split(os.path.abspath(path))  # noqa: PTH100 - a link at the end stays one
    return os.path.join(os.path.realpath(folder), name)  # noqa: PTH118


def _committed_content(view: GitView, name: bytes) -> bytes | None:
    """Return what the checked-out commit holds under a name; None if nothing. Raises: one of NO_ANSWER."""
    if b"\n" in name:
        raise ValueError("a query is one line")
    request = view.head.encode() + b":" + name + b"\n"
    header, _, content = view.query(
        "cat-file", "--batch", stdin=request, max_bytes=_MAX_FILE_BYTES + len(request) + 200
    ).partition(b"\n")
    if header.endswith(b" missing"):
        # If the commit itself is missing, nothing is known about what it holds.
        view.query("cat-file", "-e", f"{view.head}^{{tree}}")
        return None
    return content[: int(header.split()[2])]


def _is_in_index(view: GitView, name: bytes) -> bool:
    """Whether a file is tracked already, or will be with the next commit."""
    return bool(view.query("ls-files", "-z", "--", os.fsdecode(name)))


def _limit_memory(process: int) -> None:
    if sys.platform == "linux":
        import resource

        with suppress(OSError, ValueError):
            resource.prlimit(process, resource.RLIMIT_AS, (_MEMORY_LIMIT, _MEMORY_LIMIT))
