"""Which files each agent reads by itself, so that a rule in one of them is not delivered again."""

from __future__ import annotations

from pathlib import Path

import pytest

from wisen.delivery.agent_instructions import OTHER_AGENTS, read_instructions, read_other_instructions
from wisen.edits.user_files import UserFiles


@pytest.mark.parametrize("agent", ["codex", "hermes", "opencode"])
def test_the_first_file_that_says_something_is_read_and_no_other(agent: str, tmp_path: Path) -> None:
    shop, names = tmp_path / "shop", OTHER_AGENTS[agent][0]
    shop.mkdir()
    for name in reversed(names):
        (shop / name).write_text(f"as {name} says")
        assert read_other_instructions(UserFiles(), agent, [shop], tmp_path).strip() == f"as {name} says"
    (shop / names[0]).write_text(" \n")
    assert read_other_instructions(UserFiles(), agent, [shop], tmp_path).strip() == f"as {names[1]} says"


@pytest.mark.parametrize(
    ("agent", "file"),
    [
        ("codex", ".codex/AGENTS.md"),
        ("gemini-cli", ".gemini/GEMINI.md"),
        ("hermes", ".hermes/SOUL.md"),
        ("opencode", ".claude/CLAUDE.md"),
    ],
)
def test_what_holds_in_every_project_is_read_too(agent: str, file: str, tmp_path: Path) -> None:
    (tmp_path / file).parent.mkdir()
    (tmp_path / file).write_text("Use uv.")
    assert read_other_instructions(UserFiles(), agent, [], tmp_path) == "Use uv."


def test_openclaw_reads_all_of_its_files(tmp_path: Path) -> None:
    names, _ = OTHER_AGENTS["openclaw"]
    for name in names:
        (tmp_path / name).write_text(f"as {name} says")
    read = read_other_instructions(UserFiles(), "openclaw", [tmp_path], tmp_path)
    assert read.splitlines() == [f"as {name} says" for name in names]


def test_claude_code_reads_the_rules_of_a_project_and_of_the_user_unless_they_are_for_some_paths(
    tmp_path: Path,
) -> None:
    shop, own = tmp_path / "shop", tmp_path / ".claude"
    for folder in (shop / ".claude" / "rules", own / "rules"):
        folder.mkdir(parents=True)
        (folder / "wisen.md").write_text("Use uv.")
        (folder / "mine.md").write_text("Use tabs.")
        (folder / "some.md").write_text('---\ndescription: x\npaths:\n  - "src/**"\n---\nUse spaces.')
    for folders in ([shop], [own]):
        assert read_instructions(UserFiles(), folders).split() == ["Use", "uv.", "Use", "tabs."]


def test_what_codex_does_not_read_any_more_of_a_long_file_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("x" * 32 * 1024 + "Use uv.")
    assert "Use uv." not in read_other_instructions(UserFiles(), "codex", [tmp_path], tmp_path)
    assert "Use uv." in read_other_instructions(UserFiles(), "opencode", [tmp_path], tmp_path)
