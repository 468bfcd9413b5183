"""`wisen changes` and `wisen undo`: what was changed in the user's files, and taking it back."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

import wisen
from wisen.surfaces.cli.render import clipped, console, print_json

if TYPE_CHECKING:
    from wisen.domain.changes import Change

_SHOWN = 20
_HOW = {
    "exactly": "The file is as it was before, byte for byte.",
    "alone": "Only that is gone; what was written since stays.",
    "already": "There was nothing left of it to take back.",
}
_WOULD = {
    "exactly": "The file would be as it was before, byte for byte.",
    "alone": "Only that would go; what was written since would stay.",
    "already": "There is nothing left of it to take back.",
}


def show(*, as_json: bool) -> int:
    """List the changes, newest first."""
    with wisen.open_learner() as learner:
        changes = learner.changes()
    if as_json:
        print_json({"changes": [_told(each) for each in reversed(changes)]})
        return 0
    out = console()
    if not changes:
        out.print("wisen has not changed any of your files.")
    undone = {each.undoes for each in changes}
    for change in [*reversed(changes)][:_SHOWN]:
        state = " (taken back)" if change.id in undone else ""
        out.print(f"{change.id}  {change.at:%Y-%m-%d %H:%M}  {change.path}{state}", markup=False)
        out.print(
            f"    {clipped(change.why, 100)}: {clipped(change.text, 100)}".rstrip(": "), style="dim", markup=False
        )
    if len(changes) > _SHOWN:
        out.print(f"and {len(changes) - _SHOWN:,} more: wisen changes --json", style="dim")
    return 0


def undo(change: str | None, *, dry_run: bool, as_json: bool) -> int:
    """Take a change back, or say what that would do."""
    with wisen.open_learner() as learner:
        done = learner.undo(change, dry_run=dry_run)
    if as_json:
        print_json({"change": _told(done.change), "how": done.how, "dry_run": dry_run})
        return 0
    out = console()
    out.print(f"{done.change.path}: {done.change.why}", markup=False)
    held, holds = (each.decode("utf-8", "replace").splitlines() for each in (done.held, done.holds))
    for line in difflib.unified_diff(
        held, holds, "now" if dry_run else "before", "then" if dry_run else "now", lineterm=""
    ):
        out.print(line, markup=False, highlight=False)
    out.print((_WOULD if dry_run else _HOW)[done.how.value])
    return 0


def _told(change: Change) -> dict[str, object]:
    """A change without the bytes that undo it."""
    names = ("id", "machine", "path", "at", "why", "before", "after", "head", "line", "text", "heading", "undoes")
    return {name: getattr(change, name) for name in names}
