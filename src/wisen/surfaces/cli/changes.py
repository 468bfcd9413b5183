"""`wisen changes` and `wisen undo`: what was changed in the user's files, what became of it, and taking it back."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from wisen import wiring
from wisen.domain.changes import Fate, Line, Removal, Value
from wisen.surfaces.cli.render import clipped, console, leads_to, plural, print_json, shown_path

if TYPE_CHECKING:
    from pathlib import Path

    from wisen.domain.changes import Change, Deed

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
_FATES = {
    Fate.STANDS: "",
    Fate.HIS: "you worded it otherwise: it is yours now",
    Fate.REFUSED: "you took it out",
    Fate.UNCLEAR: "it is gone or differs, and git may have done that",
    Fate.NOT_MADE: "never made: it was interrupted",
    Fate.ARCHIVED: "it made room for a line that is worth more",
    Fate.UNDONE: "taken back",
}


def show(*, as_json: bool) -> int:
    """List the changes, newest first."""
    with wiring.wire().learner(reads=False) as learner:
        past = learner.changes()
    if as_json:
        print_json({"changes": [_told(each, past.fates[each.id]) for each in reversed(past.changes)]})
        return 0
    out = console()
    if not past.changes:
        out.print("wisen has not changed any of your files.")
    for change in [*reversed(past.changes)][:_SHOWN]:
        out.print(f"{change.id}  {change.at:%Y-%m-%d %H:%M}  {shown_path(change.path)}", markup=False)
        what = clipped(change.told if change.deed is None else _what(change.deed), 100)
        out.print(f"    {clipped(change.why, 100)}: {what}".rstrip(": "), style="dim", markup=False)
        if state := _FATES[past.fates[change.id]]:
            out.print(f"    {state}", markup=False)
    if len(past.changes) > _SHOWN:
        out.print(f"and {len(past.changes) - _SHOWN:,} more: wisen changes --json", style="dim")
    unclear = [each for each in past.changes if past.fates[each.id] is Fate.UNCLEAR]
    if unclear:
        out.print(f"If you took it out yourself, say so: wisen changes refuse {unclear[-1].id}", markup=False)
    return 0


def explain(id_: str, *, as_json: bool) -> int:
    """Show one change: the difference, what it costs, and what became of it."""
    with wiring.wire().learner(reads=False) as learner:
        change, fate = learner.change(id_)
    if as_json:
        print_json(_told(change, fate))
        return 0
    out = console()
    out.print(f"{shown_path(change.path)}, {change.at:%Y-%m-%d %H:%M}: {change.why}", markup=False)
    for splice in change.splices:
        for sign, content in (("-", splice.old), ("+", splice.new)):
            for line in content.decode("utf-8", "replace").splitlines():
                out.print(sign + line, markup=False, style="red" if sign == "-" else "green")
    cost = change.tokens
    out.print(f"About {plural(abs(cost), 'token')} {'more' if cost >= 0 else 'less'} in every session that reads it.")
    if change.head:
        out.print(f"git tracks the file; HEAD was {change.head[:12]}, and nothing was committed for you.", markup=False)
    out.print(f"Now: {_FATES[fate] or 'it stands as it was written'}.", markup=False)
    return 0


def register(path: Path, what: str, why: str, *, dry_run: bool, as_json: bool) -> int:
    """Remember a change that somebody else made."""
    with wiring.wire().learner(reads=False) as learner:
        change = learner.register(path, what, why, dry_run=dry_run)
    if as_json:
        print_json(_told(change, None) | {"dry_run": dry_run})
        return 0
    would = "would be remembered" if dry_run else f"is remembered as {change.id}"
    console().print(f"{change.path}: the change {would}.", markup=False)
    return 0


def refuse(id_: str, *, dry_run: bool, as_json: bool) -> int:
    """Take the user's word that he did not want a change."""
    with wiring.wire().learner(reads=False) as learner:
        change = learner.change(id_)[0] if dry_run else learner.refuse(id_)
    if as_json:
        print_json(_told(change, Fate.REFUSED) | {"dry_run": dry_run})
        return 0
    would = "would be" if dry_run else "is"
    console().print(f"{change.path}: it {would} kept as refused, and not put back.", markup=False)
    return 0


def undo(change: str | None, *, dry_run: bool, as_json: bool) -> int:
    """Take a change back, or say what that would do."""
    with wiring.wire().learner(reads=False) as learner:
        done = learner.undo(change, dry_run=dry_run)
    if as_json:
        print_json({"change": _told(done.change, None), "how": done.how, "dry_run": dry_run})
        return 0
    out = console()
    out.print(f"{shown_path(done.change.path)}: {done.change.why}", markup=False)
    held, holds = ((each or b"").decode("utf-8", "replace").splitlines() for each in (done.held, done.holds))
    for line in difflib.unified_diff(
        held, holds, "now" if dry_run else "before", "then" if dry_run else "now", lineterm=""
    ):
        out.print(line, markup=False, highlight=False)
    out.print((_WOULD if dry_run else _HOW)[done.how.value])
    return 0


def _what(deed: Deed) -> str:
    """What was done, in one line."""
    if isinstance(deed, Line):
        return deed.text
    if isinstance(deed, Value):
        return f"{'.'.join(map(str, deed.keys))} = {deed.new}" if deed.new else f"{'.'.join(map(str, deed.keys))} gone"
    if isinstance(deed, Removal):
        gone = [line.text.decode("utf-8", "replace").strip() for line in deed.lines]
        return f"taken out: {'; '.join(gone)}"
    return deed.new.decode("utf-8", "replace").strip().partition("\n")[0]


def _told(change: Change, fate: Fate | None) -> dict[str, object]:
    """A change without the bytes that undo it."""
    names = ("id", "machine", "path", "at", "why", "before", "after", "head", "undoes", "tokens")
    told: dict[str, object] = {name: getattr(change, name) for name in names}
    told["leads_to"] = leads_to(change.path)
    told["did"] = change.told or None if change.deed is None else _what(change.deed)
    return told if fate is None else told | {"fate": fate}
