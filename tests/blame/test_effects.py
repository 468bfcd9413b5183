"""A line is blamed only for failures it is about, only on strong evidence, and never as proof."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import pytest
from benchmarks.blame_worlds import summary_of, timeline_of
from scipy import stats

from wisen.blame.chance import binomial_tail, ratio_interval
from wisen.blame.effects import measure_effects
from wisen.mining.call_words import contains_word, summarize_calls
from wisen.model.call_summary import CallSummary
from wisen.model.failure import Failure, Signature
from wisen.model.history import History, Step
from wisen.model.instruction import Effect, InstructionLine, Strength

pytestmark = pytest.mark.requirement("X4")
DAY = datetime(2026, 2, 1, tzinfo=UTC)


def at(number: float) -> datetime:
    return DAY + timedelta(hours=6 * number)


def line(text: str = "Always use `rtk`.", born: float = 30, **more: object) -> InstructionLine:
    values: dict[str, object] = {
        "number": 1, "text": text, "born": at(born), "since_known": False, "gone": None, "heading": "", "tokens": 5,
        "rule": True, "words": ("rtk",), "against": (),
    }  # fmt: skip
    return InstructionLine(**{**values, **more})  # type: ignore[arg-type]


def sessions(
    failing: set[int], *, word: str = "rtk", others: set[int] | None = None, count: int = 60
) -> list[CallSummary]:
    """Sessions six hours apart; twelve other kinds of failure go on as ever, so that chance is known."""
    found = []
    for number in range(count):
        failures = [
            (
                Signature(key="fs.no-such-file", who=f"tool{kind}", version=1),
                (f"tool{kind}",),
                f"{number}.{kind}",
            )
            for kind in range(12)
            if (number * 7 + kind * 5) % 19 == 0
        ]
        if number in (others or set()):
            failures.append((Signature(key="vcs.fatal-error", who="git", version=1), ("git",), f"o{number}"))
        if number in failing:
            failures.append((Signature(key="shell.unknown-subcommand", who=word, version=1), (word,), f"f{number}"))
        found.append(summary_of(at(number), [("ls",)], failures))
    return found


def measure(lines: list[InstructionLine], course: list[CallSummary]) -> tuple[Effect, ...]:
    return measure_effects(lines, timeline_of(lines, course))


def only(reported: tuple[Effect, ...]) -> Effect:
    (effect,) = reported
    return effect


def test_a_failure_that_begins_with_a_line_is_named_with_its_figures() -> None:
    effect = only(measure([line()], sessions(set(range(31, 60, 2)))))
    assert effect.strength is Strength.BEGAN
    assert effect.signature is not None
    assert effect.signature.who == "rtk"
    assert effect.before is not None
    assert effect.after is not None
    assert (effect.before.sessions, effect.before.of, effect.after.sessions, effect.after.of) == (0, 30, 15, 30)
    assert effect.ratio is not None
    assert effect.interval is not None
    assert effect.interval[0] > 1
    assert effect.interval[0] < effect.ratio < effect.interval[1]
    assert effect.calls[0] == "f31"


def test_a_failure_that_was_always_there_is_not_blamed_on_a_line() -> None:
    assert only(measure([line()], sessions(set(range(0, 60, 3))))).strength is Strength.NO_TRACE


def test_a_failure_of_something_else_is_not_blamed_on_a_line() -> None:
    assert only(measure([line()], sessions(set(range(31, 60, 2)), word="other"))).strength is Strength.NEVER


def test_a_line_that_was_there_from_the_beginning_or_only_tells_is_not_blamed() -> None:
    failing = sessions(set(range(31, 60, 2)))
    assert only(measure([line(since_known=True)], failing)).strength is not Strength.BEGAN
    assert only(measure([line(rule=False)], failing)).strength is not Strength.BEGAN


def test_a_word_that_an_older_line_had_is_not_the_new_lines_doing() -> None:
    older = line("Use `rtk` sometimes.", born=5, number=2)
    effects = measure([line(), older], sessions(set(range(31, 60, 2))))
    assert effects[0].strength is not Strength.BEGAN


def test_a_failure_that_had_begun_just_before_is_not_the_lines_doing() -> None:
    assert only(measure([line()], sessions({26, 28, *range(31, 60, 2)}))).strength is Strength.NO_TRACE


def test_two_failing_sessions_are_too_few() -> None:
    assert only(measure([line()], sessions({31, 33}))).strength is not Strength.BEGAN


def test_a_failure_that_ends_with_a_line_likely_helped() -> None:
    effect = only(measure([line(born=40)], sessions(set(range(0, 40, 2)), count=100)))
    assert effect.strength is Strength.HELPED
    assert effect.interval is not None
    assert effect.interval[1] < 1


def test_check_failures_come_with_the_work() -> None:
    course = [
        each._replace(
            failures=tuple(
                failed._replace(signature=Signature(key="build.tests-fail", who="rtk", version=1))
                if failed.signature.who == "rtk"
                else failed
                for failed in each.failures
            )
        )
        for each in sessions(set(range(31, 60, 2)))
    ]
    assert only(measure([line()], course)).strength is Strength.NO_TRACE


def test_what_is_followed_and_violated_is_counted_whatever_came_of_it() -> None:
    rule = line("Use `pnpm`, not `npm`.", born=0, since_known=True, words=("pnpm", "npm"), against=("npm",))
    course = [summary_of(at(n), [(word,)], ()) for n, word in enumerate(["pnpm", "npm", "pnpm", "ls"])]
    effect = only(measure([rule], course))
    assert (effect.under, effect.relevant, effect.followed, effect.violated) == (4, 3, 2, 1)


def test_a_line_that_nothing_ever_touches_was_never_relevant() -> None:
    assert only(measure([line(words=("nothing-uses-it",))], sessions(set()))).strength is Strength.NEVER
    assert only(measure([line(born=59)], sessions(set()))).strength is Strength.TOO_EARLY


def test_a_session_is_seen_by_its_calls_and_what_is_transient_does_not_count() -> None:
    steps = tuple(
        Step(call=f"c{n}", tool="Bash", arguments=f'{{"command": "{c}"}}', status=None, text=None, at=at(n))
        for n, c in enumerate(["rtk bun test", "git status"])
    )
    signature = Signature(key="shell.unknown-subcommand", who="rtk", version=1)
    failures = [
        Failure(call="c0", tool="Bash", signature=signature, command="rtk bun", place="", at=at(0)),
        Failure(call="c1", tool="Bash", signature=signature, command="x", place="", at=at(1), transient=True),
    ]
    found = summarize_calls(History(session=1, steps=steps), failures)
    assert all(contains_word(found.calls, word) for word in ("rtk", "bun", "git"))
    assert [each.call for each in found.failures] == ["c0"]
    assert summarize_calls(History(session=1, steps=()), []).started is None


def test_the_odds_are_exact() -> None:
    for hits, of, share in ((0, 5, 0.3), (3, 9, 0.4), (9, 9, 0.7)):
        assert binomial_tail(hits, of, share) == pytest.approx(float(stats.binom.sf(hits - 1, of, share)))
    low, high = ratio_interval(9, 2, 30.0, 40.0)
    exact = stats.binomtest(9, 11).proportion_ci(0.95, "exact")
    assert low == pytest.approx(exact.low / (1 - exact.low) * 40 / 30, rel=1e-6)
    assert high == pytest.approx(exact.high / (1 - exact.high) * 40 / 30, rel=1e-6)


def test_odds_without_a_before_have_no_upper_end() -> None:
    assert ratio_interval(5, 0, 10.0, 10.0)[1] == math.inf
    assert ratio_interval(0, 5, 10.0, 10.0)[0] == 0.0
