"""`wisen --help` shows every command once, in four panels, each with a whole sentence at 80 columns."""

from __future__ import annotations

import runpy
from pathlib import Path

from typer.main import get_command
from typer.testing import CliRunner

from wisen.surfaces.cli import app
from wisen.surfaces.cli.panels import PANELS

DOCS = Path(__file__).parents[2] / "docs"
SHOWN = [name for panel in PANELS.values() for name in panel]


def shown_at_80_columns(*words: str) -> str:
    """The help of a command as a person sees it."""
    return CliRunner(env={"COLUMNS": "80"}).invoke(app, [*words, "--help"], prog_name="wisen").output


def test_every_command_is_in_one_panel_and_no_other_is() -> None:
    assert len(SHOWN) == len(set(SHOWN))
    known = {name for name, command in get_command(app).commands.items() if not command.hidden}  # type: ignore[attr-defined]
    assert set(SHOWN) == known


def test_there_are_four_panels_and_at_most_ten_commands_in_the_first_two() -> None:
    panels = list(PANELS.values())
    assert len(panels) == 4
    assert len(panels[0]) + len(panels[1]) <= 10


def test_each_sentence_is_whole_at_80_columns() -> None:
    lines = shown_at_80_columns().splitlines()
    assert all(len(line) <= 80 for line in lines)
    told = {
        line.split()[0]: line.split(maxsplit=1)[1] for line in lines if line.startswith("  ") and len(line.split()) > 2
    }
    for panel in PANELS.values():
        for name, says in panel.items():
            assert told[name] == says
            assert says[0].isupper()
            assert says.endswith(".")


def test_the_reference_shows_the_commands_of_groups_too() -> None:
    paths = runpy.run_path(str(DOCS / "generate.py"))["command_paths"]()
    page = (DOCS / "cli.md").read_text(encoding="utf-8").splitlines()
    assert ("guards", "backtest") in paths
    for path in paths:
        level = "###" if len(path) > 1 else "##"
        assert f"{level} {' '.join(('wisen', *path))}" in page


def test_no_command_of_a_group_is_cut_at_80_columns() -> None:
    groups = [name for name, command in get_command(app).commands.items() if hasattr(command, "commands")]  # type: ignore[attr-defined]
    assert groups
    for name in groups:
        lines = [line for line in shown_at_80_columns(name).splitlines() if not line.startswith("Usage")]
        assert not [line for line in lines if "..." in line], name
