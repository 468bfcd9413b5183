"""The commands about what was changed and decided: `wisen changes` and `wisen undo`."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads the annotations at run time
from typing import Annotated, Optional

import typer

from wisen.surfaces.cli.options import DryRun, Json  # noqa: TC001 - as above

changes_app = typer.Typer(help="What was changed in your files, and taking it back.", invoke_without_command=True)


@changes_app.callback()
def changes(context: typer.Context, as_json: Json = False) -> None:
    """List what was changed in your files, newest first."""
    if context.invoked_subcommand is None:
        from wisen.surfaces.cli.change_view import show

        raise typer.Exit(show(as_json=as_json))


@changes_app.command()
def revert(
    change: Annotated[str, typer.Argument(metavar="ID", help="The id of a change, or how it begins.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Revert the decision that made a change.

    Whatever was changed since stays as it is.
    """
    from wisen.surfaces.cli.change_view import undo as run

    raise typer.Exit(run(change, yes=yes, dry_run=dry_run, as_json=as_json))


@changes_app.command(name="show")
def show_change(
    change: Annotated[str, typer.Argument(metavar="ID", help="The id of a change, or how it begins.")],
    as_json: Json = False,
) -> None:
    """Show one change in detail.

    The difference, what it costs, and what became of it.
    """
    from wisen.surfaces.cli.change_view import explain as run

    raise typer.Exit(run(change, as_json=as_json))


@changes_app.command(name="record")
def record_change(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="The file that was changed.")],
    what: Annotated[str, typer.Argument(metavar="WHAT", help="What was changed in it.")],
    why: Annotated[str, typer.Argument(metavar="WHY", help="What it is meant to do.")],
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Record a change that you or another tool made.

    So that it can be checked later.
    """
    from wisen.surfaces.cli.change_view import register as run

    raise typer.Exit(run(path, what, why, dry_run=dry_run, as_json=as_json))


@changes_app.command(name="refuse")
def refuse_change(
    change: Annotated[str, typer.Argument(metavar="ID", help="The id of a change, or how it begins.")],
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Say that you took something out because you do not want it."""
    from wisen.surfaces.cli.change_view import refuse as run

    raise typer.Exit(run(change, dry_run=dry_run, as_json=as_json))


@changes_app.command()
def undo(
    decision: Annotated[
        Optional[str],  # noqa: UP045 - as above
        typer.Argument(metavar="[ID]", help="Of a decision, a change or an answered proposal; else the last decision."),
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List what was decided, newest first.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Take the last decision back: an approved rule, a guard, an answer, or a whole install.

    Shows which one it is and asks. Its changes of files go, your own edits stay, and what was decided is open again,
    not refused. Done again it takes back the one before. What was forgotten stays forgotten.
    """
    if listed:
        from wisen.surfaces.cli.change_view import list_decisions

        raise typer.Exit(list_decisions(as_json=as_json))
    from wisen.surfaces.cli.change_view import undo as run

    raise typer.Exit(run(decision, yes=yes, dry_run=dry_run, as_json=as_json))
