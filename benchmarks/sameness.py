"""Measures whether rephrased lessons are merged and opposites never are, on labelled real and written pairs.

Data: `--data DIR` with user_turns.jsonl, transcripts/*.jsonl and codex/*.jsonl for the real pairs; `labels/README.md`
says how they were sampled and labelled. The written pairs need no data.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import wisen
from benchmarks.data import MissingDataError, json_lines
from benchmarks.detect_items import read_rows
from wisen.feedback.turns import turns_of
from wisen.text.sameness import LessonIndex, are_opposed, are_same
from wisen.text.slots import slots_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Sequence

_FOLDER = Path(__file__).parent
_REAL = _FOLDER / "labels/same_pairs.jsonl"
_WRITTEN = _FOLDER / "written/same_pairs.jsonl"
_HALVES = ("development", "held_out")
_OPPOSITE = "opposite"
_MANY = 10_000


class Pair(NamedTuple):
    """Two wordings, and whether a careful person takes them for one."""

    one: str
    other: str
    same: bool
    stratum: str
    half: str
    doubtful: bool = False


def run(options: argparse.Namespace) -> dict[str, object]:
    """Return the figures of one run. Raises: MissingDataError."""
    written = written_pairs()
    real = real_pairs(options.data)
    return {
        "real": _figures(real),
        "written": _figures(written),
        "held_out": _scores([pair for pair in (*real, *written) if pair.half == "held_out"]),
        "held_out_clear": _scores(
            [pair for pair in (*real, *written) if pair.half == "held_out" and not pair.doubtful]
        ),
        "development": _scores([pair for pair in (*real, *written) if pair.half == "development"]),
        "opposites": _opposites(written),
        "seconds_to_join_10000": _merge_time(),
    }


def written_pairs() -> list[Pair]:
    """The pairs that were written for this."""
    return [Pair(row["a"], row["b"], row["same"], row["kind"], row["half"]) for row in json_lines(_WRITTEN)]


def real_pairs(data: Path | None) -> list[Pair]:
    """The labelled pairs of what was typed in real sessions. Raises: MissingDataError."""
    turns = {row["id"]: row["user"] for row in read_rows(data, "user_turns")} | _typed(data)
    found = []
    for row in map(json.loads, _REAL.read_text(encoding="utf-8").splitlines()):
        one, other = (turns.get(id_, "")[start:end] for _, id_, start, end in (row["a"], row["b"]))
        if one and other:
            found.append(Pair(one, other, row["same"], row["drawn"], row["half"], row["doubtful"]))
    if not found:
        raise MissingDataError(
            f"none of the labelled turns is in {data or 'no folder'}; give the unpacked folder as --data DIR"
        )
    return found


def _typed(data: Path | None) -> dict[str, str]:
    """By the id of a turn, what was typed."""
    found = dict[str, str]()
    for folder in (data / "transcripts", data / "codex") if data else ():
        if not folder.is_dir():
            continue
        with (
            tempfile.TemporaryDirectory() as home,
            wisen.open_learner(f"{home}/wisen", environment={"HOME": home}) as learner,
        ):
            learner.learn(folder)
            found |= {turn.id: turn.text or "" for each in learner.histories() for turn, _ in turns_of(each)}
    return found


def _figures(pairs: Sequence[Pair]) -> dict[str, object]:
    strata: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        strata[pair.stratum].append(pair)
    halves = {half: _scores([pair for pair in pairs if pair.half == half]) for half in _HALVES}
    clear = [pair for pair in pairs if pair.half == "held_out" and not pair.doubtful]
    return {
        **halves,
        "held_out_clear": _scores(clear),
        "by_stratum": {key: _scores(strata[key]) for key in sorted(strata)},
    }


def _scores(pairs: Iterable[Pair]) -> dict[str, float]:
    judged = [(pair.same, are_same(pair.one, pair.other)) for pair in pairs]
    right = sum(label and verdict for label, verdict in judged)
    precision = _share(right, sum(verdict for _, verdict in judged))
    recall = _share(right, sum(label for label, _ in judged))
    return {
        "n": len(judged),
        "same": sum(label for label, _ in judged),
        "joined": sum(verdict for _, verdict in judged),
        "precision": precision,
        "recall": recall,
        "f1": _share(2 * precision * recall, precision + recall),
    }


def _share(part: float, whole: float) -> float:
    return round(part / whole, 3) if whole else 0.0


def _opposites(pairs: Sequence[Pair]) -> dict[str, object]:
    """Of pairs that say the opposite: how many were joined (none may be), and how many were found to be opposites."""
    opposites = [pair for pair in pairs if pair.stratum == _OPPOSITE]
    others = [pair for pair in pairs if pair.stratum != _OPPOSITE]
    return {
        "n": len(opposites),
        "joined": sum(are_same(pair.one, pair.other) for pair in opposites),
        "found": sum(map(_is_opposed, opposites)),
        "found_held_out": _of_half(opposites, "held_out", _is_opposed),
        "found_where_there_is_none": sum(map(_is_opposed, others)),
    }


def _of_half(pairs: Iterable[Pair], half: str, holds: Callable[[Pair], bool]) -> str:
    judged = [holds(pair) for pair in pairs if pair.half == half]
    return f"{sum(judged)} of {len(judged)}"


def _is_opposed(pair: Pair) -> bool:
    return are_opposed(slots_of(pair.one), slots_of(pair.other))


def _merge_time() -> float:
    """Return the time to merge ten thousand wordings, of which one in three is a repetition."""
    starts = ("Never", "Always", "Please")
    verbs = "check format build deploy review update cache sort split document validate pin ship tag".split()
    things = "tests docs schema imports routes queries errors types hooks styles dates tables".split()
    texts = [
        f"{starts[number % 3]} {verbs[number % 14]} the {things[number % 12]} of part{number % 6700}."
        for number in range(_MANY)
    ]
    lessons = LessonIndex()
    began = time.perf_counter()
    for number, text in enumerate(texts):
        lessons.add(lessons.find(text) or str(number), text)
    return round(time.perf_counter() - began, 2)
