"""Measures how far two labellers agree, and how much of what session starts deliver is labelled as lasting."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.data import json_lines
from benchmarks.detect_fit import figures
from wisen.feedback.detector import detect

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.detect_items import Item

_SECOND_LABELS = Path(__file__).parent / "labels/turns_twice.jsonl"


def agreement(items: Sequence[Item]) -> dict[str, object]:
    """How far two readers agree on the same turns, and each with the labels of the data where that is at hand."""
    rows = json_lines(_SECOND_LABELS)
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


def session_start_figures(items: Sequence[Item], written: Sequence[Item] = ()) -> dict[str, object]:
    """Of what would be told at session starts, how much was labelled to last, and how much of that is told.

    What is told there stands by its own words. `written`: sentences that were written to test that, some of which are
    not meant to last.
    """
    return {**_stands(items), "directives": _stands(written), "together": _stands([*items, *written])}


def _stands(items: Sequence[Item]) -> dict[str, object]:
    delivered = np.array(
        [float(any(each.lesson and each.lesson.standing for each in detect(i.typed_turn))) for i in items]
    )
    lasts = np.array([float(bool(item.lasts) or "remember" in item.kinds) for item in items])
    clear = np.array([not item.borderline for item in items], dtype=bool)
    if not items:
        return {"n": 0}
    got = figures(lasts, delivered, np.ones(len(items)))
    of_clear = figures(lasts[clear], delivered[clear], np.ones(int(clear.sum())))
    return {
        "precision": round(got["precision"], 4),
        "recall": round(got["recall"], 4),
        "n": int(delivered.sum()),
        "labelled": int(lasts.sum()),
        "clear_precision": round(of_clear["precision"], 4),
        "false": [item.id for item, yes, truth in zip(items, delivered, lasts, strict=True) if yes > truth],
    }
