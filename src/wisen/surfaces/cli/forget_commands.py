"""The command about what is to go: `wisen forget`."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads the annotations at run time
from typing import Annotated, Optional

import typer

from wisen.surfaces.cli.options import DryRun, Json  # noqa: TC001 - as above


def forget(
    what: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads the annotation at run time
        typer.Argument(
            metavar="TEXT|ID...", help="Words as they stand, or the id of an entry, rule, fix, memory or change."
        ),
    ] = None,
    scope: Annotated[
        Optional[str],  # noqa: UP045 - as above
        typer.Option("--scope", help="context: this project. global: what holds everywhere. all: every project."),
    ] = None,
    everything: Annotated[bool, typer.Option("--everything", help="Whatever is in the scope.")] = False,
    export: Annotated[
        Optional[Path],  # noqa: UP045 - as above
        typer.Option("--export", metavar="FILE", help="Write what goes to a new file first; no other copy is made."),
    ] = None,
    shown: Annotated[bool, typer.Option("--list", help="List what was forgotten, without a word of it.")] = False,
    undo: Annotated[
        Optional[str],  # noqa: UP045 - as above
        typer.Option("--undo", metavar="ID", help="Lift a tombstone: the next learn may learn it again from the logs."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Forget something for good: in every table, file, index and backup of wisen's, and its lines in your files.

    Shows what goes, removes it in this project, then asks about the rest. Old logs do not teach it again; what you say
    anew can be learnt anew. Your agents' own logs, your own words and your repositories are never touched.
    """
    from wisen.surfaces.cli.forget_view import Wanted, run

    wanted = Wanted(tuple(what or ()), scope, everything, export, shown, undo)
    raise typer.Exit(run(wanted, yes=yes, dry_run=dry_run, as_json=as_json))
