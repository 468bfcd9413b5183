"""Logs grow, shrink, move and are rewritten during reads: nothing is lost or counted twice."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import wisen
from wisen.agents import jsonl, log_follower
from wisen.model.report import Report
from wisen.testing.transcripts import ClaudeTranscript

pytestmark = pytest.mark.requirement("F1")


@pytest.fixture
def folder(home: Path) -> Path:
    return home / ".claude" / "projects" / "p"


def learn() -> Report:
    with wisen.open_learner() as learner:
        return learner.learn()


def long_session(turns: int) -> ClaudeTranscript:
    s = ClaudeTranscript()
    for number in range(turns):
        s.prompt(f"turn {number}")
        s.bash("make", f"error: {number}", exit_code=int(number % 3 == 0))
    return s


def test_a_truncated_log_is_read_again_and_what_was_read_stays(folder: Path) -> None:
    s = long_session(10)
    path = s.write(folder)
    learn()
    path.write_bytes(b"".join(line + b"\n" for line in s.lines[:6]))
    assert learn().counts.typed_turns == 10
    s.prompt("after the cut")
    path.write_bytes(b"".join(line + b"\n" for line in [*s.lines[:6], s.lines[-1]]))
    assert learn().counts.typed_turns == 11


def test_a_log_that_was_moved_away_and_begun_again_counts_once(folder: Path) -> None:
    path = long_session(5).write(folder)
    learn()
    path.rename(folder / "rotated.jsonl")
    fresh = ClaudeTranscript(2)
    fresh.prompt("new file, old name")
    path.write_bytes(fresh.data())
    report = learn()
    assert (report.counts.typed_turns, report.counts.sources) == (6, 2)


def test_what_is_appended_while_we_read_is_read_the_next_time(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "CHUNK_BYTES", 4096)
    monkeypatch.setattr(log_follower, "BATCH_BYTES", 4096)
    s = long_session(60)
    path = s.write(folder)
    late = ClaudeTranscript(9)
    late.prompt("typed while wisen was reading")
    lines = jsonl.LogFile.lines
    appended: list[bool] = []

    def reading(self: jsonl.LogFile, offset: int):  # type: ignore[no-untyped-def]
        for found in lines(self, offset):
            yield found
            if not appended:
                appended.append(True)
                with path.open("ab") as file:
                    file.write(late.data())

    monkeypatch.setattr(jsonl.LogFile, "lines", reading)
    learn()
    monkeypatch.setattr(jsonl.LogFile, "lines", lines)
    assert learn().counts.typed_turns == 61
    assert learn().read_bytes == 0


def test_a_file_whose_date_changed_and_content_not_costs_nothing(folder: Path) -> None:
    path = long_session(5).write(folder)
    learn()
    path.touch()
    report = learn()
    assert (report.read_bytes, report.new_events) == (0, 0)


@pytest.mark.parametrize("seed", range(12))
def test_any_way_of_growing_gives_the_same_as_reading_at_once(seed: int, folder: Path, home: Path) -> None:
    chance = random.Random(seed)
    s = long_session(12)
    s.queue("enqueue", "also this")
    s.bash("pytest | tail -3", "==== 2 failed in 0.1s ====")
    s.queue("remove")
    s.reject(s.call("Bash", command="git push"), "not yet")
    s.wait(hours=9)
    s.prompt("good morning")
    s.prompt("<command-name>/clear</command-name>")
    s.prompt("fresh start")
    data = s.data()
    path = folder / "s.jsonl"
    folder.mkdir(parents=True)
    position = 0
    while position < len(data):
        position = min(len(data), position + chance.randrange(1, 1500))
        path.write_bytes(data[:position])
        grown = learn()
    with wisen.open_learner(home / "at-once") as learner:
        whole = learner.learn()
    assert (grown.counts, grown.failures) == (whole.counts, whole.failures)
