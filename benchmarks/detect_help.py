"""What others add to the detector: how far two readers agree, and what answers of the user's agent are worth."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.data import json_lines
from benchmarks.detect_fit import SEED, Shape, figures, train_lasting
from benchmarks.detect_items import lessons_of, written_lessons
from benchmarks.train_detect import lasting_features
from wisen.feedback.doubt import LONGEST, worth_of_answer
from wisen.text.directives import directives_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.detect_fit import Vector
    from benchmarks.detect_items import Item
    from benchmarks.detect_left_out import Said

_TWICE = Path(__file__).parent / "labels/turns_twice.jsonl"
ASKED = 0.2
"""The share of the typed turns that an agent is asked about."""
_ERRS = 0.07
"""How often it answers wrongly."""
_DRAWS = 20


def agreement(items: Sequence[Item]) -> dict[str, object]:
    """How far two readers agree on the same turns, and each with the labels of the data where that is at hand."""
    rows = json_lines(_TWICE)
    clear = [row for row in rows if not (row["first"]["borderline"] or row["second"]["borderline"])]
    both = [row for row in rows if _corrects(row["first"]) and _corrects(row["second"])]
    of_data = {item.id: float("correction" in item.kinds) for item in items}
    known = [row for row in rows if row["id"] in of_data]
    lasting = [[float(bool(row[reader]["lasting"])) for row in both] for reader in ("first", "second")]
    return {
        "turns": len(rows),
        "correction": _agree(*([_corrects(row[reader]) for row in rows] for reader in ("first", "second"))),
        "clear": _agree(*([_corrects(row[reader]) for row in clear] for reader in ("first", "second"))),
        "lasting": _agree(*lasting),
        "with_data": {
            reader: _agree([of_data[row["id"]] for row in known], [_corrects(row[reader]) for row in known])
            for reader in ("first", "second")
        },
    }


def _corrects(label: dict[str, Any]) -> float:
    return float("correction" in label["labels"])


def _agree(one: Sequence[float], other: Sequence[float]) -> dict[str, float]:
    """F1 of one by the other, and Cohen's kappa."""
    if not one:
        return {"n": 0}
    first, second = np.array(one), np.array(other)
    same = float((first == second).mean())
    chance = float(first.mean() * second.mean() + (1 - first.mean()) * (1 - second.mean()))
    kappa = (same - chance) / (1 - chance) if chance < 1 else 1.0
    f1 = figures(first, second, np.ones(len(first)))["f1"]
    return {"n": len(first), "f1": round(f1, 4), "kappa": round(kappa, 4)}


def lasting_without(items: Sequence[Item]) -> tuple[Vector, Vector]:
    """How likely what each turn says lasts, by models that were trained without its project, and yes or no."""
    made = written_lessons()
    features, of_made = lasting_features(items), lasting_features(made)
    taught = {id(item) for item in lessons_of(items)}
    scores, yes = np.zeros(len(items)), np.zeros(len(items))
    for project in sorted({item.project for item in items}):
        within = [n for n, item in enumerate(items) if item.project != project and id(item) in taught]
        without = [n for n, item in enumerate(items) if item.project == project]
        trained, names = train_lasting([*(items[n] for n in within), *made], [*(features[n] for n in within), *of_made])
        scores[without] = trained.scores(Shape(names).rows([features[n] for n in without], [False] * len(without)))
        yes[without] = scores[without] >= trained.threshold
    return scores, yes


def with_agent(items: Sequence[Item], said: Said) -> dict[str, object]:
    """What answers about a few turns add on projects that were left out: those worth most, and as many at random.

    The answers are the labels, but for those that are wrong by chance. `said`: of the same items without their project.
    """
    lasts, is_lasting = lasting_without(items)
    chosen = [n for n, item in enumerate(items) if not item.ours and not np.isnan(said["correction"][1][n])]
    if not chosen:
        return {"asked_share": 0.0}
    turns = [items[number] for number in chosen]
    chances, heard = (each[chosen] for each in said["correction"])
    helped = _Helped(turns, heard, is_lasting[chosen])
    worth = [
        worth_of_answer(chance, is_heard=bool(yes), lasts=last) if 0 < len(item.heard.text) <= LONGEST else 0.0
        for item, chance, yes, last in zip(turns, chances, heard, lasts[chosen], strict=True)
    ]
    most = int(ASKED * len(turns))
    best = sorted(range(len(turns)), key=lambda number: -worth[number])[:most]
    at_random = [random.Random(f"{SEED} {draw}").sample(range(len(turns)), most) for draw in range(_DRAWS)]
    return {
        "asked_share": round(most / len(turns), 4),
        **helped.figures([best] * _DRAWS),
        "random": helped.figures(at_random),
        "rules_alone": helped.figures([[]]),
    }


class _Helped:
    """Turns of which some are settled by somebody who errs."""

    def __init__(self, items: Sequence[Item], heard: Vector, is_lasting: Vector) -> None:
        self._heard, self._is_lasting = heard, is_lasting
        self._corrects = np.array([float("correction" in item.kinds) for item in items])
        self._lasts = np.array([float(bool(item.lasts)) for item in items])
        taught = {id(item) for item in lessons_of(items)}
        self._taught = np.array([id(item) in taught for item in items])

    def figures(self, asked: Sequence[Sequence[int]]) -> dict[str, float]:
        """The mean figures over several choices of turns, each with errors of its own."""
        found = [self._figures(chosen, random.Random(f"{SEED} errs {draw}")) for draw, chosen in enumerate(asked)]
        return {name: round(float(np.mean([each[name] for each in found])), 4) for name in found[0]}

    def _figures(self, chosen: Sequence[int], chance: random.Random) -> dict[str, float]:
        heard, lasting = self._heard.copy(), self._is_lasting.copy()
        for number in chosen:
            heard[number] = abs(self._corrects[number] - float(chance.random() < _ERRS))
            lasting[number] = abs(self._lasts[number] - float(chance.random() < _ERRS))
        one = np.ones(len(heard))
        of_corrections = figures(self._corrects, heard, one)
        of_lasting = figures(self._lasts[self._taught], lasting[self._taught], one[self._taught])
        return {
            "correction_f1": of_corrections["f1"],
            "correction_precision": of_corrections["precision"],
            "lasting_f1": of_lasting["f1"],
        }


def at_start(items: Sequence[Item]) -> dict[str, float]:
    """Of the turns whose words say themselves that they last, how many were labelled so, and how many of those."""
    told = np.array([float(any(each.standing for each in directives_in(item.heard.text))) for item in items])
    lasts = np.array([float(bool(item.lasts)) for item in items])
    clear = np.array([not item.borderline for item in items])
    if not items:
        return {"n": 0}
    got = figures(lasts, told, np.ones(len(items)))
    of_clear = figures(lasts[clear], told[clear], np.ones(int(clear.sum())))
    return {
        "precision": round(got["precision"], 4),
        "recall": round(got["recall"], 4),
        "n": int(told.sum()),
        "labelled": int(lasts.sum()),
        "clear_precision": round(of_clear["precision"], 4),
    }
