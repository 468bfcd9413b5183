"""The commands about turns whose meaning is in doubt: `wisen feedback …`."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from wisen.surfaces.cli.options import DryRun, Json  # noqa: TC001 - typer reads the annotations at run time

feedback_app = typer.Typer(
    help="What you said: turns that rules leave in doubt, and the help of your agent to sort them.",
    invoke_without_command=True,
)


@feedback_app.callback()
def feedback(context: typer.Context, as_json: Json = False) -> None:
    """Tell whether your agent may help, what it pointed at, and how many turns are in doubt."""
    if context.invoked_subcommand is None:
        from wisen.surfaces.cli.feedback_view import show

        raise typer.Exit(show(as_json=as_json))


@feedback_app.command(name="on")
def allow(dry_run: DryRun = False, as_json: Json = False) -> None:
    """Allow your agent to help.

    It is asked, once a session, to point at your words in earlier turns.

    It needs the MCP server (docs/mcp.md). It adds no word and approves nothing: only what your log proves is kept.
    """
    from wisen.surfaces.cli.feedback_view import switch

    raise typer.Exit(switch(yes=True, dry_run=dry_run, as_json=as_json))


@feedback_app.command(name="off")
def disallow(dry_run: DryRun = False, as_json: Json = False) -> None:
    """Ask your agent nothing any more. What it pointed at before stays; `wisen undo` takes it back."""
    from wisen.surfaces.cli.feedback_view import switch

    raise typer.Exit(switch(yes=False, dry_run=dry_run, as_json=as_json))


@feedback_app.command(name="settle")
def settle(
    agent: Annotated[
        str,
        typer.Option("--with", metavar="AGENT", help="Whose program is asked: claude-code, codex, openclaw, hermes."),
    ],
    limit: Annotated[int, typer.Option("--limit", help="About how many turns at most.")] = 100,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the turns, the tokens and exactly what would leave the machine.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Let your agent classify old turns in one batch.

    Its program is asked to point at your words in turns that are in doubt.

    Each answer is held against your log: words that you did not type are refused. Limits: docs/models.md
    """
    from wisen.surfaces.cli.feedback_view import settle as run

    raise typer.Exit(run(agent, limit=limit, dry_run=dry_run, as_json=as_json))


@feedback_app.command()
def detect(
    text: Annotated[Optional[str], typer.Argument(metavar="TEXT", help="A message as a user would type it.")] = None,  # noqa: UP045 - as above
    before: Annotated[
        str, typer.Option("--before", help="What happened just before it: start, ok, error, interrupt or reject.")
    ] = "ok",
    call: Annotated[
        str, typer.Option("--call", help="The command that was made, refused or stopped just before it.")
    ] = "",
    from_input: Annotated[bool, typer.Option("--stdin", help="Read a message from each line of the input.")] = False,
    as_json: Json = False,
) -> None:
    """Tell what a message says about the work, what would be kept of it, when it is told again, and why not."""
    from wisen.surfaces.cli.detect_view import run

    raise typer.Exit(run(text, before=before, call=call, from_input=from_input, as_json=as_json))
