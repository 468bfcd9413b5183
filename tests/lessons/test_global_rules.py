"""Global rules end to end: proposed after a statement or from two projects, and never leaked before approval."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.commands import run
from wisen.testing.transcripts import ClaudeTranscript


def say(home: Path, number: int, project: str, words: str) -> Path:
    place = home / project
    place.mkdir(exist_ok=True)
    s = ClaudeTranscript(number, cwd=str(place), start=datetime(2026, 3, number, 8, 0, tzinfo=UTC))
    s.prompt("run the tests")
    s.bash("npm test", "npm error use pnpm", exit_code=1)
    s.prompt(words)
    s.write(home / ".claude" / "projects" / project)
    return place


def proposals() -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads(run("proposals", "--json").stdout)["proposals"]
    return found


@pytest.mark.requirement("S5", "S6")
def test_after_a_statement_it_is_proposed_for_the_users_own_file(home: Path) -> None:
    say(home, 1, "shop", "no, from now on always use pnpm in all my projects, not npm")
    run("learn")
    (proposal,) = proposals()
    assert (proposal["context"], proposal["path"]) == ("", str(home / ".claude" / "CLAUDE.md"))
    assert "all your projects" in run("proposals", "show", "1").stdout
    assert "everywhere" not in run("rules", "--all").stdout
    run("proposals")
    run("proposals", "approve", "1")
    assert "use pnpm in all my projects, not npm <!-- wisen:R-" in (home / ".claude" / "CLAUDE.md").read_text()
    (rule,) = json.loads(run("rules", "--json").stdout)["rules"]
    assert (rule["context"], rule["status"]) == ("", "promoted")
    say(home, 2, "shop", "again: always use pnpm in all my projects, not npm")
    run("learn")
    assert proposals() == []
    assert [each["sessions"] for each in json.loads(run("entries", "--json").stdout)["entries"]] == [2]


@pytest.mark.requirement("N3")
@pytest.mark.requirement("N4")
@pytest.mark.requirement("S5", "S6")
def test_what_became_a_rule_in_two_projects_is_proposed_for_all_and_no_text_leaves_its_project_before(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = say(home, 1, "shop", "no, from now on always use pnpm, not npm")
    mill = say(home, 2, "mill", "I told you: from now on use pnpm always, never npm")
    run("learn")
    assert {each["path"] for each in proposals()} == {str(shop / "CLAUDE.md"), str(mill / "CLAUDE.md")}
    assert not (shop / "CLAUDE.md").exists()
    kept = Path(json.loads(run("status", "--json").stdout)["home"])
    assert sum("pnpm" in book.read_text() for book in kept.glob("contexts/*/corrections.md")) == 2
    assert not any("pnpm" in book.read_text() for book in kept.glob("contexts/*/rules.md"))
    run("proposals")
    run("proposals", "approve", "1")
    monkeypatch.chdir(shop)
    assert ("pnpm" in run("rules").stdout) == (shop / "CLAUDE.md").exists()
    run("learn")
    (other,) = proposals()
    assert other["context"] != ""
    run("proposals")
    run("proposals", "approve", "1")
    run("learn")
    (wide,) = proposals()
    assert (wide["context"], wide["path"]) == ("", str(home / ".claude" / "CLAUDE.md"))
    assert "a rule in 2 projects" in wide["why"]
    assert not (home / ".claude" / "CLAUDE.md").exists()
    farm = home / "farm"
    farm.mkdir()
    monkeypatch.chdir(farm)
    assert "pnpm" not in run("rules").stdout + run("learned").stdout
    books = kept / "global"
    assert not any("pnpm" in book.read_text() for book in books.glob("*.md"))
    run("proposals")
    run("proposals", "approve", "1")
    assert "pnpm" in run("rules").stdout
    assert any("pnpm" in book.read_text() for book in books.glob("*.md"))
    assert "pnpm" in (shop / "CLAUDE.md").read_text()
    run("learn")
    assert proposals() == []
    run("undo", "--yes")
    run("learn")
    assert len(proposals()) == 1, "to undo is not to refuse: it waits again"
    assert "pnpm" not in run("rules").stdout
    assert "pnpm" in (shop / "CLAUDE.md").read_text()


@pytest.mark.requirement("S5")
def test_an_entry_is_confirmed_for_all_projects_by_command(home: Path) -> None:
    say(home, 1, "shop", "no, use pnpm, not npm")
    run("learn")
    (entry,) = json.loads(run("entries", "--json").stdout)["entries"]
    assert (
        "would be confirmed for all projects"
        in run("entries", "confirm", entry["name"], "--global", "--dry-run").stdout
    )
    run("entries", "confirm", entry["name"], "--global")
    run("learn")
    assert [(each["context"], Path(each["path"]).parent.name) for each in proposals()] == [("", ".claude")]
