"""Backtests guards: what a guard would have done in recorded sessions, and how reliable that estimate is."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from scipy.stats import beta

from tests.history_builder import AT, build_history
from wisen.guards.backtest_history import WatchedGuard, build_backtest, is_regretted, match_calls
from wisen.mining.signatures import describe_failure
from wisen.model.backtest import Backtest, confidence_bounds
from wisen.model.event import Status
from wisen.model.failure import Signature
from wisen.model.history import History, Step

NO_BUN = "error: unrecognized subcommand 'bun'"
RTK = f"failed rtk bun test | {NO_BUN}"


def sign(step: Step) -> Signature:
    return describe_failure(tool=step.tool, arguments=step.arguments, text=step.text).signature


def signature(act: str = RTK) -> Signature:
    return sign(build_history(act).steps[0])


def run_backtest(
    watch: str,
    *histories: History,
    about_: Signature | None = None,
    context: str = "",
    corrected: frozenset[tuple[str, str]] = frozenset(),
) -> Backtest:
    (met,), sessions = match_calls([WatchedGuard(watch, context)], histories, corrected)
    return build_backtest(met, sessions, about_)


def sessions(number: int, *acts: str) -> list[History]:
    return [build_history(*acts, native=f"s{each}") for each in range(number)]


def with_outcome(history: History, status: Status | None, text: str | None = None) -> History:
    """The same session with another end of its first call."""
    first, *rest = history.steps
    return structs.replace(history, steps=(structs.replace(first, status=status, text=text), *rest))


def counts(found: Backtest) -> tuple[int, int, int, int]:
    return found.met, found.bad, found.good, found.open


@pytest.mark.requirement("X2")
@pytest.mark.parametrize(
    ("right", "of", "low", "high"),
    [
        (0, 0, 0.0, 1.0),
        (59, 59, 0.9505, 1.0),
        (58, 58, 0.9497, 1.0),
        (0, 59, 0.0, 0.0495),
        (3, 3, 0.3684, 1.0),
        (9, 10, 0.6058, 0.9949),
        (0, 5000, 0.0, 0.0006),
        (1, 5000, 0.0, 0.0010),
        (4999, 5000, 0.9990, 1.0),
        (5000, 5000, 0.9994, 1.0),
    ],
)
def test_bounds_are_those_of_the_books(right: int, of: int, low: float, high: float) -> None:
    assert confidence_bounds(right, of) == pytest.approx((low, high), abs=6e-5)


@given(st.data())
def test_bounds_are_those_of_scipy_and_hold_the_share_between_them(data: st.DataObject) -> None:
    of = data.draw(st.integers(1, 3000))
    right = data.draw(st.integers(0, of))
    low, high = confidence_bounds(right, of)
    assert low == pytest.approx(beta.ppf(0.05, right, of - right + 1) if right else 0.0, abs=1e-6)
    assert high == pytest.approx(beta.ppf(0.95, right + 1, of - right) if right < of else 1.0, abs=1e-6)
    assert low <= right / of <= high


@given(st.integers(0, 400), st.integers(0, 400))
def test_more_that_was_right_never_makes_less_sure(right: int, wrong: int) -> None:
    low, high = confidence_bounds(right, right + wrong)
    more, more_high = confidence_bounds(right + 1, right + wrong + 1)
    less, less_high = confidence_bounds(right, right + wrong + 1)
    assert less - 1e-9 <= low <= more + 1e-9
    assert less_high - 1e-9 <= high <= more_high + 1e-9


@pytest.mark.requirement("X2")
def test_failures_that_it_is_about_are_met_and_the_sessions_counted() -> None:
    twice = build_history(RTK, "ok bun test", RTK, native="twice")
    once = build_history(
        "ok ls", "failed cd app && rtk bun run x | error: unrecognized subcommand 'bun'", native="once"
    )
    found = run_backtest("shell: rtk bun", twice, once, *sessions(3, "ok bun test"), about_=signature())
    assert counts(found) == (3, 0, 0, 0)
    assert (found.sessions, found.helped, found.calls, found.masked) == (5, 2, 3, 0)
    assert found.examples == ("rtk bun test", "cd app && rtk bun run x")
    assert found.hit == ()
    assert (found.low, found.high) == confidence_bounds(3, 3)
    assert (found.first, found.last) == (AT, AT + timedelta(minutes=2))


@pytest.mark.requirement("X2")
def test_a_failure_that_a_pipe_hid_from_the_agent_counts_as_one() -> None:
    hidden = with_outcome(build_history("ok rtk bun test | tail -3", native="hidden"), Status.MASKED, NO_BUN)
    found = run_backtest("shell: rtk bun", hidden, build_history(RTK, native="open"), about_=signature())
    assert (found.met, found.masked, found.helped) == (2, 1, 2)


def test_a_failure_of_another_kind_is_neither_helped_nor_in_the_way() -> None:
    other = build_history("failed rtk bun test | FAIL src/a.test.ts > adds\n 1 test failed")
    assert counts(run_backtest("shell: rtk bun", other, about_=signature())) == (0, 1, 0, 0)
    assert counts(run_backtest("shell: rtk bun", other)) == (1, 0, 0, 0), "what a rule forbids is about any failure"


@pytest.mark.requirement("X2")
def test_a_call_that_went_well_is_shown_as_one_that_it_would_have_been_in_the_way_of() -> None:
    found = run_backtest("shell: rtk bun", build_history(RTK, "ok rtk bun --help"), about_=signature())
    assert counts(found) == (1, 0, 1, 0)
    assert found.hit == ("rtk bun --help",)
    assert (found.low, found.high) == confidence_bounds(1, 2)


@pytest.mark.parametrize(
    ("acts", "is_good"),
    [
        (("ok rtk bun test",), True),
        (("ok rtk bun test", "said thanks, now deploy it"), True),
        (("ok rtk bun test", "said no, never run that"), False),
        (("ok rtk bun test", "ok ls", "said no, never run that"), True),
        (("ok rtk bun test", "stopped"), False),
        (("ok rtk bun test", "refused"), False),
        (("ok ls", "refused", "ok rtk bun test"), True),
    ],
)
def test_a_call_was_good_where_the_user_neither_refused_stopped_nor_corrected_it(
    acts: tuple[str, ...], is_good: bool
) -> None:
    history = build_history(*acts)
    corrected = frozenset((history.native, each.id) for each in history.turns if "never" in (each.text or ""))
    found = run_backtest("shell: rtk bun", history, about_=signature(), corrected=corrected)
    assert counts(found) == ((0, 0, 1, 0) if is_good else (0, 1, 0, 0))


def test_a_correction_in_another_session_is_not_about_this_call() -> None:
    history = build_history("ok rtk bun test", "said go on")
    assert is_regretted(history, 0, {(history.native, "m1")})
    assert not is_regretted(history, 0, {("another", "m1")})


@pytest.mark.parametrize(
    ("acts", "undone"),
    [
        (("edit /srv/shop/a.py", "ok git checkout -- a.py"), True),
        (("edit /srv/shop/a.py", "ok cd /srv/shop && git restore a.py"), True),
        (("edit /srv/shop/a.py", "said undo that", "ok git checkout a.py"), True),
        (("edit /srv/shop/a.py", "failed git checkout -- a.py | error: pathspec"), False),
        (("edit /srv/shop/a.py", "ok git checkout -- b.py"), False),
        (("edit /srv/shop/a.py", "ok git checkout main"), False),
        (("edit /srv/shop/a.py", "ok git add a.py"), False),
        (("edit /srv/shop/a.py", "ok echo git checkout a.py"), False),
        (("edit /srv/shop/a.py", *["ok ls"] * 10, "ok git checkout a.py"), False),
        (("ok git commit -m x", "ok git reset --soft HEAD~1"), True),
        (("ok git commit -m x", "ok git revert HEAD"), True),
        (("ok git commit -m x", "ok git checkout a.py"), False),
        (("ok make", "ok git reset --hard"), False),
    ],
)
def test_a_call_was_not_good_where_version_control_took_it_back(acts: tuple[str, ...], undone: bool) -> None:
    assert is_regretted(build_history(*acts), 0, ()) is undone


@pytest.mark.parametrize("status", [None, Status.CANCELLED])
def test_of_a_call_that_never_ran_the_end_is_not_known(status: Status | None) -> None:
    found = run_backtest("shell: rtk bun", with_outcome(build_history(RTK), status), about_=signature())
    assert counts(found) == (0, 0, 0, 1)
    assert (found.low, found.high) == (0.0, 1.0)
    refused = with_outcome(build_history(RTK, "refused"), None)
    assert counts(run_backtest("shell: rtk bun", refused, about_=signature())) == (0, 1, 0, 0)


def test_a_guard_of_a_project_meets_what_was_done_there() -> None:
    history = build_history(RTK, "in cellar", RTK, "in ", RTK)
    assert run_backtest("shell: rtk bun", history, about_=signature(), context="cellar").calls == 1
    assert run_backtest("shell: rtk bun", history, about_=signature(), context="shed").calls == 0
    assert run_backtest("shell: rtk bun", history, about_=signature()).calls == 3


def test_many_guards_are_tried_in_one_walk_and_each_meets_its_own() -> None:
    histories = [
        build_history("ok npm test", "edit /srv/db/migrations/1.sql"),
        build_history("ok 'n'pm run x", "ok echo npm"),
    ]
    watches = ("shell: npm", "edit: migrations/**", "shell: npm run", "shell: yarn")
    found, number = match_calls([WatchedGuard(each) for each in watches], iter(histories))
    assert number == 2
    assert [[each.text for each in row] for row in found] == [
        ["npm test", "'n'pm run x"],
        ["Edit /srv/db/migrations/1.sql"],
        ["'n'pm run x"],
        [],
    ]


def test_a_watch_that_is_put_out_is_followed_no_further_and_others_are() -> None:
    histories = sessions(3, "ok npm test", RTK, "ok npm ci")
    watches = [WatchedGuard(each, stops=True) for each in ("shell: npm", "shell: rtk bun")]
    (npm, rtk), number = match_calls(watches, histories)
    assert ([each.text for each in npm], [each.text for each in rtk], number) == (["npm test"], ["rtk bun test"] * 3, 3)
    (npm,), number = match_calls(watches[:1], histories)
    assert (len(npm), number) == (1, 1), "nothing more is read"


ACTS = st.sampled_from(
    (RTK, "ok rtk bun test", "failed rtk bun x | boom", "ok ls", "stopped", "refused", "said no", "in cellar",
     "ok git reset --hard", "edit /srv/a.py")
)  # fmt: skip
SESSIONS = st.lists(st.tuples(st.lists(ACTS, max_size=6), st.sampled_from((None, *Status))), max_size=5)


@pytest.mark.requirement("X2")
@given(SESSIONS, st.booleans(), st.sampled_from(("", "cellar")))
def test_every_call_that_it_would_have_met_is_counted_once(
    made: list[tuple[list[str], Status | None]], of_a_fix: bool, context: str
) -> None:
    histories = [build_history(*acts, native=f"s{number}") for number, (acts, _) in enumerate(made)]
    histories = [
        with_outcome(each, end, NO_BUN) if each.steps else each for each, (_, end) in zip(histories, made, strict=True)
    ]
    corrected = frozenset((each.native, turn.id) for each in histories for turn in each.turns if turn.text == "no")
    found = run_backtest(
        "shell: rtk bun", *histories, about_=signature() if of_a_fix else None, context=context, corrected=corrected
    )
    assert found.met + found.bad + found.good + found.open == found.calls
    assert found.masked <= found.met
    assert found.helped <= min(found.met, found.sessions)
    assert found.sessions == len(made)
    assert bool(found.hit) == bool(found.good)
    assert 0 <= found.low <= found.high <= 1
