"""`wisen learn`: runs the learning pass and prints its report."""

from __future__ import annotations

import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from wisen import app
from wisen.errors import UsageError
from wisen.model.instruction import Strength, describe_effect
from wisen.model.run_options import RunProgress
from wisen.surfaces.cli.layout import CommandLine
from wisen.surfaces.cli.program import NOTHING
from wisen.surfaces.cli.render import (
    blame_command,
    clip,
    console,
    describe_open_decision,
    describe_rejections,
    format_count,
    format_duration,
    format_size,
    headline,
    plural,
    print_json,
    table,
)
from wisen.surfaces.cli.switch_commands import is_off
from wisen.surfaces.pages import corrections
from wisen.surfaces.pages.html import check_target, save_page
from wisen.surfaces.pages.report_page import HTML_HEADER, MARKDOWN_HEADER, render_html, render_markdown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import Console

    from wisen.app import Wiring
    from wisen.model.report import Counts, Report

_SHOWN = 12
_WIDE = 58
_THEMES = 5
"""How many repeated corrections are shown, and how many that were made once."""
_LONG_WORK = 20_000_000
"""From this many bytes on, a progress bar is shown."""
_MANY_SESSIONS = 50
"""From this many sessions on, it is shown for their analysis."""
_UPDATES_PER_SECOND = 4


class LearnOptions(Struct, frozen=True, kw_only=True):
    """The options of the command, without the path."""

    days: float | None
    project: str | None
    part: str | None
    """A suffix to the keys of the contexts that are read."""
    recheck: bool
    jobs: int
    dry_run: bool
    sample: bool
    html: Path | None
    markdown: Path | None
    as_json: bool


def run_learn(path: Path | None, options: LearnOptions) -> int:
    """Learn, and print the report."""
    if options.sample:
        if path is not None:
            raise UsageError("--sample reads the sample sessions and --path other ones. Give only one of them.")
        path = Path(__file__).parent.parent.parent / "sample"
    if not options.dry_run and not options.sample and is_off(app.wire(), as_json=options.as_json):
        return 0
    files = _report_files(options)
    for target, begins, option, _ in files:
        check_target(target, header=begins, option=option)
    with (
        _open_wiring(dry_run=options.dry_run or options.sample) as wires,
        wires.record_when_stopped(),
        wires.lock().hold("learn"),
        wires.learner(options.part) as learner,
        _progress_bar(quiet=options.as_json) as progress,
    ):
        report = learner.learn(
            path,
            days=options.days,
            project=options.project,
            recheck=options.recheck,
            jobs=options.jobs,
            judge=True if files else None,
            progress=progress,
        )
    if options.as_json:
        print_json(report)
    else:
        print_report(report, console(), dry_run=options.dry_run, sample=options.sample)
    for target, begins, option, made in files:
        save_page(made(report), target, header=begins, option=option)
        print(f"Written: {target}", file=sys.stderr)
    return 0 if report.counts.sources else NOTHING


def _report_files(options: LearnOptions) -> list[tuple[Path, str, str, Callable[[Report], str]]]:
    """Return the files that the report is also written to: path, first line, option, and the function that makes it."""
    asked = (
        (options.html, HTML_HEADER, "--html", render_html),
        (options.markdown, MARKDOWN_HEADER, "--markdown", render_markdown),
    )
    return [(target, begins, option, made) for target, begins, option, made in asked if target is not None]


@contextmanager
def _open_wiring(*, dry_run: bool) -> Iterator[Wiring]:
    """Open the wiring; a dry run uses temporary stores."""
    wires = app.wire()
    if not dry_run:
        yield wires
        return
    with tempfile.TemporaryDirectory(prefix="wisen-dry-run-") as folder:
        yield wires.with_home(Path(folder))


@contextmanager
def _progress_bar(*, quiet: bool) -> Iterator[RunProgress]:
    """Show what is left to read and to analyze on the terminal; nothing where nobody watches."""
    if quiet or not sys.stderr.isatty():
        yield RunProgress()
        return
    from rich.progress import BarColumn, Progress, ProgressColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn

    from wisen.surfaces.cli.terminal import safe_console

    columns: tuple[ProgressColumn, ...] = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=16),
        TaskProgressColumn(),
        TextColumn("{task.fields[amount]}"),
        TimeRemainingColumn(compact=True),
        TextColumn("left"),
    )
    console = safe_console(stderr=True)
    with Progress(*columns, console=console, transient=True, refresh_per_second=_UPDATES_PER_SECOND) as bar:
        reading = bar.add_task("Reading logs", total=None, visible=False, amount="")
        analysis = bar.add_task("Analyzing sessions", total=None, visible=False, amount="")

        def show_reading(done: int, total: int) -> None:
            amount = f"{format_size(done)} of {format_size(total)}"
            bar.update(reading, completed=done, total=total, amount=amount, visible=_LONG_WORK < total > done)

        def show_analysis(done: int, total: int) -> None:
            amount = f"{done:,} of {total:,}"
            bar.update(analysis, completed=done, total=total, amount=amount, visible=_MANY_SESSIONS < total > done)

        yield RunProgress(reading=show_reading, analysis=show_analysis)


def print_report(report: Report, out: Console, *, dry_run: bool = False, sample: bool = False) -> None:
    """Print the report, most important things first."""
    counts = report.counts
    for warning in report.warnings:
        out.print(warning, style="bold red")
    for line in report.waiting:
        out.print(line, style="yellow", markup=False)
    if not counts.sources:
        _print_nothing_found(report, out)
        return
    out.print(headline(counts), style="bold")
    out.print(_describe_reading(report), style="dim")
    _print_decisions(report, out, stored=not (dry_run or sample))
    _print_failures(report, out)
    _print_corrections(report, out)
    _print_instructions(report, out)
    _print_tools(counts, out)
    out.print(f"\n{describe_rejections(counts)}")
    _print_problems(report, out)
    if report.proposals and not dry_run and not sample:
        out.print(f"\n{plural(report.proposals, 'proposal waits', 'proposals wait')} for your answer: wisen review")
    out.print(_next_step(dry_run=dry_run, sample=sample), style="dim")


def _print_nothing_found(report: Report, out: Console) -> None:
    if report.selection.under is not None:
        if report.waiting:
            out.print(f"No session was read from {report.selection.under} (see above).")
            return
        out.print(f"No sessions in {report.selection.under}.")
        out.print("Sessions are files of an agent that `wisen agents` lists, or OpenAI-style messages.", style="dim")
        return
    out.print("No sessions on this machine yet.")
    out.print(f"Looked in: {', '.join(report.looked_in)}", style="dim")
    out.print("Sessions elsewhere? wisen learn --path DIR. To see an example: wisen learn --sample", style="dim")


def _describe_reading(report: Report) -> str:
    if not report.new_events and report.read_bytes:
        return f"Nothing new in {format_size(report.read_bytes)} read."
    if not report.read_bytes:
        return f"Nothing new since the last run ({plural(report.counts.sources, 'file')} checked)."
    speed = report.read_bytes / report.reading_seconds / 1e6 if report.reading_seconds else 0.0
    return (
        f"Read {format_size(report.read_bytes)} in {report.seconds:.1f} s ({speed:.0f} MB/s), "
        f"{plural(report.new_events, 'new event')}."
    )


def _print_failures(report: Report, out: Console) -> None:
    from wisen.surfaces.cli.terminal import join_styled

    if not report.failures:
        out.print("\nNo failed calls.")
        return
    repeated = [kind for kind in report.failures if kind.sessions > 1] or list(report.failures)
    out.print("\nWhat keeps failing, and what fixed it", style="bold")
    rows = table("sessions", "calls", "what", "cost", "fixed by", right=("sessions", "calls", "cost"))
    fixes = {fix.signature: fix for fix in reversed(report.fixes)}
    for kind in repeated[:_SHOWN]:
        hidden = f" ({kind.masked} hidden by a pipe)" if kind.masked else ""
        fix = fixes.get(kind.signature)
        checked = kind.signature.key.startswith("build.")
        rows.add_row(
            f"{kind.sessions:,}",
            f"{kind.calls:,}",
            join_styled(clip(kind.signature.description, _WIDE), (hidden, "dim")),
            format_duration(kind.lost_ms),
            join_styled((clip(fix.change.description, _WIDE), "green"))
            if fix
            else join_styled(("work on the code", "dim"))
            if checked
            else "",
        )
    out.print(rows)
    rest = len(report.failures) - min(len(repeated), _SHOWN)
    if rest:
        out.print(f"{plural(rest, 'more kind', 'more kinds')}: wisen learn --json", style="dim")


def _print_decisions(report: Report, out: Console, *, stored: bool) -> None:
    decisions = report.decisions
    if decisions:
        out.print("\nWorth deciding now", style="bold")
    for number, each in enumerate(decisions, start=1):
        words = describe_open_decision(each)
        out.print(f"  {number}. {words.what}")
        out.print(f"     {words.why}", style="dim")
        if stored:
            out.print(CommandLine(words.command, indent=5))


def _print_corrections(report: Report, out: Console) -> None:
    if not report.counts.typed_turns:
        return
    out.print(f"\n{corrections.TITLE}", style="bold")
    out.print(f"  {corrections.describe_signals(report)}")
    for theme in corrections.repeated_themes(report)[:_THEMES]:
        out.print(f"  {plural(theme.sessions, 'session')}: {corrections.quote_lesson(theme)}")
        out.print(f"     {corrections.describe_sightings(theme)}", style="dim")
    once = corrections.lasting_themes(report)
    if once:
        out.print(f"  {corrections.LASTING_TITLE}:")
    for theme in once[:_THEMES]:
        out.print(f"  - {corrections.quote_lesson(theme)}")
        out.print(f"     {corrections.describe_sightings(theme)}", style="dim")
    rest = len(once) - _THEMES
    if rest > 0:
        out.print(f"  and {rest:,} more: wisen learn --json", style="dim")


def _print_instructions(report: Report, out: Console) -> None:
    from wisen.surfaces.cli.terminal import join_styled

    speaking = [(file, effect) for file in report.instructions for effect in file.speaking]
    unused = [file for file in report.instructions if file.unused_lines]
    if not speaking and not unused:
        return
    out.print("\nInstruction files", style="bold")
    for file, effect in speaking[:_SHOWN]:
        colour = "red" if effect.strength is Strength.BEGAN else "green"
        out.print(join_styled("  ", (Path(file.path).name, colour), f" {describe_effect(effect)}"))
    for file in unused[:_SHOWN]:
        out.print(
            f"  {file.path}: {plural(file.unused_lines, 'rule')} never relevant in "
            f"{plural(file.sessions, 'session')}, {format_count(file.unused_tokens)} of "
            f"{format_count(file.tokens)} tokens"
        )
    first = speaking[0][0] if speaking else unused[0]
    out.print(f"  Line by line: {blame_command(first.path)}", style="dim")


def _print_tools(counts: Counts, out: Console) -> None:
    from wisen.surfaces.cli.terminal import join_styled

    if not counts.tools:
        return
    out.print("\nTools", style="bold")
    numbers = ("calls", "failed", "hidden", "rejected", "sessions")
    rows = table("tool", *numbers, right=numbers)
    for tool in counts.tools[:_SHOWN]:
        cells = (tool.calls, tool.failed, tool.masked, tool.rejected, tool.sessions)
        rows.add_row(tool.tool, *(f"{cell:,}" if cell else join_styled(("·", "dim")) for cell in cells))
    out.print(rows)
    if len(counts.tools) > _SHOWN:
        out.print(f"{plural(len(counts.tools) - _SHOWN, 'more tool', 'more tools')}: wisen learn --json", style="dim")


def _print_problems(report: Report, out: Console) -> None:
    from wisen.surfaces.cli.terminal import join_styled

    withheld = sum(report.counts.withheld.values())
    if withheld:
        rules = ", ".join(f"{rule} {count:,}" for rule, count in sorted(report.counts.withheld.items()))
        out.print(f"{plural(withheld, 'text')} not stored because of a secret or private data in it ({rules}).")
    if report.troubles:
        by_kind: dict[str, int] = {}
        for problem in report.troubles:
            name = f"{problem.kind.value} {problem.detail}".strip()
            by_kind[name] = by_kind.get(name, 0) + problem.count
        kinds = ", ".join(f"{name} {count:,}" for name, count in sorted(by_kind.items(), key=lambda item: -item[1]))
        files = len({problem.path for problem in report.troubles})
        unread = f"Not read, in {plural(files, 'file')}:"
        out.print(join_styled((unread, "yellow"), f" {kinds}. Where: wisen learn --json"))


def _next_step(*, dry_run: bool, sample: bool) -> str:
    if sample:
        return "\nThese sessions were invented, and nothing was stored. With your own: wisen learn"
    if dry_run:
        return "\nDry run: nothing was stored."
    return "\nNext: wisen fixes shows the calls that failed and then worked. wisen learn reads only what is new."
