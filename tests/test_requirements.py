"""The manifest of promises and the tests agree, both ways."""

from __future__ import annotations

import re
from pathlib import Path

from tests.requirements import PROMISES, Kept

TESTS = Path(__file__).parent
_MARK = re.compile(r"mark\.requirement\(([^)]*)\)")
_ID = re.compile(r"""["']([A-Z]\d+)["']""")


def cited() -> dict[str, set[str]]:
    """Which files cite which promise."""
    found: dict[str, set[str]] = {}
    for file in TESTS.rglob("test_*.py"):
        for mark in _MARK.findall(file.read_text(encoding="utf-8")):
            for promise in _ID.findall(mark):
                found.setdefault(promise, set()).add(file.name)
    return found


def test_every_id_stands_once_and_the_series_have_no_holes() -> None:
    ids = [promise.id for promise in PROMISES]
    lengths = {"F": 13, "S": 19, "N": 9, "C": 8, "A": 8, "X": 10}
    assert sorted(ids) == sorted(f"{letter}{n}" for letter, last in lengths.items() for n in range(1, last + 1))


def test_a_promise_that_is_kept_has_a_test() -> None:
    proven = cited()
    assert [p.id for p in PROMISES if p.kept is not Kept.PLANNED and p.id not in proven] == []


def test_a_promise_that_is_only_planned_says_so_until_it_has_a_test() -> None:
    proven = cited()
    assert [p.id for p in PROMISES if p.kept is Kept.PLANNED and p.id in proven] == []


def test_no_test_cites_a_promise_that_nobody_made() -> None:
    assert set(cited()) <= {promise.id for promise in PROMISES}


def test_what_is_partly_kept_says_what_is_missing() -> None:
    assert [p.id for p in PROMISES if (p.kept is Kept.PARTLY) != bool(p.lacks)] == []
