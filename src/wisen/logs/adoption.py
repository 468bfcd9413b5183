"""Which files below projects speak for the user: those that the user adopted, as they were then, and our own.

A file that is written whole is known by all that it holds; what we put into it ourselves, and nobody changed, is known
from our changes. One that only grows is known by which file it is and by how it began.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.ownership import OwnershipVerdict, Subject, newest_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wisen.model.change import Change
    from wisen.model.ownership import FileFacts, Ownership

BEGINNING = 1 << 20
"""So many bytes of a file that grows are compared with what they were."""


class Adoptions:
    """What the user said of files, as the ledger knows it."""

    def __init__(self, words: Iterable[Ownership]) -> None:
        words = tuple(words)
        self._words = {(subject, path): row for (subject, path, _), row in newest_words(words).items()}
        self._asked = {(row.path, row.digest) for row in words if row.verdict is OwnershipVerdict.ASKED}

    def word(self, path: str, subject: Subject = Subject.FILE) -> Ownership | None:
        """The newest decision about a file."""
        return self._words.get((subject, path))

    def was_asked(self, path: str, digest: str) -> bool:
        """Whether the user was told that a file, as it is, or a place waits."""
        return (path, digest) in self._asked

    def adopted(self) -> tuple[Ownership, ...]:
        """The files that were adopted, by path."""
        return tuple(
            row
            for (subject, _), row in sorted(self._words.items())
            if subject is Subject.FILE and row.verdict is OwnershipVerdict.OWNED
        )

    def holds(self, path: str, digest: str, changes: Callable[[], Iterable[Change]]) -> bool:
        """Whether what a file holds now is the user's or ours; `changes` are ours of that file, oldest first."""
        if not digest:
            return False
        word = self._words.get((Subject.FILE, path))
        known = {word.digest} if word is not None and word.verdict is OwnershipVerdict.OWNED else set[str]()
        if digest in known:
            return True
        known.add("")  # what we put into a file that was not there is all ours
        for change in changes():
            if change.before in known:
                known.add(change.after)
        return digest in known

    def continues(self, path: str, facts: Callable[[int], FileFacts | None]) -> bool:
        """Whether a file is the one that was adopted, with nothing done to it but to write on."""
        word = self._words.get((Subject.FILE, path))
        if word is None or word.verdict is not OwnershipVerdict.OWNED:
            return False
        now = facts(min(word.size, BEGINNING))
        return now is not None and now.size >= word.size and (now.identity, now.digest) == (word.identity, word.digest)
