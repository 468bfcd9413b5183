"""The commands about language models: `wisen models …`."""

from __future__ import annotations

from typing import Annotated

import typer

from wisen.surfaces.cli.options import DryRun, Json  # noqa: TC001 - typer reads the annotations at run time

models_app = typer.Typer(
    help="Language models, which are optional. Without a command, shows those that are configured.",
    invoke_without_command=True,
    no_args_is_help=False,
)


@models_app.callback()
def models(context: typer.Context, as_json: Json = False) -> None:
    """Show the configured models and today's use."""
    if context.invoked_subcommand is None:
        from wisen.surfaces.cli.model_view import show_models

        raise typer.Exit(show_models(as_json=as_json))


@models_app.command(name="show")
def show_models(as_json: Json = False) -> None:
    """Show the configured models and today's use.

    Where each is configured, today's limits, and the cost of the last 30 days by purpose.
    """
    from wisen.surfaces.cli.model_view import show_models

    raise typer.Exit(show_models(as_json=as_json))


@models_app.command(name="check")
def check_model(
    tier: Annotated[str, typer.Option("--tier", help="Which model: nano or heavy.")] = "nano",
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Ask a model one harmless question.

    Shows how long it took and what it cost. None of your data is sent.
    """
    from wisen.surfaces.cli.model_view import check_model

    raise typer.Exit(check_model(tier, dry_run=dry_run, as_json=as_json))
