"""Daily files and session summaries end to end: after learning, by hand, and in a workspace that keeps its own."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.commands import run
from wisen.testing.transcripts import ClaudeTranscript

SECRET = "ghp_" + "k3Vq8ZtR1mXw7LpB5nYc2HsD9fGj4TaE6uQo"


def at(folder: Path, *arguments: str, expect: int = 0) -> str:
    """Return what a command prints in a folder."""
    done = run(*arguments, cwd=folder, expect=expect)
    return done.stdout + done.stderr


def write_session(home: Path, project: Path) -> ClaudeTranscript:
    """A session that came to something."""
    s = ClaudeTranscript(7, cwd=str(project), start=datetime(2026, 3, 2, 9, 0, tzinfo=UTC))
    s.prompt("add a ladder to the shed")
    s.ok(s.call("Edit", file_path=f"{project}/shed.py", old_string="a", new_string="b"))
    s.bash("pytest -q", "1 passed")
    s.say("I taught the ladder to sing.")
    s.prompt("from now on always use metric units in reports")
    s.bash("ls")
    s.write(home / ".claude" / "projects" / "p")
    return s


@pytest.fixture
def project(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TZ", "UTC")
    folder = home / "orchard"
    folder.mkdir()
    return folder


@pytest.mark.requirement("S11")
def test_learning_leaves_days_and_summaries_below_the_home(home: Path, project: Path) -> None:
    s = write_session(home, project)
    run("learn")
    lines = json.loads(at(project, "memory", "show", "2026-03-02", "--json"))["lines"]
    assert [(line["mark"], line["time"]) for line in lines] == [("success", "09:00"), ("insight", "09:00")]
    assert lines[0]["text"] == "add a ladder to the shed; checks passed (claude-code 00000000, turn 1)"
    result = json.loads(at(project, "memory", "days", "--json"))
    assert [Path(path).name for path in result["sessions"]] == ["2026-03-02-001.md"]
    assert all(str(home / "wisen") in path for path in result["sessions"])
    shown = at(project, "memory", "show", "2026-03-02-001")
    assert at(project, "memory", "show", s.session) == shown
    assert "- from now on always use metric units in reports (LRN-2026" in shown
    assert "sing" not in shown
    assert "2026-03-02" in at(project, "memory", "days")
    assert [path.name for path in project.iterdir()] == []
    day = Path(json.loads(at(project, "memory", "days", "--json"))["days"][0]["path"])
    before = day.read_bytes()
    run("learn", "--recheck")
    assert day.read_bytes() == before
    assert "is written" not in at(project, "memory", "write")


@pytest.mark.requirement("S11")
def test_a_session_without_a_file_is_summarized_from_what_was_read(home: Path, project: Path) -> None:
    s = write_session(home, project)
    run("learn")
    elsewhere = home / "cellar"
    elsewhere.mkdir()
    assert "add a ladder to the shed" in at(elsewhere, "memory", "show", s.session)
    assert "Nothing is known" in at(elsewhere, "memory", "show", "nobody", expect=1)
    assert "Nothing is kept" in at(elsewhere, "memory", "days")


def test_a_note_goes_to_the_end_of_today_and_holds_no_secret(project: Path) -> None:
    assert "would be written" in at(project, "note", "Ask Mo about the fence.", "--dry-run")
    assert json.loads(at(project, "memory", "days", "--json"))["days"] == []
    noted = json.loads(at(project, "note", "Ask Mo about\nthe fence.", "--mark", "insight", "--json"))
    content = Path(noted["path"]).read_text()
    assert content.endswith(f"### 💡 {noted['line']['time']} - Ask Mo about the fence.\n")
    assert "may not be stored" in at(project, "note", f"the key is {SECRET}", expect=1)
    assert "is not one of success, failure, insight, note" in at(project, "note", "x", "--mark", "bad", expect=1)
    assert "nothing to note" in at(project, "note", " ", expect=1)
    assert "501 characters" in at(project, "note", "x" * 501, expect=1)
    assert Path(noted["path"]).read_text() == content


@pytest.mark.requirement("S11")
def test_a_workspace_that_keeps_its_own_memory_gets_it_by_command_only(home: Path, project: Path) -> None:
    (project / "SOUL.md").write_text("mine")
    (project / "memory").mkdir()
    (project / "memory" / "2026-03-02.md").write_bytes(b"my day\r\n")
    write_session(home, project)
    run("learn")
    assert [path.name for path in (project / "memory").rglob("*")] == ["2026-03-02.md"]
    would = json.loads(at(project, "memory", "write", "--dry-run", "--json"))["files"]
    assert not (project / "memory" / "sessions").exists()
    assert json.loads(at(project, "memory", "write", "--json"))["files"] == would
    assert [Path(path).name for path in would] == ["2026-03-02-001.md", "2026-03-02.md"]
    day = (project / "memory" / "2026-03-02.md").read_bytes()
    assert day.startswith("my day\r\n### ✅ 09:00 - add a ladder".encode())
    assert json.loads(at(project, "memory", "write", "--json"))["files"] == []
    summary = project / "memory" / "sessions" / "2026-03-02-001.md"
    summary.write_text("my own words")
    (project / "memory" / "2026-03-02.md").write_bytes(b"my day\r\n")
    assert json.loads(at(project, "memory", "write", "--json"))["files"] == []
    assert summary.read_text() == "my own words"
    at(project, "note", "Ask Mo about the fence.")
    assert len(list((project / "memory").glob("*.md"))) == 2
    at(project, "undo", "--yes")
    assert len(list((project / "memory").glob("*.md"))) == 1


def test_a_folder_of_code_is_no_memory_and_that_of_another_project_is_not_ours(home: Path, project: Path) -> None:
    (project / "AGENTS.md").write_text("mine")
    (project / "memory").mkdir()
    (project / "memory" / "README.md").write_text("code")
    at(project, "note", "Ask Mo about the fence.")
    assert [path.name for path in (project / "memory").iterdir()] == ["README.md"]
    (home / "MEMORY.md").write_text("of everything")
    (home / "memory").mkdir()
    at(project, "note", "Ask Mo about the gate.")
    assert list((home / "memory").iterdir()) == []
    (project / "memory" / "2020-01-01.md").write_text("a day")
    at(project, "note", "Ask Mo about the roof.")
    assert len(list((project / "memory").iterdir())) == 3


def test_a_file_that_cannot_be_written_is_reported_and_stops_no_learning(home: Path, project: Path) -> None:
    write_session(home, project)
    run("learn")
    (day,) = (home / "wisen").rglob("2026-03-02.md")
    day.unlink()
    day.mkdir()
    s = ClaudeTranscript(8, cwd=str(project), start=datetime(2026, 3, 2, 11, 0, tzinfo=UTC))
    s.prompt("paint the roof of the shed")
    s.ok(s.call("Edit", file_path=f"{project}/roof.py", old_string="a", new_string="b"))
    s.bash("pytest -q", "1 passed")
    s.write(home / ".claude" / "projects" / "p")
    assert "2026-03-02.md is a folder" in " ".join(run("learn").stdout.split())
    assert json.loads(run("status", "--json").stdout)["runs"][0]["error"] is None
    day.rmdir()
    assert "paint the roof" in at(project, "memory", "show", s.session)
    assert "2026-03-02-002.md is written" in " ".join(at(project, "memory", "write").split())
