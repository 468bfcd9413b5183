"""The typer application that commands are added to, and exit codes; enough for commands that run other commands.

`surfaces/cli/__init__.py` adds the commands, and documents the exit codes.
"""

from __future__ import annotations

import typer

from wisen.surfaces.cli.command_group import ProgramGroup

app = typer.Typer(
    name="wisen",
    cls=ProgramGroup,
    help="Makes the AI agents you already use learn from their own work, and measures whether it helps.",
    epilog="Start with: wisen learn",
    invoke_without_command=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

FAILED, NOTHING, BAD, STOPPED = 1, 3, 4, 130
