"""The commands about skills: `wisen skills …`."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from wisen.surfaces.cli.options import DryRun, Json  # noqa: TC001 - typer reads the annotations at run time

skills_app = typer.Typer(
    help="Procedures as folders that agents load by themselves. Without a command, lists them.",
    invoke_without_command=True,
)
SkillName = Annotated[str, typer.Argument(metavar="NAME", help="The name of a skill, its beginning, or its path.")]
Everything = Annotated[bool, typer.Option("--all", help="The skills of all projects, not only of this one.")]


@skills_app.callback()
def skills(context: typer.Context, as_json: Json = False) -> None:
    """List the skills that agents load here.

    Those written by wisen, your own, and other people's.
    """
    if context.invoked_subcommand is None:
        from wisen.surfaces.cli.skill_view import list_skills

        raise typer.Exit(list_skills(every=False, as_json=as_json))


@skills_app.command(name="list")
def list_skills(every: Everything = False, as_json: Json = False) -> None:
    """List the skills that agents load here.

    Those written by wisen, your own, and other people's.
    """
    from wisen.surfaces.cli.skill_view import list_skills as run

    raise typer.Exit(run(every=every, as_json=as_json))


@skills_app.command(name="show")
def show_skill(skill: SkillName, as_json: Json = False) -> None:
    """Show one skill: its text, whose it is, and who loads it."""
    from wisen.surfaces.cli.skill_view import show_skill as run

    raise typer.Exit(run(skill, as_json=as_json))


@skills_app.command()
def make(
    goal: Annotated[str, typer.Argument(metavar="GOAL", help="What the skill is for, or the id of a workflow.")],
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Propose a skill for a goal that was reached before.

    Made from the sessions of this project. Nothing is written before you approve it: wisen review
    """
    from wisen.surfaces.cli.skill_view import make_skill

    raise typer.Exit(make_skill(goal, dry_run=dry_run, as_json=as_json))


@skills_app.command()
def diff(
    skill: Annotated[
        Optional[str],  # noqa: UP045 - typer reads the annotation at run time
        typer.Argument(metavar="NAME", help="The name of a skill. Default: all that wisen wrote for this project."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show what the newest sessions would change in skills.

    What you edited stays as it is.
    """
    from wisen.surfaces.cli.skill_view import show_differences

    raise typer.Exit(show_differences(skill, as_json=as_json))


@skills_app.command()
def retire(skill: SkillName, dry_run: DryRun = False, as_json: Json = False) -> None:
    """Take a skill that wisen wrote away from the agents. To bring it back: wisen skills restore"""
    from wisen.surfaces.cli.skill_view import retire_skill

    raise typer.Exit(retire_skill(skill, dry_run=dry_run, as_json=as_json))


@skills_app.command()
def restore(skill: SkillName, dry_run: DryRun = False, as_json: Json = False) -> None:
    """Bring back a retired skill, as it was."""
    from wisen.surfaces.cli.skill_view import restore_skill

    raise typer.Exit(restore_skill(skill, dry_run=dry_run, as_json=as_json))
