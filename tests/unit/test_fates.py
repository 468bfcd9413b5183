"""Whose act it was that a line of ours is gone or reworded."""

from __future__ import annotations

import pytest

from wisen.loop.apply.fates import Fate, Tracked, fate

TEXT = "Use pnpm."
OURS = b"- Use pnpm. <!-- wisen:R-7f3a -->\n"
REWORDED = b"- Use pnpm 9. <!-- wisen:R-7f3a -->\n"


def told(now: bytes | None, git: Tracked | None = None) -> Fate:
    return fate("R-7f3a", TEXT, now, git)


def tracked(at_head: bytes, *, switched: bool = False) -> Tracked:
    return Tracked(head_then="a", head_now="b" if switched else "a", at_head=at_head)


def test_a_line_that_was_moved_still_stands() -> None:
    assert told(b"# Other\n\nwords\n" + OURS) is Fate.STANDS
    assert told(OURS, tracked(b"", switched=True)) is Fate.STANDS


@pytest.mark.parametrize(("now", "expected"), [(b"", Fate.REFUSED), (None, Fate.REFUSED), (REWORDED, Fate.HIS)])
def test_in_a_file_without_git_it_was_the_person(now: bytes | None, expected: Fate) -> None:
    assert told(now) is expected


@pytest.mark.requirement("S19")
@pytest.mark.parametrize("now", [b"", REWORDED])
def test_a_switched_branch_is_not_a_refusal(now: bytes) -> None:
    assert told(now, tracked(OURS, switched=True)) is Fate.UNCLEAR


@pytest.mark.parametrize(
    ("now", "at_head", "expected"),
    [
        (b"", OURS, Fate.REFUSED),
        (REWORDED, OURS, Fate.HIS),
        (REWORDED, b"", Fate.HIS),
        (b"", b"", Fate.UNCLEAR),
        (REWORDED, REWORDED, Fate.UNCLEAR),
    ],
)
def test_under_the_same_head_it_was_the_person_where_the_line_differs_from_it(
    now: bytes, at_head: bytes, expected: Fate
) -> None:
    assert told(now, tracked(at_head)) is expected
