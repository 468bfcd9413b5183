"""The commands about lessons, which the ledger calls entries: `wisen lessons …`."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from wisen.surfaces.cli.options import DryRun, Json  # noqa: TC001 - typer reads the annotations at run time

lessons_app = typer.Typer(
    help="What you corrected, what failed and what helped. Without a command, lists the lessons.",
    invoke_without_command=True,
)
EntryName = Annotated[str, typer.Argument(metavar="NAME", help="The name of a lesson, or its beginning.")]
Every = Annotated[bool, typer.Option("--all", help="Also show resolved, merged and superseded lessons.")]
Context = Annotated[Optional[str], typer.Option("--context", help="Only the lessons of one project, by its key.")]  # noqa: UP045 - as above

Limit = Annotated[int | None, typer.Option("--limit", min=1, help="How many; by default 30, with --json all.")]


@lessons_app.callback()
def lessons(
    invocation: typer.Context, every: Every = False, context: Context = None, limit: Limit = None, as_json: Json = False
) -> None:
    """List the lessons, the most frequent first."""
    if invocation.invoked_subcommand is None:
        from wisen.surfaces.cli.lesson_view import list_lessons

        raise typer.Exit(list_lessons(every=every, context=context, limit=limit, as_json=as_json))


@lessons_app.command(name="list")
def list_lessons(every: Every = False, context: Context = None, limit: Limit = None, as_json: Json = False) -> None:
    """List the lessons, the most frequent first."""
    from wisen.surfaces.cli.lesson_view import list_lessons

    raise typer.Exit(list_lessons(every=every, context=context, limit=limit, as_json=as_json))


@lessons_app.command(name="recent")
def list_recent(
    days: Annotated[int, typer.Option("--days", help="How many days back from the newest lesson.", min=1)] = 30,
    as_json: Json = False,
) -> None:
    """List the newest lessons of this project."""
    from wisen.surfaces.cli.lesson_view import list_recent

    raise typer.Exit(list_recent(days=days, as_json=as_json))


@lessons_app.command(name="stats")
def count_lessons(as_json: Json = False) -> None:
    """Count the lessons by status, kind and project."""
    from wisen.surfaces.cli.lesson_view import show_stats

    raise typer.Exit(show_stats(as_json=as_json))


@lessons_app.command(name="show")
def show_lesson(name: EntryName, as_json: Json = False) -> None:
    """Show one lesson in detail.

    Its quotes, its sessions, and what was decided about it.
    """
    from wisen.surfaces.cli.lesson_view import show_lesson as run

    raise typer.Exit(run(name, as_json=as_json))


@lessons_app.command(name="log")
def log_lesson(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="correction, error, learning, feature or insight.")],
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What was learned.")],
    source: Annotated[str, typer.Option("--source", help="How it was learned.")] = "self_discovery",
    priority: Annotated[str, typer.Option("--priority", help="critical, high, medium or low.")] = "medium",
    area: Annotated[str, typer.Option("--area", help="What it concerns.")] = "tooling",
    key: Annotated[str, typer.Option("--pattern-key", help="A key for its kind, like area.symptom.")] = "",
    here: Annotated[bool, typer.Option("--here/--everywhere", help="For this project, or for all.")] = True,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Record a lesson by hand."""
    from wisen.surfaces.cli.lesson_view import log_lesson as run

    options = {"kind": kind, "text": text, "source": source, "priority": priority, "area": area, "key": key}
    raise typer.Exit(run(options, here=here, dry_run=dry_run, as_json=as_json))


@lessons_app.command(name="write")
def write_lessons(dry_run: DryRun = False, as_json: Json = False) -> None:
    """Write the lessons of this project into its .learnings folder.

    In the usual format: LEARNINGS.md, ERRORS.md and FEATURE_REQUESTS.md.
    """
    from wisen.surfaces.cli.lesson_view import write_learnings

    raise typer.Exit(write_learnings(dry_run=dry_run, as_json=as_json))


@lessons_app.command()
def confirm(
    name: EntryName,
    everywhere: Annotated[bool, typer.Option("--global", help="For all projects, not only for its own.")] = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Confirm a lesson, so that it is proposed as a rule."""
    from wisen.model.entry import MoveKind
    from wisen.surfaces.cli.lesson_view import record_decision

    kind, done = (MoveKind.EVERYWHERE, "confirmed for all projects") if everywhere else (MoveKind.CONFIRM, "confirmed")
    raise typer.Exit(record_decision(name, kind, "", done, dry_run=dry_run, as_json=as_json))


@lessons_app.command()
def resolve(name: EntryName, dry_run: DryRun = False, as_json: Json = False) -> None:
    """Mark a lesson as resolved."""
    from wisen.model.entry import EntryStatus, MoveKind
    from wisen.surfaces.cli.lesson_view import record_decision

    raise typer.Exit(
        record_decision(name, MoveKind.STATUS, EntryStatus.RESOLVED, "resolved", dry_run=dry_run, as_json=as_json)
    )


@lessons_app.command(name="set")
def set_lesson(
    name: EntryName,
    kind: Annotated[str, typer.Argument(metavar="WHAT", help="status, priority or text.")],
    value: Annotated[
        str,
        typer.Argument(metavar="VALUE", help="Like pending or wont_fix; high; or the new wording."),
    ],
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Set the status, priority or wording of a lesson."""
    from wisen.surfaces.cli.lesson_view import set_lesson as run

    raise typer.Exit(run(name, kind, value, dry_run=dry_run, as_json=as_json))


@lessons_app.command()
def merge(
    name: EntryName,
    into: Annotated[str, typer.Argument(metavar="INTO", help="The lesson that says the same.")],
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Merge a lesson into another one that says the same."""
    from wisen.model.entry import MoveKind
    from wisen.surfaces.cli.lesson_view import record_decision

    raise typer.Exit(record_decision(name, MoveKind.MERGE, into, f"part of {into}", dry_run=dry_run, as_json=as_json))


@lessons_app.command()
def supersede(
    name: EntryName,
    by: Annotated[str, typer.Argument(metavar="BY", help="The lesson that replaces it.")],
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Replace a lesson by another one.

    The replaced lesson is kept. It is in force again once you state it again.
    """
    from wisen.model.entry import MoveKind
    from wisen.surfaces.cli.lesson_view import record_decision

    done = f"superseded by {by}"
    raise typer.Exit(record_decision(name, MoveKind.SUPERSEDE, by, done, dry_run=dry_run, as_json=as_json))


@lessons_app.command()
def split(
    name: EntryName,
    seen: Annotated[
        Optional[list[str]],  # noqa: UP045 - as above
        typer.Option("--seen", metavar="ID", help="Only what was seen in this session, or only this occurrence."),
    ] = None,
    text: Annotated[str, typer.Option("--text", help="With --seen: the wording of the other lesson.")] = "",
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Split a lesson that was merged by mistake.

    Separates a lesson from the one it was merged into; with --seen, makes some of its occurrences another lesson.
    """
    from wisen.model.entry import MoveKind
    from wisen.surfaces.cli.lesson_view import record_decision, split_lesson

    if seen:
        raise typer.Exit(split_lesson(name, seen, text, dry_run=dry_run, as_json=as_json))
    raise typer.Exit(record_decision(name, MoveKind.MERGE, "", "an entry by itself", dry_run=dry_run, as_json=as_json))
