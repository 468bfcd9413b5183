"""Measures next-tool prediction for every call of later sessions, compared with plain Markov chains of tool names.

The model learns the first 70% of the sessions, by start; every call of the others is predicted from what came before
in its session, the first call too. What came before is what was known when the call was made: the end of a call that
was still running is hidden. `next_tool` is the frozen model; `next_tool_learning_on` also learns each session after
predicting it.

How the parameters of `wisen.workflows.next_steps` were chosen, on the first 70% only (173 sessions, 9,781 calls): each
of four stretches (40-55, 55-70, 70-85, 85-100% of those sessions) was predicted by a model that had learned everything
before it. The weights make the true next tools of three stretches most probable together and were judged on the
fourth. About fifty situations were tried; those were kept that got a weight, helped, and mean something for any agent.
Doubt, fading and reach were tried at some ten settings (.553 to .558 right at once), before commands were read as they
are now, and not again. The weight of the session as a whole is capped at .2, the best of five caps; without it
probabilities are better, but fewer calls are right at once (.555). Judged so, .563 were right at once and .883 among
three (Markov chains on the same stretches: order 2 .505 and .850, order 3 .514 and .849); since the choices were made
on these stretches too, that flatters a little. The last weights use all four stretches, with a slight pull towards
nothing; `weigh`, which has no such pull, comes within .05 of most and .17 of the rarest.

Then the last 30% (75 sessions, 2,227 calls) were measured, and nothing was changed afterwards: .670 and .907, learning
on .675 and .910 (order 2 .627 and .878, order 3 .628 and .879).
"""

from __future__ import annotations

import math
import time
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from wisen.workflows.next_steps import OVERALL, WEIGHTS, Gains, NextSteps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from wisen.model.history import History, Turn

LEARNT = 0.7
ORDERS = 4
_STRETCHES = ((0.4, 0.55), (0.55, 0.7), (0.7, 0.85), (0.85, 1.0))
_CAPS = {"session ": 0.2}


def measure(histories: Iterable[History]) -> dict[str, object]:
    """How often the next tool is the one predicted, or among the three likeliest."""
    learnt, later = split(histories)
    began = time.perf_counter()
    frozen, learning = _model(learnt), _model(learnt)
    learning_took = (time.perf_counter() - began) / 2
    began = time.perf_counter()
    figures = _judged(later, lambda history, number: _three(frozen, history, number))
    took = time.perf_counter() - began
    calls = sum(len(history.steps) for history in later)
    return {
        "next_tool": figures | {"n": calls},
        "next_tool_learning_on": _judged(later, lambda history, number: _three(learning, history, number), learning),
        "markov": {f"order{order}": _markov(learnt, later, order) for order in range(ORDERS)},
        "next_tool_sessions": {"learnt": len(learnt), "predicted": len(later)},
        "next_tool_speed": {"learn_s": learning_took, "predict_ms": 1000 * took / max(calls, 1)},
    }


def split(histories: Iterable[History]) -> tuple[list[History], list[History]]:
    """The sessions with calls that began first, and the others, each in order."""
    called = sorted((h for h in histories if h.steps), key=lambda h: (h.steps[0].at, h.steps[0].call))
    border = int(len(called) * LEARNT)
    return called[:border], called[border:]


def _model(histories: Iterable[History]) -> NextSteps:
    model = NextSteps()
    for history in histories:
        model.learn(history)
    return model


def _three(model: NextSteps, history: History, number: int) -> list[str]:
    at = history.steps[number].at
    return [each.tool for each in model.predict(history.steps[:number], _turns(history, number), at=at)]


def _turns(history: History, number: int) -> list[Turn]:
    return [turn for turn in history.turns if turn.before <= number]


def _judged(
    later: Sequence[History], three: Callable[[History, int], Sequence[str]], learning: NextSteps | None = None
) -> dict[str, float]:
    first = among = calls = 0
    for history in later:
        for number, step in enumerate(history.steps):
            tools = three(history, number)
            first += step.tool in tools[:1]
            among += step.tool in tools
            calls += 1
        if learning is not None:
            learning.learn(history)
    return {"top1": first / max(calls, 1), "top3": among / max(calls, 1)}


def _markov(learnt: Sequence[History], later: Sequence[History], order: int) -> dict[str, float]:
    """A chain of tool names; where it never saw the names before, or fewer than three came next, the lower orders."""
    followers: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    for history in learnt:
        for number, step in enumerate(history.steps):
            for length in range(order + 1):
                followers[_before(history, number, length)][step.tool] += 1

    def three(history: History, number: int) -> list[str]:
        tools: list[str] = []
        for length in range(order, -1, -1):
            counts = followers.get(_before(history, number, length), Counter())
            tools += [tool for tool in sorted(counts, key=lambda tool: (-counts[tool], tool)) if tool not in tools]
        return tools[:3]

    return _judged(later, three)


def _before(history: History, number: int, length: int) -> tuple[str, ...]:
    """The names of the tools before a call; the start of the session is a name of its own."""
    return tuple(history.steps[place].tool if place >= 0 else "" for place in range(number - length, number))


class _Case(NamedTuple):
    tool: str
    gains: Gains


def weigh(histories: Iterable[History], rounds: int = 30) -> dict[str, float]:
    """The weights that fit sessions best, each predicted from those before it; give it the learned part of a split."""
    cases, weights = _cases(list(histories)), {"overall": OVERALL, **dict.fromkeys(WEIGHTS, 0.2)}
    steepness = dict.fromkeys(weights, 1.0)
    for _ in range(rounds):
        for case in cases:
            for name, slope in _slopes(case, weights).items():
                steepness[name] += slope * slope
                weight = weights[name] + 0.05 * slope / math.sqrt(steepness[name])
                weights[name] = min(max(weight, 0.0), _CAPS.get(name, math.inf))
    return {name: round(weight, 2) for name, weight in weights.items()}


def _cases(histories: Sequence[History]) -> list[_Case]:
    cases = []
    for start, end in _STRETCHES:
        border = int(len(histories) * start)
        model = _model(histories[:border])
        for history in histories[border : int(len(histories) * end)]:
            for number, step in enumerate(history.steps):
                gains = model.gains(history.steps[:number], _turns(history, number), at=step.at)
                if step.tool in gains.overall:
                    cases.append(_Case(step.tool, gains))
    return cases


def _slopes(case: _Case, weights: dict[str, float]) -> dict[str, float]:
    """By how much the logarithm of the true tool's probability grows with each weight."""
    overall = {tool: math.log(chance) for tool, chance in case.gains.overall.items()}
    votes = {"overall": overall, **case.gains.by_situation}
    scores = dict.fromkeys(overall, 0.0)
    for name, vote in votes.items():
        for tool, gain in vote.items():
            scores[tool] += weights[name] * gain
    top = max(scores.values())
    powers = {tool: math.exp(score - top) for tool, score in scores.items()}
    total = sum(powers.values())
    return {
        name: vote.get(case.tool, 0.0) - sum(powers[tool] * gain for tool, gain in vote.items()) / total
        for name, vote in votes.items()
    }
