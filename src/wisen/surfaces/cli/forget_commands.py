"""The command that deletes for good: `wisen forget`."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads the annotations at run time
from typing import Annotated, Optional

import typer

from wisen.surfaces.cli.options import DryRun, Json  # noqa: TC001 - as above


def forget(
    what: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads the annotation at run time
        typer.Argument(metavar="TEXT|ID...", help="An exact text, or the id of a lesson, rule, fix, memory or change."),
    ] = None,
    scope: Annotated[
        Optional[str],  # noqa: UP045 - as above
        typer.Option("--scope", help="context: this project; global: what is in force everywhere; all: every project."),
    ] = None,
    everything: Annotated[bool, typer.Option("--everything", help="Forget everything in the scope.")] = False,
    export: Annotated[
        Optional[Path],  # noqa: UP045 - as above
        typer.Option(
            "--export", metavar="FILE", help="First write what is deleted to a new file; there is no other copy."
        ),
    ] = None,
    shown: Annotated[bool, typer.Option("--list", help="List what was forgotten, without its text.")] = False,
    undo: Annotated[
        Optional[str],  # noqa: UP045 - as above
        typer.Option("--undo", metavar="ID", help="Remove a tombstone: wisen may learn it again from the logs."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Forget something for good: in wisen's database, files, index and backups, and its lines in your files.

    Shows what is deleted, deletes it in this project, then asks about the rest. Old logs do not teach it again; if you
    say it again, it can be learned again. Logs of agents, lines that you wrote and repositories are never changed.
    """
    from wisen.surfaces.cli.forget_view import ForgetOptions, run_forget

    wanted = ForgetOptions(tuple(what or ()), scope, everything, export, shown, undo)
    raise typer.Exit(run_forget(wanted, yes=yes, dry_run=dry_run, as_json=as_json))
