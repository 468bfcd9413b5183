"""Trains the detector: `python -m benchmarks.train_detect --data DIR` writes src/wisen/loop/detect/weights.json.

Data: user_turns.jsonl with transcripts/, and the messages of written_messages.py. Each real turn is shown twice, with
what came after it and without, so that one model serves a finished log and live use. Sessions are never torn between
folds. The file holds weights and figures, no text of the data.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace as with_fields

import wisen
from benchmarks.data import DataAbsent, transcripts
from benchmarks.written_messages import messages
from wisen.domain.events import Status
from wisen.domain.signals import Before, Heard, SignalKind
from wisen.loop.detect.features import look
from wisen.loop.detect.model import Weights

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from wisen.domain.histories import History, Step, Turn

    Vector = NDArray[np.float64]
    Features = dict[str, float]

SEED = 6
FOLDS = 10
PRECISION = 0.78
"""What a threshold for corrections must reach, on the turns that were trained on."""
_INNER = 5
_WRITTEN = 0.3
"""How much a written message counts against an average real turn."""
_DOUBTFUL = 0.5
_SMOOTH = 4
"""How many neighbours on each side have a say in a threshold."""
_LIGHT, _PHRASE, _USUAL = 0.3, 16.0, 2.0
"""How strongly weights are held back: of the free ones below, of single phrases, of all else."""
_FREE = frozenset(
    ("before start", "before ok", "before interrupt", "before reject", "refusal's reason", "unmistakable")
)
_FILE = Path(__file__).parents[1] / "src/wisen/loop/detect/weights.json"
_CALLS = (
    (),
    ("Edit src/app/main.py", "Read src/app/main.py", "pytest -q"),
    ("ls", "Read README", "git status"),
    ("git commit -m done", "Edit a.py", "Edit b.py", "make test"),
)
"""What written messages follow, in turn: so that the calls tell nothing there."""


@dataclass(frozen=True, kw_only=True)
class Item:
    """A labelled turn."""

    id: str
    group: str
    """What must not be torn between folds."""
    heard: Heard
    kinds: frozenset[str]
    lang: str = "en"
    weight: float = 1.0
    borderline: bool = False
    written: bool = False


@dataclass(frozen=True)
class Shape:
    """Which features there are."""

    names: tuple[str, ...]
    held: Vector

    def rows(self, features: Sequence[Features], written: Sequence[bool]) -> Vector:
        """The features as numbers; the last column tells written ones, so that their mix does not shift the rest."""
        at = {name: number for number, name in enumerate(self.names)}
        rows = np.zeros((len(features), len(at) + 2))
        for row, values in zip(rows, features, strict=True):
            for name, value in values.items():
                if name in at:
                    row[at[name]] = value
        rows[:, -2] = written
        rows[:, -1] = 1.0
        return rows


def shape(features: Sequence[Features]) -> Shape:
    """The features that are seen at least twice."""
    seen = Counter(name for values in features for name in values)
    names = tuple(sorted(name for name, number in seen.items() if number >= 2))
    held = [_LIGHT if name in _FREE else _PHRASE if name.startswith("= ") else _USUAL for name in names]
    return Shape(names, np.array([*held, 0.05, 1e-6]))


def fit(rows: Vector, truth: Vector, weight: Vector, held: Vector) -> Vector:
    """Logistic regression with held-back weights, by Newton's method."""
    found = np.zeros(rows.shape[1])
    for _ in range(25):
        guess = 1.0 / (1.0 + np.exp(-np.clip(rows @ found, -30, 30)))
        slope = rows.T @ (weight * (guess - truth)) + held * found
        bend = (rows.T * (weight * np.maximum(guess * (1 - guess), 1e-6))) @ rows + np.diag(held)
        step = np.linalg.solve(bend, slope)
        found -= step * min(1.0, 4.0 / max(float(np.abs(step).max()), 1e-12))
        if float(np.abs(step).max()) < 1e-5:
            break
    return found


def folds(groups: Sequence[str], number: int, seed: int) -> NDArray[np.int64]:
    """A fold for each item; a group is in one fold."""
    names = sorted(set(groups))
    random.Random(seed).shuffle(names)
    of = {name: place % number for place, name in enumerate(names)}
    return np.array([of[group] for group in groups])


def figures(truth: Vector, said: Vector, weight: Vector) -> dict[str, float]:
    """Precision, recall and F1 of yes and no, weighted."""
    right = float((weight * truth * said).sum())
    precision = right / max(float((weight * said).sum()), 1e-9)
    recall = right / max(float((weight * truth).sum()), 1e-9)
    f1 = 2 * precision * recall / max(precision + recall, 1e-9)
    return {"precision": precision, "recall": recall, "f1": f1, "n": int(truth.sum())}


def threshold(truth: Vector, scores: Vector, weight: Vector, floor: float) -> float:
    """The threshold with the best F1 among those precise enough; a lack of precision is set off against it."""
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
    """The weights of one kind on a shape: calibrated, with its threshold."""

    found: Vector
    threshold: float

    def scores(self, rows: Vector) -> Vector:
        """Probabilities; where a message comes from is not told."""
        plain = rows.copy()
        plain[:, -2] = 0.0
        return np.asarray(1.0 / (1.0 + np.exp(-np.clip(plain @ self.found, -30, 30))))


def train(kind: str, items: Sequence[Item], rows: Vector, held: Vector) -> Trained:
    """Weights from all items; calibration and threshold from folds within them."""
    truth = np.array([float(kind in item.kinds) for item in items])
    written = np.array([item.written for item in items])
    sampled = np.array([item.weight for item in items])
    weight = np.sqrt(sampled) * np.where([item.borderline for item in items], _DOUBTFUL, 1.0)
    weight = np.where(written, _WRITTEN, weight / weight[~written].mean() / 2)
    if kind != "correction":
        # Where nearly all examples are written, telling them apart would explain everything.
        held = np.append(held[:-2], [1e6, held[-1]])
    inner = folds([item.group for item in items], _INNER, SEED + 1)
    raw = np.zeros(len(items))
    for fold in range(_INNER):
        within = inner != fold
        part = Trained(fit(rows[within], truth[within], weight[within], held), 0.5)
        scored = np.clip(part.scores(rows[~within]), 1e-9, 1 - 1e-9)
        raw[~within] = np.log(scored / (1 - scored))
    # Corrections are frequent enough in real turns; the rare kinds need the written ones as well.
    judged = ~written if kind == "correction" else np.ones(len(items), dtype=bool)
    level = np.stack([raw[judged], np.ones(int(judged.sum()))], axis=1)
    scale = fit(level, truth[judged], sampled[judged], np.array([1e-3, 1e-3]))
    found = fit(rows, truth, weight, held) * scale[0]
    found[-1] += scale[1]
    calibrated = 1.0 / (1.0 + np.exp(-(raw[judged] * scale[0] + scale[1])))
    floor = PRECISION if kind == "correction" else 0.6
    return Trained(found, threshold(truth[judged], calibrated, sampled[judged], floor))


def cross_validate(
    items: Sequence[Item], features: Sequence[Features], kinds: Sequence[str]
) -> dict[str, tuple[Vector, Vector]]:
    """For each kind the probability of every item from folds without its session, and what is said of it."""
    groups = [item.group for item in items]
    outer = folds(groups, FOLDS, SEED)
    out = {kind: (np.zeros(len(items)), np.zeros(len(items))) for kind in kinds}
    for fold in range(FOLDS):
        within, without = np.flatnonzero(outer != fold).tolist(), np.flatnonzero(outer == fold).tolist()
        known = shape([features[number] for number in within])
        rows = known.rows(features, [item.written for item in items])
        for kind in kinds:
            trained = train(kind, [items[number] for number in within], rows[within], known.held)
            scores = trained.scores(rows[without])
            out[kind][0][without] = scores
            out[kind][1][without] = scores >= trained.threshold
    return out


def calibration_error(truth: Vector, scores: Vector, weight: Vector, bins: int = 10) -> float:
    """The mean distance between what is said and what is, over tenths of the probabilities."""
    of = np.minimum((scores * bins).astype(int), bins - 1)
    gaps = [abs(float((weight * (scores - truth))[of == each].sum())) for each in range(bins)]
    return sum(gaps) / float(weight.sum())


def live(item: Item) -> Item:
    """The same turn before anything came after it."""
    return replace(item, id=f"{item.id} live", heard=with_fields(item.heard, later=None, undone=None))


def real_items(data: Path | None) -> list[Item]:
    """The labelled real turns with what happened around them. Raises: DataAbsent."""
    rows = read_rows(data, "user_turns")
    if not rows:
        raise DataAbsent(f"no user_turns.jsonl in {data or 'no folder'}; give the unpacked folder as --data DIR")
    around = _Around(_histories(data))
    return [
        Item(
            id=row["id"],
            group=row["session"],
            heard=around.heard(row),
            kinds=frozenset(row["labels"]) - {"none"},
            weight=row["weight"],
            borderline=row["borderline"],
        )
        for row in rows
    ]


def written_items() -> list[Item]:
    """The messages written for training."""
    return [
        Item(
            id=f"written-{number}",
            group=f"written-{number}",
            heard=Heard(
                text=text,
                calls=_CALLS[number % len(_CALLS)],
                earlier=("let us look at the second part of the work",) if number % 3 else (),
            ),
            kinds=kinds,
            written=True,
        )
        for number, (text, kinds) in enumerate(messages())
    ]


def read_rows(data: Path | None, stem: str) -> list[dict[str, Any]]:
    """The lines of a data file; none where it is not there."""
    path = data / f"{stem}.jsonl" if data else None
    if path is None or not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _histories(data: Path | None) -> list[History]:
    try:
        folder = transcripts(data)
    except DataAbsent:
        return []
    with tempfile.TemporaryDirectory() as home, wisen.open_learner(home, environment={"HOME": home}) as learner:
        learner.learn(folder)
        return list(learner.histories())


class _Around:
    """Finds the labelled turns in the sessions, and tells what happened around them."""

    def __init__(self, histories: Sequence[History]) -> None:
        self._by_id: dict[str, tuple[History, int]] = {}
        self._by_session: dict[str, list[tuple[History, int]]] = {}
        for history in histories:
            for number, turn in enumerate(history.turns):
                self._by_id.setdefault(turn.id, (history, number))
                if turn.text:
                    self._by_session.setdefault(history.native, []).append((history, number))

    def heard(self, row: dict[str, Any]) -> Heard:
        plain = Heard(
            text=row["user"],
            before=Before(row["preceding_event"]),
            reason=row["origin"] == "reject_reason",
            queued=row["origin"] == "queued",
        )
        found = self._find(row)
        return plain if found is None else _within(plain, *found)

    def _find(self, row: dict[str, Any]) -> tuple[History, int] | None:
        if row["turn_uuid"] in self._by_id:
            return self._by_id[row["turn_uuid"]]
        at = datetime.fromisoformat(row["timestamp"])

        def near(place: tuple[History, int]) -> float:
            return abs((_turn(place).at - at).total_seconds())

        places = self._by_session.get(row["session"], [])
        same = [place for place in places if (_turn(place).text or "").strip() == row["user"].strip()]
        found = min(same or places, key=near, default=None)
        return found if found is not None and (same or near(found) < 2) else None


def _turn(place: tuple[History, int]) -> Turn:
    return place[0].turns[place[1]]


def _within(heard: Heard, history: History, number: int) -> Heard:
    turn = history.turns[number]
    said = [each for each in history.turns[:number] if each.text]
    following = [each for each in history.turns[number + 1 :] if each.text]
    steps = history.steps[max((each.before for each in said), default=0) : turn.before]
    then = history.steps[turn.before : following[0].before if following else len(history.steps)]
    edited = {call_of(step) for step in steps if step.tool in ("Edit", "Write", "MultiEdit")}
    return with_fields(
        heard,
        earlier=tuple(each.text or "" for each in reversed(said))[:3],
        calls=tuple(call_of(step) for step in reversed(steps))[:8],
        failed=(steps[-1].text or "") if steps and steps[-1].status is Status.FAILED else "",
        later=tuple(each.text or "" for each in following)[:3],
        undone=any(call_of(step) in edited or _takes_back(call_of(step)) for step in then),
    )


def call_of(step: Step) -> str:
    """A command, or a tool with its file."""
    try:
        arguments = json.loads(step.arguments or "{}")
    except ValueError:
        arguments = {}
    if not isinstance(arguments, dict):
        return step.tool
    return str(arguments.get("command") or f"{step.tool} {arguments.get('file_path') or arguments.get('path') or ''}")


def _takes_back(call: str) -> bool:
    return any(f"git {verb}" in call for verb in ("checkout --", "revert", "restore", "reset"))


def main() -> None:
    """Train on everything, and write the weights with the figures of the folds."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.train_detect", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the unpacked data")
    options = parser.parse_args()
    real = real_items(options.data)
    items = [*real, *(live(item) for item in real), *written_items()]
    features = [look(item.heard).values for item in items]
    known = shape(features)
    rows = known.rows(features, [item.written for item in items])
    kinds = {}
    for kind in SignalKind:
        trained = train(kind.value, items, rows, known.held)
        pairs = zip(known.names, trained.found[:-2], strict=True)
        kinds[kind.value] = Weights(
            bias=round(float(trained.found[-1]), 4),
            threshold=round(trained.threshold, 2),
            weights={name: round(float(weight), 3) for name, weight in pairs if abs(weight) >= 0.03},
        )
    report = _report(items, features)
    shown = {
        kind: {"bias": each.bias, "threshold": each.threshold, "weights": each.weights} for kind, each in kinds.items()
    }
    _FILE.write_text(
        json.dumps({"report": report, "kinds": shown}, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
    print(json.dumps(report, indent=2))


def _report(items: Sequence[Item], features: Sequence[Features]) -> dict[str, object]:
    said = cross_validate(items, features, [kind.value for kind in SignalKind])
    real = [item for item in items if not item.written]
    return {
        "data": "user_turns.jsonl (real, as of 2026-02) and benchmarks/written_messages.py",
        "real": len(real) // 2,
        "sessions": len({item.group for item in real}),
        "written": len(items) - len(real),
        "folds": FOLDS,
        "seed": SEED,
        "cross_validated": {name: judged(items, said, of) for name, of in SLICES.items()},
    }


SLICES: dict[str, Callable[[Item], bool]] = {
    "user_turns": lambda item: not item.written and not item.id.endswith(" live"),
    "user_turns_live": lambda item: item.id.endswith(" live"),
    "user_turns_clear": lambda item: not item.written and not item.id.endswith(" live") and not item.borderline,
    "user_turns_clear_live": lambda item: item.id.endswith(" live") and not item.borderline,
    "written": lambda item: item.written,
}
"""The sets that folds are judged on: with what came after, live, and both without the doubtful ones."""


def judged(
    items: Sequence[Item], said: dict[str, tuple[Vector, Vector]], of: Callable[[Item], bool]
) -> dict[str, dict[str, float]]:
    """The figures by kind on some of the items."""
    chosen = np.array([of(item) for item in items])
    weight = np.array([item.weight for item in items])[chosen]
    out = {}
    for kind, (scores, yes) in said.items():
        truth = np.array([float(kind in item.kinds) for item in items])[chosen]
        error = calibration_error(truth, scores[chosen], weight)
        got = {**figures(truth, yes[chosen], weight), "calibration_error": error}
        out[kind] = {name: round(value, 4) for name, value in got.items()}
    return out


if __name__ == "__main__":
    main()
