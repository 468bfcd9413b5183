"""In-memory checkouts for tests of edits, and the contract suite for every implementation of `Checkouts`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from wisen.model.change import CheckedOutFile, HeadStep, HeadStepKind

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from wisen.system.machine_ports import Checkouts


class MemoryCheckouts:
    """Checkouts whose state the test sets."""

    def __init__(self) -> None:
        self._commits = 0
        self._at: dict[str, CheckedOutFile] = {}
        self._moves: dict[str, list[tuple[HeadStepKind, CheckedOutFile]]] = {}

    def commit(self, path: Path, content: bytes) -> CheckedOutFile:
        """Check out a new commit with this content of a file."""
        self._commits += 1
        made = CheckedOutFile(f"{self._commits:040x}", content)
        self._check_out(path, made, HeadStepKind.FORWARD)
        return made

    def switch(self, path: Path, checkout: CheckedOutFile) -> None:
        """Check out another commit."""
        self._check_out(path, checkout, HeadStepKind.SWITCHED)

    def _check_out(self, path: Path, checkout: CheckedOutFile, how: HeadStepKind) -> None:
        self._at[str(path)] = checkout
        self._moves.setdefault(str(path), []).append((how, checkout))

    def head_steps(self, path: str, head: str, at: datetime) -> tuple[HeadStep, ...] | None:
        """Return how HEAD moved since it named a commit; None if it never did."""
        moves = self._moves.get(path, [])
        last = next((number for number in reversed(range(len(moves))) if moves[number][1].head == head), None)
        if last is None:
            return None
        pairs = zip(moves[last:], moves[last + 1 :], strict=False)
        return tuple(HeadStep(how, before.content, after.content) for (_, before), (how, after) in pairs)

    def checkout_of(self, path: str) -> CheckedOutFile | None:
        """Return what git knows about a file; None if it does not track it."""
        return self._at.get(path)

    def is_tracked(self, path: str) -> bool:
        """Whether git tracks a file."""
        return path in self._at


LATER = datetime(2100, 1, 1, tzinfo=UTC)
"""A look that is not older than anything in the reflog: only the commit says what came after it."""


class CheckoutsContract:
    """Fixtures: `checkouts`; `path`, a file that git does not track yet; `commit`, which commits a content of it."""

    def test_a_file_that_is_not_tracked_is_reported(self, checkouts: Checkouts, path: Path) -> None:
        assert checkouts.checkout_of(str(path)) is None
        assert not checkouts.is_tracked(str(path))

    def test_the_commit_and_the_content_in_it_are_reported(
        self, checkouts: Checkouts, path: Path, commit: Callable[[Path, bytes], object]
    ) -> None:
        seen = []
        for content in (b"one\n", b"", b"\xff\x00\r\n two", b"one\n"):
            commit(path, content)
            found = checkouts.checkout_of(str(path))
            assert found is not None
            assert found.content == content
            assert checkouts.is_tracked(str(path))
            seen.append(found.head)
        assert len(set(seen)) == 4
        assert all(len(head) == 40 for head in seen)
        assert checkouts.checkout_of(str(path)) == checkouts.checkout_of(str(path))

    def test_other_files_are_no_business_of_it(
        self, checkouts: Checkouts, path: Path, commit: Callable[[Path, bytes], object]
    ) -> None:
        commit(path, b"x")
        assert checkouts.checkout_of(str(path.with_name("other.md"))) is None
        assert not checkouts.is_tracked(str(path.with_name("other.md")))

    def test_commits_since_a_commit_are_steps_forward(
        self, checkouts: Checkouts, path: Path, commit: Callable[[Path, bytes], object]
    ) -> None:
        commit(path, b"one\n")
        first = checkouts.checkout_of(str(path))
        assert first is not None
        assert checkouts.head_steps(str(path), first.head, LATER) == ()
        commit(path, b"two\n")
        commit(path, b"three\n")
        forward = HeadStepKind.FORWARD
        assert checkouts.head_steps(str(path), first.head, LATER) == (
            HeadStep(forward, b"one\n", b"two\n"),
            HeadStep(forward, b"two\n", b"three\n"),
        )
        assert checkouts.head_steps(str(path), "f" * 40, LATER) is None
