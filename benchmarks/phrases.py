"""Measures detection of a user's own phrases: how many planted phrases are found in simulated sessions, and false ones.

`recall`: found of the planted phrases; `precision`: planted of those found, also by kind and language. A phrase counts
as found if it, a part of it or more than it was named, with the kind that it was planted as. `uses`: in how many turns
a planted phrase occurs, as a median. `nothing_planted`: how many are found for users without such a phrase.
With `--data`, also what is found in the sessions there.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.data import MissingDataError
from benchmarks.phrase_worlds import make_world
from wisen import app
from wisen.feedback.phrase_statistics import find_phrases, is_part_of
from wisen.feedback.turn_signs import observe_turns

if TYPE_CHECKING:
    import argparse

    from benchmarks.phrase_worlds import World
    from wisen.feedback.phrase_statistics import PhraseCandidate

WORLDS = 60
_DAYS = 100_000.0


def run(options: argparse.Namespace) -> dict[str, object]:
    """Make users up, and look for what was planted."""
    figures = measure_worlds(options.worlds or WORLDS)
    if options.data is not None:
        logs = options.data / "transcripts"
        if not logs.is_dir():
            raise MissingDataError(f"{logs} is no folder. Give --data a folder that holds transcripts/.")
        figures["real"] = measure_real(logs)
    return figures


def measure_worlds(worlds: int) -> dict[str, object]:
    """The figures over so many users."""
    counts: Counter[tuple[str, str]] = Counter()
    turns, uses, began = 0, list[int](), time.perf_counter()
    for seed in range(worlds):
        each = make_world(seed)
        turns += sum(len(history.turns) for history in each.histories)
        uses += [_uses(each, text) for text in each.planted]
        _count(each, find_in_world(each), counts)
    took = time.perf_counter() - began
    nothing = [len(find_in_world(make_world(seed, planted=False))) for seed in range(worlds)]
    groups = sorted({group for group, _ in counts})
    return {
        "worlds": worlds,
        "turns": turns,
        "uses": statistics.median(uses),
        **_shares(counts, "all"),
        "by": {group: _shares(counts, group) for group in groups if group != "all"},
        "nothing_planted": {"worlds": worlds, "found": sum(nothing), "worlds_with_any": sum(map(bool, nothing))},
        "seconds_a_world": round(took / worlds, 3),
    }


def find_in_world(each: World) -> list[PhraseCandidate]:
    """What is found in a user's sessions."""
    return find_phrases([turn for history in each.histories for turn in observe_turns(history)])


def measure_real(logs: Path) -> dict[str, object]:
    """What is found in real sessions, as a user would look for it."""
    with tempfile.TemporaryDirectory() as folder:
        with app.wire(Path(folder) / "wisen", {"HOME": folder}).learner() as learner:
            learner.learn(logs, judge=False)
            found = learner.feedback.learn_phrases(days=_DAYS)
    descriptions = [
        f"{phrase.kind.value}: {phrase.text} ({phrase.hits} of {phrase.turns})" for phrase, _ in found.phrases
    ]
    return {"turns": found.search.turns, "found": len(descriptions), "phrases": descriptions}


def _uses(each: World, phrase: str) -> int:
    return sum(phrase in (turn.text or "") for history in each.histories for turn in history.turns)


def _count(each: World, found: list[PhraseCandidate], counts: Counter[tuple[str, str]]) -> None:
    for text, kind in each.planted.items():
        hit = any(one.kind is kind and _fits(one.text, text) for one in found)
        for group in ("all", kind.value, each.language):
            counts[group, "planted"] += 1
            counts[group, "recalled"] += hit
    for one in found:
        hit = any(one.kind is kind and _fits(one.text, text) for text, kind in each.planted.items())
        for group in ("all", one.kind.value, each.language):
            counts[group, "found"] += 1
            counts[group, "right"] += hit


def _fits(one: str, two: str) -> bool:
    return is_part_of(one, two) or is_part_of(two, one)


def _shares(counts: Counter[tuple[str, str]], group: str) -> dict[str, object]:
    planted, found = counts[group, "planted"], counts[group, "found"]
    return {
        "planted": planted,
        "recall": round(counts[group, "recalled"] / planted, 3) if planted else None,
        "found": found,
        "precision": round(counts[group, "right"] / found, 3) if found else None,
    }
