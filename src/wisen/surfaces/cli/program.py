"""The program that commands are added to, and the codes it ends with: commands that run others need no more of it.

Exit codes are told in `surfaces/cli/__init__.py`, which adds the commands.
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
