"""The commands about what is remembered: `wisen recall`, `brief`, `note`, and the group `wisen memory …`."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from wisen.model.memory import BRIEFING_TOKENS
from wisen.surfaces.cli.options import DryRun, Json  # noqa: TC001 - typer reads the annotations at run time

memory_app = typer.Typer(help="The days of this project, and what its sessions came to.", invoke_without_command=True)


@memory_app.callback()
def memory(context: typer.Context, as_json: Json = False) -> None:
    """List the days of this project, newest first."""
    if context.invoked_subcommand is None:
        from wisen.surfaces.cli.memory_view import overview

        raise typer.Exit(overview(as_json=as_json))


@memory_app.command(name="days")
def list_days(as_json: Json = False) -> None:
    """List the days of this project, newest first."""
    from wisen.surfaces.cli.memory_view import days

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
    from wisen.surfaces.cli.memory_view import show

    raise typer.Exit(show(name, as_json=as_json))


@memory_app.command(name="write")
def write_memory(dry_run: DryRun = False, as_json: Json = False) -> None:
    """Write the days and summaries of this project to files.

    Into its own memory/ where it keeps one, else into wisen's home.
    """
    from wisen.surfaces.cli.memory_view import write

    raise typer.Exit(write(dry_run=dry_run, as_json=as_json))


@memory_app.command()
def recall(
    question: Annotated[str, typer.Argument(metavar="QUERY", help='Words to look for; "several words" as they stand.')],
    scope: Annotated[
        str, typer.Option("--scope", help="here: this project and what holds everywhere. all: every project.")
    ] = "here",
    days: Annotated[Optional[float], typer.Option("--days", help="Only the last N days.")] = None,  # noqa: UP045 - as above
    kind: Annotated[
        Optional[list[str]],  # noqa: UP045 - as above
        typer.Option("--kind", help="Only turn, rule, entry, fix, note, summary, workflow, imported; may be repeated."),
    ] = None,
    around: Annotated[int, typer.Option("--around", help="Also show so many turns before and behind.")] = 0,
    limit: Annotated[int, typer.Option("--limit", help="How many to show.")] = 8,
    as_json: Json = False,
) -> None:
    """Find again what was said, learnt and done, with where it stands."""
    from wisen.surfaces.cli.recall_view import run

    raise typer.Exit(
        run(question, scope=scope, days=days, kinds=kind or [], around=around, limit=limit, as_json=as_json)
    )


@memory_app.command()
def brief(
    prompt: Annotated[str, typer.Argument(metavar="PROMPT", help="The task, in the words you would give an agent.")],
    budget: Annotated[int, typer.Option("--budget", help="How many tokens it may cost.")] = BRIEFING_TOKENS,
    as_json: Json = False,
) -> None:
    """Show what an agent should know before a task: rules, known failures, what was done before."""
    from wisen.surfaces.cli.recall_view import brief as run

    raise typer.Exit(run(prompt, budget=budget, as_json=as_json))


@memory_app.command()
def note(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What is to be kept, in one line.")],
    mark: Annotated[str, typer.Option("--mark", help="success, failure, insight or note.")] = "note",
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Put a line to the end of today, for this project."""
    from wisen.surfaces.cli.memory_view import note as run

    raise typer.Exit(run(text, mark=mark, dry_run=dry_run, as_json=as_json))
