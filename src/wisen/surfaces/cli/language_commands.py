"""The commands about languages: `wisen languages …`."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads the annotation at run time
from typing import Annotated, Optional

import typer

from wisen.surfaces.cli.options import DryRun, Json  # noqa: TC001 - typer reads the annotations at run time

languages_app = typer.Typer(
    help="The languages in which you are heard: sixteen and emoji are shipped, and you can add more.",
    invoke_without_command=True,
)


@languages_app.callback()
def languages(context: typer.Context, as_json: Json = False) -> None:
    """List the languages, and how often you use each."""
    if context.invoked_subcommand is None:
        from wisen.surfaces.cli.language_view import show

        raise typer.Exit(show(None, dry_run=False, as_json=as_json))


@languages_app.command(name="list")
def list_languages(
    write: Annotated[
        Optional[Path],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option(
            "--write", metavar="FILE", help="Also put yours into a .language-keywords.json; what is there stays."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="With --write: show what would change, and write nothing.")
    ] = False,
    as_json: Json = False,
) -> None:
    """List the languages, and how often you use each.

    Also those that you write in and that have no file.

    Looks at what `wisen learn` has read. Changes nothing but the file that you name.
    """
    from wisen.surfaces.cli.language_view import show

    raise typer.Exit(show(write, dry_run=dry_run, as_json=as_json))


@languages_app.command(name="build")
def build_languages(
    language: Annotated[
        Optional[list[str]],  # noqa: UP045 - as above
        typer.Option("--language", metavar="CODE", help="Only this language, like nl; can be given several times."),
    ] = None,
    model: Annotated[
        bool, typer.Option("--model", help="Have the configured heavy model write the files; your texts are not sent.")
    ] = False,
    source: Annotated[
        Optional[Path],  # noqa: UP045 - as above
        typer.Option("--from", metavar="FILE", help="Take in a .language-keywords.json instead."),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Replace files that are there; each old one is kept beside it.")
    ] = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Make files for the languages that you write in and that have none. Without --model: tell which.

    Tells how well each language that you added is heard, on sentences of it that are held back.
    The files lie in the folder `languages` of wisen's home. Sessions are understood anew by the next `wisen learn`.
    """
    from wisen.surfaces.cli.language_view import build, take_in

    if source is not None:
        raise typer.Exit(take_in(source, language or [], model=model, again=again, dry_run=dry_run, as_json=as_json))
    raise typer.Exit(build(language or [], model=model, again=again, dry_run=dry_run, as_json=as_json))
