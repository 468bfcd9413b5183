"""`wisen fixes`: failures and what fixed them, as differences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen import wiring
from wisen.domain.fixes import Danger
from wisen.surfaces.cli import NOTHING
from wisen.surfaces.cli.render import console, plural, print_json

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from wisen.domain.fixes import Fix

_SHOWN = 12
_WIDE = 110


def run(path: Path | None, *, every: bool, as_json: bool) -> int:
    """Show the fixes that are known, or all of them."""
    wires = wiring.wire()
    if not wires.ever_used:
        print("Nothing learnt yet. Start with: wisen learn")
        return NOTHING
    with wires.learner(reads=False) as learner:
        found = learner.fixes(path)
    chosen = [fix for fix in found if every or fix.is_known]
    if as_json:
        print_json({"fixes": chosen, "seen": len(found)})
    else:
        _show(chosen, len(found), console(), limit=len(chosen) if every else _SHOWN)
    return 0


def _show(chosen: list[Fix], seen: int, out: Console, *, limit: int) -> None:
    if not chosen:
        out.print("No failure was fixed the same way in two sessions yet.")
    for fix in chosen[:limit]:
        _one(fix, out)
    rest = seen - min(len(chosen), limit)
    if rest:
        out.print(f"{plural(rest, 'fix', 'fixes')} more, seen once or not sure: wisen fixes --all", style="dim")


def _one(fix: Fix, out: Console) -> None:
    from rich.markup import escape

    seen = f"{plural(fix.calls, 'call')} in {plural(fix.sessions, 'session')}"
    again = f", {plural(fix.failed_again, 'time')} it did not help" if fix.failed_again else ""
    out.print(f"[bold]{escape(fix.kind)}[/]")
    out.print(f"  {escape(fix.tool)}: {seen}{again}, last {fix.last:%Y-%m-%d}", style="dim")
    if fix.first:
        out.print(f"  [green]first:[/] {escape(fix.first[0][:_WIDE])}")
    else:
        out.print(f"  [red]- {escape(_line(fix.before))}[/]")
        out.print(f"  [green]+ {escape(_line(fix.after))}[/]")
    if fix.danger is not Danger.NONE:
        out.print(f"  [yellow]careful: {fix.danger.value}[/]")
    out.print()


def _line(text: str) -> str:
    one = " ".join(text.split())
    return one if len(one) <= _WIDE else one[: _WIDE - 1] + "…"
