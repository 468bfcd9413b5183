"""Listing lessons is paged, fast, and does not load what it does not need."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import wisen
from tests.commands import run
from wisen.model.entry import Category, Entry, EntryOrigin, EntrySource, EntryType, Occurrence

START = datetime(2026, 3, 1, tzinfo=UTC)


def fill(count: int) -> None:
    """So many entries; the fifth was seen in three sessions, all others in one."""
    rows: list[Entry | Occurrence] = []
    for number in range(count):
        at = START + timedelta(minutes=number)
        id_ = f"01K{number:023d}"
        rows.append(
            Entry(
                id=id_,
                name=f"LRN-20260301-{number:04X}",
                machine="m",
                context="c",
                at=at,
                type=EntryType.LEARNING,
                category=Category.CORRECTION,
                summary=f"Use tool {number}.",
                source=EntrySource.CONVERSATION,
                origin=EntryOrigin.STATED,
            )
        )
        for session in range(3 if number == 5 else 1):
            rows.append(
                Occurrence(
                    id=f"{number}-{session}",
                    entry=id_,
                    machine="m",
                    context="c",
                    agent="claude-code",
                    session=f"s{session}",
                    message="m",
                    at=at,
                )
            )
    with wisen.open_learner() as learner:
        learner.home.ledger.entries.record(rows)


@pytest.mark.requirement("S2")
def test_a_listing_is_a_page_and_says_how_much_more_there_is(home: Path) -> None:
    fill(40)
    lines = run("entries", "list").stdout.splitlines()
    assert lines[0] == "LRN-20260301-0005  Use tool 5."
    assert lines[2] == "LRN-20260301-0027  Use tool 39."
    assert (len(lines), lines[-1]) == (61, "and 10 more: wisen lessons --limit 40")
    assert len(run("entries", "list", "--limit", "40").stdout.splitlines()) == 80
    assert len(json.loads(run("entries", "list", "--json").stdout)["entries"]) == 40
    assert len(json.loads(run("entries", "list", "--json", "--limit", "7").stdout)["entries"]) == 7


@pytest.mark.requirement("X6")
@pytest.mark.parametrize("command", [("entries", "list"), ("rules",), ("proposals",), ("contexts",)])
def test_a_listing_loads_no_stage_of_the_loop_and_does_not_open_the_index(home: Path, command: tuple[str, ...]) -> None:
    fill(3)
    index = Path(json.loads(run("status", "--json").stdout)["home"]) / "index.db"
    index.write_bytes(b"not an index")
    program = (
        f"import sys\nfrom wisen.surfaces.cli import app\ntry: app({[*command]!r})\nexcept SystemExit: pass\n"
        "heavy = {'rich', 'wisen.cycle', 'wisen.lessons.entry_steps', 'wisen.text.slots',"
        " 'wisen.mining.session_mining', 'wisen.feedback.detector', 'wisen.edits.editor', 'wisen.store.sqlite_index'}\n"
        "before = set(sys.modules)\n"
        "import importlib.util as known; assert all(map(known.find_spec, heavy)), heavy\n"
        "print(sorted(heavy & before))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert index.read_bytes() == b"not an index"


@pytest.mark.requirement("X10")
def test_a_listing_tells_of_a_row_that_is_not_as_it_was_written(home: Path) -> None:
    fill(3)
    ledger = Path(json.loads(run("status", "--json").stdout)["home"]) / "ledger.db"
    held = ledger.read_bytes()
    assert held.count(b"Use tool 2.") == 1
    ledger.write_bytes(held.replace(b"Use tool 2.", b"Use tool 7."))
    assert "is not as it was written" in run("entries", "list", expect=1).stderr
