"""The commands about the memory of past work: `wisen memory …`."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from wisen.model.memory import BRIEFING_TOKENS
from wisen.surfaces.cli.options import DryRun, Json  # noqa: TC001 - typer reads the annotations at run time

memory_app = typer.Typer(
    help="Days, notes and session summaries. Without a command, shows what is kept.", invoke_without_command=True
)


@memory_app.callback()
def memory(context: typer.Context, as_json: Json = False) -> None:
    """Show what is kept of this project, and the commands that show it."""
    if context.invoked_subcommand is None:
        from wisen.surfaces.cli.memory_view import show_overview

        raise typer.Exit(show_overview(as_json=as_json))


@memory_app.command(name="days")
def list_days(as_json: Json = False) -> None:
    """List the days of this project, newest first."""
    from wisen.surfaces.cli.memory_view import list_days

    raise typer.Exit(list_days(as_json=as_json))


@memory_app.command(name="show")
def show_memory(
    name: Annotated[
        Optional[str],  # noqa: UP045 - typer reads the annotation at run time
        typer.Argument(metavar="DATE|SESSION", help="A day, the name of a summary, or the beginning of a session id."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show a day or a session summary.

    By default the newest day.
    """
    from wisen.surfaces.cli.memory_view import show_memory

    raise typer.Exit(show_memory(name, as_json=as_json))


@memory_app.command(name="write")
def write_memory(dry_run: DryRun = False, as_json: Json = False) -> None:
    """Write the days and summaries of this project to files.

    Into its folder memory/ if it has one, else into wisen's home.
    """
    from wisen.surfaces.cli.memory_view import write_files

    raise typer.Exit(write_files(dry_run=dry_run, as_json=as_json))


@memory_app.command()
def recall(
    question: Annotated[
        str,
        typer.Argument(metavar="QUERY", help='Words to search for; a "quoted phrase" is also matched as a whole.'),
    ],
    scope: Annotated[
        str, typer.Option("--scope", help="here: this project and what applies everywhere; all: every project.")
    ] = "here",
    days: Annotated[Optional[float], typer.Option("--days", help="Only the last N days.")] = None,  # noqa: UP045 - as above
    kind: Annotated[
        Optional[list[str]],  # noqa: UP045 - as above
        typer.Option(
            "--kind", help="Only turn, rule, lesson, fix, note, summary, skill, workflow or imported. May be repeated."
        ),
    ] = None,
    around: Annotated[int, typer.Option("--around", help="Also show this many messages before and after.")] = 0,
    limit: Annotated[int, typer.Option("--limit", help="How many to show.")] = 8,
    as_json: Json = False,
) -> None:
    """Search what was said, learned and done before, and show where it is from."""
    from wisen.surfaces.cli.recall_view import show_recall

    raise typer.Exit(
        show_recall(question, scope=scope, days=days, kinds=kind or [], around=around, limit=limit, as_json=as_json)
    )


@memory_app.command()
def brief(
    prompt: Annotated[str, typer.Argument(metavar="PROMPT", help="The task, in the words you would give an agent.")],
    budget: Annotated[int, typer.Option("--budget", help="The maximum number of tokens.")] = BRIEFING_TOKENS,
    as_json: Json = False,
) -> None:
    """Show what an agent should know before a task: rules, known failures, and earlier work."""
    from wisen.surfaces.cli.recall_view import show_brief as run

    raise typer.Exit(run(prompt, budget=budget, as_json=as_json))


@memory_app.command()
def note(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The note, in one line.")],
    mark: Annotated[str, typer.Option("--mark", help="success, failure, insight or note.")] = "note",
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Add a line to today's notes of this project."""
    from wisen.surfaces.cli.memory_view import add_note as run

    raise typer.Exit(run(text, mark=mark, dry_run=dry_run, as_json=as_json))
