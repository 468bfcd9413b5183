"""What was typed is shortened to what tells it from others; words fall away, and none is added."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.memory.shortened import LONGEST, clipped, commits, gist, is_order, is_question, points, quote, subject, wish

pytestmark = pytest.mark.requirement("S11")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Add a lamp to the porch. It should be blue.", "Add a lamp to the porch."),
        ("ok, and now please add a lamp to the porch", "add a lamp to the porch"),
        ("andiron polish comes first here", "andiron polish comes first here"),
        ("Do the following plan:\n\n# Paint the shed\n\nblue", "Do the following plan: Paint the shed"),
        ("Wait. Use the other door, it is open.", "Wait. Use the other door, it is open."),
        ("```\nx = 1\n```\nwhy does this loop end", "why does this loop end"),
        ("=== Step 3: build ===\nok", ""),
        ("Traceback (most recent call last):\n  File", ""),
        ("src/gate.py:12: error: no", ""),
        ("", ""),
    ],
)
def test_a_request_is_told_by_its_first_words(text: str, told: str) -> None:
    assert gist(text) == told


@given(st.text(), st.integers(0, 100))
def test_no_word_is_added(text: str, start: int) -> None:
    for told in (gist(text), clipped(text), wish(clipped(text)), quote(text, min(start, len(text)))):
        assert len(told) <= LONGEST
        assert "\n" not in told
        left = iter("".join(text.split()))
        assert all(char in left for char in "".join(told.split()).removesuffix("…"))


def test_what_is_long_is_cut_between_words() -> None:
    told = clipped("gate " * 100)
    assert told.endswith("gate…")
    assert len(told) <= LONGEST
    assert len(clipped("x" * 999)) == LONGEST


def test_words_that_only_ask_fall_away() -> None:
    assert wish("can you also add a lamp?") == "add a lamp"
    assert wish("let's paint the shed") == "paint the shed"
    assert wish("Paint the shed?") == "Paint the shed?"


def test_a_question_asks_for_an_answer_and_not_for_work() -> None:
    assert is_question("why is the gate open?")
    assert is_question("the gate is open, right?")
    assert is_question("We could paint it, what do you think")
    assert not is_question("the gate is open, can you close it?")
    assert not is_question("close the gate")


def test_what_only_points_says_nothing_later() -> None:
    assert points("do option 2")
    assert points("fix that too")
    assert not points("rename it to `gate_open`")
    assert not points("close the gate")


def test_an_order_says_what_to_do() -> None:
    assert is_order("Use the back door here.")
    assert is_order("The gate should never be left open.")
    assert not is_order("The gate was open again.")
    assert not is_order("Another gate.")


def test_the_subject_of_a_commit_is_found_however_it_is_given() -> None:
    here = "git add -A && git commit -q -m \"$(cat <<'EOF'\nOpen the gate\n\nBecause.\nEOF\n)\""
    assert [
        subject(line) for line in (here, "git commit -am 'Open the gate'", 'git -C a commit -m "Open the gate"')
    ] == ["Open the gate"] * 3
    assert subject("git commit --amend --no-edit") == ""
    assert commits("git -C a commit --amend")
    assert not commits("git log && echo commit")
