"""The commands about projects, and about files that the user adopts: `wisen contexts …`."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - as below
from typing import Annotated, Optional

import typer

from wisen.surfaces.cli.options import DryRun, Json  # noqa: TC001 - typer reads the annotations at run time

contexts_app = typer.Typer(
    help="The projects that wisen learned from. Without a command, lists them.", invoke_without_command=True
)


@contexts_app.callback()
def contexts(context: typer.Context, as_json: Json = False) -> None:
    """List the projects that wisen learned from, with their keys."""
    if context.invoked_subcommand is None:
        from wisen.surfaces.cli.context_view import list_contexts as run

        raise typer.Exit(run(as_json=as_json))


@contexts_app.command(name="list")
def list_contexts(as_json: Json = False) -> None:
    """List the projects that wisen learned from, with their keys."""
    from wisen.surfaces.cli.context_view import list_contexts as run

    raise typer.Exit(run(as_json=as_json))


@contexts_app.command(name="alias")
def alias_context(
    key: Annotated[str, typer.Argument(metavar="KEY", help="The key of a project, or its beginning.")],
    path: Annotated[Path, typer.Argument(metavar="DIR", help="A directory on this machine.")],
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Assign a directory to a project.

    For a project that was moved, or that has no remote.
    """
    from wisen.surfaces.cli.context_view import assign_directory as run

    raise typer.Exit(run(key, path, dry_run=dry_run, as_json=as_json))


@contexts_app.command(name="join")
def join_context(
    path: Annotated[
        Path, typer.Argument(metavar="DIR", help="A checkout that is not yet assigned: see wisen contexts.")
    ],
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Join a checkout to the project of its remote.

    From now on, what is learned in one is used in the other.
    """
    from wisen.surfaces.cli.context_view import join

    raise typer.Exit(join(path, dry_run=dry_run, as_json=as_json))


@contexts_app.command(name="separate")
def separate_context(
    path: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a checkout.")],
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Separate a checkout from the project of its remote.

    It becomes a project of its own, whatever its remote is.
    """
    from wisen.surfaces.cli.context_view import separate

    raise typer.Exit(separate(path, dry_run=dry_run, as_json=as_json))


@contexts_app.command()
def adopt(
    path: Annotated[
        Optional[Path],  # noqa: UP045 - typer reads the annotation at run time
        typer.Argument(
            metavar="FILE", help="A file in a project. Without one, lists the files that wait or were adopted."
        ),
    ] = None,
    mine: Annotated[
        bool, typer.Option("--mine", help="You wrote it, although it is older than your first session.")
    ] = False,
    show: Annotated[bool, typer.Option("--show", help="Only show the content, and whose file it seems to be.")] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help="It is not yours: stop reading it.")] = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Trust a file in a project as your own, so that wisen learns from it. Shows its content, and asks first.

    Files in a project (.learnings, chats of aider) count as other people's until you adopt them. Files that git tracks
    cannot be adopted.
    """
    from wisen.surfaces.cli import adoption_view

    if path is None:
        raise typer.Exit(adoption_view.list_files(as_json=as_json))
    if show:
        raise typer.Exit(adoption_view.show(path, as_json=as_json))
    if revoke:
        raise typer.Exit(adoption_view.revoke(path, dry_run=dry_run, as_json=as_json))
    raise typer.Exit(adoption_view.adopt(path, is_mine=mine, dry_run=dry_run, as_json=as_json))
