"""Which files each agent reads by itself, so that a rule in one of them is not told again."""

from __future__ import annotations

from pathlib import Path

import pytest

from wisen.backends.files import UserFiles
from wisen.loop.deliver.channels import OTHERS, others_instructions_in


@pytest.mark.parametrize("agent", ["codex", "hermes", "opencode"])
def test_the_first_file_that_says_something_is_read_and_no_other(agent: str, tmp_path: Path) -> None:
    shop, names = tmp_path / "shop", OTHERS[agent][0]
    shop.mkdir()
    for name in reversed(names):
        (shop / name).write_text(f"as {name} says")
        assert others_instructions_in(UserFiles(), agent, [shop], tmp_path).strip() == f"as {name} says"
    (shop / names[0]).write_text(" \n")
    assert others_instructions_in(UserFiles(), agent, [shop], tmp_path).strip() == f"as {names[1]} says"


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
    assert others_instructions_in(UserFiles(), agent, [], tmp_path) == "Use uv."


def test_openclaw_reads_all_of_its_files(tmp_path: Path) -> None:
    names, _ = OTHERS["openclaw"]
    for name in names:
        (tmp_path / name).write_text(f"as {name} says")
    read = others_instructions_in(UserFiles(), "openclaw", [tmp_path], tmp_path)
    assert read.splitlines() == [f"as {name} says" for name in names]
