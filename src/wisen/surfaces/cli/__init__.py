"""The command line. Each command parses, calls one method and prints; what it needs is imported inside it.

Exit codes: 0 done; 1 failed, and the message says why; 2 invalid usage; 3 nothing to read; 4 `doctor` found a problem;
5 only a person may decide this, and none is there; 130 interrupted.
"""

from __future__ import annotations

from pathlib import Path  # noqa: TC003 - typer reads the annotation at run time
from typing import Annotated, Optional

import typer

from wisen import __version__
from wisen.surfaces.cli.change_commands import changes_app
from wisen.surfaces.cli.completion_commands import completion, prepare_completion
from wisen.surfaces.cli.context_commands import contexts_app
from wisen.surfaces.cli.feedback_commands import feedback_app
from wisen.surfaces.cli.fix_commands import fixes_app
from wisen.surfaces.cli.forget_commands import forget
from wisen.surfaces.cli.guard_commands import guards_app
from wisen.surfaces.cli.help_commands import show_help
from wisen.surfaces.cli.install_commands import install, uninstall
from wisen.surfaces.cli.language_commands import languages_app
from wisen.surfaces.cli.lesson_commands import lessons_app
from wisen.surfaces.cli.memory_commands import memory_app
from wisen.surfaces.cli.model_commands import models_app
from wisen.surfaces.cli.options import DryRun, Json  # noqa: TC001 - typer reads the annotations at run time
from wisen.surfaces.cli.phrase_commands import phrases_app
from wisen.surfaces.cli.praise_commands import praise
from wisen.surfaces.cli.program import FAILED, STOPPED, app
from wisen.surfaces.cli.proposal_commands import proposals_app
from wisen.surfaces.cli.rule_commands import rules_app
from wisen.surfaces.cli.serve_commands import mcp, serve
from wisen.surfaces.cli.skill_commands import skills_app
from wisen.surfaces.cli.switch_commands import off, on
from wisen.surfaces.cli.trial_commands import trials_app
from wisen.surfaces.cli.workflow_commands import workflows_app

__all__ = ["FAILED", "STOPPED", "app", "main"]


def main() -> None:
    """The entry point: errors are printed as one line, not as a traceback."""
    import gc
    import sys

    from wisen.surfaces.cli.error_reporting import run_program
    from wisen.surfaces.cli.invoked_command import narrow_program

    gc.set_threshold(250_000, 20, 100)  # what is loaded stays in use: looking through it finds nothing
    is_completing = prepare_completion()
    run_program(app if is_completing else narrow_program(app, sys.argv[1:]), failed=FAILED, stopped=STOPPED)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"wisen {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Makes the AI agents you already use learn from their own work, and measures whether it helps."""
    if context.invoked_subcommand is None:
        print(context.get_help())


@app.command()
def learn(
    path: Annotated[
        Optional[Path],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option("--path", help="A transcript or a folder of them. Default: where your agents keep them."),
    ] = None,
    days: Annotated[Optional[float], typer.Option("--days", help="Only the last N days.")] = None,  # noqa: UP045 - as above
    project: Annotated[
        Optional[str],  # noqa: UP045 - as above
        typer.Option("--project", help="Report on one project only, by its name or path: see wisen contexts."),
    ] = None,
    part: Annotated[
        Optional[str],  # noqa: UP045 - as above
        typer.Option("--part", help="A name for this part of a repository, to keep it apart from the rest."),
    ] = None,
    recheck: Annotated[
        bool, typer.Option("--recheck", help="Read every byte again, instead of trusting file sizes and dates.")
    ] = False,
    jobs: Annotated[int, typer.Option("--jobs", help="How many processes work; 0: depends on how much there is.")] = 0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Report, but store nothing.")] = False,
    sample: Annotated[
        bool, typer.Option("--sample", help="Show what a report looks like, on invented sessions.")
    ] = False,
    html: Annotated[
        Optional[Path],  # noqa: UP045 - as above
        typer.Option(
            "--html", metavar="PAGE", help="Also write the report as an HTML page that loads nothing from outside."
        ),
    ] = None,
    markdown: Annotated[
        Optional[Path],  # noqa: UP045 - as above
        typer.Option("--markdown", metavar="FILE", help="Also write the report as Markdown."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Read the sessions of your agents and report what went wrong in them.

    Reads only what is new since the last run. Outside wisen's home it writes only the files that you name; the files of
    agents are never changed.
    """
    from wisen.surfaces.cli.learn_view import LearnOptions, run_learn

    options = LearnOptions(
        days=days,
        project=project,
        part=part,
        recheck=recheck,
        jobs=jobs,
        dry_run=dry_run,
        sample=sample,
        html=html,
        markdown=markdown,
        as_json=as_json,
    )
    raise typer.Exit(run_learn(path, options))


@app.command()
def blame(
    path: Annotated[
        Path, typer.Argument(metavar="FILE", help="An instruction file: CLAUDE.md, AGENTS.md or a similar file.")
    ],
    line: Annotated[
        Optional[list[int]],  # noqa: UP045 - typer reads the annotation at run time
        typer.Option("--line", help="Show only this line, with the failing calls behind its result."),
    ] = None,
    unused: Annotated[
        bool, typer.Option("--unused", help="Only the rules that were never relevant in any session.")
    ] = False,
    remove: Annotated[
        bool, typer.Option("--remove", help="Remove the selected lines from the file; revert with wisen undo.")
    ] = False,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the selected lines, and stop reporting them.")] = False,
    html: Annotated[
        Optional[Path],  # noqa: UP045 - as above
        typer.Option(
            "--html", metavar="PAGE", help="Write the result as an HTML page that loads nothing from outside."
        ),
    ] = None,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Show what each line of an instruction file costs in every session, and which failures began or ended with it.

    Uses what `wisen learn` has read. None of this is proof: it compares the sessions before and after a line was added.
    """
    from wisen.surfaces.cli.blame_lines import decide_lines, show_unused
    from wisen.surfaces.cli.blame_view import show_blame

    if remove or keep:
        raise typer.Exit(
            decide_lines(path, line or [], unused=unused, remove=remove, keep=keep, dry_run=dry_run, as_json=as_json)
        )
    if unused:
        raise typer.Exit(show_unused(path, as_json=as_json))
    raise typer.Exit(show_blame(path, lines=line or [], as_json=as_json, html=html))


@app.command()
def explain(
    name: Annotated[
        str, typer.Argument(metavar="ID", help="The id of a lesson, rule, fix or guard, or its beginning.")
    ],
    as_json: Json = False,
) -> None:
    """Show where a lesson, rule, fix or guard comes from, how certain it is, and what it has done."""
    if name.upper().startswith(("LRN-", "ERR-", "FEAT-", "R-")):
        from wisen.surfaces.cli.lesson_view import show_lesson as show
    elif name.upper().startswith("G-"):
        from wisen.surfaces.cli.guard_view import show_guard as show
    else:
        from wisen.surfaces.cli.fix_view import show_fix

        raise typer.Exit(show_fix(name, as_json=as_json, is_any_id=True))
    raise typer.Exit(show(name, as_json=as_json))


app.add_typer(changes_app, name="changes")
app.add_typer(proposals_app, name="proposals")
app.add_typer(guards_app, name="guards")
app.add_typer(trials_app, name="trials")
app.add_typer(lessons_app, name="lessons")
app.add_typer(fixes_app, name="fixes")
app.add_typer(contexts_app, name="contexts")
app.add_typer(rules_app, name="rules")
app.add_typer(workflows_app, name="workflows")
app.add_typer(skills_app, name="skills")
app.add_typer(memory_app, name="memory")
app.add_typer(models_app, name="models")
app.add_typer(feedback_app, name="feedback")
app.add_typer(phrases_app, name="phrases")
app.add_typer(languages_app, name="languages")
app.command()(praise)
app.command()(forget)
app.command()(off)
app.command()(on)
app.command()(install)
app.command()(uninstall)
app.command()(mcp)
app.command()(serve)
app.command()(completion)
app.command(name="help")(show_help)


@app.command()
def cycle(
    quick: Annotated[bool, typer.Option("--quick", help="Skip the slow part: judging instruction files.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what is pending and would be done; read and change nothing.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Run the whole loop once: learn, execute what you typed to your agents, apply what policy allows, prepare hooks.

    Hooks start it by themselves at the end of a turn. Only one runs at a time; an interrupted one is resumed.
    """
    from wisen.surfaces.cli.cycle_view import run_cycle

    raise typer.Exit(run_cycle(quick=quick, dry_run=dry_run, as_json=as_json))


@app.command()
def status(as_json: Json = False) -> None:
    """Show on one screen what was learned, when, and whether wisen runs."""
    from wisen.surfaces.cli.status_view import show_status

    raise typer.Exit(show_status(as_json=as_json))


@app.command()
def agents(as_json: Json = False) -> None:
    """List the agents whose sessions were found.

    With versions, counts, dates, and what could not be read and why.
    """
    from wisen.surfaces.cli.agent_view import show_agents

    raise typer.Exit(show_agents(as_json=as_json))


@app.command()
def doctor(
    repair: Annotated[
        bool,
        typer.Option("--repair", help="Repair what is damaged, duplicated or readable by others. Originals are kept."),
    ] = False,
    purge: Annotated[
        bool, typer.Option("--purge", help="Delete everything that today's rules do not allow to be stored.")
    ] = False,
    recompute: Annotated[
        bool,
        typer.Option("--recompute", help="Work out every total again from all sessions, and report what differs."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="With --repair or --purge: only count, and change nothing.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Check everything, and report what is broken and what to do about it."""
    from wisen.surfaces.cli.doctor_view import purge_unsafe as purge_all
    from wisen.surfaces.cli.doctor_view import recompute_totals, show_health

    if recompute:
        raise typer.Exit(recompute_totals(dry_run=dry_run, as_json=as_json))
    raise typer.Exit(
        purge_all(dry_run=dry_run, as_json=as_json)
        if purge
        else show_health(repair=repair, dry_run=dry_run, as_json=as_json)
    )


@app.command()
def config(
    template: Annotated[
        bool, typer.Option("--template", help="Print a config.toml with every key and its meaning.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Show every setting: its value, where it comes from, and what it means."""
    from wisen.surfaces.cli.config_view import show_config

    raise typer.Exit(show_config(template=template, as_json=as_json))
