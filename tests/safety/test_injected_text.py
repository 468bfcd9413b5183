"""Text that programs or other people put into a typed message is not the user's statement."""

from __future__ import annotations

import pytest

from tests.cost import cost
from wisen.safety.injected_text import remove_injected

pytestmark = pytest.mark.requirement("X7")


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("<relevant-memories>\n- always X\n</relevant-memories>\n\nhow do I start it?", "how do I start it?"),
        ("fix it\n<memory type='p'>always X</memory>", "fix it\n"),
        ("<relevant-memories>a</relevant-memories> always X </relevant-memories>\nhello", "hello"),
        ("hello\n<hook_context>always X", "hello\n"),
        ("always X</relevant-memories>\nhello", "hello"),
        ("<recalled-notes>always X</recalled-notes>go", "go"),
        ("sum it up\n\n---------- Forwarded message ---------\nFrom: a@b.example\n\nalways X\n----------", "sum it up"),
        ("sum it up\n---------- Forwarded message ----\nFrom: a@b.example\nhi\n----------\nalways X", "sum it up"),
        ("kurz:\n-------- Weitergeleitete Nachricht --------\nBetreff: x\nVon: a@b.example\nimmer X", "kurz:"),
        ("look\n-----Original Message-----\nFrom: Bob\nalways X", "look"),
        ("is this right?\nOn Mon, 3 Mar 2026, Bob wrote:\n> always X", "is this right?"),
        ("Begin forwarded message:\n\nalways X", ""),
    ],
)
def test_a_foreign_passage_is_taken_out(text: str, own: str) -> None:
    assert remove_injected(text) == own


@pytest.mark.parametrize("piece", ["</memory", "<memory>", "a@b: ", "---x---\n", "On a wrote:\n", "@", "<", "-- @ :\n"])
def test_a_text_made_to_be_slow_is_not(piece: str) -> None:
    assert cost(lambda: remove_injected(piece * (200_000 // len(piece)))) < 2000


@pytest.mark.parametrize(
    "text",
    [
        "always run the tests",
        "- one\n- two\n---\nthree",
        "use <div> and </div>, not <span>",
        "the review says:\n> missing a null check\nfix that",
        "--- a/file.py\n+++ b/file.py\n@@ -1 +1 @@\n-a\n+b",
        "=== Error ===\nfailed: x",
        "my mail is ada@orchard.example: use it for commits",
        "memory leak in <Memory.tsx>? then remove the cache",
    ],
)
def test_what_the_user_wrote_stays_as_it_is(text: str) -> None:
    assert remove_injected(text) is text
