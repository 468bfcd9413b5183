"""`wisen fixes`: what made failing calls work, as diffs, and where each fix was seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen import app
from wisen.errors import UsageError
from wisen.model.fix import Danger
from wisen.surfaces.cli.praise_view import praise_lines
from wisen.surfaces.cli.program import NOTHING
from wisen.surfaces.cli.render import (
    clip,
    console,
    first_error_line,
    format_call,
    format_count,
    format_duration,
    plural,
    print_json,
    runs_command,
)

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console
    from rich.text import Text

    from wisen.model.failure import CallChange
    from wisen.model.fix import Evidence, Fix

_SHOWN = 12
_WIDE = 110
_EVIDENCE = 8


def list_fixes(path: Path | None, *, every: bool, as_json: bool) -> int:
    """List the known fixes, or all of them."""
    wires = app.wire()
    if not wires.ever_used:
        print("Nothing learned yet. Start with: wisen learn")
        return NOTHING
    with wires.learner(reads=False) as learner:
        found = learner.fixes.all(path)
    chosen = [fix for fix in found if every or fix.is_reliable]
    if as_json:
        print_json({"fixes": chosen, "seen": len(found)})
    else:
        _print_fixes(chosen, len(found), console(), limit=len(chosen) if every else _SHOWN)
    return 0


def show_fix(name: str, *, as_json: bool, is_any_id: bool = False) -> int:
    """Show everything that is known about one fix; `is_any_id`: the id may have been meant for something else."""
    wires = app.wire()
    if not wires.ever_used:
        print("Nothing learned yet. Start with: wisen learn")
        return NOTHING
    with wires.learner(reads=False) as learner:
        if is_any_id and not any(name and fix.id.startswith(name) for fix in learner.fixes.all()):
            raise UsageError(
                f"Nothing has the id {name!r}. Ids are shown by: wisen lessons, wisen fixes --all, wisen guards"
            )
        fix, evidence = learner.fixes.explain(name)
        praises = learner.praise.praises_of(fix.id)
        held = sorted({each.rule for each in learner.fixes.withheld() if each.fix == fix.id})
        strength = learner.praise.strength(praises)
    if as_json:
        fields = {"fix": fix, "confidence": fix.confidence, "known": fix.is_reliable, "evidence": evidence}
        print_json(fields | {"praises": praises, "strength": strength, "held_back_by": held})
        return 0
    out = console()
    _print_details(fix, evidence, out)
    for rule in held:
        out.print(f"Agents are not given it: it contradicts your rule “{rule}”.", markup=False, style="yellow")
    for line in praise_lines(praises, strength):
        out.print(line, markup=False)
    return 0


def _print_fixes(chosen: list[Fix], seen: int, out: Console, *, limit: int) -> None:
    if not chosen:
        out.print("No failure was fixed the same way in two sessions yet. To read new sessions: wisen learn")
    for fix in chosen[:limit]:
        _print_fix(fix, out)
    rest = seen - min(len(chosen), limit)
    if rest:
        out.print(
            f"{plural(rest, 'more fix', 'more fixes')}, seen only once or not reliable: wisen fixes --all", style="dim"
        )
    if chosen:
        out.print(f"Where one comes from: wisen explain {chosen[0].id}", style="dim")


def _print_fix(fix: Fix, out: Console) -> None:
    from wisen.surfaces.cli.terminal import join_styled

    again = f"; {plural(fix.failed_again, 'time')} it did not help" if fix.failed_again else ""
    out.print(join_styled((fix.signature.description, "bold"), "  ", (fix.id, "dim")))
    out.print(
        f"  {plural(fix.calls, 'call')} in {plural(fix.sessions, 'session')}{again}; "
        f"cost about {format_duration(fix.lost_ms)} and {format_count(fix.lost_tokens)} tokens; "
        f"last {fix.last:%Y-%m-%d}",
        style="dim",
    )
    said_there = first_error_line(fix.said)
    if said_there:
        out.print(f"  it said: {clip(said_there, _WIDE - 12)}", style="dim")
    for line in _diff_lines(fix.change, fix.before, fix.after):
        out.print(line)
    if fix.danger is not Danger.NONE:
        out.print(f"  caution: {fix.danger.label}", style="yellow")
    out.print()


def _diff_lines(change: CallChange, before: str, after: str) -> list[Text]:
    """Return the two calls with the changed words highlighted, or the calls that had to come first."""
    from rich.text import Text

    if change.first:
        return [Text(f"  first: {clip(call, _WIDE)}", style="green") for call in change.first]
    one, two = format_call(before), format_call(after)
    if not runs_command(after):
        return [Text(f"  {change.description}", style="green")]
    gone, new = _changed_words(one, change.removed, two), _changed_words(two, change.added, one)
    lines = [_diff_line("- ", one, gone, "red"), _diff_line("+ ", two, new, "green")]
    if clip(one, _WIDE) == clip(two, _WIDE):
        words = [*(f"-{word}" for word in gone), *(f"+{word}" for word in new)]
        lines.append(Text(f"  what changed: {clip(' '.join(words), _WIDE - 16)}", style="green"))
    return lines


def _changed_words(text: str, named: tuple[str, ...], other: str) -> list[str]:
    return [word for word in text.split() if word in named or word not in other.split()]


def _diff_line(sign: str, text: str, words: list[str], style: str) -> Text:
    from rich.text import Text

    line = Text(f"  {sign}", style=style)
    for number, word in enumerate(clip(text, _WIDE).split()):
        line.append(" " if number else "")
        line.append(word, style=f"bold {style}" if word in words else "dim")
    return line


def _print_details(fix: Fix, evidence: tuple[Evidence, ...], out: Console) -> None:
    _print_fix(fix, out)
    sure = "It counts as known" if fix.is_reliable else "It does not count as known yet"
    out.print(
        f"{sure}: it worked in {fix.sessions} of {plural(fix.sessions + fix.failed_again, 'session')} "
        f"(cautious estimate {fix.confidence:.0%})"
        + (
            f", and {fix.by_chance:.1f} of the calls would have changed like this anyway."
            if fix.by_chance >= 0.05
            else "."
        )
    )
    out.print(f"Change: {fix.change.description}. Kind of failure: {fix.signature.key}.\n", style="dim")
    for each in evidence[:_EVIDENCE]:
        _print_evidence(each, out)
    if len(evidence) > _EVIDENCE:
        out.print(
            f"{plural(len(evidence) - _EVIDENCE, 'more time', 'more times')}: wisen explain {fix.id} --json",
            style="dim",
        )


def _print_evidence(each: Evidence, out: Console) -> None:
    from wisen.surfaces.cli.terminal import join_styled

    worked = ("helped", "green") if each.worked else ("did not help", "red")
    tries = f", attempts {each.trajectory}" if len(each.trajectory) > 2 else ""
    session = (f"{each.agent} session {each.session}", "dim")
    out.print(join_styled(f"{each.at:%Y-%m-%d %H:%M}  ", worked, f"{tries}  ", session))
    out.print(join_styled("  ", ("-", "red"), f" {clip(format_call(each.before), _WIDE)}"))
    said_there = first_error_line(each.said)
    if said_there:
        out.print(f"    {clip(said_there, _WIDE)}", style="dim")
    out.print(join_styled("  ", ("+", "green"), f" {clip(format_call(each.after), _WIDE)}"))
