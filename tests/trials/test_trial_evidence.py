"""Trial evidence agrees with published results, is calibrated under chance, and ignores how often one looks."""

from __future__ import annotations

import math
import random
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import betainc

from wisen.model.instruction import Rate
from wisen.trials.before_after import HitCounts, Prior, estimate_drift, fit_prior, tail_probability
from wisen.trials.evidence import FUTILE, GOOD, HARM, USEFUL, EvidenceTally, RankWager, Wager, beta_below, weighted_mean
from wisen.trials.multiple_testing import standing_rules

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import statsmodels.api as sm
    from online_fdr.e_values import EBH

pytestmark = pytest.mark.requirement("X1")
CHANCES = st.sampled_from([0.5, 0.8, 0.95])
SESSIONS = st.lists(st.tuples(CHANCES, st.booleans(), st.booleans()), max_size=60)


def tally(*counts: tuple[float, int, int, int, int]) -> EvidenceTally:
    """Chance, hits and sessions without, hits and sessions with."""
    evidence = EvidenceTally()
    for chance, hits0, of0, hits1, of1 in counts:
        for number in range(of0):
            evidence.add(chance, given=False, hit=number < hits0)
        for number in range(of1):
            evidence.add(chance, given=True, hit=number < hits1)
    return evidence


@given(st.floats(0.5, 400), st.floats(0.5, 400), st.floats(0, 1))
def test_the_incomplete_beta_function_is_scipys(a: float, b: float, x: float) -> None:
    assert beta_below(a, b, x) == pytest.approx(betainc(a, b, x), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(
    ("counts", "better"),
    [
        ((3, 30, 0, 30), 0.967),
        ((3, 30, 0, 10), 0.83),
        ((5, 50, 1, 50), 0.953),
        ((10, 100, 4, 100), 0.947),
        ((2, 40, 6, 40), 0.077),
    ],
)
def test_how_likely_a_rule_helps_is_known_for_these(counts: tuple[int, int, int, int], better: float) -> None:
    assert tally((0.5, *counts)).probability_below(1.0) == pytest.approx(better, abs=0.0006)


def test_the_interval_holds_what_the_posterior_says() -> None:
    evidence = tally((0.5, 14, 41, 2, 39))
    low, high = evidence.interval() or (0.0, 0.0)
    assert [evidence.probability_below(low), evidence.probability_below(high)] == pytest.approx([0.025, 0.975])
    shares = stats.beta(2.5, 14.5).ppf([0.025, 0.975])
    assert [low, high] == pytest.approx([share / (1 - share) * 41 / 39 for share in shares])


def test_a_drift_beside_a_changed_chance_does_not_look_like_harm() -> None:
    """Twice as many hits later, when more sessions get the rule: each stratum is even, the sums are not."""
    drifted = tally((0.5, 20, 200, 20, 200), (0.8, 16, 40, 64, 160))
    assert drifted.probability_below(1.0) == pytest.approx(0.5, abs=0.02)
    assert tally((0.5, 36, 240, 84, 360)).probability_below(1.0) < 0.02


@pytest.mark.parametrize("chance", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("ratios", [GOOD, HARM])
@given(past=st.lists(st.tuples(st.booleans(), st.booleans()), max_size=30), hit=st.booleans())
def test_a_wager_is_fair_whatever_happened_before(
    ratios: tuple[tuple[float, float], ...], chance: float, past: list[tuple[bool, bool]], hit: bool
) -> None:
    """Over the two sides of the coin the next value has the mean of this one: that is all the proof needs."""
    sides = []
    for side in (True, False):
        wager = Wager(ratios)
        for given_, hit_ in past:
            wager.add(chance, given=given_, hit=hit_)
        before = wager.value
        wager.add(chance, given=side, hit=hit)
        sides.append(wager.value)
    assert chance * sides[0] + (1 - chance) * sides[1] == pytest.approx(before, rel=1e-9)


@given(past=st.lists(st.tuples(CHANCES, st.booleans(), st.integers(0, 9)), max_size=30), number=st.integers(0, 9))
@pytest.mark.parametrize("greater", [True, False])
def test_a_wager_on_numbers_is_fair_too(greater: bool, past: list[tuple[float, bool, int]], number: int) -> None:
    sides = []
    for side in (True, False):
        wager = RankWager(greater=greater)
        for chance, given_, earlier in past:
            wager.add(chance, earlier, given=given_)
        before = wager.value
        wager.add(0.8, number, given=side)
        sides.append(wager.value)
    assert 0.8 * sides[0] + 0.2 * sides[1] == pytest.approx(before, rel=1e-9)


@given(SESSIONS)
def test_evidence_is_never_negative_and_grows_only_for_one_side(sessions: list[tuple[float, bool, bool]]) -> None:
    good, harm, evidence = Wager(GOOD), Wager(HARM), EvidenceTally()
    for chance, given_, hit in sessions:
        for each in (good, harm, evidence):
            each.add(chance, given=given_, hit=hit)
    assert min(good.value, harm.value, evidence.futility()) >= 0
    assert min(good.value, harm.value) < 3


@given(SESSIONS, st.randoms())
def test_what_hits_tell_of_futility_does_not_depend_on_their_order(
    sessions: list[tuple[float, bool, bool]], chance: random.Random
) -> None:
    first, second = EvidenceTally(), EvidenceTally()
    for each in sessions:
        first.add(each[0], given=each[1], hit=each[2])
    chance.shuffle(sessions)
    for each in sessions:
        second.add(each[0], given=each[1], hit=each[2])
    assert (first.futility(), first.probability_below(1.0)) == (second.futility(), second.probability_below(1.0))


def test_futility_is_the_mean_of_likelihood_ratios() -> None:
    """Seven hits with and five without, at even chances: the product written out."""
    evidence = tally((0.5, 5, 20, 7, 20))

    def share(ratio: float) -> float:
        return ratio / (1 + ratio)

    expected = sum(
        weight * (share(ratio) / share(USEFUL)) ** 7 * ((1 - share(ratio)) / (1 - share(USEFUL))) ** 5
        for ratio, weight in FUTILE
    )
    assert evidence.futility() == pytest.approx(expected)


def test_the_weights_of_each_wager_are_a_mean() -> None:
    for ratios in (GOOD, HARM, FUTILE):
        assert math.fsum(weight for _, weight in ratios) == pytest.approx(1)


def test_evidence_stays_finite_when_it_is_overwhelming() -> None:
    assert math.isfinite(weighted_mean([(9_000.0, 1.0)]))
    wager = Wager(GOOD)
    for _ in range(5_000):
        wager.add(0.5, given=False, hit=True)
    assert math.isfinite(wager.value)


def test_a_rule_that_is_never_withheld_gives_no_evidence() -> None:
    wager, numbers = Wager(GOOD), RankWager()
    for number in range(50):
        wager.add(1.0, given=True, hit=False)
        numbers.add(1.0, number, given=True)
    assert (wager.value, numbers.value) == (1.0, 1.0)


def test_one_wild_session_is_worth_no_more_than_a_bad_one() -> None:
    values = []
    for wild in (11, 10**9):
        numbers = RankWager()
        for number in range(10):
            numbers.add(0.5, number, given=number % 2 == 0)
        before = numbers.value
        numbers.add(0.5, wild, given=True)
        values.append(numbers.value / before)
    assert values[0] == values[1] > 1


@given(st.lists(st.floats(0, 1e6), max_size=40), st.sampled_from([0.01, 0.1, 0.3]))
def test_the_accepted_rules_among_many_are_those_of_online_fdr(values: list[float], share: float) -> None:
    evidence = {f"{number:03}": value for number, value in enumerate(values)}
    accepted = EBH(alpha=share).test_batch(values) if values else []
    strict = {name for name, stands in zip(evidence, accepted, strict=True) if stands}
    assert standing_rules(evidence, share) == strict


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6))
def test_the_law_of_rates_is_fitted_as_statsmodels_does(seed: int) -> None:
    chance = np.random.default_rng(seed)
    of = chance.integers(20, 200, 150)
    hits = chance.poisson(chance.gamma(0.7, 0.1 / 0.7, 150) * of)
    prior = fit_prior(Rate(sessions=int(x), of=int(n)) for x, n in zip(hits, of, strict=True))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = sm.NegativeBinomial(hits, np.ones((150, 1)), exposure=of)
        theirs = model.fit(disp=False, maxiter=500)
    ours = model.loglike(np.array([math.log(prior.shape / prior.rate), 1 / prior.shape]))
    assert ours >= theirs.llf - 1e-4
    assert prior.shape / prior.rate == pytest.approx(math.exp(theirs.params[0]), rel=0.01)


@given(st.integers(0, 12), st.integers(1, 60), st.integers(0, 12), st.integers(1, 60), st.floats(0.4, 2.5))
def test_the_surprise_is_a_tail_of_the_negative_binomial_law(x0: int, of0: int, x1: int, of1: int, gone: float) -> None:
    prior = Prior(shape=0.6, rate=11.0)
    counts = HitCounts(before=Rate(sessions=x0, of=of0), after=Rate(sessions=x1, of=of1))
    share = (11.0 + of0) / (11.0 + of0 + gone * of1)
    assert tail_probability(prior, counts, gone) == pytest.approx(stats.nbinom.cdf(x1, 0.6 + x0, share), rel=1e-8)


def test_drift_is_what_others_did_against_what_was_expected() -> None:
    prior = Prior(shape=1.0, rate=10.0)
    still = HitCounts(before=Rate(sessions=4, of=40), after=Rate(sessions=40, of=400))
    assert estimate_drift(prior, [still] * 20) == pytest.approx(1.0, abs=0.01)
    twice = HitCounts(before=Rate(sessions=4, of=40), after=Rate(sessions=80, of=400))
    assert estimate_drift(prior, [twice] * 20) == pytest.approx(2.0, abs=0.02)
    assert estimate_drift(prior, []) == 1.0
