"""An in-memory snapshot store for tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.delivery.snapshot_store import SpoolFile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from wisen.delivery.snapshot_store import ChatReply, SpoolRecord


class MemorySnapshotStore:
    """Keeps what is published, and what a test puts into its spool."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.current = b""
        self._spool: dict[str, tuple[SpoolRecord, ...]] = {}
        self._replies: list[ChatReply] = []

    def leave(self, name: str, *notes: SpoolRecord) -> None:
        """Leave notes, as a hook does."""
        self._spool[name] = notes

    def publish(self, files: Mapping[str, bytes], current: bytes, *, days: int) -> int:
        """Put snapshots where hooks find them; no session pins any here."""
        del days
        new = len(files.keys() - self.files)
        self.files, self.current = dict(files), current
        return new

    def digests(self) -> frozenset[str]:
        """The digests of the snapshots that are there."""
        return frozenset(self.files)

    def add_reply(self, each: ChatReply) -> None:
        """Leave something to be told."""
        self._replies.append(each)

    def pending_replies(self) -> tuple[ChatReply, ...]:
        """What was not told yet, oldest first."""
        return tuple(self._replies)

    def read_spool(self) -> tuple[SpoolFile, ...]:
        """What was left, oldest first."""
        return tuple(SpoolFile(name, notes) for name, notes in self._spool.items() if not name.startswith("off/"))

    def remove_records(self, names: Sequence[str]) -> None:
        """Remove what was taken in."""
        for name in names:
            self._spool.pop(name, None)

    def forget(self, holds: Callable[[str], bool], *, dry_run: bool = False) -> tuple[str, ...]:
        """Remove the snapshots and notes that hold something."""
        files = [name for name, content in self.files.items() if holds(content.decode())]
        notes = [name for name, held in self._spool.items() if holds(str(held))]
        for name in files if not dry_run else ():
            del self.files[name]
        self.remove_records(notes if not dry_run else ())
        if not dry_run:
            self._replies = [each for each in self._replies if not holds(each.text)]
        return (*files, *notes)

    def disabled_sessions(self) -> tuple[str, ...]:
        """The names of the notes that a session is switched off."""
        return tuple(sorted(name for name in self._spool if name.startswith("off/")))

    def last_wake(self) -> datetime | None:
        """No hook ever asked for a cycle here."""
        return None
