"""Before/after estimates for rules that are never withheld, all hints together, and when changes are checked."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.model.entry import EntryOrigin
from wisen.model.exposure import Arm
from wisen.model.trial import BeforeAfter, CheckAction, Portfolio, TrialRow
from wisen.trials.before_after import PLACEBOS, HitSeries, compare_before_after, look_day
from wisen.trials.check_schedule import WatchedChange, due_date, next_check
from wisen.trials.portfolio import build_portfolio

DAY = datetime(2026, 1, 1, tzinfo=UTC)
BORN = DAY + timedelta(days=100)


def course(luck: random.Random, rate: float, *, after: float | None = None, days: int = 160) -> HitSeries:
    """Four sessions a day; another rate from the day on at which the rule came."""
    times = [DAY + timedelta(hours=6 * number) for number in range(4 * days)]
    rates = [rate if after is None or time < BORN else after for time in times]
    return HitSeries.from_sessions((time, luck.random() < chance) for time, chance in zip(times, rates, strict=True))


def before_after(after: float, *, days: int, others: int = 40, seed: int = 3, rate: float = 0.2) -> BeforeAfter:
    luck = random.Random(seed)
    around = [course(luck, luck.betavariate(1, 9)) for _ in range(others)]
    return compare_before_after(course(luck, rate, after=after), BORN, around, BORN + timedelta(days=days))


@pytest.mark.requirement("X1")
def test_a_rule_after_which_it_stopped_has_likely_helped_and_never_more() -> None:
    estimate = before_after(0.005, days=40)
    assert estimate.helped
    assert estimate.day == 30
    assert estimate.description.endswith("after; likely helped")
    assert estimate.placebos >= PLACEBOS
    assert estimate.chance is not None
    assert estimate.chance <= 0.01


@pytest.mark.requirement("X1")
def test_before_and_after_say_nothing_where_nothing_happened() -> None:
    assert sum(before_after(0.2, days=60, seed=seed).helped for seed in range(15)) <= 1


@pytest.mark.requirement("X1")
def test_without_enough_dates_at_which_nothing_happened_it_is_inconclusive() -> None:
    estimate = before_after(0.0, days=30, others=2)
    assert (estimate.helped, estimate.chance) == (False, None)
    assert estimate.placebos < PLACEBOS
    assert estimate.description.endswith("inconclusive")


@pytest.mark.requirement("X1")
def test_it_is_looked_at_on_three_days_only() -> None:
    assert [look_day(timedelta(days=days)) for days in (0, 13, 14, 29, 30, 59, 60, 400)] == [
        None, None, 14, 14, 30, 30, 60, 60,
    ]  # fmt: skip
    early = before_after(0.0, days=13)
    assert (early.helped, early.description) == (False, "too early to tell")
    assert before_after(0.01, days=31) == before_after(0.01, days=33)


def test_a_course_counts_sessions_on_both_sides_of_a_date() -> None:
    sessions = [(DAY + timedelta(days=number), number % 2 == 0) for number in (10, 35, 38, 40, 44, 70)]
    counts = HitSeries.from_sessions(reversed(sessions)).counts_around(DAY + timedelta(days=40), 14)
    assert (counts.before.sessions, counts.before.of) == (2, 3)
    assert (counts.after.sessions, counts.after.of) == (2, 2)


def hints(seed: int, with_hints: float, without: float, sessions: int = 240, share: float = 0.8) -> Portfolio:
    luck = random.Random(seed)
    rows = []
    for number in range(sessions):
        given_ = luck.random() < share
        mean = (with_hints if given_ else without) * luck.expovariate(1)
        count = sum(luck.random() < mean / 20 for _ in range(20))
        rows.append(
            TrialRow(
                session=f"s{number}", rule="", version="", arm=Arm.GIVEN if given_ else Arm.WITHHELD, chance=share,
                relevant=True, hit=count > 0, guardrails={"failures": count, "corrections": 0, "tokens": 10**6},
            )
        )  # fmt: skip
    return build_portfolio(rows)


@pytest.mark.requirement("X1")
def test_all_hints_together_are_reported_as_one_number_with_its_interval() -> None:
    told_ = [hints(seed, 0.8, 2.4) for seed in range(30)]
    assert sum(each.good >= 20 for each in told_) >= 24
    assert all(each.harm < 20 for each in told_)
    one = told_[0]
    assert one.interval is not None
    assert one.interval[0] < one.with_hints / one.without < one.interval[1]
    assert "times as many, 95%" in one.description


@pytest.mark.requirement("X1")
def test_the_interval_of_all_hints_covers_the_truth_where_failures_cluster() -> None:
    inside = [hints(seed, 1.5, 1.5).interval for seed in range(300)]
    assert sum(each is not None and each[0] <= 1 <= each[1] for each in inside) >= 273


@pytest.mark.requirement("X1")
def test_hints_that_do_nothing_are_seldom_said_to_help() -> None:
    told_ = [hints(seed, 1.5, 1.5) for seed in range(300)]
    assert sum(each.good >= 20 for each in told_) <= 15 + 2 * 4


def test_with_nothing_to_compare_no_number_is_reported() -> None:
    assert build_portfolio([]).description == "no session with and without hints to compare yet"
    assert hints(1, 1.0, 1.0, share=1.0).ratio is None


def watched_change(origin: EntryOrigin = EntryOrigin.MEASURED, **more: object) -> WatchedChange:
    return WatchedChange(**{"made_at": DAY, "origin": origin, **more})  # type: ignore[arg-type]


def after(days: float) -> datetime:
    return DAY + timedelta(days=days)


@pytest.mark.requirement("S8")
def test_a_change_is_checked_a_week_after_it_was_made() -> None:
    assert due_date(watched_change()) == after(7)
    assert next_check(watched_change(relevant=3), after(6.9)) is CheckAction.NOTHING
    assert next_check(watched_change(relevant=3), after(7)) is CheckAction.CHECK
    assert next_check(watched_change(relevant=3, checked=after(8)), after(14)) is CheckAction.NOTHING
    assert next_check(watched_change(relevant=3, checked=after(8)), after(15)) is CheckAction.CHECK


@pytest.mark.requirement("S8")
def test_an_overdue_check_reminds_then_extends_then_takes_out_what_was_inferred() -> None:
    checks = [next_check(watched_change(), after(7 + days)) for days in (0, 6.9, 7, 13.9, 14, 20.9, 21, 90)]
    assert checks == [
        CheckAction.NOTHING, CheckAction.NOTHING, CheckAction.REMIND, CheckAction.REMIND,
        CheckAction.EXTEND, CheckAction.EXTEND, CheckAction.REVERT, CheckAction.REVERT,
    ]  # fmt: skip


@pytest.mark.requirement("S8")
def test_what_the_user_stated_or_approved_is_asked_about_and_stays() -> None:
    assert next_check(watched_change(EntryOrigin.STATED), after(60)) is CheckAction.ASK
    assert next_check(watched_change(EntryOrigin.MEASURED, approved=True), after(60)) is CheckAction.ASK


@given(st.sampled_from(list(EntryOrigin)), st.booleans(), st.floats(0, 900))
@pytest.mark.requirement("S8")
def test_nothing_of_the_users_is_ever_taken_out_for_lack_of_data(
    origin: EntryOrigin, approved: bool, days: float
) -> None:
    check = next_check(watched_change(origin, approved=approved), after(days))
    assert check is not CheckAction.REVERT or not (approved or origin is EntryOrigin.STATED)
