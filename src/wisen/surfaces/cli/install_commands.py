"""The commands that add hooks to agents and remove them: `wisen install` and `wisen uninstall`."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from wisen.surfaces.cli.options import DryRun, Json  # noqa: TC001 - typer reads the annotations at run time

_AGENTS = "The agent: claude-code, codex, openclaw, hermes, gemini-cli or opencode."
AgentName = Annotated[str, typer.Argument(metavar="AGENT", help=_AGENTS)]


def install(
    agent: AgentName,
    scope: Annotated[
        str, typer.Option("--scope", help="user: for all sessions; project: for those of this folder.")
    ] = "user",
    experiments: Annotated[
        Optional[bool],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option("--experiments/--no-experiments", help="Whether hints that you did not approve may be tried."),
    ] = None,
    pointing: Annotated[
        Optional[bool],  # noqa: UP045 - as above
        typer.Option("--pointing/--no-pointing", help="Whether your agent may help to classify your messages."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Let an agent call wisen while it works, so that it gets what was learned at the right moment.

    Shows what will be written to its settings and the delay that it adds, measured on this machine, and asks before
    writing when run in a terminal. Running it again is safe, and repairs the settings after wisen or its home moved.
    Only this command and `wisen uninstall` change the settings of an agent.
    """
    from wisen.surfaces.cli.install_view import ConsentAnswers
    from wisen.surfaces.cli.install_view import install as run

    answers = ConsentAnswers(experiments=experiments, pointing=pointing)
    raise typer.Exit(run(agent, scope=scope, answers=answers, yes=yes, dry_run=dry_run, as_json=as_json))


def uninstall(agent: AgentName, dry_run: DryRun = False, as_json: Json = False) -> None:
    """Remove wisen from an agent's settings.

    If nobody else changed them, they are the same as before, byte for byte.
    """
    from wisen.surfaces.cli.install_view import uninstall as run

    raise typer.Exit(run(agent, dry_run=dry_run, as_json=as_json))
