"""What users say: corrections, praise, preferences, requests; found by the detector, next to simpler ways.

Data: `--data DIR` with user_turns.jsonl and transcripts/; multilingual_written.jsonl and emoji.jsonl if at hand.
Without `--cross-validate` the shipped model is tested as it is: on data that it was trained on that says little.
"""

from __future__ import annotations

import re
import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.train_detect import (
    FOLDS,
    SEED,
    SLICES,
    Item,
    cross_validate,
    figures,
    fit,
    folds,
    judged,
    live,
    read_rows,
    real_items,
    threshold,
    written_items,
)
from wisen.domain.signals import Before, Heard, SignalKind
from wisen.loop.detect.features import look
from wisen.loop.detect.model import detect, shipped

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from benchmarks.train_detect import Vector

    Said = dict[str, tuple[Vector, Vector]]

_KINDS = [kind.value for kind in SignalKind]
_GENERIC_LIST = re.compile(
    r"\b(?:no|nope|wrong|incorrect|not right|instead|actually|stop|don't|revert|undo|should be|i said|i told|still)\b",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"[a-z']+|[?!]")


def run(options: argparse.Namespace) -> dict[str, object]:
    """The figures of one run. Raises: DataAbsent."""
    real = real_items(options.data)
    items = [*real, *(live(item) for item in real), *written_items()]
    said = _folds(items) if options.cross_validate else _shipped(items)
    sets: dict[str, object] = {name: judged(items, said, of) for name, of in SLICES.items()}
    others = {stem: _others(options.data, stem) for stem in ("multilingual_written", "emoji")}
    for stem, found in others.items():
        if found:
            sets[stem] = judged(found, _shipped(found), lambda _: True)
    return {
        "cross_validated": options.cross_validate,
        "sets": sets,
        "languages": _languages(others["multilingual_written"]),
        "baselines": _baselines(real),
        "unweighted": {
            "sets": {name: judged([_plain(item) for item in items], said, of) for name, of in SLICES.items()},
            "baselines": _baselines([_plain(item) for item in real]),
        },
        "errors": _errors(items, said),
        "messages_per_s": _speed([item.heard for item in real], options.repeat),
    }


def _plain(item: Item) -> Item:
    """The item without its sampling weight: published figures of others are counted so."""
    return replace(item, weight=1.0)


def _folds(items: Sequence[Item]) -> Said:
    return cross_validate(items, [look(item.heard).values for item in items], _KINDS)


def _shipped(items: Sequence[Item]) -> Said:
    model = shipped()
    rows = [model.probabilities(item.heard) for item in items]
    held = [{signal.kind for signal in detect(item.heard)} for item in items]
    return {
        kind.value: (
            np.array([row[kind] for row in rows]),
            np.array([float(kind in kinds) for kinds in held]),
        )
        for kind in SignalKind
    }


def _others(data: Path | None, stem: str) -> list[Item]:
    return [
        Item(
            id=row["id"],
            group=row["id"],
            heard=Heard(text=row["user"], before=Before.ERROR if row["preceding_error"] else Before.OK),
            kinds=frozenset(row["labels"]) - {"none"},
            lang=row["lang"],
            weight=row["weight"],
        )
        for row in read_rows(data, stem)
    ]


def _languages(items: Sequence[Item]) -> dict[str, object]:
    if not items:
        return {}
    said = _shipped(items)
    by_language: dict[str, Callable[[Item], bool]] = {
        lang: (lambda item, lang=lang: item.lang == lang)  # type: ignore[misc]  # mypy cannot infer a default's type here
        for lang in sorted({item.lang for item in items})
    }
    return {lang: judged(items, said, of) for lang, of in by_language.items()}


def _baselines(real: Sequence[Item]) -> dict[str, object]:
    """Simple ways to find corrections, on the same turns."""
    after = [float(item.heard.before in (Before.INTERRUPT, Before.REJECT)) for item in real]
    generic = [float(bool(_GENERIC_LIST.search(item.heard.text))) for item in real]
    ways = {
        "generic_list": generic,
        "after_interrupt_or_rejection": after,
        "generic_list_or_after": [max(pair) for pair in zip(generic, after, strict=True)],
        "bag_of_words": list(_bag_of_words(real)),
    }
    return {
        name: {"user_turns": _of(real, said, doubtful=True), "user_turns_clear": _of(real, said, doubtful=False)}
        for name, said in ways.items()
    }


def _of(real: Sequence[Item], said: Sequence[float], *, doubtful: bool) -> dict[str, object]:
    chosen = np.array([doubtful or not item.borderline for item in real])
    truth = np.array([float("correction" in item.kinds) for item in real])[chosen]
    weight = np.array([item.weight for item in real])[chosen]
    return {
        "correction": {name: round(value, 4) for name, value in figures(truth, np.array(said)[chosen], weight).items()}
    }


def _bag_of_words(real: Sequence[Item]) -> Vector:
    """Logistic regression over the words and what happened before, by the same folds; always cross-validated."""
    bags = [
        {*_TOKEN.findall(item.heard.text.lower()), f"<{item.heard.before.value}>", f"<{item.heard.reason}>"}
        for item in real
    ]
    truth = np.array([float("correction" in item.kinds) for item in real])
    weight = np.array([item.weight for item in real])
    groups = [item.group for item in real]
    outer = folds(groups, FOLDS, SEED)
    said = np.zeros(len(real))
    for fold in range(FOLDS):
        within = np.flatnonzero(outer != fold)
        words = sorted({word for number in within for word in bags[number]})
        words = [word for word in words if sum(word in bags[number] for number in within) >= 3]
        rows = np.array([[*(float(word in bag) for word in words), 1.0] for bag in bags])
        held = np.array([*(0.3 if word.startswith("<") else 4.0 for word in words), 1e-6])
        inner = folds([groups[number] for number in within], 5, SEED + 1)
        scores = np.zeros(len(within))
        for part in range(5):
            kept = within[inner != part]
            scores[inner == part] = rows[within[inner == part]] @ fit(
                rows[kept], truth[kept], np.sqrt(weight[kept]), held
            )
        chosen = threshold(truth[within], 1 / (1 + np.exp(-scores)), weight[within], 0.0)
        found = fit(rows[within], truth[within], np.sqrt(weight[within]), held)
        without = outer == fold
        said[without] = 1 / (1 + np.exp(-(rows[without] @ found))) >= chosen
    return said


def _errors(items: Sequence[Item], said: Said) -> dict[str, list[str]]:
    """The ids of real turns where corrections were missed or seen wrongly; doubtful ones apart."""
    out: dict[str, list[str]] = {"missed": [], "missed_doubtful": [], "false": [], "false_doubtful": []}
    for item, yes in zip(items, said["correction"][1], strict=True):
        if not SLICES["user_turns"](item) or bool(yes) == ("correction" in item.kinds):
            continue
        out[("false" if yes else "missed") + ("_doubtful" if item.borderline else "")].append(item.id)
    return out


def _speed(heards: Sequence[Heard], repeat: int) -> float:
    best = float("inf")
    for _ in range(repeat):
        began = time.perf_counter()
        for heard in heards:
            detect(heard)
        best = min(best, time.perf_counter() - began)
    return len(heards) / best
