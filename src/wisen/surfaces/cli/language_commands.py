"""The commands about languages: `wisen languages …`."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads the annotation at run time
from typing import Annotated, Optional

import typer

from wisen.surfaces.cli.options import DryRun, Json  # noqa: TC001 - typer reads the annotations at run time

languages_app = typer.Typer(
    help="The languages that wisen understands: sixteen are included. Without a command, lists them.",
    invoke_without_command=True,
)


@languages_app.callback()
def languages(context: typer.Context, as_json: Json = False) -> None:
    """List the languages, and how often you use each."""
    if context.invoked_subcommand is None:
        from wisen.surfaces.cli.language_view import list_languages

        raise typer.Exit(list_languages(None, dry_run=False, as_json=as_json))


@languages_app.command(name="list")
def list_languages(
    write: Annotated[
        Optional[Path],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option(
            "--write", metavar="FILE", help="Also add yours to a .language-keywords.json file, which keeps its content."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="With --write: show what would change, and write nothing.")
    ] = False,
    as_json: Json = False,
) -> None:
    """List the languages, and how often you use each.

    Also the languages that you use and wisen does not understand. Uses what `wisen learn` has read.
    """
    from wisen.surfaces.cli.language_view import list_languages

    raise typer.Exit(list_languages(write, dry_run=dry_run, as_json=as_json))


@languages_app.command(name="build")
def build_languages(
    language: Annotated[
        Optional[list[str]],  # noqa: UP045 - as above
        typer.Option("--language", metavar="CODE", help="Only this language, like nl. May be repeated."),
    ] = None,
    model: Annotated[
        bool,
        typer.Option("--model", help="Let the configured heavy model write the files. Your messages are not sent."),
    ] = False,
    source: Annotated[
        Optional[Path],  # noqa: UP045 - as above
        typer.Option("--from", metavar="FILE", help="Import a .language-keywords.json file instead."),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Replace existing files; a copy of each is kept.")] = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Add files for languages that you use and wisen does not understand.

    Without --model, only lists these languages. Reports how well each added language is understood, on test sentences.
    The files are in the folder `languages` of wisen's home. The next `wisen learn` classifies your messages again.
    """
    from wisen.surfaces.cli.language_view import build_languages, import_languages

    if source is not None:
        raise typer.Exit(
            import_languages(source, language or [], model=model, again=again, dry_run=dry_run, as_json=as_json)
        )
    raise typer.Exit(build_languages(language or [], model=model, again=again, dry_run=dry_run, as_json=as_json))
