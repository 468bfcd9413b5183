"""The groups of commands about what was learnt: `wisen proposals …` and `wisen entries …`."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - as below
from typing import Annotated, Optional

import typer

from wisen.surfaces.cli.options import DryRun, Json  # noqa: TC001 - typer reads the annotations at run time

proposals_app = typer.Typer(help="What is proposed, and your answers.", invoke_without_command=True)
ProposalId = Annotated[str, typer.Argument(metavar="ID", help="Its number in the list, its id, or how that begins.")]


@proposals_app.callback()
def proposals(
    context: typer.Context,
    every: Annotated[bool, typer.Option("--all", help="Also what was answered or is held back by a rule.")] = False,
    as_json: Json = False,
) -> None:
    """List what is proposed."""
    if context.invoked_subcommand is None:
        from wisen.surfaces.cli.review import show

        raise typer.Exit(show(every=every, as_json=as_json))


@proposals_app.command(name="show")
def show_proposal(proposal: ProposalId, as_json: Json = False) -> None:
    """Show one proposal: why, the difference, what it costs."""
    from wisen.surfaces.cli.review import explain as run

    raise typer.Exit(run(proposal, as_json=as_json))


def _answer(name: str, does: str, *, may_edit: bool = False) -> None:
    """A command that answers a proposal."""

    def run(
        proposal: ProposalId,
        text: Annotated[Optional[str], typer.Option("--text", help="The rule in your own words.")] = None,  # noqa: UP045 - as above
        to: Annotated[
            Optional[str],  # noqa: UP045 - as above
            typer.Option("--to", metavar="PLACE", help="Where it goes: file, local, rules, own or hook; remembered."),
        ] = None,
        dry_run: DryRun = False,
        as_json: Json = False,
    ) -> None:
        from wisen.model.entry import Answer
        from wisen.surfaces.cli.review import answer

        given = Answer({"approve": "approved", "reject": "rejected", "skip": "skipped"}.get(name, name))
        raise typer.Exit(answer(proposal, given, text=text, to=to, dry_run=dry_run, as_json=as_json))

    def run_as_it_is(proposal: ProposalId, dry_run: DryRun = False, as_json: Json = False) -> None:
        run(proposal, None, None, dry_run, as_json)

    proposals_app.command(name=name, help=does)(run if may_edit else run_as_it_is)


_answer("approve", "Write the rule into its file.", may_edit=True)
_answer("reject", "Say no: it does not come back, in whatever words.")
_answer("skip", "Wait until it comes up again.")
_answer("later", "Leave it in the list.")


@proposals_app.command(name="place")
def choose_place(
    place: Annotated[
        Optional[str],  # noqa: UP045 - as above
        typer.Argument(metavar="PLACE", help="file, local, rules or hook; ask: be asked again."),
    ] = None,
    file: Annotated[str, typer.Option("--file", help="The file that the rules would go to.")] = "CLAUDE.md",
    context: Annotated[
        Optional[str],  # noqa: UP045 - as above
        typer.Option("--context", help="The project, by its key; else this folder's."),
    ] = None,
    everywhere: Annotated[bool, typer.Option("--global", help="For what holds in all projects.")] = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Show where approved rules go instead of a file that is too long, or choose it for this project."""
    from wisen.surfaces.cli.placing import choose, show

    if place is None:
        raise typer.Exit(show(as_json=as_json))
    raise typer.Exit(choose(place, file, context="" if everywhere else context, dry_run=dry_run, as_json=as_json))


@proposals_app.command(name="try")
def try_proposal(proposal: ProposalId, dry_run: DryRun = False, as_json: Json = False) -> None:
    """Have it prove itself in a trial first, where experiments are welcome."""
    from wisen.surfaces.cli.review import try_out

    raise typer.Exit(try_out(proposal, dry_run=dry_run, as_json=as_json))


entries_app = typer.Typer(help="What was learnt, one entry for each lesson.", invoke_without_command=True)
EntryName = Annotated[str, typer.Argument(metavar="NAME", help="The name of an entry, or how it begins.")]
Every = Annotated[bool, typer.Option("--all", help="Also those that are over.")]
Context = Annotated[Optional[str], typer.Option("--context", help="Only those of one context, by its key.")]  # noqa: UP045 - as above

Limit = Annotated[Optional[int], typer.Option("--limit", min=1, help="So many; 30 unless told, with --json all.")]  # noqa: UP045 - as above


@entries_app.callback()
def entries(context: typer.Context, as_json: Json = False) -> None:
    """List what was learnt, what came up most first."""
    if context.invoked_subcommand is None:
        from wisen.surfaces.cli.entries import show

        raise typer.Exit(show(every=False, context=None, limit=None, as_json=as_json))


@entries_app.command(name="list")
def list_entries(every: Every = False, context: Context = None, limit: Limit = None, as_json: Json = False) -> None:
    """List what was learnt, what came up most first."""
    from wisen.surfaces.cli.entries import show

    raise typer.Exit(show(every=every, context=context, limit=limit, as_json=as_json))


@entries_app.command(name="show")
def show_entry(name: EntryName, as_json: Json = False) -> None:
    """Show one entry: its words, where it was seen, what became of it."""
    from wisen.surfaces.cli.entries import explain as run

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
    from wisen.surfaces.cli.entries import log as run

    options = {"kind": kind, "text": text, "source": source, "priority": priority, "area": area, "key": key}
    raise typer.Exit(run(options, here=here, dry_run=dry_run, as_json=as_json))


@entries_app.command(name="write")
def write_entries(dry_run: DryRun = False, as_json: Json = False) -> None:
    """Write what was learnt in this project into its .learnings, in the known format."""
    from wisen.surfaces.cli.entries import write_down

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
    from wisen.surfaces.cli.entries import decide

    kind, done = (MoveKind.EVERYWHERE, "confirmed for all projects") if everywhere else (MoveKind.CONFIRM, "confirmed")
    raise typer.Exit(decide(name, kind, "", done, dry_run=dry_run, as_json=as_json))


@entries_app.command()
def resolve(name: EntryName, dry_run: DryRun = False, as_json: Json = False) -> None:
    """Say that an entry is done with."""
    from wisen.model.entry import MoveKind, Status
    from wisen.surfaces.cli.entries import decide

    raise typer.Exit(decide(name, MoveKind.STATUS, Status.RESOLVED, "resolved", dry_run=dry_run, as_json=as_json))


@entries_app.command(name="set")
def set_entry(
    name: EntryName,
    kind: Annotated[str, typer.Argument(metavar="WHAT", help="status, priority or text.")],
    value: Annotated[str, typer.Argument(metavar="VALUE", help="As pending, promoted or wont_fix; high; other words.")],
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Set what became of an entry, how much it matters, or how it is worded."""
    from wisen.surfaces.cli.entries import set_entry as run

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
    from wisen.surfaces.cli.entries import decide

    raise typer.Exit(decide(name, MoveKind.MERGE, into, f"part of {into}", dry_run=dry_run, as_json=as_json))


@entries_app.command()
def supersede(
    name: EntryName,
    by: Annotated[str, typer.Argument(metavar="BY", help="The entry that holds in its place.")],
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Say that another entry holds in the place of one, which is kept and stands again when you say it again."""
    from wisen.model.entry import MoveKind
    from wisen.surfaces.cli.entries import decide

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
    """Take an entry out of the one it was merged into, or with --seen a part of it that is another lesson."""
    from wisen.model.entry import MoveKind
    from wisen.surfaces.cli.entries import decide, split_off

    if seen:
        raise typer.Exit(split_off(name, seen, text, dry_run=dry_run, as_json=as_json))
    raise typer.Exit(decide(name, MoveKind.MERGE, "", "an entry by itself", dry_run=dry_run, as_json=as_json))


contexts_app = typer.Typer(help="The projects that were learnt from.", invoke_without_command=True)


@contexts_app.callback()
def contexts(context: typer.Context, as_json: Json = False) -> None:
    """List the projects that were learnt from, with their keys."""
    if context.invoked_subcommand is None:
        from wisen.surfaces.cli.entries import contexts as run

        raise typer.Exit(run(as_json=as_json))


@contexts_app.command(name="list")
def list_contexts(as_json: Json = False) -> None:
    """List the projects that were learnt from, with their keys."""
    from wisen.surfaces.cli.entries import contexts as run

    raise typer.Exit(run(as_json=as_json))


@contexts_app.command(name="alias")
def alias_context(
    key: Annotated[str, typer.Argument(metavar="KEY", help="The key of a context, or how it begins.")],
    path: Annotated[Path, typer.Argument(metavar="DIR", help="A directory of this machine.")],
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Say that a directory belongs to a project, also where it was moved or has no remote."""
    from wisen.surfaces.cli.entries import alias as run

    raise typer.Exit(run(key, path, dry_run=dry_run, as_json=as_json))


@contexts_app.command(name="join")
def join_context(
    path: Annotated[Path, typer.Argument(metavar="DIR", help="A checkout that waits: see wisen contexts.")],
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Say that a checkout belongs to the project whose remote it has: what was learnt crosses from now on."""
    from wisen.surfaces.cli.adoption import join

    raise typer.Exit(join(path, dry_run=dry_run, as_json=as_json))


@contexts_app.command(name="separate")
def separate_context(
    path: Annotated[Path, typer.Argument(metavar="DIR", help="A checkout.")],
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Say that a checkout is a project of its own, whatever remote it has."""
    from wisen.surfaces.cli.adoption import separate

    raise typer.Exit(separate(path, dry_run=dry_run, as_json=as_json))


def adopt(
    path: Annotated[
        Optional[Path],  # noqa: UP045 - typer reads the annotation at run time
        typer.Argument(metavar="FILE", help="A file in a project. Without one, all that wait and were adopted."),
    ] = None,
    mine: Annotated[
        bool, typer.Option("--mine", help="You wrote it, although it was there before your first session.")
    ] = False,
    show: Annotated[bool, typer.Option("--show", help="Only show what it holds and whose it seems to be.")] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help="It is not yours: it is not read.")] = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Say that a file in a project is yours, so that it may teach: its content is shown, then you are asked.

    Files in a project (.learnings, chats of aider) are other people's until you adopt them; what git tracks never is.
    """
    from wisen.surfaces.cli import adoption

    if path is None:
        raise typer.Exit(adoption.list_files(as_json=as_json))
    if show:
        raise typer.Exit(adoption.show(path, as_json=as_json))
    if revoke:
        raise typer.Exit(adoption.revoke(path, dry_run=dry_run, as_json=as_json))
    raise typer.Exit(adoption.adopt(path, is_mine=mine, dry_run=dry_run, as_json=as_json))


def praise(
    days: Annotated[
        Optional[float],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option("--days", help="Only the last N days."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Tell what you praised, and what that strengthened: what your agent had been told just before."""
    from wisen.surfaces.cli.praise import run

    raise typer.Exit(run(days=days, as_json=as_json))
