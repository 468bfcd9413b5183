"""Evaluates the detector on unknown users: projects, people and later sessions are left out in turn."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.detect_fit import SEED, figures, predict_left_out
from wisen.feedback.phrase_statistics import find_phrases
from wisen.feedback.turn_signs import observe_turns
from wisen.feedback.user_detector import find_phrase, fold_turn
from wisen.model.signal import SignalKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from benchmarks.detect_fit import Features, Vector
    from benchmarks.detect_items import Item
    from wisen.model.history import History

    Predictions = dict[str, tuple[Vector, Vector]]

_DRAWS = 1000
"""How often sessions are drawn for an interval."""
_FEWEST = 20
"""People who typed less than so many labelled turns are left out together with nobody: they stay where they are."""


def predict_without(
    items: Sequence[Item], features: Sequence[Features], kinds: Sequence[str], parts: Sequence[Sequence[int]]
) -> Predictions:
    """Predict every item by a model trained without its part; NaN for items in no part."""
    out = {kind: (np.full(len(items), np.nan), np.full(len(items), np.nan)) for kind in kinds}
    for part in parts:
        asked = set(part)
        within = [number for number in range(len(items)) if number not in asked]
        for kind, (scores, yes) in predict_left_out(items, features, kinds, (within, part)).items():
            out[kind][0][list(part)], out[kind][1][list(part)] = scores, yes
    return out


def projects_of(items: Sequence[Item]) -> list[str]:
    """The projects of the data's own labels."""
    return sorted({item.project for item in items if _is_real(item) and item.project})


def parts_by(items: Sequence[Item], key: Callable[[Item], str]) -> list[list[int]]:
    """The items by a key, of each key with enough labels of the data's own."""
    many = Counter(key(item) for item in items if _is_real(item) and not _is_live(item) and key(item).strip())
    return [
        [number for number, item in enumerate(items) if key(item) == name]
        for name in sorted(many)
        if many[name] >= _FEWEST
    ]


def later_halves(items: Sequence[Item]) -> list[list[int]]:
    """For each project the sessions behind the first that hold half of its labelled turns."""
    return [half for project in projects_of(items) if (half := _later_half(items, project))]


def _later_half(items: Sequence[Item], project: str) -> list[int]:
    of = [number for number, item in enumerate(items) if item.project == project]
    turns = Counter(items[number].group for number in of)
    began = {items[number].group: items[number].began for number in of}
    late, seen = set[str](), 0
    for session in sorted(turns, key=lambda name: (began[name], name)):
        if seen >= len(of) / 2:
            late.add(session)
        seen += turns[session]
    return [number for number in of if items[number].group in late]


def with_own_phrases(
    items: Sequence[Item], predictions: tuple[Vector, Vector], histories: Sequence[History]
) -> tuple[tuple[Vector, Vector], dict[str, int]]:
    """What is said of later halves to somebody who knows the phrases that the sessions before them show.

    They are found as in use: by what happened around the turns that hold them, without any label.
    """
    scores, yes = predictions[0], predictions[1].copy()
    counts = {"phrases": 0, "turns": 0, "right": 0}
    for half in later_halves(items):
        project, cut = items[half[0]].project, min(items[number].began for number in half)
        known = {item.group for item in items if item.project == project and item.began < cut}
        before = [turn for history in histories if history.native in known for turn in observe_turns(history)]
        phrases = [each.text for each in find_phrases(before) if each.kind is SignalKind.CORRECTION]
        counts["phrases"] += len(phrases)
        for number in half:
            text = fold_turn(items[number].typed_turn.text)
            if not yes[number] and any(find_phrase(phrase, text) is not None for phrase in phrases):
                yes[number] = 1.0
                counts["turns"] += _counts(items[number])
                counts["right"] += _counts(items[number]) and "correction" in items[number].kinds
    return (scores, yes), counts


def judge(items: Sequence[Item], predictions: tuple[Vector, Vector], *, live: bool = False) -> dict[str, object]:
    """The figures of corrections on what was left out: unweighted, clear ones, weighted, interval by session."""
    chosen = np.array([_is_real(item) and _is_live(item) is live for item in items]) & ~np.isnan(predictions[1])
    if not chosen.any():
        return {"n": 0}
    picked = [item for item, is_chosen in zip(items, chosen, strict=True) if is_chosen]
    truth = np.array([float("correction" in item.kinds) for item in picked])
    yes, one = predictions[1][chosen], np.ones(len(picked))
    clear = np.array([not item.borderline for item in picked])
    weighted = figures(truth, yes, np.array([item.weight for item in picked]))
    return {
        **_rounded(figures(truth, yes, one)),
        "turns": len(picked),
        "f1_interval": _interval(picked, truth, yes),
        "clear": _rounded(figures(truth[clear], yes[clear], one[clear])),
        "weighted": _rounded(weighted),
    }


def _rounded(values: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in values.items()}


def _interval(items: Sequence[Item], truth: Vector, yes: Vector) -> list[float]:
    """The middle 95% of F1 when whole sessions are drawn again and again."""
    sessions = sorted({item.group for item in items})
    at = {name: number for number, name in enumerate(sessions)}
    of = np.array([at[item.group] for item in items])
    right, predicted, held = (np.bincount(of, each, len(sessions)) for each in (truth * yes, yes, truth))
    chance = random.Random(SEED)
    found = []
    for _ in range(_DRAWS):
        drawn = chance.choices(range(len(sessions)), k=len(sessions))
        found.append(2 * right[drawn].sum() / max(predicted[drawn].sum() + held[drawn].sum(), 1e-9))
    return [round(float(np.percentile(found, each)), 4) for each in (2.5, 97.5)]


def by_project(items: Sequence[Item], predictions: Predictions) -> dict[str, dict[str, dict[str, float]]]:
    """Unweighted counts on the finished sessions of each project, by kind."""
    out: dict[str, dict[str, dict[str, float]]] = {}
    for project in projects_of(items):
        chosen = [number for number, item in enumerate(items) if item.project == project and _counts(item)]
        chosen = [number for number in chosen if not any(np.isnan(yes[number]) for _, yes in predictions.values())]
        out[project] = {kind: dict(_counted(items, chosen, kind, yes)) for kind, (_, yes) in predictions.items()}
    return out


def _counted(items: Sequence[Item], chosen: Sequence[int], kind: str, yes: Vector) -> Iterator[tuple[str, float]]:
    clear = [number for number in chosen if not items[number].borderline]
    counts = _right_and_wrong(items, chosen, kind, yes)
    yield from zip(("tp", "fp", "fn"), counts, strict=True)
    yield "f1", _f1(*counts)
    yield "clear_f1", _f1(*_right_and_wrong(items, clear, kind, yes))


def _right_and_wrong(items: Sequence[Item], chosen: Sequence[int], kind: str, yes: Vector) -> tuple[int, int, int]:
    pairs = Counter((kind in items[number].kinds, bool(yes[number])) for number in chosen)
    return pairs[True, True], pairs[False, True], pairs[True, False]


def _f1(right: int, false: int, missed: int) -> float:
    return round(2 * right / max(2 * right + false + missed, 1), 4)


def _counts(item: Item) -> bool:
    return _is_real(item) and not _is_live(item)


def _is_real(item: Item) -> bool:
    return not item.written and not item.ours


def _is_live(item: Item) -> bool:
    return item.id.endswith(" live")
