"""The list of requirements and the tests that claim to prove them agree, in both directions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.requirements import PROMISES, Kept

TESTS = Path(__file__).parent
MISSION = TESTS.parents[1] / "shared" / "mission.md"
"""The document that the promises are taken from: it is not part of the repository, and often not at hand."""
_ROW = re.compile(r"^\| ([A-Z]\d+) \| (.*) \|$", re.MULTILINE)
_NUMBER = re.compile(r"(?<![\w.-])\d+(?:\.\d+)?%?(?![\w.])")
_MARK = re.compile(r"mark\.requirement\(([^)]*)\)")
_ID = re.compile(r"""["']([A-Z]\d+)["']""")


def cited() -> dict[str, set[str]]:
    """Return the files that cite each promise."""
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


@pytest.mark.skipif(not MISSION.is_file(), reason="the mission is not at hand: it lies beside the repository")
def test_promises_have_the_ids_and_the_numbers_of_the_mission() -> None:
    rows = dict(_ROW.findall(MISSION.read_text(encoding="utf-8")))
    assert {promise.id for promise in PROMISES} == set(rows)
    promised = {promise.id: set(_NUMBER.findall(promise.says)) for promise in PROMISES}
    asked = {id: set(_NUMBER.findall(text)) for id, text in rows.items()}
    assert {id: (asked[id], promised[id]) for id in rows if asked[id] != promised[id]} == {}


def test_what_is_partly_kept_says_what_is_missing() -> None:
    assert [p.id for p in PROMISES if (p.kept is Kept.PARTLY) != bool(p.lacks)] == []
