"""Measures detection of corrections, praise, preferences and requests, compared with simpler methods.

Data: `--data DIR` with user_turns.jsonl and transcripts/; multilingual_written.jsonl and emoji.jsonl if available.
Without `--cross-validate` the shipped model is tested as it is: on data that it was trained on, that says little.
Nothing is ever trained on multilingual_written and emoji: their figures cover whole scenarios that were left out.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from benchmarks.detect_fit import (
    FOLDS,
    HOME,
    SEED,
    SEEDS,
    assign_folds,
    average_figures,
    best_threshold,
    cross_validate,
    figures,
    figures_by_kind,
    fit,
)
from benchmarks.detect_help import agreement, session_start_figures
from benchmarks.detect_items import (
    SLICES,
    Item,
    directive_items,
    lessons_of,
    own_label_items,
    read_rows,
    real_items,
    sessions_of,
    without_later_events,
    written_items,
    written_lessons,
)
from benchmarks.detect_left_out import by_project, judge, later_halves, parts_by, predict_without, with_own_phrases
from benchmarks.detect_oracle import figures_with_answers
from benchmarks.train_detect import lasting_figures
from wisen.feedback.detector import detect, shipped_detector
from wisen.feedback.features import named_features
from wisen.feedback.lesson_extraction import lesson_text
from wisen.logs.parallel_read import pause_gc
from wisen.model.signal import PrecedingEvent, SignalKind, TypedTurn

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from benchmarks.detect_fit import Vector

    Predictions = dict[str, tuple[Vector, Vector]]

_KINDS = [kind.value for kind in SignalKind]
_GENERIC_LIST = re.compile(
    r"\b(?:no|nope|wrong|incorrect|not right|instead|actually|stop|don't|revert|undo|should be|i said|i told|still)\b",
    re.IGNORECASE,
)
_SEED_PHRASES = (
    "every time,i already told,you should have,why don't you,why are you not,help me understand why,i have to nudge,"
    "would have expected,you have password,you have credentials,you have token,let's revert,lets revert,that was wrong,"
    "you misunderstood,been waiting,not automatically progress,same mistake,try again,why can't you,why cant you,"
    "just ssh,just check,just use,just do,nooo,stop!,don't do,stop doing,never do,why are you,why do you keep,ffs,"
    "i give up,never ever"
).split(",")
_SEED_EMOJI = "👎😠😤💩🙁😞😒😑🤬"
_SEED_SKIPS = re.compile(r"heartbeat|cron job|compact|pre-compaction|sub-?agent|NO_REPLY", re.IGNORECASE)
"""openclaw-hybrid-memory's list of 2026.4 with its emoji and skip rules, matched its way: anywhere, in long texts."""
_SECONDS = 6.0
"""How long the speed is measured, half of it in whole passes: the best counts, for others slow some of them down."""
_WORD = re.compile(r"[\w']+")
_TOKEN = re.compile(r"[a-z']+|[?!]")


def run(options: argparse.Namespace) -> dict[str, object]:
    """Return the figures of one run. Raises: MissingDataError."""
    real, ours = real_items(options.data), own_label_items(options.data)
    items = [
        *real,
        *ours,
        *(without_later_events(item) for item in [*real, *ours]),
        *(i for i in written_items() if i.lang in HOME),
    ]
    drawn = _folds(items) if options.cross_validate else [_shipped(items)]
    sets: dict[str, object] = _sets(items, drawn)
    without = _without(items, options.data) if options.cross_validate else {"by_project": by_project(items, drawn[0])}
    others = {stem: _others(options.data, stem) for stem in ("multilingual_written", "emoji")}
    for stem, found in others.items():
        if found:
            sets[stem] = figures_by_kind(found, _shipped(found), lambda _: True)
    return {
        "cross_validated": options.cross_validate,
        "sets": sets,
        "languages": _languages(others["multilingual_written"]),
        "worst_language": _worst(others["multilingual_written"]),
        "baselines": _with_seeds(_baselines(real), others),
        "unweighted": {
            "sets": _sets([_plain(item) for item in items], drawn),
            "baselines": _baselines([_plain(item) for item in real]),
        },
        **without,
        "agreement": agreement(real),
        "at_start": session_start_figures(real, directive_items(options.data)),
        "lessons": _lessons(real, ours, _teaching(items, drawn) if options.cross_validate else []),
        "errors": _errors(items, drawn[0]),
        **_speed(real),
        **_speed_abroad(others["multilingual_written"]),
    }


def _without(items: Sequence[Item], data: Path | None) -> dict[str, object]:
    """What a detector says of whom it was not trained on: by projects, by people, and of the later half of sessions."""
    features = [named_features(item.typed_turn, paired=False) for item in items]
    projects = predict_without(items, features, _KINDS, parts_by(items, lambda item: item.project))
    persons = predict_without(items, features, ["correction"], parts_by(items, lambda item: item.person))
    later = predict_without(items, features, ["correction"], later_halves(items))
    later["correction"], own_phrases = with_own_phrases(items, later["correction"], sessions_of(data))
    left: dict[str, dict[str, object]] = {
        name: {**judge(items, predictions["correction"]), "live": judge(items, predictions["correction"], live=True)}
        for name, predictions in {"projects": projects, "persons": persons, "later_sessions": later}.items()
    }
    left["later_sessions"]["own_phrases"] = own_phrases
    return {
        "by_project": by_project(items, projects),
        "left_out": left,
        "with_agent": figures_with_answers(items, features),
    }


def _plain(item: Item) -> Item:
    """The item without its sampling weight: published figures of others are counted so."""
    return replace(item, weight=1.0)


def _folds(items: Sequence[Item]) -> list[Predictions]:
    features = [named_features(item.typed_turn, paired=False) for item in items]
    return [cross_validate(items, features, _KINDS, seed) for seed in SEEDS]


def _sets(items: Sequence[Item], drawn: Sequence[Predictions]) -> dict[str, object]:
    """The figures on each set; None where the data holds nothing of one, as our labels for other people's sessions."""
    return {
        name: average_figures([figures_by_kind(items, predictions, of) for predictions in drawn])
        if any(map(of, items))
        else None
        for name, of in SLICES.items()
    }


def _shipped(items: Sequence[Item]) -> Predictions:
    model = shipped_detector()
    rows = [model.probabilities(item.typed_turn) for item in items]
    held = [{signal.kind for signal in detect(item.typed_turn) if not signal.is_doubtful} for item in items]
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
            typed_turn=TypedTurn(
                text=row["user"], before=PrecedingEvent.ERROR if row["preceding_error"] else PrecedingEvent.OK
            ),
            kinds=frozenset(row["labels"]) - {"none"},
            lang=row["lang"],
            weight=row["weight"],
        )
        for row in read_rows(data, stem)
    ]


def _languages(items: Sequence[Item]) -> dict[str, object]:
    if not items:
        return {}
    predictions = _shipped(items)
    by_language: dict[str, Callable[[Item], bool]] = {
        lang: (lambda item, lang=lang: item.lang == lang)  # type: ignore[misc]  # mypy cannot infer a default's type here
        for lang in sorted({item.lang for item in items})
    }
    return {lang: figures_by_kind(items, predictions, of) for lang, of in by_language.items()}


def _worst(items: Sequence[Item]) -> dict[str, object]:
    """The mean over languages of the F1 of corrections, and the language in which it is lowest."""
    if not items:
        return {}
    predictions = _shipped(items)
    found = {
        lang: figures_by_kind(items, predictions, lambda item, lang=lang: item.lang == lang)["correction"]["f1"]  # type: ignore[misc]
        for lang in sorted({item.lang for item in items})
    }
    lowest = min(found, key=lambda lang: found[lang])
    return {"mean_f1": round(sum(found.values()) / len(found), 4), "language": lowest, "f1": found[lowest]}


def _with_seeds(baselines: dict[str, object], others: dict[str, list[Item]]) -> dict[str, object]:
    """The seed's list of phrases on the other sets as well."""
    seeds = dict(cast("dict[str, object]", baselines["seed_phrases"]))
    for stem, items in others.items():
        if items:
            seeds[stem] = _of(
                items, [float(_is_seeds_correction(item.typed_turn.text)) for item in items], doubtful=True
            )
    return {**baselines, "seed_phrases": seeds}


def _baselines(real: Sequence[Item]) -> dict[str, object]:
    """Simple ways to find corrections, on the same turns."""
    after = [float(item.typed_turn.before in (PrecedingEvent.INTERRUPT, PrecedingEvent.REJECT)) for item in real]
    generic = [float(bool(_GENERIC_LIST.search(item.typed_turn.text))) for item in real]
    ways = {
        "seed_phrases": [float(_is_seeds_correction(item.typed_turn.text)) for item in real],
        "generic_list": generic,
        "after_interrupt_or_rejection": after,
        "generic_list_or_after": [max(pair) for pair in zip(generic, after, strict=True)],
        "bag_of_words": list(_bag_of_words(real)),
    }
    return {
        name: {"user_turns": _of(real, scores, doubtful=True), "user_turns_clear": _of(real, scores, doubtful=False)}
        for name, scores in ways.items()
    }


def _of(real: Sequence[Item], scores: Sequence[float], *, doubtful: bool) -> dict[str, object] | None:
    chosen = np.array([doubtful or not item.borderline for item in real])
    if not chosen.any():
        return None
    truth = np.array([float("correction" in item.kinds) for item in real])[chosen]
    weight = np.array([item.weight for item in real])[chosen]
    return {
        "correction": {
            name: round(value, 4) for name, value in figures(truth, np.array(scores)[chosen], weight).items()
        }
    }


def _bag_of_words(real: Sequence[Item]) -> Vector:
    """Logistic regression over the words and what happened before, by the same folds; always cross-validated."""
    bags = [
        {
            *_TOKEN.findall(item.typed_turn.text.lower()),
            f"<{item.typed_turn.before.value}>",
            f"<{item.typed_turn.reason}>",
        }
        for item in real
    ]
    truth = np.array([float("correction" in item.kinds) for item in real])
    weight = np.array([item.weight for item in real])
    groups = [item.group for item in real]
    outer = assign_folds(groups, FOLDS, SEED)
    predicted = np.zeros(len(real))
    for fold in range(FOLDS):
        within = np.flatnonzero(outer != fold)
        words = sorted({word for number in within for word in bags[number]})
        words = [word for word in words if sum(word in bags[number] for number in within) >= 3]
        rows = np.array([[*(float(word in bag) for word in words), 1.0] for bag in bags])
        held = np.array([*(0.3 if word.startswith("<") else 4.0 for word in words), 1e-6])
        inner = assign_folds([groups[number] for number in within], 5, SEED + 1)
        scores = np.zeros(len(within))
        for part in range(5):
            kept = within[inner != part]
            scores[inner == part] = rows[within[inner == part]] @ fit(
                rows[kept], truth[kept], np.sqrt(weight[kept]), held
            )
        chosen = best_threshold(truth[within], 1 / (1 + np.exp(-scores)), weight[within], 0.0)
        found = fit(rows[within], truth[within], np.sqrt(weight[within]), held)
        without = outer == fold
        predicted[without] = 1 / (1 + np.exp(-(rows[without] @ found))) >= chosen
    return predicted


def _is_seeds_correction(text: str) -> bool:
    if len(text) < 25 or _SEED_SKIPS.search(text):
        return False
    low = text.lower()
    return any(phrase in low for phrase in _SEED_PHRASES) or any(each in text for each in _SEED_EMOJI)


def _teaching(items: Sequence[Item], drawn: Sequence[Predictions]) -> list[set[str]]:
    """For each draw of folds the turns in which a lesson was found."""
    tells = [bool(lesson_text(item.typed_turn.text)) for item in items]
    return [
        {
            item.id
            for item, *held in zip(
                items, tells, predictions["correction"][1] + predictions["preference"][1], strict=True
            )
            if all(held)
        }
        for predictions in drawn
    ]


def _lessons(real: Sequence[Item], ours: Sequence[Item], teaching: Sequence[set[str]]) -> dict[str, object]:
    """How close lessons come to the labelled rules, next to the whole message; and which of them are said to last.

    `teaching` is empty where the shipped model is judged.
    """
    ruled = [item for item in lessons_of(real) if item.rule]
    if not ruled:
        return {"n": 0}
    drawn = [_shared_words(lesson_text(item.typed_turn.text), item.rule) for item in ruled]
    whole = [_shared_words(item.typed_turn.text, item.rule) for item in ruled]
    if teaching:
        lasting = lasting_figures([*lessons_of([*real, *ours]), *written_lessons()], teaching)
    else:
        truth = np.array([float(bool(item.lasts)) for item in ruled])
        lessons = [next((signal.lesson for signal in detect(item.typed_turn) if signal.lesson), None) for item in ruled]
        held = np.array([float(found is not None and found.is_durable) for found in lessons])
        lasting = {name: round(value, 4) for name, value in figures(truth, held, np.ones(len(ruled))).items()}
    return {
        "n": len(ruled),
        "token_f1": round(sum(drawn) / len(ruled), 4),
        "verbatim_token_f1": round(sum(whole) / len(ruled), 4),
        "nearer_than_verbatim": sum(ours > theirs for ours, theirs in zip(drawn, whole, strict=True)),
        "farther_than_verbatim": sum(ours < theirs for ours, theirs in zip(drawn, whole, strict=True)),
        "durable": lasting,
    }


def _shared_words(text: str, rule: str) -> float:
    """F1 of the words that two texts share."""
    one, other = Counter(_WORD.findall(text.lower())), Counter(_WORD.findall(rule.lower()))
    both = sum((one & other).values())
    return 2 * both / (sum(one.values()) + sum(other.values())) if both else 0.0


def _errors(items: Sequence[Item], predictions: Predictions) -> dict[str, object]:
    """The real turns where corrections were missed or seen wrongly, by kind of turn, and their ids."""
    ids: dict[str, list[str]] = {"missed": [], "missed_doubtful": [], "false": [], "false_doubtful": []}
    kinds: dict[str, Counter[str]] = {"missed": Counter(), "false": Counter()}
    for item, yes in zip(items, predictions["correction"][1], strict=True):
        if not SLICES["user_turns"](item) or bool(yes) == ("correction" in item.kinds):
            continue
        way = "false" if yes else "missed"
        ids[way + ("_doubtful" if item.borderline else "")].append(item.id)
        kinds[way][_sort(item)] += 1
    return {**ids, "by_kind": {way: dict(counted.most_common()) for way, counted in kinds.items()}}


def _sort(item: Item) -> str:
    """What sort of turn it is, roughly: where errors are frequent."""
    text = item.typed_turn.text
    if item.typed_turn.reason:
        return "reason of a refusal"
    if len(text) > 300:
        return "long or pasted"
    if text.rstrip().endswith("?"):
        return "question"
    return "after an interrupt" if item.typed_turn.before is PrecedingEvent.INTERRUPT else "statement or order"


def _speed_abroad(items: Sequence[Item]) -> dict[str, float]:
    """Messages a second in all languages together."""
    return {"messages_per_s_languages": _speed(items)["messages_per_s"]} if items else {}


def _speed(items: Sequence[Item]) -> dict[str, float]:
    """Messages a second, lessons included; the collector is paused as it is while sessions are listened to.

    The best pass over all of them counts. The labelled turns hold more corrections than people type, and those take
    longest: `weighted` counts the best time of each message by its sampling weight, so it tells of the natural mix.
    """
    clock = time.perf_counter
    turns = [item.typed_turn for item in items]
    passes: list[float] = []
    each = [float("inf")] * len(items)
    with pause_gc():
        ends = clock() + _SECONDS
        while not passes or clock() < ends:
            began = clock()
            for turn in turns:
                detect(turn)
            passes.append(clock() - began)
            for number, turn in enumerate(turns):
                began = clock()
                detect(turn)
                each[number] = min(each[number], clock() - began)
    weighted = sum(item.weight * took for item, took in zip(items, each, strict=True))
    return {
        "messages_per_s": len(items) / min(passes),
        "messages_per_s_weighted": sum(item.weight for item in items) / weighted,
    }
