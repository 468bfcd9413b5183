"""Tests the detection benchmark's oracle, which answers in place of an agent: what it is asked, what answers change."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks import detect_oracle
from benchmarks.detect_items import Item
from benchmarks.detect_left_out import with_own_phrases
from benchmarks.detect_oracle import SETTINGS, AnsweredTurns, ProjectPredictions, choose, is_question_candidate

from wisen.feedback.doubt import AnswerWorth
from wisen.feedback.quote_verification import MAX_QUOTE
from wisen.model.signal import TypedTurn

pytestmark = pytest.mark.requirement("N4")

PLAIN = AnswerWorth(missed=1.3, false=0.7, lasting=0.0)


def a_turn(number: int, *, corrects: bool, lasts: bool | None = None, project: str = "pears") -> Item:
    return Item(
        id=f"t{number}",
        group=f"s{number}",
        typed_turn=TypedTurn(text=f"count the pears {number}"),
        kinds=frozenset({"correction"} if corrects else ()),
        lasts=lasts,
        project=project,
        began=f"{number:03}",
    )


def a_project(chances: list[float], corrects: list[bool]) -> ProjectPredictions:
    """Turns detected above one half, none of them labelled as lasting."""
    items = [a_turn(n, corrects=yes, lasts=False if yes else None) for n, yes in enumerate(corrects)]
    scores, none = np.array(chances), np.zeros(len(items))
    return ProjectPredictions(items, scores, (scores >= 0.5).astype(np.float64), none, none)


def test_turns_near_the_threshold_are_asked_about_and_no_more_than_a_fifth() -> None:
    project = a_project([0.01, 0.45, 0.99, 0.02, 0.03, 0.98, 0.04, 0.05, 0.52, 0.97], [False] * 10)
    assert project.best(PLAIN) == [1, 8]
    assert len(project.at_random(1)) == 2
    assert project.at_random(1) == project.at_random(1)


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("count the pears", True),
        ("  ", False),
        ("x" * (MAX_QUOTE + 1), False),
        ("```\ncount\n```", False),
        ("never count the pears twice", False),
    ],
)
def test_only_what_may_be_asked_about_in_use_is_asked_about(text: str, may: bool) -> None:
    assert is_question_candidate(text) is may


def test_right_answers_correct_what_was_wrong_and_wrong_ones_spoil_it(monkeypatch: pytest.MonkeyPatch) -> None:
    helped = AnsweredTurns([a_project([0.4, 0.9, 0.6, 0.1], [True, True, False, False])])
    assert helped.figures([[[]]])["correction_f1"] == 0.5
    monkeypatch.setattr(detect_oracle, "_ERRS", 0.0)
    assert helped.figures([[[0, 2]]])["correction_f1"] == 1.0
    monkeypatch.setattr(detect_oracle, "_ERRS", 1.0)
    assert helped.figures([[[0, 1, 2, 3]]])["correction_f1"] == 0.0


def test_weights_are_chosen_among_those_that_are_compared_by_what_helps() -> None:
    chances = [0.3, 0.6, *([0.01] * 8)]
    missed = a_project(chances, [True, True, *([False] * 8)])
    found = choose([missed])
    assert found in SETTINGS
    got = AnsweredTurns([missed])
    best = max(got.figures([[missed.best(each)]] * 20)["correction_f1"] for each in SETTINGS)
    assert got.figures([[missed.best(found)]] * 20)["correction_f1"] == best


def test_without_earlier_sessions_no_phrase_is_known() -> None:
    items = [a_turn(number, corrects=False) for number in range(6)]
    predictions = np.zeros(6), np.zeros(6)
    (_, yes), counts = with_own_phrases(items, predictions, [])
    assert counts == {"phrases": 0, "turns": 0, "right": 0}
    assert not yes.any()
