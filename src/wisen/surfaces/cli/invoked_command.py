"""Narrows the program to the command that is run: typer takes time to build all 90 of them, at every start."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

from typer.main import get_command_name

from wisen.surfaces.cli.command_table import COMMANDS, SHORT_FORMS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import typer

_SHOWS_OTHERS = frozenset({"help"})
"""The commands that look at other commands."""


def narrow_program(app: typer.Typer, arguments: Sequence[str]) -> typer.Typer:
    """Return the program with only what these arguments run; the whole one if they name no command of it."""
    name = arguments[0] if arguments else ""
    if name in _SHOWS_OTHERS or name not in {each.name for each in COMMANDS}:
        return app
    wanted = SHORT_FORMS[name].full[0] if name in SHORT_FORMS else name
    narrowed = copy(app)
    narrowed.registered_groups = [each for each in app.registered_groups if each.name == wanted]
    narrowed.registered_commands = [
        each for each in app.registered_commands if (each.name or _own_name(each)) == wanted
    ]
    return narrowed


def _own_name(command: typer.models.CommandInfo) -> str:
    return get_command_name(command.callback.__name__) if command.callback else ""
