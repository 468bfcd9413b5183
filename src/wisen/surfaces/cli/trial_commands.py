"""The commands about trials: `wisen trials …`."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads the annotation at run time
from typing import Annotated, Optional

import typer

from wisen.surfaces.cli.options import DryRun, Json  # noqa: TC001 - typer reads the annotations at run time

trials_app = typer.Typer(
    help="Trials measure whether hints help. Without a command, lists them.",
    invoke_without_command=True,
    no_args_is_help=False,
)
Here = Annotated[bool, typer.Option("--here", help="Only in this project, whatever applies elsewhere.")]


@trials_app.callback()
def trials(context: typer.Context, as_json: Json = False) -> None:
    """List the trials and their numbers.

    In how many sessions the failure was seen with the hint and without it, and the verdict.
    """
    if context.invoked_subcommand is None:
        from wisen.surfaces.cli.trial_view import list_trials

        raise typer.Exit(list_trials(as_json=as_json))


@trials_app.command(name="list")
def list_trials(as_json: Json = False) -> None:
    """List the trials and their numbers.

    In how many sessions the failure was seen with the hint and without it, and the verdict.
    """
    from wisen.surfaces.cli.trial_view import list_trials

    raise typer.Exit(list_trials(as_json=as_json))


@trials_app.command(name="show")
def show_trial(
    trial: Annotated[str, typer.Argument(metavar="ID", help="The id of a rule or fix on trial, or its beginning.")],
    as_json: Json = False,
) -> None:
    """Show one trial in detail.

    Which sessions got the hint, which did not, and the outcome of each.
    """
    from wisen.surfaces.cli.trial_view import show_trial

    raise typer.Exit(show_trial(trial, as_json=as_json))


@trials_app.command(name="on")
def switch_on(here: Here = False, dry_run: DryRun = False, as_json: Json = False) -> None:
    """Allow trials of hints that you did not approve yet.

    A hint is given in some sessions and withheld in others, to measure its effect.
    """
    from wisen.surfaces.cli.trial_view import set_experiments

    raise typer.Exit(set_experiments(yes=True, here=here, dry_run=dry_run, as_json=as_json))


@trials_app.command(name="off")
def switch_off(here: Here = False, dry_run: DryRun = False, as_json: Json = False) -> None:
    """Stop withholding hints, from the next call on."""
    from wisen.surfaces.cli.trial_view import set_experiments

    raise typer.Exit(set_experiments(yes=False, here=here, dry_run=dry_run, as_json=as_json))


@trials_app.command()
def effect(
    svg: Annotated[
        Optional[Path],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option("--svg", metavar="FILE", help="Also write the plot as a picture."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show what hints do: failures and corrections per session with and without them, and the result of each trial."""
    from wisen.surfaces.cli.trial_view import show_effect as run

    raise typer.Exit(run(svg, as_json=as_json))
