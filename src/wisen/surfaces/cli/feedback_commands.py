"""The commands about classifying messages, and about unclear ones: `wisen feedback …`."""

from __future__ import annotations

from typing import Annotated

import typer

from wisen.surfaces.cli.options import DryRun, Json  # noqa: TC001 - typer reads the annotations at run time

feedback_app = typer.Typer(
    help="Messages that wisen could not classify, and whether your agent may help. Without a command, shows both.",
    invoke_without_command=True,
)


@feedback_app.callback()
def feedback(context: typer.Context, as_json: Json = False) -> None:
    """Show whether your agent may help, what it classified, and how many messages are unclear."""
    if context.invoked_subcommand is None:
        from wisen.surfaces.cli.feedback_view import show_feedback

        raise typer.Exit(show_feedback(as_json=as_json))


@feedback_app.command(name="on")
def allow(dry_run: DryRun = False, as_json: Json = False) -> None:
    """Allow your agent to help classify your messages.

    Once a session it is asked to quote what you said in earlier, unclear messages. This needs the MCP server
    (docs/mcp.md). It cannot add words or approve anything: a quote is kept only if your log contains it.
    """
    from wisen.surfaces.cli.feedback_view import set_consent

    raise typer.Exit(set_consent(yes=True, dry_run=dry_run, as_json=as_json))


@feedback_app.command(name="off")
def disallow(dry_run: DryRun = False, as_json: Json = False) -> None:
    """Stop asking your agent for help.

    What it classified before stays; `wisen undo` removes it.
    """
    from wisen.surfaces.cli.feedback_view import set_consent

    raise typer.Exit(set_consent(yes=False, dry_run=dry_run, as_json=as_json))


@feedback_app.command(name="settle")
def settle(
    agent: Annotated[
        str,
        typer.Option("--with", metavar="AGENT", help="The agent to ask: claude-code, codex, openclaw or hermes."),
    ],
    limit: Annotated[int, typer.Option("--limit", help="The approximate maximum number of messages.")] = 100,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the messages, the tokens and exactly what would be sent.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Let your agent classify old messages in one batch.

    It is asked to quote what you said in messages that are unclear. Each answer is compared with your log: words that
    you did not type are rejected. Limits: docs/models.md
    """
    from wisen.surfaces.cli.feedback_view import settle_turns as run

    raise typer.Exit(run(agent, limit=limit, dry_run=dry_run, as_json=as_json))


@feedback_app.command()
def detect(
    text: Annotated[
        str | None, typer.Argument(metavar="TEXT", help="A message as a user would type it to an agent.")
    ] = None,
    before: Annotated[
        str, typer.Option("--before", help="What happened just before it: start, ok, error, interrupt or reject.")
    ] = "ok",
    call: Annotated[
        str, typer.Option("--call", help="The command that ran, was rejected or was stopped just before it.")
    ] = "",
    from_input: Annotated[
        bool, typer.Option("--stdin", help="Read messages from standard input, one per line.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show what wisen would learn from a message, when agents would be reminded of it, and why not."""
    from wisen.surfaces.cli.detect_view import show_detection

    raise typer.Exit(show_detection(text, before=before, call=call, from_input=from_input, as_json=as_json))
