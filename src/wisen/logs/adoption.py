"""Decides which files inside projects count as the user's: files they adopted (unchanged since) and our own edits.

A file that is rewritten as a whole is identified by a digest of its content; content that we wrote ourselves, and that
nobody changed since, is recognized from our recorded changes. An append-only file is identified by its inode and by how
it began.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.ownership import OwnershipSubject, OwnershipVerdict, newest_decisions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wisen.model.change import Change
    from wisen.model.ownership import FileFacts, Ownership

BEGINNING = 1 << 20
"""How many leading bytes of an append-only file are compared with what they were."""


class Adoptions:
    """The user's ownership decisions about files, as recorded in the ledger."""

    def __init__(self, rows: Iterable[Ownership]) -> None:
        rows = tuple(rows)
        self._decisions = {(subject, path): row for (subject, path, _), row in newest_decisions(rows).items()}
        self._asked_about = {(row.path, row.digest) for row in rows if row.verdict is OwnershipVerdict.ASKED}

    def decision(self, path: str, subject: OwnershipSubject = OwnershipSubject.FILE) -> Ownership | None:
        """Return the newest decision about a file."""
        return self._decisions.get((subject, path))

    def was_asked(self, path: str, digest: str) -> bool:
        """Whether the user was already told that a file with this content, or a place, waits for a decision."""
        return (path, digest) in self._asked_about

    def adopted_files(self) -> tuple[Ownership, ...]:
        """Return the adopted files, sorted by path."""
        return tuple(
            row
            for (subject, _), row in sorted(self._decisions.items())
            if subject is OwnershipSubject.FILE and row.verdict is OwnershipVerdict.OWNED
        )

    def is_trusted_content(self, path: str, digest: str, changes: Callable[[], Iterable[Change]]) -> bool:
        """Whether the current content is the user's or ours; `changes` are our changes to the file, oldest first."""
        if not digest:
            return False
        decision = self._decisions.get((OwnershipSubject.FILE, path))
        known = {decision.digest} if decision is not None and decision.verdict is OwnershipVerdict.OWNED else set[str]()
        if digest in known:
            return True
        known.add("")  # everything we wrote into a file that did not exist is ours
        for change in changes():
            if change.before in known:
                known.add(change.after)
        return digest in known

    def has_only_grown(self, path: str, facts: Callable[[int], FileFacts | None]) -> bool:
        """Whether a file is the adopted one, with nothing done to it but appending."""
        decision = self._decisions.get((OwnershipSubject.FILE, path))
        if decision is None or decision.verdict is not OwnershipVerdict.OWNED:
            return False
        current = facts(min(decision.size, BEGINNING))
        return (
            current is not None
            and current.size >= decision.size
            and (current.identity, current.digest) == (decision.identity, decision.digest)
        )
