"""Verdicts on rules: the first decision stands, the same however late one looks, and rarely wrong without an effect."""

from __future__ import annotations

import math
import random

import msgspec
import numpy as np
import pytest
from benchmarks import trial_verdicts
from hypothesis import given, settings
from hypothesis import strategies as st

from wisen.model.exposure import Arm
from wisen.model.trial import TrialJudgment, TrialRow, Verdict
from wisen.trials.coin import chance, toss
from wisen.trials.verdicts import VerdictPolicy, judge

pytestmark = pytest.mark.requirement("X1")


def row(number: int, *, given: bool, hit: bool, share: float = 0.5, **more: object) -> TrialRow:
    values: dict[str, object] = {
        "session": f"s{number}",
        "rule": "R-1",
        "version": "1",
        "arm": Arm.GIVEN if given else Arm.WITHHELD,
        "chance": share,
        "relevant": True,
        "hit": hit,
    }
    return TrialRow(**{**values, **more})  # type: ignore[arg-type]


def course(
    seed: int,
    without: float,
    ratio: float,
    sessions: int = 240,
    guardrails: dict[str, tuple[float, float]] | None = None,
) -> list[TrialRow]:
    """A trial under the program's own coin; what must not get worse has a mean without the rule and with it."""
    luck = random.Random(seed)
    rows: list[TrialRow] = []
    for number in range(sessions):
        share = chance(number, Verdict.RUNNING)
        arm = toss(b"salt", rule=f"R-{seed}", version="1", session=f"s{number}", chance=share)
        given_ = arm is Arm.GIVEN
        hit = luck.random() < without * (ratio if given_ else 1)
        counts = {name: int(luck.expovariate(1 / means[given_])) for name, means in (guardrails or {}).items()}
        rows.append(row(number, given=given_, hit=hit, share=share, guardrails=counts))
    return rows


ROWS = st.lists(
    st.builds(
        lambda given, hit, share, relevant, failures: (given, hit, share, relevant, failures),
        st.booleans(),
        st.booleans(),
        st.sampled_from([0.5, 0.8, 0.95]),
        st.booleans(),
        st.integers(0, 5),
    ),
    max_size=80,
).map(
    lambda rows: [
        row(number, given=given, hit=hit, share=share, relevant=relevant, guardrails={"failures": failures})
        for number, (given, hit, share, relevant, failures) in enumerate(rows)
    ]
)


def test_rows_and_verdicts_come_back_from_json_as_they_were() -> None:
    rows = course(1, 0.4, 0.1, guardrails={"failures": (2.0, 2.0)})
    judged = judge(rows)
    assert msgspec.json.decode(msgspec.json.encode(rows), type=list[TrialRow]) == rows
    assert msgspec.json.decode(msgspec.json.encode(judged), type=TrialJudgment) == judged


def test_a_rule_that_takes_away_most_is_confirmed() -> None:
    verdicts = [judge(course(seed, 0.4, 0.1)) for seed in range(40)]
    assert sum(each.verdict is Verdict.CONFIRMED for each in verdicts) >= 39
    assert all(each.good >= 35 for each in verdicts if each.verdict is Verdict.CONFIRMED)
    assert sum(each.interval is not None and each.interval[1] < 1 for each in verdicts) >= 37
    assert np.median([each.better for each in verdicts]) > 0.99


def test_the_sentence_says_what_a_person_needs() -> None:
    without = [row(number, given=False, hit=number % 3 == 0) for number in range(41)]
    given_ = [row(100 + number, given=True, hit=number in (3, 30)) for number in range(39)]
    mixed = [each for pair in zip(without, given_, strict=False) for each in pair] + without[39:]
    description = judge(mixed, VerdictPolicy(good=1e9, futile=1e9, sessions=80)).description
    assert description == "seen in 14 of 41 sessions without it, 2 of 39 with it; inconclusive"
    assert judge([]).description == "no session yet in which it mattered"


def test_a_rule_that_does_harm_is_made_worse_or_at_least_ineffective_soon() -> None:
    verdicts = [judge(course(seed, 0.2, 3.0)) for seed in range(40)]
    assert {each.verdict for each in verdicts} <= {Verdict.WORSE, Verdict.INEFFECTIVE}
    assert sum(each.verdict is Verdict.WORSE for each in verdicts) >= 15
    assert np.median([each.sessions for each in verdicts]) < 60


def test_a_rule_that_does_nothing_is_seldom_called_anything_good_or_bad() -> None:
    """A/A: coins and no rule, with four things that must not get worse."""
    guardrails = {"corrections": (0.4, 0.4), "failures": (4.0, 4.0), "interrupts": (0.1, 0.1), "tokens": (1e4, 1e4)}
    verdicts = [judge(course(seed, 0.2, 1.0, guardrails=guardrails)).verdict for seed in range(400)]
    assert verdicts.count(Verdict.CONFIRMED) <= 0.025 * 400 + 2 * 3.1
    assert verdicts.count(Verdict.WORSE) <= 0.05 * 400 + 2 * 4.4


def test_a_rule_is_dropped_when_something_else_gets_worse() -> None:
    verdicts = [
        judge(course(seed, 0.05, 1.0, guardrails={"failures": (2.0, 7.0), "tokens": (9.0, 9.0)})) for seed in range(20)
    ]
    assert sum(each.verdict is Verdict.WORSE for each in verdicts) >= 15
    worse = next(each for each in verdicts if each.verdict is Verdict.WORSE and each.worst_guardrail)
    assert worse.worst_guardrail == "failures"
    assert worse.description.endswith("made worse (failures)")
    assert worse.guardrails["failures"] > worse.guardrails["tokens"]


def test_without_a_verdict_a_trial_ends_after_240_relevant_sessions() -> None:
    rows = [row(number, given=number % 2 == 0, hit=False, relevant=number % 3 != 0) for number in range(400)]
    assert judge(rows[:359]).verdict is Verdict.RUNNING
    ended = judge(rows)
    assert (ended.verdict, ended.sessions, ended.decided) == (Verdict.INCONCLUSIVE, 240, "s359")


def test_six_hits_all_without_the_rule_are_not_enough_and_seven_are() -> None:
    hits = [row(number, given=False, hit=True) for number in range(7)]
    assert judge(hits[:6]).verdict is Verdict.RUNNING
    assert judge(hits).verdict is Verdict.CONFIRMED


def test_a_session_counts_once() -> None:
    hits = [row(1, given=False, hit=True) for _ in range(50)]
    assert (judge(hits).verdict, judge(hits).sessions) == (Verdict.RUNNING, 1)


def test_a_confirmed_rule_that_begins_to_hurt_has_to_prove_itself_again() -> None:
    good = [row(number, given=False, hit=True) for number in range(8)]
    aged = [row(100 + number, given=number % 20 != 0, share=0.95, hit=number % 20 != 0) for number in range(300)]
    verdict = judge([*good, *aged[:30]])
    assert verdict.verdict is Verdict.CONFIRMED
    assert verdict.since > 1
    reopened = judge([*good, *aged])
    assert reopened.reopened >= 1
    assert reopened.verdict is not Verdict.CONFIRMED


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.1, 1.0, 4.0]), st.integers(1, 240))
def test_a_late_look_says_what_an_early_one_said(seed: int, ratio: float, early: int) -> None:
    rows = course(seed, 0.3, ratio)
    first, last = judge(rows[:early]), judge(rows)
    if first.verdict is not Verdict.RUNNING:
        assert (first.decided, first.given, first.withheld) == (last.decided, last.given, last.withheld)
        assert first.verdict is last.verdict


@settings(deadline=None)
@given(ROWS)
def test_sessions_in_which_the_rule_did_not_matter_change_nothing(rows: list[TrialRow]) -> None:
    assert judge(rows) == judge([each for each in rows if each.relevant])


@settings(deadline=None)
@given(ROWS, st.randoms())
def test_the_counts_do_not_depend_on_the_order_of_sessions(rows: list[TrialRow], luck: random.Random) -> None:
    """Nor does the futility; the other figures stake on what came before, and the verdict on what came first."""
    never = VerdictPolicy(good=1e300, harm=1e300, futile=1e300, guardrails=1e300, sessions=10**6)
    shuffled = luck.sample(rows, len(rows))

    def counted(judged: TrialJudgment) -> tuple[object, ...]:
        return judged.given, judged.withheld, judged.futile, judged.better, judged.interval

    assert counted(judge(rows, never)) == counted(judge(shuffled, never))


@settings(deadline=None)
@given(ROWS)
def test_every_figure_is_one_that_can_be_shown(rows: list[TrialRow]) -> None:
    judged = judge(rows)
    assert min(judged.good, judged.harm, judged.futile, judged.since, *judged.guardrails.values(), 1.0) >= 0
    assert 0 <= judged.better <= 1
    assert judged.interval is None or 0 <= judged.interval[0] <= judged.interval[1] < math.inf
    assert msgspec.json.decode(msgspec.json.encode(judged), type=TrialJudgment) == judged
    assert judged.description
    assert judged.interval_text


def test_the_simulator_of_the_benchmark_gives_the_same_verdicts() -> None:
    """On random trials of all kinds: verdict, deciding session and evidence of each are those of the program."""
    luck = np.random.default_rng(8)
    count, sessions = 60, 240
    share = np.where(np.arange(sessions) < 30, 0.5, 0.8)
    ratios = luck.choice([0.05, 0.3, 1.0, 3.0], (count, 1))
    rates = luck.choice([0.05, 0.2, 0.4], (count, 1))
    given_ = luck.random((count, sessions)) < share
    hit = luck.random((count, sessions)) < np.minimum(rates * np.where(given_, ratios, 1), 1)
    numbers = [luck.poisson(np.where(given_, luck.choice([1, 2], (count, 1)) * mean, mean)) for mean in (0.3, 5)]
    policy = VerdictPolicy()
    ended = trial_verdicts.judge(
        share, given_, hit, [trial_verdicts.rank_places(each.astype(float)) for each in numbers], policy
    )
    for trial in range(count):
        rows = [
            row(
                number,
                given=bool(given_[trial, number]),
                hit=bool(hit[trial, number]),
                share=float(share[number]),
                guardrails={f"rail {which}": int(each[trial, number]) for which, each in enumerate(numbers)},
            )
            for number in range(sessions)
        ]
        decided = int(ended.session[trial]) + 1
        judged = judge(rows[:decided])
        assert judged.verdict is trial_verdicts.ENDINGS[ended.verdict[trial]]
        assert judged.decided == f"s{decided - 1}"
        assert judge(rows).decided == judged.decided
        assert judged.good == pytest.approx(ended.good[trial])
        assert judged.harm == pytest.approx(ended.harm[trial])
        assert judged.futile == pytest.approx(ended.futile[trial])
        assert np.mean(list(judged.guardrails.values())) == pytest.approx(ended.rails[trial])
    assert set(ended.verdict) == {0, 1, 2, 3}
