"""The help of every command and group at 80 columns equals help_80_columns.txt, which people review.

After a change of help texts, `python -m tests.surfaces.test_help_80_columns` writes the file again.
"""

from __future__ import annotations

import runpy
from pathlib import Path

from typer.testing import CliRunner

from wisen.surfaces.cli import app
from wisen.surfaces.cli.command_table import SHORT_FORMS

SNAPSHOT = Path(__file__).with_name("help_80_columns.txt")
GENERATE = Path(__file__).parents[2] / "docs" / "generate.py"


def help_of_all() -> str:
    """The help of the program, of every group and command, and of short forms the line that says what they run."""
    paths: list[tuple[str, ...]] = [(), *runpy.run_path(str(GENERATE))["command_paths"]()]
    runner, parts = CliRunner(env={"COLUMNS": "80"}), []
    for path in paths:
        shown = runner.invoke(app, [*path, "--help"], prog_name="wisen").output.strip()
        parts.append(f"$ {' '.join(('wisen', *path))} --help\n{shown}\n")
    for short in SHORT_FORMS.values():
        last = runner.invoke(app, [short.name, "--help"], prog_name="wisen").output.strip().splitlines()[-1]
        parts.append(f"$ wisen {short.name} --help\n...\n{last}\n")
    return "\n\n".join(parts)


def test_the_help_of_every_command_is_as_it_was_read() -> None:
    assert help_of_all() == SNAPSHOT.read_text(encoding="utf-8"), "run: python -m tests.surfaces.test_help_80_columns"


def test_no_line_of_help_is_longer_than_80_columns_or_cut() -> None:
    for line in SNAPSHOT.read_text(encoding="utf-8").splitlines():
        assert len(line) <= 80, line
        assert line == "..." or not line.endswith("...") or line.startswith("Usage:"), line


if __name__ == "__main__":
    SNAPSHOT.write_text(help_of_all(), encoding="utf-8")
