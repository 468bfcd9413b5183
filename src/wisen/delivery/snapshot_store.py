"""What hooks read and leave, as files below the home: `snapshots/` and `spool/`."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple, Protocol

from wisen.delivery.launcher import UNGUARDED
from wisen.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from wisen.system.machine_ports import Clock

    SpoolRecord = Mapping[str, object]

_CURRENT = "current"
_UNGUARDED = PurePath(UNGUARDED).name
_STALE = 3600.0
"""Seconds after which a part belongs to nobody who still writes it."""


class SpoolFile(NamedTuple):
    """What one event of a hook left to be taken in."""

    name: str
    """Of the file: the same note is taken once."""
    records: tuple[SpoolRecord, ...]


class ChatReply(NamedTuple):
    """What became of something that the user typed to an agent: told once, where it was typed."""

    agent: str
    session: str
    """The agent's own id of it. Where it goes on no more, the next one of the project is told."""
    context: str
    """The key of the project; empty where it is not known."""
    text: str


class ReplyQueue(Protocol):
    """What waits to be told to the user by a hook, once."""

    def add_reply(self, each: ChatReply) -> None:
        """Leave something to be told. Raises: StoreError."""
        ...

    def pending_replies(self) -> tuple[ChatReply, ...]:
        """What was not told yet, oldest first."""
        ...


class SnapshotStore(ReplyQueue, Protocol):
    """What hooks read, and what they leave behind."""

    def publish(self, files: Mapping[str, bytes], current: bytes, *, days: int) -> int:
        """Put snapshots where hooks find them, each whole or not at all, and the page that names them last.

        Those that no session of the last `days` began with are removed. Returns how many were not there before.
        """
        ...

    def digests(self) -> frozenset[str]:
        """The digests of the snapshots that are there."""
        ...

    def read_spool(self) -> tuple[SpoolFile, ...]:
        """What hooks left, oldest first. What cannot be read is empty."""
        ...

    def remove_records(self, names: Sequence[str]) -> None:
        """Remove what was taken in."""
        ...

    def forget(self, holds: Callable[[str], bool], *, dry_run: bool = False) -> tuple[str, ...]:
        """Remove the snapshots that hold something, the pins of sessions that began with one, and such notes.

        Returns the names of what is gone. No snapshot may be there until the next are published.
        """
        ...

    def disabled_sessions(self) -> tuple[str, ...]:
        """The names of the notes that a session is switched off, each `off/` and its keyed digest; see `drop`."""
        ...

    def last_wake(self) -> datetime | None:
        """When a hook last asked for a cycle."""
        ...


class HomeSnapshotStore:
    """The shelf of a home."""

    def __init__(self, home: Path, clock: Clock) -> None:
        self._snapshots, self._spool, self._clock = home / "snapshots", home / "spool", clock
        self._replies = self._spool / "replies"

    def publish(self, files: Mapping[str, bytes], current: bytes, *, days: int) -> int:
        """Put snapshots where hooks find them, and the page that names them last; what nobody needs is removed."""
        try:
            for folder in (self._snapshots, self._snapshots / "pins"):
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            existing = self.digests()
            for digest, content in files.items():
                if digest not in existing or not self._is_intact(digest, content):
                    self._put(digest, content)
            unguarded = self._snapshots / _UNGUARDED
            current_page = json.loads(current)
            guards = bool(current_page.get("guards") or current_page.get("moments"))
            if guards:
                unguarded.unlink(missing_ok=True)  # first: no call may go past a guard that is named already
            self._put(_CURRENT, current)
            if not guards:
                unguarded.touch(mode=0o600)
        except OSError as error:
            raise StoreError(
                f"{self._snapshots} cannot be written: {error.strerror}. Make room there, or set WISEN_HOME."
            ) from error
        with suppress(OSError):
            self._remove_unused({*files, _CURRENT}, self._clock.now().timestamp() - days * 86_400)
        return len(files.keys() - existing)

    def digests(self) -> frozenset[str]:
        """The digests of the snapshots that are there."""
        return frozenset(path.stem for path in self._snapshots.glob("*.json") if path.stem != _CURRENT)

    def record_pointer(self, agent: str) -> None:
        """Note that an agent has our tools, so that it can be asked; where that fails it is not asked."""
        with suppress(OSError):
            folder = self._snapshots / "pointing"
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            (folder / "".join(each for each in agent if each.isalnum() or each == "-")).touch(mode=0o600)

    def add_reply(self, each: ChatReply) -> None:
        """Leave something to be told by the next hook of a session, or at the next start in its project."""
        try:
            self._replies.mkdir(parents=True, exist_ok=True, mode=0o700)
            name = f"{self._clock.now().timestamp():.6f}-{os.urandom(4).hex()}"
            part = self._replies / f"{name}.part"
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "w") as file:
                file.write(json.dumps(each._asdict()))
            part.replace(self._replies / f"{name}.json")
        except OSError as error:
            raise StoreError(f"{self._replies} cannot be written: {error.strerror}. Make room there.") from error

    def pending_replies(self) -> tuple[ChatReply, ...]:
        """What was not told yet, oldest first."""
        notes = [note for path in sorted(self._replies.glob("*.json")) for note in _read_records(path)]
        return tuple(ChatReply(*(str(note.get(name, "")) for name in ChatReply._fields)) for note in notes)

    def read_spool(self) -> tuple[SpoolFile, ...]:
        """What hooks left, oldest first. What cannot be read is empty."""
        found = sorted(self._spool.glob("*.jsonl"), key=lambda path: (_modified(path), path.name))
        return tuple(SpoolFile(path.name, tuple(_read_records(path))) for path in found)

    def remove_records(self, names: Sequence[str]) -> None:
        """Remove what was taken in."""
        for name in names:
            (self._spool / name).unlink(missing_ok=True)

    def forget(self, holds: Callable[[str], bool], *, dry_run: bool = False) -> tuple[str, ...]:
        """Remove the snapshots that hold something, the pins of sessions that began with one, and such notes."""
        gone = [path for path in self._snapshots.glob("*.json") if _may_hold(path, holds)]
        digests = {path.stem for path in gone}
        gone += [pin for pin in (self._snapshots / "pins").glob("*.json") if _pinned(pin, self._snapshots) & digests]
        gone += [note for note in self._spool.glob("*.jsonl") if _may_hold(note, holds)]
        gone += [reply for reply in self._replies.glob("*.json") if _may_hold(reply, holds)]
        if dry_run:
            return tuple(path.name for path in gone)
        try:
            for path in (*gone, *self._snapshots.rglob("*.part"), *self._spool.rglob("*.part")):
                path.unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"{error.filename} cannot be deleted: {error.strerror}. Delete it yourself.") from error
        return tuple(path.name for path in gone)

    def disabled_sessions(self) -> tuple[str, ...]:
        """The names of the notes that a session is switched off."""
        return tuple(sorted(f"off/{path.name}" for path in (self._spool / "off").glob("*")))

    def last_wake(self) -> datetime | None:
        """When a hook last asked for a cycle."""
        wake = self._spool / "wake"
        return _at(_modified(wake)) if wake.exists() else None

    def _is_intact(self, digest: str, content: bytes) -> bool:
        """Whether a snapshot is still what was written: a disk may have failed since."""
        try:
            return (self._snapshots / f"{digest}.json").read_bytes() == content
        except OSError:
            return False

    def _put(self, name: str, content: bytes) -> None:
        part = self._snapshots / f".{name}.{os.getpid()}.part"
        try:
            handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            part.replace(self._snapshots / f"{name}.json")
        except BaseException:
            part.unlink(missing_ok=True)
            raise

    def _remove_unused(self, needed: set[str], since: float) -> None:
        for pin in (self._snapshots / "pins").glob("*.json"):
            if _modified(pin) < since:
                pin.unlink(missing_ok=True)
                continue
            needed |= _pinned(pin, self._snapshots)
        for note in (self._snapshots / "once").glob("*"):
            if _modified(note) < since:
                note.unlink(missing_ok=True)
        for path in self._snapshots.glob("*.json"):
            if path.stem not in needed:
                path.unlink(missing_ok=True)
        for reply in self._replies.glob("*.json"):
            if _modified(reply) < since:
                reply.unlink(missing_ok=True)  # nobody came back to hear it
        now = self._clock.now().timestamp()
        for part in (*self._snapshots.rglob("*.part"), *self._spool.rglob("*.part")):
            if now - _modified(part) > _STALE:
                part.unlink(missing_ok=True)


def _may_hold(path: Path, holds: Callable[[str], bool]) -> bool:
    """Whether a file holds something; one that cannot be read may."""
    try:
        return holds(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return True


def _pinned(pin: Path, snapshots: Path) -> set[str]:
    """The snapshot that a session began with, and the tables that it names."""
    digest = next((str(note.get("digest")) for note in _read_records(pin)), "")
    named = [
        str(note.get(name))
        for note in _read_records(snapshots / f"{digest}.json")
        for name in ("complaints", "requests")
    ]
    return {digest, *named}


def _read_records(path: Path) -> list[SpoolRecord]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
        values = [json.loads(line) for line in lines if line.strip()]
    except (OSError, ValueError):
        return []
    return [value for value in values if isinstance(value, dict)]


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _at(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
