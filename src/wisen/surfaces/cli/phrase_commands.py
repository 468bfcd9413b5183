"""The commands about the user's own wording: `wisen phrases …`."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads the annotation at run time
from typing import Annotated, Optional

import typer

from wisen.surfaces.cli.options import DryRun, Json  # noqa: TC001 - typer reads the annotations at run time

phrases_app = typer.Typer(
    help="Your own wording of feedback, like what you say when something is wrong. Without a command, lists it.",
    invoke_without_command=True,
)


@phrases_app.callback()
def phrases(context: typer.Context, as_json: Json = False) -> None:
    """List your phrases, each with the messages that it was found in."""
    if context.invoked_subcommand is None:
        from wisen.surfaces.cli.phrase_view import list_phrases

        raise typer.Exit(list_phrases(None, dry_run=False, as_json=as_json))


@phrases_app.command(name="show")
def show_phrases(
    write: Annotated[
        Optional[Path],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option(
            "--write", metavar="FILE", help="Also add them to a file of feedback phrases, which keeps its content."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="With --write: show what would change, and write nothing.")
    ] = False,
    as_json: Json = False,
) -> None:
    """List your phrases, each with the messages that it was found in."""
    from wisen.surfaces.cli.phrase_view import list_phrases

    raise typer.Exit(list_phrases(write, dry_run=dry_run, as_json=as_json))


@phrases_app.command(name="learn")
def learn_phrases(
    days: Annotated[
        Optional[float],  # noqa: UP045 - as above
        typer.Option("--days", help="Only the last N days. Default: 30 the first time, 3 later."),
    ] = None,
    model: Annotated[
        bool,
        typer.Option("--model", help="Let the configured models suggest phrases; only what you really typed is kept."),
    ] = False,
    source: Annotated[
        Optional[Path],  # noqa: UP045 - as above
        typer.Option("--from", metavar="FILE", help="Import a file of feedback phrases instead."),
    ] = None,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Find phrases that only you use.

    They are found by what happened around them, such as undone work or rejected calls. Uses what `wisen learn` has
    read. The next `wisen learn` classifies messages with a new phrase again.
    """
    from wisen.surfaces.cli.phrase_view import import_phrases, learn_phrases

    if source is not None:
        raise typer.Exit(import_phrases(source, days=days, model=model, dry_run=dry_run, as_json=as_json))
    raise typer.Exit(learn_phrases(days=days, model=model, dry_run=dry_run, as_json=as_json))


@phrases_app.command(name="remove")
def remove_phrase(
    phrase: Annotated[str, typer.Argument(metavar="PHRASE", help="The phrase, as `wisen phrases` shows it.")],
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Remove a phrase, for good.

    It is not found again by itself.
    """
    from wisen.surfaces.cli.phrase_view import remove_phrase

    raise typer.Exit(remove_phrase(phrase, dry_run=dry_run, as_json=as_json))
