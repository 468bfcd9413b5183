"""Summaries and daily files below the home: written once, extended when a session grows, user edits preserved."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from tests.edits.fake_files import MemoryFiles
from tests.history_builder import AT, build_history, summarize
from wisen.memory.day_lines import MAX_PER_DAY, MAX_PER_SESSION
from wisen.memory.memory_files import memory_folder, write_memory
from wisen.memory.summary_text import SummaryStyle
from wisen.model.summary import DayMark, Summary
from wisen.text.daily import read_day

pytestmark = pytest.mark.requirement("S11")

HERE = SummaryStyle("Orchard", lambda moment: moment)
FOLDER = memory_folder(Path("/home"), "orchard")
DAY, FIRST = FOLDER.folder / "2026-03-02.md", FOLDER.folder / "sessions" / "2026-03-02-001.md"
LADDER = ("said add a ladder to the shed", "edit /shed.py", "ok pytest -q")
ROOF = ("said paint the roof of the shed", "edit /roof.py", "ok pytest -q")


def session(*acts: str, native: str = "5e551074-aaaa", hours: float = 0) -> Summary:
    (summary,) = summarize(build_history(*acts, native=native, start=AT + timedelta(hours=hours)))
    return summary


def text(files: MemoryFiles, path: Path) -> str:
    return (files.read(path).content or b"").decode()


def test_a_session_leaves_a_summary_and_its_best_lines_once() -> None:
    files = MemoryFiles()
    assert write_memory(files, FOLDER, [session(*LADDER)], HERE) == [FIRST, DAY]
    assert text(files, DAY) == (
        "# 2026-03-02\n\n### ✅ 09:00 - add a ladder to the shed; checks passed (claude-code 5e551074, turn 1)\n"
    )
    assert "# Session 2026-03-02-001" in text(files, FIRST)
    assert write_memory(files, FOLDER, [session(*LADDER)], HERE) == []


def test_a_dry_run_tells_what_would_change_and_changes_nothing() -> None:
    files = MemoryFiles()
    assert write_memory(files, FOLDER, [session(*LADDER)], HERE, dry_run=True) == [FIRST, DAY]
    assert [files.read(path).content for path in (FIRST, DAY, FOLDER.record)] == [None] * 3


def test_a_session_that_grew_is_written_again_and_its_day_only_grows() -> None:
    files = MemoryFiles()
    write_memory(files, FOLDER, [session(*LADDER)], HERE)
    before = text(files, DAY)
    assert write_memory(files, FOLDER, [session(*LADDER, *ROOF)], HERE) == [FIRST, DAY]
    assert "paint the roof" in text(files, FIRST)
    assert text(files, DAY).startswith(before)
    assert [line.time for line in read_day(text(files, DAY))] == ["09:00", "09:03"]


def test_sessions_of_a_day_are_numbered_and_two_of_one_id_are_two() -> None:
    files = MemoryFiles()
    several = [session(*LADDER, native="b", hours=1), session(*LADDER, native="a"), session(*ROOF, native="a", hours=9)]
    made = write_memory(files, FOLDER, several, HERE)
    assert [path.name for path in made] == [*(f"2026-03-02-00{n}.md" for n in (1, 2, 3)), "2026-03-02.md"]
    assert "claude-code b," in text(files, FOLDER.folder / "sessions" / "2026-03-02-002.md")


@pytest.mark.parametrize("done", ["edited", "deleted"])
def test_what_a_person_did_to_a_summary_stays(done: str) -> None:
    files = MemoryFiles()
    write_memory(files, FOLDER, [session(*LADDER)], HERE)
    edited = None if done == "deleted" else b"my own words"
    files.put(FIRST, edited)
    assert write_memory(files, FOLDER, [session(*LADDER, *ROOF)], HERE) == [DAY]
    assert files.read(FIRST).content == edited


def test_a_line_that_a_person_took_out_does_not_come_back() -> None:
    files = MemoryFiles()
    write_memory(files, FOLDER, [session(*LADDER)], HERE)
    files.put(DAY, b"mine\r\n")
    write_memory(files, FOLDER, [session(*LADDER, *ROOF)], HERE)
    assert text(files, DAY).startswith("mine\r\n### ✅ 09:03 - paint the roof")
    assert text(files, DAY).count("\n") == 2


@pytest.mark.parametrize("state", [None, b"{", b"[]", b'{"sessions": 3}', b"\xff"])
def test_when_it_is_lost_what_was_written_nothing_is_doubled_and_nothing_overwritten(state: bytes | None) -> None:
    files = MemoryFiles()
    write_memory(files, FOLDER, [session(*LADDER)], HERE)
    before = text(files, FIRST), text(files, DAY)
    files.put(FOLDER.record, state)
    assert write_memory(files, FOLDER, [session(*LADDER)], HERE) == []
    assert (text(files, FIRST), text(files, DAY)) == before
    assert write_memory(files, FOLDER, [session(*LADDER, *ROOF)], HERE) == [FIRST, DAY]
    files.put(FOLDER.record, state)
    assert write_memory(files, FOLDER, [session(*LADDER, *ROOF, *ROOF)], HERE) == []


def test_a_file_that_somebody_else_put_there_is_not_taken() -> None:
    files = MemoryFiles()
    files.put(FIRST, b"not ours")
    (made, _) = write_memory(files, FOLDER, [session(*LADDER)], HERE)
    assert (made.name, text(files, FIRST)) == ("2026-03-02-002.md", "not ours")


def test_a_day_holds_few_lines_and_leaves_room_for_other_sessions() -> None:
    files = MemoryFiles()
    busy = [act for n in range(9) for act in (f"said add ladder number {n} to the shed", "edit /s.py", "ok pytest -q")]
    write_memory(files, FOLDER, [session(*busy)], HERE)
    assert len(read_day(text(files, DAY))) == MAX_PER_SESSION
    for number in range(6):
        write_memory(files, FOLDER, [session(*busy, native=f"{number}", hours=1 + number)], HERE)
    lines = read_day(text(files, DAY))
    assert len(lines) == MAX_PER_DAY
    assert {line.mark for line in lines} == {DayMark.SUCCESS}


def test_the_best_come_first_whatever_the_order_of_time() -> None:
    files = MemoryFiles()
    acts = [act for n in range(5) for act in (f"said add ladder number {n} to the shed", "edit /s.py", "ok pytest -q")]
    commit = ("said prune the old apple trees", "edit /t.py", "ok git commit -m 'Prune the trees'")
    write_memory(files, FOLDER, [session(*acts, *commit)], HERE)
    assert "committed “Prune the trees”" in text(files, DAY)


def test_days_begin_at_midnight_where_the_user_is() -> None:
    files = MemoryFiles()
    late = SummaryStyle("Orchard", lambda moment: moment + timedelta(hours=15))
    made = write_memory(files, FOLDER, [session(*LADDER)], late)
    assert [path.name for path in made] == ["2026-03-03-001.md", "2026-03-03.md"]
    assert read_day(text(files, made[1]))[0].time == "00:00"
