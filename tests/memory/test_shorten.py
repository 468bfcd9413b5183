"""Typed texts are shortened to what distinguishes them; words are dropped, never added."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.memory.shorten import (
    MAX_LENGTH,
    clip,
    commit_subject,
    gist,
    is_commit,
    is_order,
    is_question,
    is_vague,
    quote_at,
    strip_politeness,
)

pytestmark = pytest.mark.requirement("S11")


@pytest.mark.parametrize(
    ("text", "expected"),
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
def test_a_request_is_described_by_its_first_words(text: str, expected: str) -> None:
    assert gist(text) == expected


@given(st.text(), st.integers(0, 100))
def test_no_word_is_added(text: str, start: int) -> None:
    for shortened in (gist(text), clip(text), strip_politeness(clip(text)), quote_at(text, min(start, len(text)))):
        assert len(shortened) <= MAX_LENGTH
        assert "\n" not in shortened
        left = iter("".join(text.split()))
        assert all(char in left for char in "".join(shortened.split()).removesuffix("…"))


def test_what_is_long_is_cut_between_words() -> None:
    shortened = clip("gate " * 100)
    assert shortened.endswith("gate…")
    assert len(shortened) <= MAX_LENGTH
    assert len(clip("x" * 999)) == MAX_LENGTH


def test_words_that_only_ask_fall_away() -> None:
    assert strip_politeness("can you also add a lamp?") == "add a lamp"
    assert strip_politeness("let's paint the shed") == "paint the shed"
    assert strip_politeness("Paint the shed?") == "Paint the shed?"


def test_a_question_asks_for_an_answer_and_not_for_work() -> None:
    assert is_question("why is the gate open?")
    assert is_question("the gate is open, right?")
    assert is_question("We could paint it, what do you think")
    assert not is_question("the gate is open, can you close it?")
    assert not is_question("close the gate")


def test_what_only_points_says_nothing_later() -> None:
    assert is_vague("do option 2")
    assert is_vague("fix that too")
    assert not is_vague("rename it to `gate_open`")
    assert not is_vague("close the gate")


def test_an_order_says_what_to_do() -> None:
    assert is_order("Use the back door here.")
    assert is_order("The gate should never be left open.")
    assert not is_order("The gate was open again.")
    assert not is_order("Another gate.")


def test_the_subject_of_a_commit_is_found_however_it_is_given() -> None:
    here = "git add -A && git commit -q -m \"$(cat <<'EOF'\nOpen the gate\n\nBecause.\nEOF\n)\""
    assert [
        commit_subject(line) for line in (here, "git commit -am 'Open the gate'", 'git -C a commit -m "Open the gate"')
    ] == ["Open the gate"] * 3
    assert commit_subject("git commit --amend --no-edit") == ""
    assert is_commit("git -C a commit --amend")
    assert not is_commit("git log && echo commit")
