"""Fits and evaluates the detector's linear models: regularized logistic regression, folds by session, thresholds."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from wisen.feedback.feature_tables import NEIGHBOR_SEPARATOR, PAIR_SEPARATOR, WORD_PREFIX

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from benchmarks.detect_items import Item

    Vector = NDArray[np.float64]
    Features = dict[str, float]

HOME = ("en", "emoji")
"""What the first model speaks; another one is trained for all other languages, on everything."""
SEED = 6
SEEDS = (6, 7, 8)
"""Folds are drawn so often, and their figures averaged: one draw is off by a hundredth or two."""
LASTING_SEEDS = tuple(range(SEED, SEED + 10))
"""The lasting model has fewer turns: its random folds vary more, and cost less."""
FOLDS = 10
PRECISION = 0.72
"""What a threshold for corrections must reach, on turns of people who were not trained on."""
_INNER = 5
_AT_HOME = {"real": 0.5, "en": 1.6, "emoji": 0.5, "others": 0.0}
_CORRECTIONS_AT_HOME = {**_AT_HOME, "real": 1.0}
_ABROAD = {"real": 0.1, "en": 0.4, "emoji": 0.6, "others": 1.6}
"""How much an average real turn counts, and written messages by language: for English, and for other languages."""
_DOUBTFUL = 0.5
_SMOOTH = 4
"""How many neighbors on each side have a say in a threshold."""
_PAIR_SEEN, _BESIDE_SEEN, _WORD_SEEN = 4, 8, 6
"""How often pairs, neighbors and words must be seen to count; each real turn is shown twice."""
_PROJECTS = 2
"""In how many projects a word, or two neighbors, must be seen: what one project alone says is its vocabulary."""
_FEWEST = 40
"""People of whom less is known are left out together."""
_FREE = frozenset(
    (
        *("before start", "before ok", "before interrupt", "before reject", "refusal's reason", "unmistakable"),
        *(f"{face} {where}" for face in ("frown", "smile") for where in ("alone", "first", "amid words")),
    )
)


@dataclass(frozen=True, kw_only=True)
class Penalties:
    """Regularization strength by kind of feature."""

    free: float = 0.3
    usual: float = 2.0
    phrase: float = 16.0
    pair: float = 4.0
    """Pairs of features, which only count in other languages than English: more messages tell of them."""
    beside: float = 8.0
    """A word and the next one, which only count in English."""
    word: float = 1e6

    def of(self, names: Sequence[str]) -> Vector:
        """One number for each feature, for whether it was written, and for the bias."""
        return np.array([*map(self._of_one, names), 0.05, 1e-6])

    def _of_one(self, name: str) -> float:
        if PAIR_SEPARATOR in name:
            return self.pair
        if NEIGHBOR_SEPARATOR in name:
            return self.beside
        if name.startswith(WORD_PREFIX):
            return self.word
        return self.free if name in _FREE else self.phrase if name.startswith("= ") else self.usual


_CORRECTIONS_HELD_BACK = Penalties(usual=0.25, phrase=8.0, word=4.0)
"""Corrections are told by words of every day as well; the other kinds are too rare for that."""


@dataclass(frozen=True)
class FeatureSet:
    """The features of a model."""

    names: tuple[str, ...]

    def rows(self, features: Sequence[Features], written: Sequence[bool]) -> csr_matrix:
        """The features as numbers; the last column tells written ones, so that their mix does not shift the rest."""
        at = {name: number for number, name in enumerate(self.names)}
        data, columns, ends = list[float](), list[int](), [0]
        for values, is_written in zip(features, written, strict=True):
            known = [(at[name], value) for name, value in values.items() if name in at]
            columns += [*(column for column, _ in known), len(at), len(at) + 1]
            data += [*(value for _, value in known), float(is_written), 1.0]
            ends.append(len(data))
        return csr_matrix((data, columns, ends), shape=(len(features), len(at) + 2))


def select_features(features: Sequence[Features], items: Sequence[Item]) -> FeatureSet:
    """Select the features seen at least twice, pairs somewhat more often, words in more than one project."""
    seen = Counter(name for values in features for name in values)
    projects: dict[str, set[str]] = {}
    for values, item in zip(features, items, strict=True):
        for name in values:
            if NEIGHBOR_SEPARATOR in name or name.startswith(WORD_PREFIX):
                projects.setdefault(name, set()).add(item.project)
    fewest = min(_PROJECTS, len({item.project for item in items}))
    return FeatureSet(
        tuple(
            sorted(
                name
                for name, number in seen.items()
                if number >= _least(name) and len(projects.get(name, range(fewest))) >= fewest
            )
        )
    )


def _least(name: str) -> int:
    if name.startswith(WORD_PREFIX):
        return _WORD_SEEN
    return _PAIR_SEEN if PAIR_SEPARATOR in name else _BESIDE_SEEN if NEIGHBOR_SEPARATOR in name else 2


def fit(rows: csr_matrix | Vector, truth: Vector, weight: Vector, held: Vector, near: Vector | None = None) -> Vector:
    """Fit a regularized logistic regression; strongly regularized weights move in small steps.

    The optimum is unique: starting `near` it, at the solution for nearly the same rows, only saves steps.
    """
    scale = np.minimum(1.0 / np.sqrt(held), 3.0)
    sparse = csr_matrix(csr_matrix(rows).multiply(scale))
    pull = held * scale * scale

    def cost(found: Vector) -> tuple[float, Vector]:
        at = np.asarray(sparse @ found)
        guess = 1.0 / (1.0 + np.exp(-np.clip(at, -30, 30)))
        lost = float((weight * (np.logaddexp(0.0, at) - truth * at)).sum() + (pull * found * found).sum() / 2)
        return lost, np.asarray(sparse.T @ (weight * (guess - truth))) + pull * found

    options = {"maxiter": 300, "ftol": 1e-10, "gtol": 1e-5}
    begin = np.zeros(rows.shape[1]) if near is None else near / scale
    found = minimize(cost, begin, jac=True, method="L-BFGS-B", options=options).x
    return np.asarray(found, dtype=np.float64) * scale


def assign_folds(groups: Sequence[str], number: int, seed: int) -> NDArray[np.int64]:
    """Assign a fold to each item; a group is in one fold, whatever other groups there are."""
    of = {name: random.Random(f"{seed} {name}").randrange(number) for name in set(groups)}
    return np.array([of[group] for group in groups])


def figures(truth: Vector, predicted: Vector, weight: Vector) -> dict[str, float]:
    """Return the weighted precision, recall and F1 of a binary prediction."""
    right = float((weight * truth * predicted).sum())
    precision = right / max(float((weight * predicted).sum()), 1e-9)
    recall = right / max(float((weight * truth).sum()), 1e-9)
    f1 = 2 * precision * recall / max(precision + recall, 1e-9)
    return {"precision": precision, "recall": recall, "f1": f1, "n": int(truth.sum())}


def best_threshold(truth: Vector, scores: Vector, weight: Vector, floor: float) -> float:
    """Return the threshold with the best F1 among those precise enough; too little precision is penalized."""
    grid = np.arange(0.2, 0.801, 0.01)
    worth = np.zeros(len(grid))
    for number, each in enumerate(grid):
        got = figures(truth, (scores >= each).astype(float), weight)
        worth[number] = got["f1"] - max(0.0, floor - got["precision"])
    # A single turn of great weight makes a peak; the middle of a high plain is a safer choice.
    smooth = np.convolve(np.pad(worth, _SMOOTH, mode="edge"), np.ones(2 * _SMOOTH + 1), mode="valid")
    return float(grid[int(smooth.argmax())])


@dataclass(frozen=True)
class Trained:
    """The calibrated weights of one kind on a feature set, with their threshold."""

    found: Vector
    threshold: float

    def scores(self, rows: csr_matrix) -> Vector:
        """Probabilities; where a message comes from is not told."""
        found = self.found.copy()
        found[-2] = 0.0
        return np.asarray(1.0 / (1.0 + np.exp(-np.clip(rows @ found, -30, 30))))


def train(kind: str, items: Sequence[Item], rows: csr_matrix, names: Sequence[str], *, abroad: bool = False) -> Trained:
    """Weights from all items; calibration and threshold from parts of them that others were trained without.

    For corrections a part is a person, for the other kinds some sessions; `abroad` only other languages tell of them.
    """
    corrections = kind == "correction" and not abroad
    held = (_CORRECTIONS_HELD_BACK if corrections else Penalties()).of(names)
    truth = np.array([float(kind in item.kinds) for item in items])
    written = np.array([item.written for item in items])
    sampled = np.array([item.weight for item in items])
    weight = np.sqrt(sampled) * np.where([item.borderline for item in items], _DOUBTFUL, 1.0)
    counts = _ABROAD if abroad else _CORRECTIONS_AT_HOME if corrections else _AT_HOME
    real = weight / weight[~written].mean() * counts["real"]
    weight = np.where(written, [counts.get(item.lang, counts["others"]) for item in items], real)
    if kind != "correction":
        # Where nearly all examples are written, telling them apart would explain everything.
        held = np.append(held[:-2], [1e6, held[-1]])
    raw, whole = np.zeros(len(items)), fit(rows, truth, weight, held)
    inner = _people(items) if corrections else assign_folds([item.group for item in items], _INNER, SEED + 1)
    for part in sorted({*inner.tolist()} - {-1}):
        within = inner != part
        without = Trained(fit(rows[within], truth[within], weight[within], held, whole), 0.5)
        scored = np.clip(without.scores(rows[~within]), 1e-9, 1 - 1e-9)
        raw[~within] = np.log(scored / (1 - scored))
    # Corrections are frequent enough in the data's own labels; the rare kinds need all the others as well.
    ours = np.array([item.ours for item in items])
    judged = ~written & ~ours if kind == "correction" else np.ones(len(items), dtype=bool)
    if abroad:
        judged = np.array([item.lang not in HOME for item in items])
    level = np.stack([raw[judged], np.ones(int(judged.sum()))], axis=1)
    scale = fit(level, truth[judged], sampled[judged], np.array([1e-3, 1e-3]))
    found = whole * scale[0]
    found[-1] += scale[1]
    calibrated = 1.0 / (1.0 + np.exp(-(raw[judged] * scale[0] + scale[1])))
    floor = PRECISION if corrections else 0.6
    return Trained(found, best_threshold(truth[judged], calibrated, sampled[judged], floor))


def _people(items: Sequence[Item]) -> NDArray[np.int64]:
    """A part for each person, 0 for all who said little, -1 for what was written; folds where there is but one part."""
    many = Counter(item.person for item in items if not item.written)
    parts = {name: number for number, name in enumerate(sorted(name for name in many if many[name] >= _FEWEST), 1)}
    of = np.array([-1 if item.written else parts.get(item.person, 0) for item in items])
    if len({*of.tolist()} - {-1}) < 2:
        return assign_folds([item.group for item in items], _INNER, SEED + 1)
    return of


def cross_validate(
    items: Sequence[Item], features: Sequence[Features], kinds: Sequence[str], seed: int = SEED, *, abroad: bool = False
) -> dict[str, tuple[Vector, Vector]]:
    """For each kind the probability of every item from folds without its session, and what is said of it."""
    groups = [item.group for item in items]
    outer = assign_folds(groups, FOLDS, seed)
    out = {kind: (np.zeros(len(items)), np.zeros(len(items))) for kind in kinds}
    for fold in range(FOLDS):
        within, without = np.flatnonzero(outer != fold).tolist(), np.flatnonzero(outer == fold).tolist()
        for kind, (scores, yes) in predict_left_out(items, features, kinds, (within, without), abroad=abroad).items():
            out[kind][0][without], out[kind][1][without] = scores, yes
    return out


def predict_left_out(
    items: Sequence[Item],
    features: Sequence[Features],
    kinds: Sequence[str],
    parts: tuple[Sequence[int], Sequence[int]],
    *,
    abroad: bool = False,
) -> dict[str, tuple[Vector, Vector]]:
    """Predict the second part by a model of the first, for each kind: probabilities, and yes or no."""
    within, without = parts
    known_items, known_features = [items[number] for number in within], [features[number] for number in within]
    known = select_features(known_features, known_items)
    rows = known.rows(known_features, [item.written for item in known_items])
    asked = known.rows([features[number] for number in without], [items[number].written for number in without])
    out = {}
    for kind in kinds:
        trained = train(kind, known_items, rows, known.names, abroad=abroad)
        scores = trained.scores(asked)
        out[kind] = scores, (scores >= trained.threshold).astype(np.float64)
    return out


def calibration_error(truth: Vector, scores: Vector, weight: Vector, bins: int = 10) -> float:
    """Return the mean distance between predicted and actual rates, over deciles of the probabilities."""
    of = np.minimum((scores * bins).astype(int), bins - 1)
    gaps = [abs(float((weight * (scores - truth))[of == each].sum())) for each in range(bins)]
    return sum(gaps) / float(weight.sum())


def figures_by_kind(
    items: Sequence[Item], predictions: dict[str, tuple[Vector, Vector]], of: Callable[[Item], bool]
) -> dict[str, dict[str, float]]:
    """Return the figures by kind on some of the items."""
    chosen = np.array([of(item) for item in items])
    weight = np.array([item.weight for item in items])[chosen]
    out = {}
    for kind, (scores, yes) in predictions.items():
        truth = np.array([float(kind in item.kinds) for item in items])[chosen]
        error = calibration_error(truth, scores[chosen], weight)
        got = {**figures(truth, yes[chosen], weight), "calibration_error": error}
        out[kind] = {name: round(value, 4) for name, value in got.items()}
    return out


_LASTING_HELD, _LASTING_WRITTEN = 3.0, 0.2


def train_lasting(items: Sequence[Item], features: Sequence[Features]) -> tuple[Trained, tuple[str, ...]]:
    """The model of what lasts: weights from all items, calibration and threshold from folds within the real ones."""
    names = tuple(sorted({name for values in features for name in values}))
    rows = FeatureSet(names).rows(features, [item.written for item in items])
    truth = np.array([float(bool(item.lasts)) for item in items])
    written = np.array([item.written for item in items])
    weight = np.where(written, _LASTING_WRITTEN, 1.0)
    held = np.array([*([_LASTING_HELD] * len(names)), 0.05, 1e-6])
    inner = assign_folds([item.group for item in items], _INNER, SEED + 1)
    raw = np.zeros(len(items))
    for fold in range(_INNER):
        within = inner != fold
        found = fit(rows[within], truth[within], weight[within], held)
        raw[~within] = rows[~within] @ found
    level = np.stack([raw[~written], np.ones(int((~written).sum()))], axis=1)
    scale = fit(level, truth[~written], np.ones(len(level)), np.array([1e-3, 1e-3]))
    calibrated = 1.0 / (1.0 + np.exp(-(level @ scale)))
    found = fit(rows, truth, weight, held) * scale[0]
    found[-1] += scale[1]
    return Trained(found, _expected_threshold(calibrated)), names


def _expected_threshold(scores: Vector) -> float:
    """The threshold with the best F1 to be expected if the scores are right: steadier than the best F1 that was met."""
    falling = np.sort(scores)[::-1]
    predicted = np.arange(1, len(falling) + 1)
    return float(falling[int((2 * np.cumsum(falling) / (predicted + falling.sum())).argmax())])


def cross_validate_lasting(
    items: Sequence[Item], features: Sequence[Features], seed: int = SEED
) -> tuple[Vector, Vector]:
    """Predict for each lesson whether it lasts, by folds without its session: probabilities, and yes or no."""
    outer = assign_folds([item.group for item in items], FOLDS, seed)
    scores, yes = np.zeros(len(items)), np.zeros(len(items))
    for fold in range(FOLDS):
        within, without = np.flatnonzero(outer != fold).tolist(), np.flatnonzero(outer == fold).tolist()
        trained, names = train_lasting([items[number] for number in within], [features[number] for number in within])
        rows = FeatureSet(names).rows(
            [features[number] for number in without], [items[number].written for number in without]
        )
        scores[without] = trained.scores(rows)
        yes[without] = scores[without] >= trained.threshold
    return scores, yes


def average_figures(figures_of: Sequence[dict[str, dict[str, float]]]) -> dict[str, dict[str, float]]:
    """Average figures by kind."""
    first = figures_of[0]
    return {
        kind: {name: round(float(np.mean([each[kind][name] for each in figures_of])), 4) for name in names}
        for kind, names in first.items()
    }
