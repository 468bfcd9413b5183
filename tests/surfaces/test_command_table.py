"""One table lists the top-level commands; the program, `wisen --help` and docs/cli.md agree with it."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from tests.commands import run
from wisen.surfaces.cli import app
from wisen.surfaces.cli.command_table import COMMANDS, OLD_NAME, PANELS, SHORT_FORMS

DOCS = Path(__file__).parents[2] / "docs"
SHOWN = [each for each in COMMANDS if each.panel != OLD_NAME]
PROGRAM: Any = get_command(app)
STORED_COMMANDS = (
    ("entries", "set"),
    ("entries", "confirm"),
    ("entries", "merge"),
    ("entries", "split"),
    ("entries", "supersede"),
    ("entries", "log"),
    ("rules", "add"),
    ("undo",),
    ("adopt",),
    ("forget",),
    ("changes", "refuse"),
    ("phrases", "learn"),
    ("proposals", "try"),
    ("blame",),
    ("uninstall",),
)
"""The commands that stored proposals contain: see `require_person` and `command_proposal`."""


def shown_at_80_columns(*words: str) -> str:
    """The help of a command as a person sees it."""
    return CliRunner(env={"COLUMNS": "80"}).invoke(app, [*words, "--help"], prog_name="wisen").output


def groups() -> dict[str, Any]:
    """The groups of the program, by name; short forms and old names are not among them."""
    return {
        name: each for name, each in PROGRAM.commands.items() if hasattr(each, "commands") and name not in SHORT_FORMS
    }


def test_the_program_has_exactly_the_commands_of_the_table() -> None:
    names = [each.name for each in COMMANDS]
    assert len(names) == len(set(names))
    assert set(names) == set(PROGRAM.commands)
    assert {each.name for each in SHOWN} == {name for name, each in PROGRAM.commands.items() if not each.hidden}


def test_there_are_four_panels_and_at_most_ten_commands_in_the_first_two() -> None:
    assert {each.panel for each in SHOWN} == set(PANELS)
    assert len(PANELS) == 4
    assert sum(each.panel in PANELS[:2] for each in SHOWN) <= 10


def test_help_shows_each_command_once_with_its_whole_sentence_at_80_columns() -> None:
    lines = shown_at_80_columns().splitlines()
    assert all(len(line) <= 80 for line in lines)
    found = [line.split(maxsplit=1) for line in lines if line.startswith("  ") and len(line.split()) > 2]
    for each in SHOWN:
        assert found.count([each.name, each.sentence]) == 1
        assert each.sentence[0].isupper()
        assert each.sentence.endswith(".")
    for old in SHORT_FORMS.values():
        assert old.panel != OLD_NAME or not any(words[0] == old.name for words in found)


@pytest.mark.parametrize("name", SHORT_FORMS)
def test_a_short_form_is_the_command_it_stands_for(name: str) -> None:
    full = SHORT_FORMS[name].full
    command = PROGRAM
    for word in full:
        command = command.commands[word]
    assert PROGRAM.commands[name].params == command.params
    assert PROGRAM.commands[name].callback is command.callback
    assert f"wisen {' '.join(full)}" in shown_at_80_columns(name)
    if SHORT_FORMS[name].panel != OLD_NAME:
        assert f"Short form: wisen {name}" in shown_at_80_columns(*full)


@pytest.mark.parametrize("words", STORED_COMMANDS)
def test_commands_that_stored_proposals_hold_go_on_working(words: tuple[str, ...]) -> None:
    assert "Usage: wisen " in shown_at_80_columns(*words)


def test_short_and_full_forms_print_the_same(home: Path) -> None:
    run("remember", "Use pnpm, not npm.", "--global")
    assert "Use pnpm, not npm." in run("rules").stdout
    for name, more in (("entries", ()), ("learned", ()), ("stats", ()), ("recall", ("pnpm",)), ("undo", ("--list",))):
        full = SHORT_FORMS[name].full
        assert run(name, *more).stdout == run(*full, *more).stdout
    run("changes", "undo", "--yes")
    assert "no rules" in run("rules").stdout


def test_every_group_lists_by_default(home: Path) -> None:
    run("remember", "Use pnpm, not npm.", "--global")
    for name, group in groups().items():
        assert group.invoke_without_command, name
        assert "Usage:" not in run(name).stdout, name


def test_every_command_prints_json_but_those_that_serve_ask_or_print_text_for_a_shell() -> None:
    paths = runpy.run_path(str(DOCS / "generate.py"))["command_paths"]()
    without = {" ".join(path) for path in paths if "--json" not in shown_at_80_columns(*path)}
    assert without == {"completion", "help", "mcp", "proposals review"}


def test_the_json_page_has_every_command_that_reads() -> None:
    page = (DOCS / "json.md").read_text(encoding="utf-8").splitlines()
    names = runpy.run_path(str(DOCS / "json_page.py"))["read_commands"]()
    assert [line.removeprefix("## wisen ") for line in page if line.startswith("## wisen ")] == names


def test_the_reference_shows_the_commands_of_groups_and_the_short_forms() -> None:
    paths = runpy.run_path(str(DOCS / "generate.py"))["command_paths"]()
    page = (DOCS / "cli.md").read_text(encoding="utf-8").splitlines()
    assert ("guards", "backtest") in paths
    for path in paths:
        assert f"{'###' if len(path) > 1 else '##'} {' '.join(('wisen', *path))}" in page
    for each in SHORT_FORMS.values():
        kind = "old name" if each.panel == OLD_NAME else "short form"
        assert f"| `wisen {each.name}` | `wisen {' '.join(each.full)}` | {kind} |" in page


def test_no_command_of_a_group_is_cut_at_80_columns() -> None:
    assert groups()
    for name in groups():
        lines = [line for line in shown_at_80_columns(name).splitlines() if not line.startswith("Usage")]
        assert not [line for line in lines if "..." in line], name
