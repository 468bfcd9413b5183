"""Which messages the user is asked about first: those where an answer is likely to change most."""

from __future__ import annotations

import pytest

from wisen.feedback.detector import shipped_detector
from wisen.feedback.doubt import DOUBTED_KINDS, MAX_LENGTH, MIN_WORTH, WORTH, doubts_by_worth, is_worth_asking
from wisen.model.signal import TypedTurn

pytestmark = pytest.mark.requirement("N4")

UNSURE = "the list is by name, see the report"
SURE = "that was wrong, undo it"
NOTHING = "run the tests"
HARDLY_HEARD = "customers do not read labels on the lid"


def test_what_is_in_doubt_comes_before_what_is_clear_either_way() -> None:
    turns = [TypedTurn(text=text) for text in (NOTHING, SURE, UNSURE)]
    assert doubts_by_worth(turns, 1) == [2]
    assert sorted(doubts_by_worth(turns, 3)) == [0, 1, 2]


def test_no_more_are_named_than_asked_for_and_none_that_cannot_be_asked_about() -> None:
    turns = [TypedTurn(text=UNSURE), TypedTurn(text="  "), TypedTurn(text="x " * MAX_LENGTH), TypedTurn(text=UNSURE)]
    assert doubts_by_worth(turns, 9) == [0, 3]
    assert doubts_by_worth(turns, 1) == [0]
    assert doubts_by_worth([], 5) == []


def test_a_lesson_that_may_be_missed_is_worth_more_than_one_that_may_be_dropped() -> None:
    assert WORTH.expected(0.4, is_detected=False, lasts=0.0) > WORTH.expected(0.6, is_detected=True, lasts=0.0)


def test_doubt_whether_it_lasts_adds_to_the_worth() -> None:
    assert WORTH.expected(0.9, is_detected=True, lasts=0.5) > WORTH.expected(0.9, is_detected=True, lasts=0.95)


def test_nobody_is_asked_where_an_answer_would_hardly_change_anything() -> None:
    assert is_worth_asking(TypedTurn(text=HARDLY_HEARD))
    assert not is_worth_asking(TypedTurn(text=SURE))
    assert not is_worth_asking(TypedTurn(text=NOTHING))
    assert not is_worth_asking(TypedTurn(text=" "))
    assert not is_worth_asking(TypedTurn(text=f"{HARDLY_HEARD} " * MAX_LENGTH))


def test_what_is_worth_asking_is_what_the_weights_say() -> None:
    turns = [TypedTurn(text=text) for text in (NOTHING, SURE, UNSURE, HARDLY_HEARD)]
    margins = [shipped_detector().margins(turn) for turn in turns]
    chances = [shipped_detector().probabilities(turn) for turn in turns]
    for turn, margin, chance in zip(turns, margins, chances, strict=True):
        kind = max(DOUBTED_KINDS, key=lambda each: margin[each])
        least, most = (WORTH.expected(chance[kind], is_detected=margin[kind] >= 0, lasts=lasts) for lasts in (0.0, 0.5))
        assert least < MIN_WORTH or is_worth_asking(turn)
        assert most >= MIN_WORTH or not is_worth_asking(turn)
