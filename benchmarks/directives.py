"""Measures whether directives are detected, kept faithfully and never inverted, by language.

Data: directives.jsonl (and fresh.jsonl of the same shape, if it exists) in the folder given as --data: `user`,
`lang`, `group`, `labels`, `durable`, `polarity`, `must`, `keep_any`, `must_not`.
`left_out` counts only the items that nobody looked at while the rules were written: whole forms of English sentences,
whole languages, and a third of the items of the others. The seed determines which.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from benchmarks.data import MissingDataError, json_lines
from wisen.feedback.detector import detect
from wisen.model.signal import PrecedingEvent, TypedTurn
from wisen.safety.passages import own_words

if TYPE_CHECKING:
    import argparse
    from collections.abc import Collection, Iterable, Sequence

    from wisen.model.signal import Lesson

_SEED, _LANGUAGES = 28, 3
_COUNTS = ("n", "heard", "in_doubt", "inverted", "faithful", "negatives", "negatives_kept", "negatives_lasting")
"""`in_doubt`: those of the heard that are kept only once they are said again or somebody says so."""


def run(options: argparse.Namespace) -> dict[str, object]:
    """Return the figures of one run. Raises: MissingDataError."""
    path = options.data / "directives.jsonl" if options.data else None
    if path is None or not path.is_file():
        raise MissingDataError(f"no directives.jsonl in {options.data or 'no folder'}; give its folder as --data DIR")
    rows = json_lines(path)
    held = left_out_ids(rows)
    figures = _by_language(rows)
    figures["left_out"] = _by_language([row for row in rows if row["id"] in held])
    fresh = options.data / "fresh.jsonl"
    if fresh.is_file():
        figures["fresh"] = _by_language(json_lines(fresh))
    return figures


def left_out_ids(rows: Sequence[dict[str, Any]]) -> frozenset[str]:
    """Return the ids of the items that nobody looked at while the rules were written."""
    chance = random.Random(_SEED)
    groups = sorted({row["group"] for row in rows if row["lang"] == "en"})
    held_groups = set(chance.sample(groups, len(groups) // 3))
    languages = sorted({row["lang"] for row in rows} - {"en"})
    held_languages = set(chance.sample(languages, min(_LANGUAGES, len(languages))))
    held = {row["id"] for row in rows if row["lang"] == "en" and row["group"] in held_groups}
    for language in languages:
        ids = sorted(row["id"] for row in rows if row["lang"] == language)
        held |= set(ids if language in held_languages else chance.sample(ids, len(ids) // 3))
    return frozenset(held)


def _by_language(rows: Iterable[dict[str, Any]]) -> dict[str, object]:
    """The counts of English, of the others together, and of each of them; with the ids that went wrong."""
    counts: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(_COUNTS, 0))
    wrong: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        counted, problems = _counted(row)
        for language in {row["lang"], "en" if row["lang"] == "en" else "others"}:
            for name in counted:
                counts[language][name] += 1
        for problem in problems:
            wrong[problem].append(f"{row['id']} {row['group']}")
    return {**dict(sorted(counts.items())), "wrong": dict(wrong)}


def _counted(row: dict[str, Any]) -> tuple[list[str], list[str]]:
    """What an item counts for, and what went wrong with it."""
    found = _lessons_in(row)
    lessons, is_kept = [lesson for lesson, _ in found], not all(doubtful for _, doubtful in found)
    if "none" in row["labels"] or row["durable"] is False:
        lasting = ["negatives_lasting"] if any(lesson.standing for lesson in lessons) else []
        return ["negatives", *(["negatives_kept"] if is_kept else []), *lasting], lasting
    if not lessons:
        return ["n"], ["not heard"]
    fields = ["n", "heard", *([] if is_kept else ["in_doubt"])]
    if any(_is_inverted(lesson.text.lower(), row) for lesson in lessons):
        return [*fields, "inverted"], ["inverted"]
    lesson_text = " ".join(lesson.text for lesson in lessons).lower()
    faithful = all(word.lower() in lesson_text for word in row.get("must") or ())
    return [*fields, *(["faithful"] if faithful else [])], ([] if faithful else ["not faithful"])


def _lessons_in(row: dict[str, Any]) -> list[tuple[Lesson, bool]]:
    """The lessons in a message, and whether each is in doubt."""
    event = row.get("preceding_event") or PrecedingEvent.OK
    turn = TypedTurn(text=own_words(row["user"]), before=PrecedingEvent(event))
    return [(signal.lesson, signal.is_doubtful) for signal in detect(turn) if signal.lesson is not None]


def _is_inverted(text: str, row: dict[str, Any]) -> bool:
    """Whether a lesson of what is forbidden or replaced no longer says so."""
    if row.get("polarity") not in ("dont", "swap"):
        return False
    kept: Collection[str] = row.get("keep_any") or ()
    turned = row.get("must_not")
    return (bool(kept) and not any(word.lower() in text for word in kept)) or bool(turned and re.search(turned, text))
