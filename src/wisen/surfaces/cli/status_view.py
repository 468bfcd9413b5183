"""`wisen status`: what was learned, open decisions and health, on one screen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wisen import __version__, app
from wisen.model.state import Health
from wisen.surfaces.cli.layout import CommandLine
from wisen.surfaces.cli.render import console, describe_open_decision, format_size, plural, print_json, table

if TYPE_CHECKING:
    from wisen.model.archive import ArchiveUsage
    from wisen.model.state import InstallationState

_SHOWN = 5


def show_status(*, as_json: bool) -> int:
    """Show the state, without creating files."""
    wires = app.wire()
    if not wires.ever_used:
        _print_unused(str(wires.settings.home), as_json=as_json)
        return 0
    with wires.learner(reads=False) as learner:
        state = learner.status(Path.cwd())
    if as_json:
        print_json(state)
    else:
        _print_state(state)
    return 0


def _print_unused(home: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"version": __version__, "home": home, "runs": []})
        return
    print(f"wisen {__version__}: nothing learned yet in {home}\nStart with: wisen learn")


def _print_state(state: InstallationState) -> None:
    from wisen.surfaces.cli.terminal import join_styled

    out, counts = console(), state.counts
    for warning in state.warnings:
        out.print(warning, style="bold red")
    for alarm in state.alarms:
        style = "bold red" if alarm.health is Health.BAD else "yellow"
        out.print(f"{alarm.about}: {alarm.says}. {alarm.next_step}", style=style, markup=False)
    if state.requests:
        many = plural(state.requests, "decision waits", "decisions wait")
        out.print(f"{many} for you, requested by programs or found in edited files: wisen review", style="yellow")
    for each in state.findings[:_SHOWN]:
        words = describe_open_decision(each)
        out.print(words.what, style="yellow")
        out.print(f"  {words.why}", style="dim")
        out.print(CommandLine(words.command, indent=2))
    for line in state.waiting:
        out.print(line, style="yellow", markup=False)
    out.print(join_styled((f"wisen {state.version}", "bold"), f" in {state.home}"))
    failed = sum(tool.failed + tool.masked for tool in counts.tools)
    out.print(
        f"{plural(counts.sessions, 'session')} in {plural(state.contexts, 'project')}, "
        f"{plural(counts.typed_turns, 'typed turn')}, {plural(sum(tool.calls for tool in counts.tools), 'tool call')}, "
        f"{plural(failed, 'failed call')}; from {plural(counts.sources, 'file')}"
    )
    review = " (wisen review)" if state.proposals else ""
    out.print(
        f"{plural(state.lessons, 'lesson')}, {plural(state.rules, 'rule')}, "
        f"{plural(state.proposals, 'proposal')}{review}"
    )
    out.print(f"Hooks: {', '.join(state.hooks) or 'none installed (wisen install AGENT)'}")
    out.print(f"Ledger: {state.ledger}", style="dim")
    if state.archive is not None:
        out.print(f"Archive: {_describe_archive(state.archive)}", style="dim")
    if state.models is not None:
        from wisen.surfaces.cli.model_view import model_lines

        for line in model_lines(state.models):
            out.print(line, style="dim", markup=False)
    for line in _consent_lines(state):
        out.print(line, style="dim", markup=False)
    if state.off:
        out.print(
            f"wisen is off here, because of {state.off}: nothing is learned or given to agents. To enable: wisen on",
            markup=False,
        )
    rows = table("last runs", "read", "new events", "", right=("read", "new events"))
    for run in state.runs[:_SHOWN]:
        when = f"{run.finished:%Y-%m-%d %H:%M} UTC"
        rows.add_row(when, format_size(run.read_bytes), f"{run.new_events:,}", run.error or "")
    out.print()
    out.print(rows)


def _consent_lines(state: InstallationState) -> list[str]:
    """Return what the user allowed, and what waits for their consent."""
    lines = (
        ["Your agent helps to classify your messages: wisen feedback (to disable: wisen feedback off)"]
        if state.pointing
        else []
    )
    if state.private:
        many = plural(state.private, "lesson was", "lessons were")
        from wisen.surfaces.cli.lesson_lines import ALLOW_LOCAL

        lines.append(f"{many} typed to local models only, and not given to agents. {ALLOW_LOCAL}")
    return lines


def _describe_archive(archive: ArchiveUsage) -> str:
    """Say how much is stored, how fast it grows, and when something is dropped."""
    since = f" since {archive.first:%Y-%m-%d}" if archive.first else ""
    pace = f", about {format_size(archive.yearly)} a year at this pace" if archive.yearly else ""
    stored = f"{plural(archive.sessions, 'session')}{since}, about {format_size(archive.size)}{pace}"
    stored += f"; {format_size(archive.disk)} on disk with all that was learned" if archive.disk else ""
    limits = [
        *([f"sessions without activity for {plural(archive.days, 'day')}"] if archive.days else []),
        *([f"the oldest above {archive.megabytes:,} MB"] if archive.megabytes else []),
    ]
    if not limits:
        return f"{stored}; no limit (archive.days, archive.megabytes)"
    return f"{stored}. Dropped: {' and '.join(limits)} (archive.days, archive.megabytes); what was learned stays"
