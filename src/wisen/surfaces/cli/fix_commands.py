"""The commands about fixes: `wisen fixes …`."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads the annotation at run time
from typing import Annotated, Optional

import typer

from wisen.surfaces.cli.options import Json  # noqa: TC001 - typer reads the annotations at run time

fixes_app = typer.Typer(
    help="What made failing calls work. Without a command, lists the fixes.", invoke_without_command=True
)


@fixes_app.callback()
def fixes(
    context: typer.Context,
    path: Annotated[
        Optional[Path],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option("--path", help="Only the sessions of this transcript or folder."),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Also fixes that were seen only once or did not always help.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show what made failing calls work: the difference from the failed call to the one that succeeded.

    Uses what `wisen learn` has read. For every fix: in how many sessions it was seen, how often it did not help, and
    what it would add that was not there before.
    """
    if context.invoked_subcommand is None:
        from wisen.surfaces.cli.fix_view import list_fixes

        raise typer.Exit(list_fixes(path, every=every, as_json=as_json))


@fixes_app.command(name="show")
def show_fix(
    fix: Annotated[str, typer.Argument(metavar="ID", help="The id of a fix, or its beginning.")],
    as_json: Json = False,
) -> None:
    """Show one fix in detail.

    Where it was seen, how reliable it is, and where it did not help.
    """
    from wisen.surfaces.cli.fix_view import show_fix

    raise typer.Exit(show_fix(fix, as_json=as_json))
