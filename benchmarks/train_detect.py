"""Trains the detector: `python -m benchmarks.train_detect --data DIR` writes src/wisen/feedback/weights.json.

Data: user_turns.jsonl with transcripts/, and the messages in written/. Each real turn is used twice, with what came
after it and without, so that one model serves a finished log and live use. Sessions are never split between folds. The
file contains weights, no text of the data.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.detect_fit import (
    HOME,
    LASTING_SEEDS,
    average_figures,
    calibration_error,
    cross_validate_lasting,
    figures,
    select_features,
    train,
    train_lasting,
)
from benchmarks.detect_items import (
    lessons_of,
    own_label_items,
    real_items,
    without_later_events,
    written_items,
    written_lessons,
)
from wisen.feedback.durability_features import durability_features
from wisen.feedback.features import named_features
from wisen.feedback.lesson_extraction import count_groups, extract_lesson
from wisen.model.signal import SignalKind

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from benchmarks.detect_fit import Features, Vector
    from benchmarks.detect_items import Item

_FILE = Path(__file__).parents[1] / "src/wisen/feedback/weights.json"


def main() -> None:
    """Train on everything, and write the weights."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.train_detect", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the unpacked data")
    options = parser.parse_args()
    turns = [*real_items(options.data), *own_label_items(options.data)]
    items = [*turns, *(without_later_events(item) for item in turns), *written_items()]
    at_home = [item for item in items if item.lang in HOME]
    kinds, abroad = _weights(at_home, abroad=False), _weights(items, abroad=True)
    taught = [*lessons_of(turns), *written_lessons()]
    report = _report(items, at_home)
    trained, names = train_lasting(taught, lasting_features(taught))
    lasting_weights = {
        "bias": round(float(trained.found[-1]), 4),
        "threshold": round(trained.threshold, 3),
        "weights": {name: round(float(weight), 3) for name, weight in zip(names, trained.found[:-2], strict=True)},
    }
    made = {"report": report, "kinds": kinds, "abroad": abroad, "lasting": lasting_weights}
    _FILE.write_text(json.dumps(made, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps(report, indent=2))


def _weights(items: Sequence[Item], *, abroad: bool) -> dict[str, object]:
    """The weights of each kind as they are shipped."""
    features = [named_features(item.typed_turn, paired=abroad) for item in items]
    known = select_features(features, items)
    rows = known.rows(features, [item.written for item in items])
    kinds: dict[str, object] = {}
    for kind in SignalKind:
        trained = train(kind.value, items, rows, known.names, abroad=abroad)
        pairs = zip(known.names, trained.found[:-2], strict=True)
        kinds[kind.value] = {
            "bias": round(float(trained.found[-1]), 4),
            "threshold": round(trained.threshold, 2),
            "weights": {name: round(float(weight), 3) for name, weight in pairs if abs(weight) >= 0.03},
        }
    return kinds


def lasting_features(items: Sequence[Item]) -> list[Features]:
    """What tells of each lesson whether it lasts."""
    out = []
    for item in items:
        reading = extract_lesson(item.typed_turn.text).reading or item.typed_turn.text[:200]
        out.append(
            durability_features(item.typed_turn, reading, count_groups(reading), named_features(item.typed_turn))
        )
    return out


def lasting_figures(items: Sequence[Item], detected: Sequence[Collection[str]] = ()) -> dict[str, float]:
    """How well folds tell what lasts, on the labels of the data.

    `detected` tells for the first draws which turns were found to teach anything: what was not found cannot be said to
    last, so the figures with that are lower.
    """
    features = lasting_features(items)
    drawn = [cross_validate_lasting(items, features, seed) for seed in LASTING_SEEDS]
    got = [_lasting_figures(items, *each) for each in drawn]
    out = average_figures([{"": each} for each in got])[""]
    out["f1_spread"] = round(float(np.std([each["f1"] for each in got])), 4)
    if detected:
        predicted = [np.array([float(item.id in found) for item in items]) for found in detected]
        pairs = zip(drawn, predicted, strict=False)
        both = [_lasting_figures(items, scores, yes * one) for (scores, yes), one in pairs]
        of_both = average_figures([{"": each} for each in both])[""]
        out |= {f"detected_{name}": of_both[name] for name in ("precision", "recall", "f1")}
    return out


def _lasting_figures(items: Sequence[Item], scores: Vector, yes: Vector) -> dict[str, float]:
    chosen = np.array([not item.written and not item.ours for item in items])
    truth, one = np.array([float(bool(item.lasts)) for item in items])[chosen], np.ones(int(chosen.sum()))
    got = figures(truth, yes[chosen], one)
    got["calibration_error"] = calibration_error(truth, scores[chosen], one)
    got["all_said_to_last_f1"] = figures(truth, one, one)["f1"]
    return got


def _report(items: Sequence[Item], at_home: Sequence[Item]) -> dict[str, object]:
    """Return what was trained on. `python -m benchmarks detect --cross-validate` measures how well it does."""
    real = [item for item in at_home if not item.written]
    return {
        "data": "user_turns.jsonl (real, as of 2026-02), labels/turns.jsonl on the same sessions, and written/",
        "real": sum(not item.ours for item in real) // 2,
        "ours": sum(item.ours for item in real) // 2,
        "sessions": len({item.group for item in real}),
        "written": len(at_home) - len(real),
        "written_abroad": len(items) - len(at_home),
    }


if __name__ == "__main__":
    main()
