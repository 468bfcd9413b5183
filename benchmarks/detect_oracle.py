"""Measures what answers of the user's own agent about a few turns add: an oracle knows the labels and sometimes errs.

Which turns are worth a question is weighed by `feedback/doubt.py`. For the turns of a project those weights are chosen
on the other projects, by models that know neither, and only then evaluated here.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.detect_fit import SEED, FeatureSet, figures, predict_left_out, train_lasting
from benchmarks.detect_items import lessons_of, written_lessons
from benchmarks.detect_left_out import later_halves, projects_of
from benchmarks.train_detect import lasting_features
from wisen.feedback.doubt import MIN_WORTH, WORTH, AnswerWorth
from wisen.feedback.quote_verification import MAX_QUOTE, has_pasted_block
from wisen.text.directives import directives_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from benchmarks.detect_fit import Features, Vector
    from benchmarks.detect_items import Item

ASKED = 0.2
"""The share of the typed turns that an agent is asked about."""
_ERRS = 0.07
"""How often it answers wrongly."""
_DRAWS = 20
_REACHED, _LASTING = (0.6, 0.7, 0.8), (0.0, 0.1, 0.2, 0.3, 0.4, 0.6)
SETTINGS = tuple(
    AnswerWorth(missed=round(2 - reached, 2), false=reached, lasting=lasting)
    for reached, lasting in product(_REACHED, _LASTING)
)
"""The score to compare. At such a high F1, a miss is worth 2 - F1 and a false detection F1: its slopes."""


@dataclass(frozen=True)
class ProjectPredictions:
    """What models that were trained without them say of the turns of one project."""

    items: Sequence[Item]
    chances: Vector
    detected: Vector
    lasts: Vector
    is_lasting: Vector

    def best(self, worth: AnswerWorth) -> list[int]:
        """The turns that are worth a question most, as many as may be asked about."""
        of = self.worths(worth)
        return sorted(range(len(of)), key=lambda number: -of[number])[: self.most]

    def worths(self, worth: AnswerWorth) -> list[float]:
        """What a question about each turn is worth; nothing where it may not be asked."""
        return [
            worth.expected(chance, is_detected=bool(yes), lasts=last)
            if is_question_candidate(item.typed_turn.text)
            else 0.0
            for item, chance, yes, last in zip(self.items, self.chances, self.detected, self.lasts, strict=True)
        ]

    def at_random(self, draw: int) -> list[int]:
        """As many turns by chance."""
        return random.Random(f"{SEED} {draw}").sample(range(len(self.items)), self.most)

    @property
    def most(self) -> int:
        """How many turns may be asked about."""
        return int(ASKED * len(self.items))


def is_question_candidate(text: str) -> bool:
    """Whether the text of a turn may be asked about, as it is in use: short, without fences, no standing directive."""
    short = bool(text.strip()) and len(text) <= MAX_QUOTE and not has_pasted_block(text)
    return short and not any(each.standing for each in directives_in(text))


class AnsweredTurns:
    """The turns of some projects, of which a few are settled by somebody who errs."""

    def __init__(self, projects: Sequence[ProjectPredictions]) -> None:
        self.projects = projects
        items = [item for each in projects for item in each.items]
        taught = {id(item) for item in lessons_of(items)}
        self._taught = np.array([id(item) in taught for item in items])
        self._corrects = np.array([float("correction" in item.kinds) for item in items])
        self._lasts = np.array([float(bool(item.lasts)) for item in items])
        self._detected = np.concatenate([each.detected for each in projects])
        self._is_lasting = np.concatenate([each.is_lasting for each in projects])
        self._began = np.cumsum([0, *(len(each.items) for each in projects)])

    def figures(self, asked: Iterable[Sequence[Sequence[int]]]) -> dict[str, float]:
        """The mean figures over several choices of turns in each project, each with errors of its own."""
        found = [self._figures(chosen, random.Random(f"{SEED} errs {draw}")) for draw, chosen in enumerate(asked)]
        return {name: round(float(np.mean([each[name] for each in found])), 4) for name in found[0]}

    def _figures(self, chosen: Sequence[Sequence[int]], chance: random.Random) -> dict[str, float]:
        detected, lasting = self._detected.copy(), self._is_lasting.copy()
        for began, numbers in zip(self._began, chosen, strict=False):
            for number in began + np.array(numbers, dtype=int):
                detected[number] = abs(self._corrects[number] - float(chance.random() < _ERRS))
                lasting[number] = abs(self._lasts[number] - float(chance.random() < _ERRS))
        one = np.ones(len(detected))
        of_corrections = figures(self._corrects, detected, one)
        of_lasting = figures(self._lasts[self._taught], lasting[self._taught], one[self._taught])
        return {
            "correction_f1": of_corrections["f1"],
            "correction_precision": of_corrections["precision"],
            "correction_recall": of_corrections["recall"],
            "lasting_f1": of_lasting["f1"],
        }


def figures_with_answers(items: Sequence[Item], features: Sequence[Features]) -> dict[str, object]:
    """What answers about a few turns add on projects that were left out, and as many answers about turns by chance."""
    projects = projects_of(items)
    if len(projects) < 3:
        return {"asked_share": 0.0}
    judge = Judge(items, features)
    alone = {project: judge.without(project)[project] for project in projects}
    chosen = {project: choose(judge.rest(project, projects)) for project in projects}
    helped = AnsweredTurns([*alone.values()])
    worths = [worth for each in alone.values() for worth in each.worths(WORTH)]
    return {
        "turns": len(worths),
        "asked_share": round(sum(each.most for each in alone.values()) / len(worths), 4),
        **helped.figures([[alone[name].best(chosen[name]) for name in projects]] * _DRAWS),
        "chosen": {name: list(worth) for name, worth in chosen.items()},
        "compared": len(SETTINGS),
        "shipped_weights": helped.figures([[each.best(WORTH) for each in alone.values()]] * _DRAWS),
        "chosen_on_all": list(choose([*alone.values()])),
        "worth_asking_share": round(sum(worth >= MIN_WORTH for worth in worths) / len(worths), 4),
        "random": helped.figures([[each.at_random(draw) for each in alone.values()] for draw in range(_DRAWS)]),
        "rules_alone": helped.figures([[[] for _ in projects]]),
        "later_sessions": _later_sessions(judge, items, chosen),
    }


def _later_sessions(judge: Judge, items: Sequence[Item], chosen: dict[str, AnswerWorth]) -> dict[str, object]:
    """The same on the later half of each project, by models that know its first half; weights as for the project."""
    halves = {items[half[0]].project: half for half in later_halves(items)}
    later = {project: judge.of_part(half)[project] for project, half in halves.items()}
    helped = AnsweredTurns([*later.values()])
    return {
        **helped.figures([[each.best(chosen[name]) for name, each in later.items()]] * _DRAWS),
        "random": helped.figures([[each.at_random(draw) for each in later.values()] for draw in range(_DRAWS)]),
        "rules_alone": helped.figures([[[] for _ in later]]),
    }


def choose(projects: Sequence[ProjectPredictions]) -> AnswerWorth:
    """The weights with which answers about the turns of some projects help most: with corrections, and what lasts."""
    helped = AnsweredTurns(projects)

    def gain(worth: AnswerWorth) -> float:
        got = helped.figures([[each.best(worth) for each in projects]] * _DRAWS)
        return got["correction_f1"] + got["lasting_f1"]

    return max(SETTINGS, key=gain)


class Judge:
    """Trains models without some projects, and has them judge the turns of these."""

    def __init__(self, items: Sequence[Item], features: Sequence[Features]) -> None:
        self._items, self._features = items, features
        self._turns = [n for n, item in enumerate(items) if not item.written and not item.id.endswith(" live")]
        turns = [items[number] for number in self._turns]
        self._made = written_lessons()
        self._of_made = lasting_features(self._made)
        self._of_lasting = dict(zip(self._turns, lasting_features(turns), strict=True))
        taught = {id(item) for item in lessons_of(turns)}
        self._taught = [number for number in self._turns if id(items[number]) in taught]
        self._known: dict[frozenset[str], dict[str, ProjectPredictions]] = {}

    def rest(self, project: str, projects: Sequence[str]) -> list[ProjectPredictions]:
        """The other projects, each judged by models that know neither it nor this one."""
        return [self.without(project, other)[other] for other in projects if other != project]

    def without(self, *projects: str) -> dict[str, ProjectPredictions]:
        """The turns of some projects, by models that know none of these."""
        left = frozenset(projects)
        if left not in self._known:
            self._known[left] = self.of_part([n for n, item in enumerate(self._items) if item.project in left])
        return self._known[left]

    def of_part(self, part: Sequence[int]) -> dict[str, ProjectPredictions]:
        """The turns of a part, by project, by models that know nothing of it."""
        items, left = self._items, set(part)
        within = [number for number in range(len(items)) if number not in left]
        asked = [number for number in self._turns if number in left and not items[number].ours]
        chances, detected = predict_left_out(items, self._features, ["correction"], (within, asked))["correction"]
        taught = [number for number in self._taught if number not in left]
        trained, names = train_lasting(
            [*(items[number] for number in taught), *self._made],
            [*(self._of_lasting[number] for number in taught), *self._of_made],
        )
        lasts = trained.scores(FeatureSet(names).rows([self._of_lasting[n] for n in asked], [False] * len(asked)))
        is_lasting = (lasts >= trained.threshold).astype(np.float64)
        out = {}
        for project in sorted({items[number].project for number in asked}):
            of = np.array([number for number, place in enumerate(asked) if items[place].project == project])
            turns = [items[asked[number]] for number in of]
            out[project] = ProjectPredictions(turns, chances[of], detected[of], lasts[of], is_lasting[of])
        return out
