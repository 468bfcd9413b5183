"""The group of commands about days and summaries: `wisen memory …`."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from wisen.surfaces.cli.options import DryRun, Json  # noqa: TC001 - typer reads the annotations at run time

memory_app = typer.Typer(help="The days of this project, and what its sessions came to.", invoke_without_command=True)


@memory_app.callback()
def memory(context: typer.Context, as_json: Json = False) -> None:
    """List the days of this project, newest first."""
    if context.invoked_subcommand is None:
        from wisen.surfaces.cli.memory import days

        raise typer.Exit(days(as_json=as_json))


@memory_app.command(name="days")
def list_days(as_json: Json = False) -> None:
    """List the days of this project, newest first."""
    from wisen.surfaces.cli.memory import days

    raise typer.Exit(days(as_json=as_json))


@memory_app.command(name="show")
def show_memory(
    name: Annotated[
        Optional[str],  # noqa: UP045 - typer reads the annotation at run time
        typer.Argument(metavar="DATE|SESSION", help="A day, the name of a summary, or how a session's id begins."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show a day, by default the newest, or what a session came to."""
    from wisen.surfaces.cli.memory import show

    raise typer.Exit(show(name, as_json=as_json))


@memory_app.command(name="write")
def write_memory(dry_run: DryRun = False, as_json: Json = False) -> None:
    """Write the days and summaries of this project: into its own memory/ where it keeps one, else into wisen's home."""
    from wisen.surfaces.cli.memory import write

    raise typer.Exit(write(dry_run=dry_run, as_json=as_json))
