"""The commands about rules: `wisen rules …`."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from wisen.surfaces.cli.options import DryRun, Json  # noqa: TC001 - typer reads the annotations at run time

rules_app = typer.Typer(help="The rules in force. Without a command, lists them.", invoke_without_command=True)


@rules_app.callback()
def rules(
    context: typer.Context,
    every: Annotated[bool, typer.Option("--all", help="The rules of every project, not only of this one.")] = False,
    as_json: Json = False,
) -> None:
    """List the rules in force, here and everywhere, and who approved them."""
    if context.invoked_subcommand is None:
        from wisen.surfaces.cli.rule_view import list_rules as run

        raise typer.Exit(run(every=every, as_json=as_json))


@rules_app.command(name="add")
def add_rule(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The rule in your own words.")],
    everywhere: Annotated[bool, typer.Option("--global", help="For all projects, not only for this one.")] = False,
    context: Annotated[Optional[str], typer.Option("--context", help="For the project with this key.")] = None,  # noqa: UP045 - typer reads the annotation at run time
    pending: Annotated[
        bool, typer.Option("--pending", help="Record it as something you said, not as a rule yet.")
    ] = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Add a rule in your own words.

    Agents are given it from the next session on.
    """
    from wisen.surfaces.cli.rule_editing import add_rule

    options = {"everywhere": everywhere, "pending": pending, "dry_run": dry_run, "as_json": as_json}
    raise typer.Exit(add_rule(text, context=context, **options))


@rules_app.command(name="edit")
def edit_rules(
    everywhere: Annotated[
        bool, typer.Option("--global", help="The rules of all projects, not those of this one.")
    ] = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Edit the rules in your editor.

    What you add, reword or remove there takes effect at once.
    """
    from wisen.surfaces.cli.rule_editing import edit_rules

    raise typer.Exit(edit_rules(everywhere=everywhere, dry_run=dry_run, as_json=as_json))
