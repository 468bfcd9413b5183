"""`wisen changes` and `wisen undo`: what was changed in the user's files, what became of it, and taking it back."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from wisen import app
from wisen.model.change import ChangeFate, LineEdit, LineRemoval, ValueEdit
from wisen.model.short_ids import short_id
from wisen.surfaces.cli.confirming import is_confirmed
from wisen.surfaces.cli.render import clipped, console, leads_to, plural, print_json, say, shown_path

if TYPE_CHECKING:
    from datetime import timedelta
    from pathlib import Path

    from wisen.model.change import Change, EditOperation
    from wisen.model.decision import RecordedDecision

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
    ChangeFate.STANDS: "",
    ChangeFate.REWORDED: "you worded it otherwise: it is yours now",
    ChangeFate.REMOVED: "you took it out",
    ChangeFate.UNCLEAR: "it is gone or differs, and git may have done that",
    ChangeFate.NOT_MADE: "never made: it was interrupted",
    ChangeFate.ARCHIVED: "it made room for a line that is worth more",
    ChangeFate.UNDONE: "taken back",
}


def show(*, as_json: bool) -> int:
    """List the changes, newest first."""
    with app.wire().learner(reads=False) as learner:
        past = learner.changes.all()
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
    unclear = [each for each in past.changes if past.fates[each.id] is ChangeFate.UNCLEAR]
    if unclear:
        out.print(f"If you took it out yourself, say so: wisen changes refuse {unclear[-1].id}", markup=False)
    return 0


def explain(id_: str, *, as_json: bool) -> int:
    """Show one change: the difference, what it costs, and what became of it."""
    with app.wire().learner(reads=False) as learner:
        change, fate = learner.changes.get(id_)
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
    with app.wire().learner(reads=False) as learner:
        change = learner.changes.register(path, what, why, dry_run=dry_run)
    if as_json:
        print_json(_told(change, None) | {"dry_run": dry_run})
        return 0
    would = "would be remembered" if dry_run else f"is remembered as {change.id}"
    console().print(f"{change.path}: the change {would}.", markup=False)
    return 0


def refuse(id_: str, *, dry_run: bool, as_json: bool) -> int:
    """Take the user's word that he did not want a change."""
    with app.wire().learner(reads=False) as learner:
        change = learner.changes.get(id_)[0] if dry_run else learner.changes.record_rejection(id_)
    if as_json:
        print_json(_told(change, ChangeFate.REMOVED) | {"dry_run": dry_run})
        return 0
    would = "would be" if dry_run else "is"
    console().print(f"{change.path}: it {would} kept as refused, and not put back.", markup=False)
    return 0


def undo(which: str | None, *, yes: bool, dry_run: bool, as_json: bool) -> int:
    """Name a decision, ask, and take it back."""
    with app.wire().learner(reads=False) as learner:
        planned = learner.changes.undo(which, dry_run=True)
        told = _told_decision(planned.decision, planned.words) | {
            "changes": [_told(each.change, None) | {"how": each.kind} for each in planned.files]
        }
        if as_json:
            done = yes and not dry_run
            if done:
                learner.changes.undo(planned.decision.id)
            print_json(told | {"undone": done, "dry_run": dry_run})
            return 0 if done or dry_run else 1
        out = console()
        for each in planned.files:
            held, holds = (
                (text or b"").decode("utf-8", "replace").splitlines() for text in (each.old_content, each.new_content)
            )
            path = shown_path(each.change.path)
            for line in difflib.unified_diff(held, holds, path, path, lineterm="", n=1):
                out.print(line, markup=False, highlight=False)
        asked = f"Undo: {planned.words}, {_ago(learner.changes.age_of(planned.decision))}"
        if dry_run:
            out.print(f"Would undo: {asked.removeprefix('Undo: ')}", markup=False)
        elif not yes and not is_confirmed(f"{asked}?"):
            out.print("Nothing was undone. To do it without being asked: --yes")
            return 1
        else:
            learner.changes.undo(planned.decision.id)
            out.print(f"Undone: {planned.words}", markup=False)
        for each in planned.files:
            out.print(f"{shown_path(each.change.path)}: {(_WOULD if dry_run else _HOW)[each.kind.value]}", markup=False)
    return 0


def list_decisions(*, as_json: bool) -> int:
    """List what was decided, newest first."""
    with app.wire().learner(reads=False) as learner:
        found = [(each, learner.changes.describe_decision(each)) for each in reversed(learner.changes.decisions())]
        ages = [_ago(learner.changes.age_of(each)) for each, _ in found]
        forgotten = learner.forgetting.tombstones()
    if as_json:
        print_json({"decisions": [_told_decision(*each) for each in found]})
        return 0
    if not found:
        say("Nothing was decided yet.")
    for (decision, words), age in zip(found[:_SHOWN], ages, strict=False):
        state = ", undone" if decision.is_undone else ""
        say(f"{short_id(decision.id)}  {words}{state}")
        say(f"      {age}, {decision.at:%Y-%m-%d %H:%M}", dim=True)
    if len(found) > _SHOWN:
        say(f"and {len(found) - _SHOWN:,} more: wisen undo --list --json", dim=True)
    if forgotten:
        say(f"What was forgotten ({plural(len(forgotten), 'time')}) cannot be undone: wisen forget --list", dim=True)
    return 0


def _told_decision(decision: RecordedDecision, words: str) -> dict[str, object]:
    names = ("id", "at", "by", "did", "subject", "is_undone")
    told: dict[str, object] = {name: getattr(decision, name) for name in names}
    return told | {"short": short_id(decision.id), "words": words}


def _ago(age: timedelta) -> str:
    """How long ago something was, in the largest unit that fits."""
    seconds = max(0, int(age.total_seconds()))
    for size, name in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            return f"{plural(seconds // size, name)} ago"
    return "just now"


def _what(deed: EditOperation) -> str:
    """What was done, in one line."""
    if isinstance(deed, LineEdit):
        return deed.text
    if isinstance(deed, ValueEdit):
        return f"{'.'.join(map(str, deed.keys))} = {deed.new}" if deed.new else f"{'.'.join(map(str, deed.keys))} gone"
    if isinstance(deed, LineRemoval):
        gone = [line.text.decode("utf-8", "replace").strip() for line in deed.lines]
        return f"taken out: {'; '.join(gone)}"
    return deed.new.decode("utf-8", "replace").strip().partition("\n")[0]


def _told(change: Change, fate: ChangeFate | None) -> dict[str, object]:
    """A change without the bytes that undo it."""
    names = ("id", "machine", "path", "at", "why", "before", "after", "head", "undoes", "tokens")
    told: dict[str, object] = {name: getattr(change, name) for name in names}
    told["leads_to"] = leads_to(change.path)
    told["did"] = change.told or None if change.deed is None else _what(change.deed)
    return told if fate is None else told | {"fate": fate}
