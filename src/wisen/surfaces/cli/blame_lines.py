"""`wisen blame FILE --unused`, `--remove` and `--keep`: lists unused rules, removes or keeps lines."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from wisen import app
from wisen.errors import UsageError
from wisen.model.instruction import Strength
from wisen.surfaces.cli.program import NOTHING
from wisen.surfaces.cli.render import clip, console, format_path, plural, print_json, say, table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from wisen.model.instruction import Blame, Effect

_LONG = 200


def show_unused(path: Path, *, as_json: bool) -> int:
    """List the rules of a file that were never relevant in any session."""
    wires = app.wire()
    if not wires.ever_used:
        say("Nothing learned yet. Start with: wisen learn")
        return NOTHING
    with wires.learner(reads=False) as learner:
        blame = learner.blame.get(path)
    found = find_unused_rules(blame)
    if as_json:
        print_json({"path": blame.file.path, "sessions": blame.sessions, "lines": found})
        return 0
    out, command = console(), f"wisen blame {shlex.quote(blame.file.path)}"
    if not found:
        out.print(f"Every rule of {blame.file.path} was relevant in some session.")
        return 0
    rows = table("line", "tokens", "text", right=("line", "tokens"))
    for effect in found:
        rows.add_row(f"{effect.line.number}", f"{effect.line.tokens:,}", clip(effect.line.text, _LONG))
    out.print(rows)
    out.print(f"These rules were relevant in none of {plural(blame.sessions, 'session')}.")
    out.print("This does not prove that they are useless: what they forbid may not have come up.", style="dim")
    out.print(f"Remove all of them: {command} --unused --remove", style="dim")
    out.print(f"Remove one: {command} --line {found[0].line.number} --remove", style="dim")
    out.print(f"Keep them: {command} --unused --keep", style="dim")
    return 0


def find_unused_rules(blame: Blame) -> list[Effect]:
    """Return the rules that were never relevant in any session."""
    return [effect for effect in blame.effects if effect.strength is Strength.NEVER and effect.line.rule]


def decide_lines(
    path: Path, lines: Sequence[int], *, unused: bool, remove: bool, keep: bool, dry_run: bool, as_json: bool
) -> int:
    """Remove lines, or record that they stay."""
    if remove and keep:
        raise UsageError("--remove removes lines and --keep keeps them. Give only one of them.")
    if bool(lines) == unused:
        raise UsageError(
            "Name the lines: --line N, which may be repeated, or --unused for all that were never relevant."
        )
    with app.wire().learner(reads=False) as learner:
        if keep:
            if not dry_run:
                learner.blame.keep_lines(path, lines)
            edit = None
        else:
            numbers = lines or [effect.line.number for effect in find_unused_rules(learner.blame.get(path))]
            if not numbers:
                raise UsageError(f"Every rule of {path} was relevant in some session: there is nothing to remove.")
            edit = learner.blame.remove_lines(path, numbers, dry_run=dry_run)
    if as_json:
        print_json({"path": str(path), "lines": lines, "kept": keep, "dry_run": dry_run} | _change_fields(edit))
        return 0
    out, would = console(), "would be" if dry_run else "are"
    if edit is None:
        out.print(f"{path}: these lines {'would ' if dry_run else ''}stay, and are not reported again.")
        return 0
    before, after = ((each or b"").decode("utf-8", "replace").splitlines() for each in edit[1:])
    import difflib

    name = format_path(edit.change.path)
    for line in difflib.unified_diff(before, after, name, name, lineterm="", n=1):
        out.print(line, style={"+": "green", "-": "red"}.get(line[:1], "dim"))
    gone = plural(len(before) - len(after), "line")
    out.print(f"{gone} {would} removed from {name}.{'' if dry_run else ' To revert: wisen undo'}")
    return 0


def _change_fields(edit: object) -> dict[str, object]:
    change = getattr(edit, "change", None)
    return {} if change is None else {"change": change.id, "tokens": change.tokens}
