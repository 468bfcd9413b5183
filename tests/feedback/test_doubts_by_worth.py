"""Which turns somebody is asked about first: those where an answer is likely to change most."""

from __future__ import annotations

import pytest

from wisen.feedback.doubt import LONGEST, doubts_by_worth, worth_of_answer
from wisen.model.signal import Heard

pytestmark = pytest.mark.requirement("N4")

UNSURE = "the list is by name, see the report"
SURE = "that was wrong, undo it"
NOTHING = "run the tests"


def test_what_is_in_doubt_comes_before_what_is_clear_either_way() -> None:
    turns = [Heard(text=text) for text in (NOTHING, SURE, UNSURE)]
    assert doubts_by_worth(turns, 1) == [2]
    assert sorted(doubts_by_worth(turns, 3)) == [0, 1, 2]


def test_no_more_are_named_than_asked_for_and_none_that_cannot_be_asked_about() -> None:
    turns = [Heard(text=UNSURE), Heard(text="  "), Heard(text="x " * LONGEST), Heard(text=UNSURE)]
    assert doubts_by_worth(turns, 9) == [0, 3]
    assert doubts_by_worth(turns, 1) == [0]
    assert doubts_by_worth([], 5) == []


def test_a_lesson_that_may_be_missed_is_worth_more_than_one_that_may_be_dropped() -> None:
    assert worth_of_answer(0.4, is_heard=False, lasts=0.0) > worth_of_answer(0.6, is_heard=True, lasts=0.0)


def test_doubt_whether_it_lasts_adds_to_the_worth() -> None:
    assert worth_of_answer(0.9, is_heard=True, lasts=0.5) > worth_of_answer(0.9, is_heard=True, lasts=0.95)
