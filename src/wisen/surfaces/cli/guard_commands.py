"""The commands about guards: `wisen guards …`."""

from __future__ import annotations

from typing import Annotated

import typer

from wisen.surfaces.cli.options import DryRun, Json  # noqa: TC001 - typer reads the annotations at run time

guards_app = typer.Typer(
    help="Checks that warn, ask or deny before a call repeats a mistake. Without a command, lists them.",
    invoke_without_command=True,
    no_args_is_help=False,
)
GuardId = Annotated[str, typer.Argument(metavar="ID", help="The id of a guard, or its beginning.")]
Everything = Annotated[bool, typer.Option("--all", help="The guards of all projects, not only of this one.")]
_FORM = "As in 'deny rtk bun -> bun # rtk has no bun', 'warn edit: migrations/**' or 'ask git push --force'."


@guards_app.callback()
def guards(context: typer.Context, as_json: Json = False) -> None:
    """List the guards, and how each has performed.

    Those of this project, and those that apply in all projects.
    """
    if context.invoked_subcommand is None:
        from wisen.surfaces.cli.guard_view import list_guards

        raise typer.Exit(list_guards(every=False, as_json=as_json))


@guards_app.command(name="list")
def list_guards(every: Everything = False, as_json: Json = False) -> None:
    """List the guards, and how each has performed.

    Those of this project, and those that apply in all projects.
    """
    from wisen.surfaces.cli.guard_view import list_guards

    raise typer.Exit(list_guards(every=every, as_json=as_json))


@guards_app.command(name="show")
def show_guard(guard: GuardId, as_json: Json = False) -> None:
    """Show one guard in detail.

    What it matches, why, where it comes from, and what it did or would have done.
    """
    from wisen.surfaces.cli.guard_view import show_guard

    raise typer.Exit(show_guard(guard, as_json=as_json))


@guards_app.command()
def add(
    text: Annotated[str, typer.Argument(metavar="GUARD", help=_FORM)],
    here: Annotated[bool, typer.Option("--here/--everywhere", help="For this project, or for all.")] = True,
    shadow: Annotated[bool, typer.Option("--shadow", help="Only record what it would do.")] = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Add a guard.

    \b
    [warn|deny|ask] [shell|edit|read|TOOL:] PATTERN [-> BETTER] [# REASON]
    """
    from wisen.surfaces.cli.guard_view import add_guard as run

    raise typer.Exit(run(text, here=here, shadow=shadow, dry_run=dry_run, as_json=as_json))


@guards_app.command(name="test")
def try_call(
    command: Annotated[str, typer.Argument(metavar="COMMAND", help="A command line; with --tool, a file.")],
    tool: Annotated[str, typer.Option("--tool", help="The tool that would be called.")] = "Bash",
    as_json: Json = False,
) -> None:
    """Show which guards would match a call here.

    And what they would say. Nothing is run.
    """
    from wisen.surfaces.cli.guard_view import test_call as run

    raise typer.Exit(run(command, tool=tool, as_json=as_json))


@guards_app.command()
def enable(
    guard: GuardId,
    mode: Annotated[str, typer.Option("--as", help="warn, deny, ask or shadow. Default: as it was written.")] = "",
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Enable a guard, or change what it does."""
    from wisen.surfaces.cli.guard_view import enable_guard as run

    raise typer.Exit(run(guard, mode, dry_run=dry_run, as_json=as_json))


@guards_app.command()
def disable(guard: GuardId, dry_run: DryRun = False, as_json: Json = False) -> None:
    """Disable a guard, from the next call on."""
    from wisen.surfaces.cli.guard_view import set_mode

    raise typer.Exit(set_mode(guard, "off", dry_run=dry_run, as_json=as_json))


@guards_app.command()
def remove(guard: GuardId, dry_run: DryRun = False, as_json: Json = False) -> None:
    """Remove a guard. It is not proposed again."""
    from wisen.surfaces.cli.guard_view import set_mode

    raise typer.Exit(set_mode(guard, "removed", dry_run=dry_run, as_json=as_json))


@guards_app.command()
def backtest(
    guard: Annotated[
        str, typer.Argument(metavar="ID", help="The id of a guard, or a guard as `wisen guards add` takes it.")
    ],
    as_json: Json = False,
) -> None:
    """Test a guard on all recorded sessions.

    Shows the failures it would have prevented, and the good calls it would have stopped.
    """
    from wisen.surfaces.cli.guard_view import show_backtest as run

    raise typer.Exit(run(guard, as_json=as_json))
