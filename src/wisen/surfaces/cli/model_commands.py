"""The group of commands about language models: `wisen models …`."""

from __future__ import annotations

from typing import Annotated

import typer

from wisen.surfaces.cli.options import DryRun, Json  # noqa: TC001 - typer reads the annotations at run time

models_app = typer.Typer(
    help="Language models, where you have any: nothing needs one.", invoke_without_command=True, no_args_is_help=False
)


@models_app.callback()
def models(context: typer.Context, as_json: Json = False) -> None:
    """Show the configured models and today's use."""
    if context.invoked_subcommand is None:
        from wisen.surfaces.cli.model_view import show

        raise typer.Exit(show(as_json=as_json))


@models_app.command(name="show")
def show_models(as_json: Json = False) -> None:
    """Show the configured models and today's use.

    Where each is configured, today's caps, and what 30 days cost by purpose.
    """
    from wisen.surfaces.cli.model_view import show

    raise typer.Exit(show(as_json=as_json))


@models_app.command(name="check")
def check_model(
    tier: Annotated[str, typer.Option("--tier", help="Which of them: nano or heavy.")] = "nano",
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Ask a model one harmless question.

    Shows how long it took and what it cost. Nothing of yours is sent.
    """
    from wisen.surfaces.cli.model_view import check

    raise typer.Exit(check(tier, dry_run=dry_run, as_json=as_json))
