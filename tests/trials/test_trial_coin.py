"""The trial coin is deterministic per session and rule, fair, and independent for each rule."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from wisen.model.exposure import Arm
from wisen.model.trial import Verdict
from wisen.trials.coin import CoinPolicy, chance, toss

pytestmark = pytest.mark.requirement("X1")
SALT = b"a salt of this machine"


def is_assigned(rule: str, session: str, share: float = 0.5, salt: bytes = SALT, version: str = "1") -> bool:
    return toss(salt, rule=rule, version=version, session=session, chance=share) is Arm.GIVEN


@given(st.text(), st.text(), st.text(), st.binary(), st.floats(0, 1))
def test_the_same_session_and_rule_have_the_same_coin(
    rule: str, version: str, session: str, salt: bytes, share: float
) -> None:
    first, second = (toss(salt, rule=rule, version=version, session=session, chance=share) for _ in range(2))
    assert first is second


@given(st.text(), st.text(), st.floats(0, 1), st.floats(0, 1))
def test_who_gets_a_rule_at_a_smaller_chance_gets_it_at_a_greater_one(
    rule: str, session: str, one: float, other: float
) -> None:
    low, high = sorted((one, other))
    assert is_assigned(rule, session, high) or not is_assigned(rule, session, low)


@given(st.text(), st.text())
def test_certain_is_certain(rule: str, session: str) -> None:
    assert is_assigned(rule, session, 1.0)
    assert not is_assigned(rule, session, 0.0)


@pytest.mark.parametrize("share", [0.5, 0.8, 0.95])
def test_the_coin_is_fair(share: float) -> None:
    given_ = sum(is_assigned("R-1", f"session {number}", share) for number in range(100_000))
    assert stats.chisquare([given_, 100_000 - given_], [100_000 * share, 100_000 * (1 - share)]).pvalue > 1e-4


def test_rules_versions_and_machines_have_coins_of_their_own() -> None:
    sessions = [f"session {number}" for number in range(25_000)]
    first = np.array([is_assigned("R-1", session) for session in sessions])
    for other in (
        [is_assigned("R-2", session) for session in sessions],
        [is_assigned("R-1", session, version="2") for session in sessions],
        [is_assigned("R-1", session, salt=b"another") for session in sessions],
        [*first[1:], first[0]],
    ):
        table = np.histogram2d(first, np.array(other), bins=2)[0]
        assert stats.chi2_contingency(table, correction=False).pvalue > 1e-4


def test_the_arms_are_no_longer_in_runs_than_those_of_a_shuffled_course() -> None:
    arms = [is_assigned("R-1", f"{number}") for number in range(4_000)]

    def changes(course: list[bool]) -> int:
        return sum(one != other for one, other in pairwise(course))

    chance_ = random.Random(1)
    shuffled = sorted(changes(chance_.sample(arms, len(arms))) for _ in range(400))
    assert shuffled[1] <= changes(arms) <= shuffled[-2]


def test_half_at_first_then_most_then_nearly_all() -> None:
    assert [chance(number, Verdict.RUNNING) for number in (0, 29, 30, 500)] == [0.5, 0.5, 0.8, 0.8]
    assert chance(70, Verdict.CONFIRMED) == 0.95
    assert chance(5, Verdict.RUNNING, CoinPolicy(first=0.6, first_sessions=4)) == 0.8


def test_what_guards_safety_is_never_withheld() -> None:
    assert {chance(number, verdict, safety=True) for number in (0, 50) for verdict in Verdict} == {1.0}
