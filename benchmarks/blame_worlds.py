"""Simulates projects whose instruction lines do nothing, halve a failure or cause it, to measure blame accuracy.

Each world has twenty kinds of failure whose rates follow a long-tailed law, four sessions a day, and eight lines that
are added at random dates, each naming a word that the calls of one kind use. It is evaluated every five sessions, as
often as people would look. Rates stay constant, drift together, or come in bursts; in the last scenario a line is
written when its failure has just occurred three times in ten sessions, as people do: a peak then falls by itself.
"""

from __future__ import annotations

import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from wisen.blame.effects import measure_effects
from wisen.blame.session_matches import Matches, build_timeline, update_matches, wanted_by
from wisen.mining.call_words import encode_call, join_calls
from wisen.model.call_summary import CalledSession, CallSummary, FailedCall
from wisen.model.failure import Signature
from wisen.model.instruction import InstructionLine, Strength

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wisen.blame.timeline import Timeline

_BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
_SESSIONS, _KINDS, _LINES, _LOOKS = 120, 20, 8, 5
_SCENARIOS = ("steady", "drift", "bursts", "written after a burst")
_DOES = {"nothing": 1.0, "helps": 0.5, "hurts": 0.0}


def figures(worlds: int, seed: int = 11) -> dict[str, object]:
    """For each way the rates go and each thing a line does: how many lines are ever told to have begun or helped."""
    return {
        scenario: {
            does: _count_named(scenario, does, worlds, random.Random(f"{seed}{scenario}{does}")) for does in _DOES
        }
        for scenario in _SCENARIOS
    }


def _count_named(scenario: str, does: str, worlds: int, chance: random.Random) -> dict[str, float]:
    counts: Counter[Strength] = Counter()
    lines = 0
    for _ in range(worlds):
        written, strengths = _make_world(scenario, does, chance)
        lines += written
        counts.update(strengths)
    return {"lines": lines, "began": counts[Strength.BEGAN] / lines, "helped": counts[Strength.HELPED] / lines}


def _make_world(scenario: str, does: str, chance: random.Random) -> tuple[int, list[Strength]]:
    rates = [min(chance.betavariate(0.5, 9.5), 0.6) for _ in range(_KINDS)]
    chosen = chance.sample(range(_KINDS), _LINES)
    dates = {kind: chance.randrange(_SESSIONS // 4, 3 * _SESSIONS // 4) for kind in chosen}
    if scenario == "written after a burst":
        dates = {}
    course = _course(scenario, does, rates, dates, chance)
    lines = [_line(kind, _at(date)) for kind, date in dates.items()]
    blamed: set[tuple[int, Strength]] = set()
    for number in range(_LOOKS, _SESSIONS + 1, _LOOKS):
        known = [line for line in lines if line.born <= _at(number - 1)]
        for effect in measure_effects(known, timeline_of(known, course[:number])):
            blamed.add((effect.line.number, effect.strength))
    return len(lines), [strength for _, strength in blamed if strength in (Strength.BEGAN, Strength.HELPED)]


def _course(
    scenario: str, does: str, rates: list[float], dates: dict[int, int], chance: random.Random
) -> list[CallSummary]:
    """The sessions of a world. Where lines are written after bursts, `dates` gets theirs."""
    turn, factor = chance.randrange(_SESSIONS), chance.choice((0.6, 1.6))
    bursting = [False] * _KINDS
    failed: list[list[int]] = [[] for _ in range(_KINDS)]
    written = scenario == "written after a burst"
    found = []
    for number in range(_SESSIONS):
        failures = []
        words = set()
        for kind in range(_KINDS):
            rate = rates[kind]
            if scenario == "bursts" or written:
                bursting[kind] = chance.random() < (0.8 if bursting[kind] else 0.05)
                rate *= 4 if bursting[kind] else 0.5
            if scenario == "drift" and number >= turn:
                rate *= factor
            if kind in dates and number >= dates[kind]:
                rate = max(0.3, 4 * rate) if does == "hurts" else rate * _DOES[does]
            if chance.random() < 0.5:
                words.add(f"word{kind}")
            if chance.random() < min(rate, 0.9):
                words.add(f"word{kind}")
                signature = Signature(key="shell.nonzero-exit", who=f"word{kind}", says="no", version=1)
                failures.append((signature, (f"word{kind}",), f"{number}.{kind}"))
                failed[kind] = [*failed[kind][-2:], number]
                soon = len(failed[kind]) == 3 and number - failed[kind][0] <= 10
                if written and soon and kind not in dates and 10 <= number < _SESSIONS - 20:
                    dates[kind] = number + 1
        found.append(summary_of(_at(number), [(word,) for word in sorted(words)], failures))
    return found


def summary_of(
    start: datetime, calls: Iterable[Sequence[str]], failures: Iterable[tuple[Signature, Sequence[str], str]]
) -> CallSummary:
    """A session with these calls, by their words; each failure is that of a call, with its id."""
    failed = [(signature, encode_call(words), call) for signature, words, call in failures]
    distinct = list(dict.fromkeys([*map(encode_call, calls), *(each for _, each, _ in failed)]))
    failed_calls = tuple(FailedCall(signature, call, distinct.index(each)) for signature, each, call in failed)
    return CallSummary(start, start, join_calls(distinct), failed_calls)


def timeline_of(lines: Iterable[InstructionLine], course: Sequence[CallSummary]) -> Timeline:
    """The timeline of sessions with all that is needed to judge these lines."""
    sessions = [
        CalledSession(number, each.started, each.ended, each.failures)
        for number, each in enumerate(course)
        if each.started is not None and each.ended is not None
    ]
    calls = {number: each.calls for number, each in enumerate(course)}
    return build_timeline(sessions, update_matches(Matches(), wanted_by(lines), sessions, (), lambda _: calls.items()))


def _at(number: int) -> datetime:
    return _BEGAN + timedelta(hours=6 * number)


def _line(kind: int, born: datetime) -> InstructionLine:
    return InstructionLine(
        number=kind + 1,
        text=f"Always use `word{kind}`.",
        born=born,
        since_known=False,
        gone=None,
        heading="",
        tokens=6,
        rule=True,
        words=(f"word{kind}",),
        against=(),
    )
