"""The group of commands about what was learnt: `wisen entries …`."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from wisen.surfaces.cli.options import DryRun, Json  # noqa: TC001 - typer reads the annotations at run time

entries_app = typer.Typer(help="What was learnt, one entry for each lesson.", invoke_without_command=True)
EntryName = Annotated[str, typer.Argument(metavar="NAME", help="The name of an entry, or how it begins.")]
Every = Annotated[bool, typer.Option("--all", help="Also those that are over.")]
Context = Annotated[Optional[str], typer.Option("--context", help="Only those of one context, by its key.")]  # noqa: UP045 - as above

Limit = Annotated[Optional[int], typer.Option("--limit", min=1, help="So many; 30 unless told, with --json all.")]  # noqa: UP045 - as above


@entries_app.callback()
def entries(context: typer.Context, as_json: Json = False) -> None:
    """List what was learnt, what came up most first."""
    if context.invoked_subcommand is None:
        from wisen.surfaces.cli.entry_view import show

        raise typer.Exit(show(every=False, context=None, limit=None, as_json=as_json))


@entries_app.command(name="list")
def list_entries(every: Every = False, context: Context = None, limit: Limit = None, as_json: Json = False) -> None:
    """List what was learnt, what came up most first."""
    from wisen.surfaces.cli.entry_view import show

    raise typer.Exit(show(every=every, context=context, limit=limit, as_json=as_json))


@entries_app.command(name="show")
def show_entry(name: EntryName, as_json: Json = False) -> None:
    """Show one entry: its words, where it was seen, what became of it."""
    from wisen.surfaces.cli.entry_view import explain as run

    raise typer.Exit(run(name, as_json=as_json))


@entries_app.command(name="log")
def log_entry(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="correction, error, learning, feature or insight.")],
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What was learnt.")],
    source: Annotated[str, typer.Option("--source", help="How it came about.")] = "self_discovery",
    priority: Annotated[str, typer.Option("--priority", help="critical, high, medium or low.")] = "medium",
    area: Annotated[str, typer.Option("--area", help="What it concerns.")] = "tooling",
    key: Annotated[str, typer.Option("--pattern-key", help="area.symptom, as of others of its kind.")] = "",
    here: Annotated[bool, typer.Option("--here/--everywhere", help="For this project, or for all.")] = True,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Record an entry by hand."""
    from wisen.surfaces.cli.entry_view import log as run

    options = {"kind": kind, "text": text, "source": source, "priority": priority, "area": area, "key": key}
    raise typer.Exit(run(options, here=here, dry_run=dry_run, as_json=as_json))


@entries_app.command(name="write")
def write_entries(dry_run: DryRun = False, as_json: Json = False) -> None:
    """Write the lessons of this project into its .learnings folder.

    In the known format: LEARNINGS.md, ERRORS.md and FEATURE_REQUESTS.md.
    """
    from wisen.surfaces.cli.entry_view import write_down

    raise typer.Exit(write_down(dry_run=dry_run, as_json=as_json))


@entries_app.command()
def confirm(
    name: EntryName,
    everywhere: Annotated[bool, typer.Option("--global", help="In all projects, not only in its own.")] = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Say that an entry is right: it is proposed as a rule."""
    from wisen.model.entry import MoveKind
    from wisen.surfaces.cli.entry_view import decide

    kind, done = (MoveKind.EVERYWHERE, "confirmed for all projects") if everywhere else (MoveKind.CONFIRM, "confirmed")
    raise typer.Exit(decide(name, kind, "", done, dry_run=dry_run, as_json=as_json))


@entries_app.command()
def resolve(name: EntryName, dry_run: DryRun = False, as_json: Json = False) -> None:
    """Say that an entry is done with."""
    from wisen.model.entry import EntryStatus, MoveKind
    from wisen.surfaces.cli.entry_view import decide

    raise typer.Exit(decide(name, MoveKind.STATUS, EntryStatus.RESOLVED, "resolved", dry_run=dry_run, as_json=as_json))


@entries_app.command(name="set")
def set_entry(
    name: EntryName,
    kind: Annotated[str, typer.Argument(metavar="WHAT", help="status, priority or text.")],
    value: Annotated[str, typer.Argument(metavar="VALUE", help="As pending, promoted or wont_fix; high; other words.")],
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Set status, priority or wording of an entry."""
    from wisen.surfaces.cli.entry_view import set_entry as run

    raise typer.Exit(run(name, kind, value, dry_run=dry_run, as_json=as_json))


@entries_app.command()
def merge(
    name: EntryName,
    into: Annotated[str, typer.Argument(metavar="INTO", help="The entry that says the same.")],
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Say that an entry is the same as another one."""
    from wisen.model.entry import MoveKind
    from wisen.surfaces.cli.entry_view import decide

    raise typer.Exit(decide(name, MoveKind.MERGE, into, f"part of {into}", dry_run=dry_run, as_json=as_json))


@entries_app.command()
def supersede(
    name: EntryName,
    by: Annotated[str, typer.Argument(metavar="BY", help="The entry that holds in its place.")],
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Replace an entry by another one.

    The replaced entry is kept, and holds again when you say it again.
    """
    from wisen.model.entry import MoveKind
    from wisen.surfaces.cli.entry_view import decide

    done = f"superseded by {by}"
    raise typer.Exit(decide(name, MoveKind.SUPERSEDE, by, done, dry_run=dry_run, as_json=as_json))


@entries_app.command()
def split(
    name: EntryName,
    seen: Annotated[
        Optional[list[str]],  # noqa: UP045 - as above
        typer.Option("--seen", metavar="ID", help="Take out what was seen in this session, or this occurrence."),
    ] = None,
    text: Annotated[str, typer.Option("--text", help="With --seen: the other lesson in your words.")] = "",
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Split an entry that was merged.

    Take an entry out of the one it was merged into, or with --seen a part of it that is another lesson.
    """
    from wisen.model.entry import MoveKind
    from wisen.surfaces.cli.entry_view import decide, split_off

    if seen:
        raise typer.Exit(split_off(name, seen, text, dry_run=dry_run, as_json=as_json))
    raise typer.Exit(decide(name, MoveKind.MERGE, "", "an entry by itself", dry_run=dry_run, as_json=as_json))
