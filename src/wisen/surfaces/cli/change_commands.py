"""The commands about changes in files and decisions: `wisen changes …`."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads the annotations at run time
from typing import Annotated, Optional

import typer

from wisen.surfaces.cli.options import DryRun, Json  # noqa: TC001 - as above

changes_app = typer.Typer(
    help="Changes that wisen made in your files. Without a command, lists them.", invoke_without_command=True
)


@changes_app.callback()
def changes(context: typer.Context, as_json: Json = False) -> None:
    """List the changes in your files, newest first."""
    if context.invoked_subcommand is None:
        from wisen.surfaces.cli.change_view import list_changes

        raise typer.Exit(list_changes(as_json=as_json))


@changes_app.command()
def revert(
    change: Annotated[str, typer.Argument(metavar="ID", help="The id of a change, or its beginning.")],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Revert the decision that made a change.

    Later changes of the same file stay.
    """
    from wisen.surfaces.cli.change_view import undo as run

    raise typer.Exit(run(change, yes=yes, dry_run=dry_run, as_json=as_json))


@changes_app.command(name="show")
def show_change(
    change: Annotated[str, typer.Argument(metavar="ID", help="The id of a change, or its beginning.")],
    as_json: Json = False,
) -> None:
    """Show one change in detail.

    Its diff, what it costs in tokens, and whether it still stands.
    """
    from wisen.surfaces.cli.change_view import show_change as run

    raise typer.Exit(run(change, as_json=as_json))


@changes_app.command(name="record")
def record_change(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="The file that was changed.")],
    what: Annotated[str, typer.Argument(metavar="WHAT", help="What was changed in it.")],
    why: Annotated[str, typer.Argument(metavar="WHY", help="What the change should achieve.")],
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Record a change that you or another tool made.

    wisen can then report whether it helped.
    """
    from wisen.surfaces.cli.change_view import record_change as run

    raise typer.Exit(run(path, what, why, dry_run=dry_run, as_json=as_json))


@changes_app.command(name="refuse")
def refuse_change(
    change: Annotated[str, typer.Argument(metavar="ID", help="The id of a change, or its beginning.")],
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Confirm that you removed a change because you do not want it."""
    from wisen.surfaces.cli.change_view import reject_change as run

    raise typer.Exit(run(change, dry_run=dry_run, as_json=as_json))


@changes_app.command()
def undo(
    decision: Annotated[
        Optional[str],  # noqa: UP045 - as above
        typer.Argument(
            metavar="[ID]", help="The id of a decision, change or answered proposal. Default: the last decision."
        ),
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the decisions, newest first.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Undo the last decision: an approved rule, a guard, an answer, or a whole install.

    Shows the decision and asks first. Its file changes are reverted, your own edits stay, and the question is open
    again, not rejected. A second undo reverses the decision before it. What was forgotten stays forgotten.
    """
    if listed:
        from wisen.surfaces.cli.change_view import list_decisions

        raise typer.Exit(list_decisions(as_json=as_json))
    from wisen.surfaces.cli.change_view import undo as run

    raise typer.Exit(run(decision, yes=yes, dry_run=dry_run, as_json=as_json))
