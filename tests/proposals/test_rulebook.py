"""From a lesson to a rule, end to end: proposals, review, entries, and the files that the user edits."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.commands import run
from tests.ownership import adopt
from wisen.testing.transcripts import ClaudeTranscript


def write_three_sessions(home: Path, project: Path) -> None:
    """The same correction in three sessions of one day, reworded twice."""
    messages = ("no, use pnpm, not npm", "again: please use pnpm here, not npm", "I told you to use pnpm, not npm")
    for number, words in enumerate(messages, 1):
        s = ClaudeTranscript(number, cwd=str(project), start=datetime(2026, 3, 1, 8 + number, 0, tzinfo=UTC))
        s.prompt("run the tests")
        s.bash("npm test", "npm error use pnpm", exit_code=1)
        s.prompt(words)
        s.write(home / ".claude" / "projects" / "p")


def say_yes() -> int:
    """Say to whatever was found in files that it is one's own. Returns how much that was."""
    found = [each for each in json.loads(run("proposals", "--json").stdout)["proposals"] if each["words"]]
    for each in found:
        run("proposals", "approve", each["id"])
    return len(found)


@pytest.mark.requirement("S4", "S5", "S6")
def test_a_lesson_of_three_sessions_is_proposed_once_and_approved_into_the_file(home: Path) -> None:
    project = home / "shop"
    project.mkdir()
    (project / "CLAUDE.md").write_text("# Shop\n\nMine.\n")
    write_three_sessions(home, project)
    run("learn")
    (entry,) = json.loads(run("entries", "--json").stdout)["entries"]
    assert (entry["sessions"], entry["status"], entry["category"]) == (3, "pending", "correction")
    (proposal,) = json.loads(run("proposals", "--json").stdout)["proposals"]
    assert proposal["path"] == str(project / "CLAUDE.md")
    assert proposal["leave"] == "propose"
    shown = run("proposals", "show", "1").stdout
    assert "3 times in 3 sessions" in shown
    assert "+- Use pnpm, not npm <!-- wisen:R-" in shown
    run("learn")
    assert len(json.loads(run("proposals", "--json").stdout)["proposals"]) == 1
    before = (project / "CLAUDE.md").read_text()
    assert "Would be approved" in run("proposals", "approve", "1", "--dry-run").stdout
    assert (project / "CLAUDE.md").read_text() == before
    run("proposals", "approve", "1")
    assert "- Use pnpm, not npm <!-- wisen:R-" in (project / "CLAUDE.md").read_text()
    assert "was already approved" in run("proposals", "approve", proposal["id"], expect=1).stderr
    assert "use pnpm, not npm" in run("rules", "--all").stdout
    assert "promoted" in run("entries", "show", entry["name"]).stdout
    run("undo", "--yes")
    assert (project / "CLAUDE.md").read_text() == before
    run("learn")
    assert [each["id"] for each in json.loads(run("proposals", "--json").stdout)["proposals"]] == [proposal["id"]]
    assert json.loads(run("entries", "show", entry["name"], "--json").stdout)["status"] == "pending"


@pytest.mark.requirement("S6")
def test_review_goes_through_proposals_one_by_one(home: Path) -> None:
    project = home / "shop"
    project.mkdir()
    write_three_sessions(home, project)
    run("learn")
    done = run("review", stdin="?\nw\nq\n")
    assert "(1/1)" in done.stdout
    assert "does not come back" in done.stdout
    answers = "e\nUse pnpm 9.\nn\ne\nUse pnpm 9.\ny\n"
    done = run("review", stdin=answers)
    assert done.stdout.count("This is not what you said: you said what not to do, and it does not.") == 2
    assert "- Use pnpm 9. <!-- wisen:R-" in (project / "CLAUDE.md").read_text()
    assert "There are no proposals" in run("review").stdout


@pytest.mark.requirement("S2")
def test_entries_are_logged_and_decided_about_by_hand(home: Path) -> None:
    assert "No lesson was recorded" in run("entries").stdout
    run("entries", "log", "insight", "The cache is cold on Mondays.", "--area", "infra", "--pattern-key", "net.slow")
    run("entries", "log", "feature", "A dark mode", "--everywhere")
    first, second = json.loads(run("entries", "--json").stdout)["entries"]
    assert {first["name"][:4], second["name"][:4]} == {"LRN-", "FEAT"}
    learning = next(each for each in (first, second) if each["type"] == "learning")
    assert (learning["source"], learning["priority"], learning["area"], learning["key"]) == (
        "self_discovery", "medium", "infra", "net.slow",
    )  # fmt: skip
    assert "would be" in run("entries", "resolve", learning["name"], "--dry-run").stdout
    run("entries", "resolve", learning["name"])
    assert len(json.loads(run("entries", "list", "--json").stdout)["entries"]) == 1
    assert len(json.loads(run("entries", "list", "--all", "--json").stdout)["entries"]) == 2
    other = next(each for each in (first, second) if each is not learning)["name"]
    run("entries", "merge", learning["name"], other)
    assert "is not merged into" not in run("entries", "split", learning["name"]).stdout
    assert "is not merged into another lesson" in run("entries", "split", learning["name"], expect=1).stderr
    assert "is not a valid priority" in run("entries", "log", "error", "x", "--priority", "urgent", expect=1).stderr
    assert "cannot be logged" in run("entries", "log", "joke", "x", expect=1).stderr
    assert "may not be stored" in run("entries", "log", "error", "AKIA" + "IOSFODNN7EXAMPLQ", expect=1).stderr
    assert "2 lessons" in run("stats").stdout


@pytest.mark.requirement("N1")
def test_context_files_are_written_and_hand_edits_hold_once_the_user_claims_them(home: Path) -> None:
    project = home / "shop"
    project.mkdir()
    write_three_sessions(home, project)
    run("learn")
    data = json.loads(run("status", "--json").stdout)
    (folder,) = (Path(data["home"]) / "contexts").iterdir()
    candidates = folder / "corrections.md"
    assert "- no, use pnpm, not npm (" in candidates.read_text()
    assert folder.name in (Path(data["home"]) / "index.md").read_text()
    (line,) = [each for each in candidates.read_text().splitlines() if "use pnpm" in each]
    candidates.write_text(candidates.read_text().replace(line + "\n", ""))
    rules = folder / "rules.md"
    rules.write_text(f"# My own heading\n\nMy words.\n\n{line}\n- Never push on Fridays.\n")
    run("learn")
    assert json.loads(run("rules", "--all", "--json").stdout)["rules"] == [], "any program can write there"
    run("learn")
    assert say_yes() == 2, "it is asked about once"
    found = {each["text"]: each for each in json.loads(run("rules", "--all", "--json").stdout)["rules"]}
    assert set(found) == {"no, use pnpm, not npm", "Never push on Fridays."}
    assert found["no, use pnpm, not npm"]["sessions"] == 3
    text = rules.read_text()
    assert text.startswith("# My own heading\n\nMy words.\n\n")
    assert "- Never push on Fridays." in text
    rules.write_text(text.replace("no, use pnpm, not npm", "Use pnpm 9."))
    run("learn")
    assert "no, use pnpm, not npm" in run("rules", "--all").stdout, (
        "an approved rule holds until the user says otherwise"
    )
    assert say_yes() == 1
    assert "Use pnpm 9." in run("rules", "--all").stdout
    run("learn")
    unchanged = rules.read_bytes()
    run("learn")
    assert rules.read_bytes() == unchanged
    rules.write_text("".join(each for each in rules.read_text().splitlines(True) if "pnpm" not in each))
    run("learn")
    assert "pnpm" in run("rules", "--all").stdout, "a rule removed from the file is delivered until the user rejects it"
    assert say_yes() == 1
    assert "pnpm" not in run("rules", "--all").stdout
    assert "pnpm" not in rules.read_text()
    assert "Never push on Fridays." in rules.read_text()
    assert json.loads(run("proposals", "--json").stdout)["proposals"] == []


@pytest.mark.requirement("S3")
def test_learnings_are_written_in_the_known_format_and_read_back(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = home / "shop"
    project.mkdir()
    write_three_sessions(home, project)
    run("learn")
    (entry,) = json.loads(run("entries", "--json").stdout)["entries"]
    monkeypatch.chdir(project)
    file = project / ".learnings" / "LEARNINGS.md"
    assert "would be changed" in run("entries", "write", "--dry-run").stdout
    assert not file.exists()
    run("entries", "write")
    text = file.read_text()
    assert f"## [{entry['name']}] correction" in text
    assert "nothing to write" in run("entries", "write").stdout
    assert file.read_text() == text
    other = "\n## [LRN-20250101-007] best_practice\n\n**Priority**: high\n\n### Summary\nPin the tools.\n"
    file.write_text(text.replace("**Status**: pending", "**Status**: resolved") + other)
    assert "is not read" in run("learn").stdout
    assert len(json.loads(run("entries", "list", "--all", "--json").stdout)["entries"]) == 1
    adopt(file)
    run("learn")
    assert json.loads(run("entries", "--json").stdout)["entries"][0]["status"] == "pending", "nobody has decided it"
    assert say_yes() == 1
    run("learn")
    found = {each["name"]: each for each in json.loads(run("entries", "list", "--all", "--json").stdout)["entries"]}
    assert found[entry["name"]]["status"] == "resolved"
    imported = found["LRN-20250101-007"]
    assert (imported["text"], imported["origin"], imported["priority"]) == ("Pin the tools.", "imported", "high")
    assert imported["sessions"] == 0
    run("learn")
    assert len(json.loads(run("entries", "list", "--all", "--json").stdout)["entries"]) == 2


@pytest.mark.requirement("S9")
def test_two_opposites_that_a_person_wrote_are_reported_and_what_was_written_again_is_confirmed(home: Path) -> None:
    project = home / "shop"
    project.mkdir()
    write_three_sessions(home, project)
    run("learn")
    (folder,) = (Path(json.loads(run("status", "--json").stdout)["home"]) / "contexts").iterdir()
    rules = folder / "rules.md"
    rules.write_text("- Please use pnpm and not npm.\n- Always squash commits.\n- Never squash commits.\n")
    run("learn")
    assert say_yes() == 3
    found = {each["text"]: each for each in json.loads(run("rules", "--all", "--json").stdout)["rules"]}
    assert set(found) == {"no, use pnpm, not npm", "Always squash commits.", "Never squash commits."}
    assert found["no, use pnpm, not npm"]["sessions"] == 3
    never, always = found["Never squash commits."], found["Always squash commits."]
    assert (always["conflicts"], never["conflicts"]) in (([], [always["id"]]), ([never["id"]], []))
    assert "It contradicts" in run("rules", "--all").stdout
    assert rules.read_text().count("quash commits.") == 2
