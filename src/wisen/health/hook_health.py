"""Reads the state of hooks: heartbeats and spool, snapshots, free disk space, and the programs that hooks run.

The client touches `spool/beats/EVENT` (`EVENT@AGENT` for all but Claude Code), and writes `spool/beats/failed` when it
failed.
"""

from __future__ import annotations

import os
import re
import shutil
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from wisen.delivery.launcher import program_of
from wisen.model.hook import CLIENT, Heartbeat, HookFailure, HookHealth
from wisen.model.plausible_time import nearest_time
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from wisen.model.hook import Caller, Program

_FORMAT_VERSION = 1
"""The format version of the files that the hook client writes and reads."""
_FAILED = "failed"
_OWN_VERSION = lazy_regex(r'^__version__ = "([^"]+)"', re.MULTILINE)


class _FailureFile(msgspec.Struct):
    """The file that a failing hook client writes."""

    kind: str
    event: str = "some event"
    at: float = 0.0


class _SnapshotIndex(msgspec.Struct):
    version: int
    contexts: dict[str, str] = {}
    everywhere: str = msgspec.field(default="", name="global")
    agents: dict[str, dict[str, str]] = {}


class HomeHookHealth:
    """Reads the hook state of one home."""

    def __init__(self, home: Path, version: str) -> None:
        """`version`: the version of the running package."""
        self._home, self._version = home, version

    def read_health(self) -> HookHealth:
        """Read the state, without creating any file."""
        waiting = list(self._waiting_files())
        oldest = min((status.st_mtime for status in waiting), default=None)
        return HookHealth(
            beats=self._beats(),
            failure=self._last_failure(),
            waiting=sum(status.st_size for status in waiting),
            waiting_since=None if oldest is None else nearest_time(oldest),
            snapshot=self._snapshot_problem(),
            problem=self._spool_problem(),
            free=self._free_bytes(),
        )

    def find_fault(self, caller: Caller) -> str:
        """Return the worst problem of a hook's program; empty for none."""
        if caller.direct is not None:
            missing = _missing_part(caller.direct)
            risk = "they run a file of wisen's package, and the agent fails when that is gone"
            return f"{missing}: this agent may refuse to work" if missing else risk
        if Path(caller.home) != self._home:
            return f"they work for another home, {caller.home}"  # not inspected: it may belong to somebody else
        program = program_of(self._home)
        if program is None:
            return f"{caller.launcher} is not there, or not as wisen wrote it"
        return _missing_part(program) or self._version_mismatch(Path(program.client))

    def _version_mismatch(self, client: Path) -> str:
        """Describe how the wisen version of a client differs from this one; empty where it is the same."""
        try:
            package = Path(*client.parts[: -len(CLIENT)], "__init__.py").read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return f"{client} is not inside a wisen package"
        match = _OWN_VERSION.search(package)
        if match is None or match[1] != self._version:
            other = "an unknown version" if match is None else f"version {match[1]}"
            return f"they run {other} of wisen, and this is {self._version}"
        return ""

    def _spool_problem(self) -> str:
        """Return why the client may not be able to write; empty where it can."""
        folder = _nearest_existing(self._home / "spool" / "beats")
        return "" if os.access(folder, os.W_OK | os.X_OK) else f"{folder} cannot be written"

    def _beats(self) -> dict[str, Heartbeat]:
        """Return when each event last touched its file, and when a session was last disabled."""
        files: dict[str, os.stat_result] = {}
        with suppress(OSError), os.scandir(self._home / "spool" / "beats") as entries:
            files = {each.name: each.stat() for each in entries if each.is_file()}
        with suppress(OSError):
            files["off"] = (self._home / "spool" / "off").stat()
        events = {event: status for event, status in files.items() if not event.startswith((_FAILED, "."))}
        return {
            event: Heartbeat(nearest_time(status.st_mtime), _agent_of_heartbeat(event))
            for event, status in events.items()
        }

    def _last_failure(self) -> HookFailure | None:
        """Return the last recorded failure, whether or not a session was informed of it already."""
        folder = self._home / "spool" / "beats"
        for name in (_FAILED, f"{_FAILED}-told"):
            try:
                failed = msgspec.json.decode(_read_file(folder / name), type=_FailureFile)
                status = (folder / name).stat()
            except FileNotFoundError:
                continue
            except (OSError, msgspec.MsgspecError):
                return HookFailure(f"{folder / name} cannot be read")
            # A clock that was ahead would make it newer than every answer after it; the next start renames the file.
            at = min(failed.at, status.st_mtime, status.st_ctime)
            return HookFailure(f"{failed.kind} at {failed.event}", nearest_time(at), failed.event)
        return None

    def _waiting_files(self) -> list[os.stat_result]:
        """Return the status of spool files that were not ingested yet."""
        try:
            with os.scandir(self._home / "spool") as entries:
                return [each.stat() for each in entries if each.name.endswith(".jsonl") and each.is_file()]
        except OSError:
            return []

    def _snapshot_problem(self) -> str:
        folder = self._home / "snapshots"
        try:
            current = msgspec.json.decode(_read_file(folder / "current.json"), type=_SnapshotIndex)
        except (FileNotFoundError, NotADirectoryError):
            return "there is none"
        except (OSError, msgspec.MsgspecError):
            return f"{folder / 'current.json'} cannot be read"
        if current.version != _FORMAT_VERSION:
            return f"{folder / 'current.json'} was written by another version of wisen"
        agent_digests = [digest for each in current.agents.values() for digest in each.values()]
        named = sorted({*current.contexts.values(), current.everywhere, *agent_digests} - {""})
        missing = [digest for digest in named if not (folder / f"{digest}.json").is_file()]
        return f"{len(missing)} of {len(named)} in {folder} are gone" if missing else ""

    def _free_bytes(self) -> int | None:
        try:
            return shutil.disk_usage(_nearest_existing(self._home)).free
        except OSError:
            return None


def _missing_part(program: Program) -> str:
    """Return which part of a program is missing; empty where none is."""
    if not os.access(program.python, os.X_OK):
        return f"{program.python} is not there or cannot be run"
    if not os.access(program.client, os.R_OK):
        return f"{program.client} is not there or cannot be read"
    return ""


def _agent_of_heartbeat(beat: str) -> str:
    """Return the agent of a heartbeat; empty for one without an agent."""
    return "" if beat == "off" else beat.partition("@")[2] or "claude-code"


def _read_file(path: Path) -> bytes:
    """Read a regular file. Anything else of that name, such as a pipe, could block forever."""
    if path.exists() and not path.is_file():
        raise OSError(f"{path} is not a file")
    return path.read_bytes()


def _nearest_existing(folder: Path) -> Path:
    """Return the folder, or its nearest existing parent."""
    return next(each for each in (folder, *folder.parents) if each.exists())
