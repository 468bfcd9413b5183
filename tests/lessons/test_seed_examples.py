"""The well-known examples from similar systems, verbatim: how each is classified, and where it goes."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec import structs

from tests.commands import run
from tests.edits.fake_files import MemoryFiles
from wisen.edits.permission import Permission, Profile, permission_for
from wisen.edits.targets import project_target
from wisen.feedback.detector import detect
from wisen.lessons.conflicts import score, settle_conflicts
from wisen.model.entry import Category, EntryOrigin, EntryType, MoveKind, Priority
from wisen.model.entry_state import fold_entry_states
from wisen.model.signal import LessonTopic, SignalKind, TypedTurn
from wisen.store.row_factory import RowFactory
from wisen.testing.entries_contract import an_entry, an_occurrence
from wisen.testing.fake_ledger import MemoryLedger
from wisen.testing.fakes import CountingIds, FixedClock
from wisen.testing.log_writer import NOON
from wisen.testing.transcripts import ClaudeTranscript

PROMOTIONS = [
    ("Be concise, skip disclaimers", LessonTopic.STYLE, Category.PREFERENCE, "SOUL.md", Permission.PROPOSE),
    ("Spawn sub-agents for long tasks", None, Category.CORRECTION, "AGENTS.md", Permission.PROPOSE),
    ("Git push needs auth configured", LessonTopic.COMMAND, Category.KNOWLEDGE_GAP, "TOOLS.md", Permission.AUTO),
    ("QWeather needs a custom host", LessonTopic.TOOL, Category.KNOWLEDGE_GAP, "TOOLS.md", Permission.AUTO),
    ("User prefers direct answers", None, Category.PREFERENCE, "USER.md", Permission.AUTO),
    ("Simple before powerful", LessonTopic.FACT, Category.KNOWLEDGE_GAP, "MEMORY.md", Permission.AUTO),
]


@pytest.mark.requirement("S5", "S6")
@pytest.mark.parametrize(("text", "about", "category", "file", "leave"), PROMOTIONS)
def test_each_kind_of_entry_goes_to_its_file_and_the_table_says_who_is_asked(
    text: str, about: LessonTopic | None, category: Category, file: str, leave: Permission
) -> None:
    entry = an_entry(summary=text, about=about, category=category)
    assert Path(project_target(entry, "openclaw", "/work", MemoryFiles()).path).name == file
    stated = (Profile.AUTONOMOUS, file, EntryOrigin.STATED)
    assert permission_for(*stated, is_tracked=False, is_certain=True) is leave
    assert (
        permission_for(Profile.STANDARD, file, EntryOrigin.STATED, is_tracked=False, is_certain=True)
        is Permission.PROPOSE
    )


def detected_kinds(text: str) -> set[SignalKind]:
    return {each.kind for each in detect(TypedTurn(text=text))}


@pytest.mark.requirement("S1")
@pytest.mark.parametrize(
    "text",
    [
        "No, that's not right, the port is 8080",
        "Actually, it should be sorted by date",
        "You're wrong about the cache",
        "That's outdated, the flag is gone since 3.0",
        "不对，应该按日期排序",
        "错了，端口是 8080",
    ],
)
def test_corrections_are_detected(text: str) -> None:
    assert SignalKind.CORRECTION in detected_kinds(text)


@pytest.mark.requirement("S1")
@pytest.mark.parametrize(
    "text",
    [
        "Can you also export it as CSV?",
        "I wish you could open the pull request yourself",
        "Is there a way to see the diff before it is applied?",
        "Why can't you read the images in the folder?",
    ],
)
def test_requests_are_detected(text: str) -> None:
    assert SignalKind.REQUEST in detected_kinds(text)


@pytest.mark.requirement("S1", "S2")
def test_a_quicker_way_that_was_found_is_a_best_practice_and_no_rule(home: Path) -> None:
    project = home / "shop"
    project.mkdir()
    log = ClaudeTranscript(1, cwd=str(project), start=datetime.now(UTC) - timedelta(hours=3))
    log.prompt("run the tests")
    log.bash("make test", "ok")
    log.prompt("I found a quicker way to run the tests: make test-fast")
    log.prompt("Can you also export the orders as CSV?")
    log.write(home / ".claude" / "projects" / "shop")
    run("learn")
    entries = json.loads(run("entries", "--json").stdout)["entries"]
    assert {(each["name"][:4], each["category"]) for each in entries} == {("LRN-", "best_practice"), ("FEAT", None)}
    assert not any(each["standing"] for each in entries)
    assert json.loads(run("proposals", "--json").stdout)["proposals"] == []


@pytest.mark.requirement("S9")
def test_headless_automation_wins_over_the_window_for_demos() -> None:
    ledger = MemoryLedger()
    headless = an_entry("01A", summary="Use headless browser for automation", origin=EntryOrigin.LOGGED)
    shown = an_entry("01B", summary="Show browser window for demos", origin=EntryOrigin.LOGGED, area="behavior")
    shown = structs.replace(shown, priority=Priority.LOW)
    ledger.entries.record([headless, shown, an_occurrence("o1", "01A"), an_occurrence("o2", "01A", "s2")])
    factory = RowFactory(FixedClock(NOON), CountingIds(), "desk")
    ledger.entries.record([factory.build_move("01A", MoveKind.CONFLICT, "01B")])
    known = fold_entry_states(ledger.entries.all(), ledger.entries.tallies(), ledger.moves.all())
    one, other = (score(each, NOON) for each in known)
    assert one > other
    assert [move.subject for move in settle_conflicts(known, NOON, factory)] == ["01B"]


@pytest.mark.requirement("N4", "S5")
def test_be_concise_is_proposed_and_delivered_when_it_is_said_to_last(home: Path) -> None:
    project = home / "shop"
    project.mkdir()
    log = ClaudeTranscript(1, cwd=str(project), start=datetime.now(UTC) - timedelta(hours=3))
    log.prompt("explain the cart")
    log.bash("ls", "cart.py")
    log.prompt("from now on be concise, skip disclaimers")
    log.write(home / ".claude" / "projects" / "shop")
    run("learn")
    (proposal,) = json.loads(run("proposals", "--json").stdout)["proposals"]
    assert "concise, skip disclaimers" in proposal["text"]
    assert not proposal["unworded"]
    (entry,) = json.loads(run("entries", "--json").stdout)["entries"]
    assert (entry["standing"], entry["type"]) == (True, EntryType.LEARNING)
