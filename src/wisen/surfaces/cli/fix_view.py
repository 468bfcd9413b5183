"""`wisen fixes` and `wisen explain`: what made failing calls work, as differences, and where that was seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen import app
from wisen.model.fix import Danger
from wisen.surfaces.cli.praise_view import praise_lines
from wisen.surfaces.cli.program import NOTHING
from wisen.surfaces.cli.render import (
    clipped,
    complaint,
    console,
    duration,
    plural,
    print_json,
    runs_something,
    shown_call,
    thousands,
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


def run(path: Path | None, *, every: bool, as_json: bool) -> int:
    """Show the fixes that are known, or all of them."""
    wires = app.wire()
    if not wires.ever_used:
        print("Nothing learnt yet. Start with: wisen learn")
        return NOTHING
    with wires.learner(reads=False) as learner:
        found = learner.fixes.all(path)
    chosen = [fix for fix in found if every or fix.is_reliable]
    if as_json:
        print_json({"fixes": chosen, "seen": len(found)})
    else:
        _show(chosen, len(found), console(), limit=len(chosen) if every else _SHOWN)
    return 0


def explain(name: str, *, as_json: bool) -> int:
    """Show everything that is known about one fix."""
    wires = app.wire()
    if not wires.ever_used:
        print("Nothing learnt yet. Start with: wisen learn")
        return NOTHING
    with wires.learner(reads=False) as learner:
        fix, evidence = learner.fixes.explain(name)
        praises = learner.praise.praises_of(fix.id)
        held = sorted({each.rule for each in learner.fixes.withheld() if each.fix == fix.id})
        strength = learner.praise.strength(praises)
    if as_json:
        told = {"fix": fix, "confidence": fix.confidence, "known": fix.is_reliable, "evidence": evidence}
        print_json(told | {"praises": praises, "strength": strength, "held_back_by": held})
        return 0
    out = console()
    _explained(fix, evidence, out)
    for rule in held:
        out.print(f"Agents are not told it: it speaks against your rule “{rule}”.", markup=False, style="yellow")
    for line in praise_lines(praises, strength):
        out.print(line, markup=False)
    return 0


def _show(chosen: list[Fix], seen: int, out: Console, *, limit: int) -> None:
    if not chosen:
        out.print("No failure was fixed the same way in two sessions yet.")
    for fix in chosen[:limit]:
        _one(fix, out)
    rest = seen - min(len(chosen), limit)
    if rest:
        out.print(f"{plural(rest, 'fix', 'fixes')} more, seen once or not sure: wisen fixes --all", style="dim")
    if chosen:
        out.print(f"Where one comes from: wisen explain {chosen[0].id}", style="dim")


def _one(fix: Fix, out: Console) -> None:
    from wisen.surfaces.cli.terminal import styled

    again = f"; {plural(fix.failed_again, 'time')} it did not help" if fix.failed_again else ""
    out.print(styled((fix.signature.description, "bold"), "  ", (fix.id, "dim")))
    out.print(
        f"  {plural(fix.calls, 'call')} in {plural(fix.sessions, 'session')}{again}; "
        f"cost about {duration(fix.lost_ms)} and {thousands(fix.lost_tokens)} tokens; last {fix.last:%Y-%m-%d}",
        style="dim",
    )
    said_there = complaint(fix.said)
    if said_there:
        out.print(f"  it said: {clipped(said_there, _WIDE - 12)}", style="dim")
    for line in _difference(fix.change, fix.before, fix.after):
        out.print(line)
    if fix.danger is not Danger.NONE:
        out.print(f"  careful: {fix.danger.value}", style="yellow")
    out.print()


def _difference(change: CallChange, before: str, after: str) -> list[Text]:
    """The two calls with what went and what came set off; or what had to come first."""
    from rich.text import Text

    if change.first:
        return [Text(f"  first: {clipped(call, _WIDE)}", style="green") for call in change.first]
    one, two = shown_call(before), shown_call(after)
    if not runs_something(after):
        return [Text(f"  {change.description}", style="green")]
    gone, new = _changed(one, change.removed, two), _changed(two, change.added, one)
    lines = [_marked("- ", one, gone, "red"), _marked("+ ", two, new, "green")]
    if clipped(one, _WIDE) == clipped(two, _WIDE):
        words = [*(f"-{word}" for word in gone), *(f"+{word}" for word in new)]
        lines.append(Text(f"  what changed: {clipped(' '.join(words), _WIDE - 16)}", style="green"))
    return lines


def _changed(text: str, named: tuple[str, ...], other: str) -> list[str]:
    return [word for word in text.split() if word in named or word not in other.split()]


def _marked(sign: str, text: str, words: list[str], style: str) -> Text:
    from rich.text import Text

    line = Text(f"  {sign}", style=style)
    for number, word in enumerate(clipped(text, _WIDE).split()):
        line.append(" " if number else "")
        line.append(word, style=f"bold {style}" if word in words else "dim")
    return line


def _explained(fix: Fix, evidence: tuple[Evidence, ...], out: Console) -> None:
    _one(fix, out)
    sure = "It is told to you as known" if fix.is_reliable else "It is not told as known yet"
    out.print(
        f"{sure}: it helps about {fix.confidence:.0%} of the time, counting one doubt each way"
        + (f", and {fix.by_chance:.1f} of the calls would have changed so anyway." if fix.by_chance >= 0.05 else ".")
    )
    out.print(f"Change: {fix.change.description}. Kind of failure: {fix.signature.key}.\n", style="dim")
    for each in evidence[:_EVIDENCE]:
        _seen(each, out)
    if len(evidence) > _EVIDENCE:
        out.print(f"and {plural(len(evidence) - _EVIDENCE, 'time')} more: wisen explain {fix.id} --json", style="dim")


def _seen(each: Evidence, out: Console) -> None:
    from wisen.surfaces.cli.terminal import styled

    worked = ("helped", "green") if each.worked else ("did not help", "red")
    tries = f", attempts {each.trajectory}" if len(each.trajectory) > 2 else ""
    session = (f"{each.agent} session {each.session}", "dim")
    out.print(styled(f"{each.at:%Y-%m-%d %H:%M}  ", worked, f"{tries}  ", session))
    out.print(styled("  ", ("-", "red"), f" {clipped(shown_call(each.before), _WIDE)}"))
    said_there = complaint(each.said)
    if said_there:
        out.print(f"    {clipped(said_there, _WIDE)}", style="dim")
    out.print(styled("  ", ("+", "green"), f" {clipped(shown_call(each.after), _WIDE)}"))
