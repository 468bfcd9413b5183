"""Written sentences that tell an agent how to work: heard, kept faithfully, never turned round; in each language.

Data: `--data DIR` with directives.jsonl, and fresh.jsonl of the same shape if at hand. Figures are counts. An item is
heard where some lesson of it is kept. A lesson of a prohibition or a replacement is inverted where it holds none of the
words that negate, or what shows that it was turned round; it is faithful where it holds all that it must and is not
inverted. The reader was written without a third of the items, drawn by their ids: `left_out` counts those.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from hashlib import sha1
from typing import TYPE_CHECKING, Any

from benchmarks.data import DataAbsent
from benchmarks.detect_items import read_rows
from wisen.feedback.listen import signals_in

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from wisen.model.signal import Lesson

    Row = dict[str, Any]

_FIELDS = ("n", "heard", "standing", "inverted", "faithful", "negatives", "negatives_heard", "negatives_lasting")
_THIRDS = 3


def run(options: argparse.Namespace) -> dict[str, object]:
    """The figures of one run. Raises: DataAbsent."""
    rows = read_rows(options.data, "directives")
    if not rows:
        raise DataAbsent(
            f"no directives.jsonl in {options.data or 'no folder'}; give the unpacked folder as --data DIR"
        )
    fresh = read_rows(options.data, "fresh")
    return {
        **_figures(rows),
        "left_out": _figures([row for row in rows if is_left_out(row["id"])]),
        "fresh": _figures(fresh) if fresh else None,
        "missed": [row["id"] for row in rows if not _is_negative(row) and not _lessons(row)],
        "forms_missed": dict(
            Counter(row["group"] for row in rows if not _is_negative(row) and not _lessons(row)).most_common()
        ),
    }


def is_left_out(id_: str) -> bool:
    """Whether an item belongs to the third that nobody looked at."""
    return int(sha1(id_.encode(), usedforsecurity=False).hexdigest(), 16) % _THIRDS == 0


def _figures(rows: Sequence[Row]) -> dict[str, dict[str, int]]:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        counted = _count(row)
        for of in (row["lang"], *([] if row["lang"] == "en" else ["others"])):
            counts[of].update(counted)
    return {
        of: {field: counts[of][field] for field in _FIELDS}
        for of in ("en", "others", *sorted({*counts} - {"en", "others"}))
    }


def _count(row: Row) -> dict[str, int]:
    """What one item adds to each figure."""
    lessons = _lessons(row)
    if _is_negative(row):
        lasting = any(lesson.standing for lesson in lessons)
        return {"negatives": 1, "negatives_heard": int(bool(lessons)), "negatives_lasting": int(lasting)}
    inverted = any(_is_inverted(row, lesson.text) for lesson in lessons)
    said = " ".join(lesson.text for lesson in lessons).lower()
    faithful = bool(lessons) and not inverted and all(word in said for word in row["must"])
    return {
        "n": 1,
        "heard": int(bool(lessons)),
        "standing": int(any(lesson.standing for lesson in lessons)),
        "inverted": int(inverted),
        "faithful": int(faithful),
    }


def _lessons(row: Row) -> list[Lesson]:
    """What would be kept of an item."""
    found = signals_in(row["user"], row["preceding_event"])
    return [signal.lesson for signal in found if signal.lesson is not None]


def _is_negative(row: Row) -> bool:
    return row["labels"] == ["none"] or not row["durable"]


def _is_inverted(row: Row, lesson: str) -> bool:
    """Whether a lesson of what forbids or replaces lost that, or says the opposite."""
    if row["polarity"] not in ("dont", "swap"):
        return False
    said = lesson.lower()
    if not any(word in said for word in row["must"]):
        return False  # another directive of the same message
    turned = row.get("must_not")
    return not any(word in said for word in row["keep_any"]) or bool(turned and re.search(turned, said))
