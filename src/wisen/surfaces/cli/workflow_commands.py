"""The commands about workflows: `wisen workflows …`."""

from __future__ import annotations

from typing import Annotated

import typer

from wisen.surfaces.cli.options import DryRun, Json  # noqa: TC001 - typer reads the annotations at run time

workflows_app = typer.Typer(
    help="What sessions repeat for a goal. Without a command, lists the workflows here.",
    invoke_without_command=True,
)
WorkflowId = Annotated[str, typer.Argument(metavar="ID", help="The id of a workflow, or its beginning.")]
Everything = Annotated[bool, typer.Option("--all", help="The workflows of all projects, not only of this one.")]


@workflows_app.callback()
def workflows(context: typer.Context, as_json: Json = False) -> None:
    """List what sessions of this project repeat.

    Each with its goal, its steps, and how often it worked.
    """
    if context.invoked_subcommand is None:
        from wisen.surfaces.cli.workflow_view import list_workflows

        raise typer.Exit(list_workflows(every=False, as_json=as_json))


@workflows_app.command(name="list")
def list_workflows(every: Everything = False, as_json: Json = False) -> None:
    """List what sessions of this project repeat.

    Each with its goal, its steps, and how often it worked.
    """
    from wisen.surfaces.cli.workflow_view import list_workflows as run

    raise typer.Exit(run(every=every, as_json=as_json))


@workflows_app.command(name="show")
def show_workflow(workflow: WorkflowId, as_json: Json = False) -> None:
    """Show one workflow.

    Its commands with parameters, what went wrong, and its runs.
    """
    from wisen.surfaces.cli.workflow_view import show_workflow as run

    raise typer.Exit(run(workflow, as_json=as_json))


@workflows_app.command()
def suggest(
    goal: Annotated[str, typer.Argument(metavar="GOAL", help="What you want done, as you would ask for it.")],
    as_json: Json = False,
) -> None:
    """Show how a goal was reached in this project before."""
    from wisen.surfaces.cli.workflow_view import suggest_workflow

    raise typer.Exit(suggest_workflow(goal, as_json=as_json))


@workflows_app.command()
def forget(workflow: WorkflowId, dry_run: DryRun = False, as_json: Json = False) -> None:
    """Never list, suggest or tell a workflow again.

    Its sessions stay. To bring it back: wisen undo
    """
    from wisen.surfaces.cli.workflow_view import forget_workflow

    raise typer.Exit(forget_workflow(workflow, dry_run=dry_run, as_json=as_json))
