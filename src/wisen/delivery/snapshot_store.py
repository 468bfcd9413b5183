"""Stores what hooks read and write as files below the home: `snapshots/` and `spool/`."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple, Protocol

from wisen.delivery.launcher import UNGUARDED
from wisen.errors import StoreError
from wisen.model.plausible_time import nearest_time

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from wisen.system.machine_ports import Clock

    SpoolRecord = Mapping[str, object]

_CURRENT = "current"
_UNGUARDED = PurePath(UNGUARDED).name
_STALE = 3600.0
"""Seconds after which a partial file counts as abandoned."""


class SpoolFile(NamedTuple):
    """The records that one hook event wrote to the spool."""

    name: str
    """The file name: each record is ingested once."""
    records: tuple[SpoolRecord, ...]


class ChatReply(NamedTuple):
    """The result of a request that the user typed to an agent: shown once, in the session where it was typed."""

    agent: str
    session: str
    """The agent's own session id. If the session has ended, the next one of the project shows it."""
    context: str
    """The key of the project; empty if unknown."""
    text: str


class ReplyQueue(Protocol):
    """Messages for the user that a hook shows once."""

    def add_reply(self, each: ChatReply) -> None:
        """Queue a message. Raises: StoreError."""
        ...

    def pending_replies(self) -> tuple[ChatReply, ...]:
        """Return the messages not shown yet, oldest first."""
        ...


class SnapshotStore(ReplyQueue, Protocol):
    """What hooks read, and what they write."""

    def publish(self, files: Mapping[str, bytes], current: bytes, *, days: int) -> int:
        """Write snapshots for hooks, each atomically, and the page that names them last.

        Those that no session of the last `days` started with are removed. Return how many are new.
        """
        ...

    def digests(self) -> frozenset[str]:
        """Return the digests of the stored snapshots."""
        ...

    def read_spool(self) -> tuple[SpoolFile, ...]:
        """Return what hooks wrote, oldest first. An unreadable file is empty."""
        ...

    def remove_records(self, names: Sequence[str]) -> None:
        """Remove ingested records."""
        ...

    def forget(self, holds: Callable[[str], bool], *, dry_run: bool = False) -> tuple[str, ...]:
        """Remove the snapshots, spool records and replies that hold a text, and the pins of sessions on such snapshots.

        Return the removed names. There may be no snapshot until the next ones are published.
        """
        ...

    def disabled_sessions(self) -> tuple[str, ...]:
        """Return the markers of sessions that are off, each `off/` and its keyed digest; see `remove_records`."""
        ...

    def last_wake(self) -> datetime | None:
        """Return when a hook last asked for a cycle."""
        ...


class HomeSnapshotStore:
    """The snapshot store of a home."""

    def __init__(self, home: Path, clock: Clock) -> None:
        self._snapshots, self._spool, self._clock = home / "snapshots", home / "spool", clock
        self._replies = self._spool / "replies"

    def publish(self, files: Mapping[str, bytes], current: bytes, *, days: int) -> int:
        """Write snapshots for hooks, and the page that names them last; remove those that no session needs."""
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
                unguarded.unlink(missing_ok=True)  # first: no call may bypass a guard that is already published
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
        """Return the digests of the stored snapshots."""
        return frozenset(path.stem for path in self._snapshots.glob("*.json") if path.stem != _CURRENT)

    def record_pointer(self, agent: str) -> None:
        """Record that an agent has our MCP tools and can be asked; if that fails, it is not asked."""
        with suppress(OSError):
            folder = self._snapshots / "pointing"
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            (folder / "".join(each for each in agent if each.isalnum() or each == "-")).touch(mode=0o600)

    def add_reply(self, each: ChatReply) -> None:
        """Queue a message for the next hook of a session, or for the next session start in its project."""
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
        """Return the messages not shown yet, oldest first."""
        notes = [note for path in sorted(self._replies.glob("*.json")) for note in _read_records(path)]
        return tuple(ChatReply(*(str(note.get(name, "")) for name in ChatReply._fields)) for note in notes)

    def read_spool(self) -> tuple[SpoolFile, ...]:
        """Return what hooks wrote, oldest first. An unreadable file is empty."""
        found = sorted(self._spool.glob("*.jsonl"), key=lambda path: (_modified(path), path.name))
        return tuple(SpoolFile(path.name, tuple(_read_records(path))) for path in found)

    def remove_records(self, names: Sequence[str]) -> None:
        """Remove ingested records."""
        for name in names:
            (self._spool / name).unlink(missing_ok=True)

    def forget(self, holds: Callable[[str], bool], *, dry_run: bool = False) -> tuple[str, ...]:
        """Remove the snapshots, spool records and replies that hold a text, and the pins on such snapshots."""
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
        """Return the markers of sessions that are off."""
        return tuple(sorted(f"off/{path.name}" for path in (self._spool / "off").glob("*")))

    def last_wake(self) -> datetime | None:
        """Return when a hook last asked for a cycle."""
        wake = self._spool / "wake"
        return nearest_time(_modified(wake)) if wake.exists() else None

    def _is_intact(self, digest: str, content: bytes) -> bool:
        """Whether a snapshot is still what was written: the disk may have failed since."""
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
                reply.unlink(missing_ok=True)  # the session never came back for it
        now = self._clock.now().timestamp()
        for part in (*self._snapshots.rglob("*.part"), *self._spool.rglob("*.part")):
            if now - _modified(part) > _STALE:
                part.unlink(missing_ok=True)


def _may_hold(path: Path, holds: Callable[[str], bool]) -> bool:
    """Whether a file may hold a text; an unreadable one may."""
    try:
        return holds(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return True


def _pinned(pin: Path, snapshots: Path) -> set[str]:
    """Return the digest of a session's pinned snapshot, and of the tables that it names."""
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
