"""`wisen changes` and `wisen undo`: lists changes in files and decisions, and undoes them."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from wisen import app
from wisen.model.change import ChangeFate, FileEdit, LineEdit, LineRemoval, ValueEdit
from wisen.model.short_ids import short_id
from wisen.surfaces.cli.confirmation import is_confirmed
from wisen.surfaces.cli.render import clip, console, format_path, link_target, plural, print_json, say

if TYPE_CHECKING:
    from datetime import timedelta
    from pathlib import Path

    from wisen.model.change import Change, EditOperation
    from wisen.model.decision import RecordedDecision

_SHOWN = 20
_UNDO_RESULTS = {
    "exactly": "The file is as it was before, byte for byte.",
    "alone": "Only this change is reverted; later edits stay.",
    "already": "Nothing of it was left to revert.",
}
_UNDO_PLANS = {
    "exactly": "The file would be as it was before, byte for byte.",
    "alone": "Only this change would be reverted; later edits would stay.",
    "already": "Nothing of it is left to revert.",
}
_FATE_TEXTS = {
    ChangeFate.STANDS: "",
    ChangeFate.REWORDED: "you reworded it: it is yours now",
    ChangeFate.REMOVED: "you removed it",
    ChangeFate.UNCLEAR: "it is gone or differs, and git may have done that",
    ChangeFate.NOT_MADE: "never made: wisen was interrupted",
    ChangeFate.ARCHIVED: "it was replaced by a line that is worth more",
    ChangeFate.UNDONE: "undone",
}


def list_changes(*, as_json: bool) -> int:
    """List the changes, newest first."""
    with app.wire().learner(reads=False) as learner:
        past = learner.changes.all()
    if as_json:
        print_json({"changes": [_change_fields(each, past.fates[each.id]) for each in reversed(past.changes)]})
        return 0
    out = console()
    if not past.changes:
        out.print("wisen has not changed any of your files.")
    for change in [*reversed(past.changes)][:_SHOWN]:
        out.print(f"{change.id}  {change.at:%Y-%m-%d %H:%M}  {format_path(change.path)}", markup=False)
        what = clip(
            change.external_description if change.operation is None else _describe_operation(change.operation), 100
        )
        out.print(f"    {clip(change.why, 100)}: {what}".rstrip(": "), style="dim", markup=False)
        if state := _FATE_TEXTS[past.fates[change.id]]:
            out.print(f"    {state}", markup=False)
    if len(past.changes) > _SHOWN:
        out.print(f"and {len(past.changes) - _SHOWN:,} more: wisen changes --json", style="dim")
    unclear = [each for each in past.changes if past.fates[each.id] is ChangeFate.UNCLEAR]
    if unclear:
        out.print(f"If you removed it yourself: wisen changes refuse {unclear[-1].id}", markup=False)
    return 0


def show_change(id_: str, *, as_json: bool) -> int:
    """Show one change: its diff, what it costs, and whether it still stands."""
    with app.wire().learner(reads=False) as learner:
        change, fate = learner.changes.get(id_)
    if as_json:
        print_json(_change_fields(change, fate))
        return 0
    out = console()
    out.print(f"{format_path(change.path)}, {change.at:%Y-%m-%d %H:%M}: {change.why}", markup=False)
    for splice in change.splices:
        for sign, content in (("-", splice.old), ("+", splice.new)):
            for line in content.decode("utf-8", "replace").splitlines():
                out.print(sign + line, markup=False, style="red" if sign == "-" else "green")
    cost = change.tokens
    out.print(f"About {plural(abs(cost), 'token')} {'more' if cost >= 0 else 'less'} in every session that reads it.")
    if change.head:
        out.print(f"git tracks the file; HEAD was {change.head[:12]}, and nothing was committed for you.", markup=False)
    out.print(f"Now: {_FATE_TEXTS[fate] or 'unchanged since it was written'}.", markup=False)
    return 0


def record_change(path: Path, what: str, why: str, *, dry_run: bool, as_json: bool) -> int:
    """Record a change that somebody else made."""
    with app.wire().learner(reads=False) as learner:
        change = learner.changes.register(path, what, why, dry_run=dry_run)
    if as_json:
        print_json(_change_fields(change, None) | {"dry_run": dry_run})
        return 0
    would = "would be recorded" if dry_run else f"is recorded as {change.id}"
    console().print(f"{change.path}: the change {would}.", markup=False)
    return 0


def reject_change(id_: str, *, dry_run: bool, as_json: bool) -> int:
    """Record that the user did not want a change."""
    with app.wire().learner(reads=False) as learner:
        change = learner.changes.get(id_)[0] if dry_run else learner.changes.record_rejection(id_)
    if as_json:
        print_json(_change_fields(change, ChangeFate.REMOVED) | {"dry_run": dry_run})
        return 0
    would = "would be" if dry_run else "is"
    console().print(f"{change.path}: the change {would} recorded as rejected, and is not made again.", markup=False)
    return 0


def undo(which: str | None, *, yes: bool, dry_run: bool, as_json: bool) -> int:
    """Show a decision, ask, and undo it."""
    with app.wire().learner(reads=False) as learner:
        planned = learner.changes.undo(which, dry_run=True)
        fields = _decision_fields(planned.decision, planned.words) | {
            "changes": [_change_fields(each.change, None) | {"how": each.kind} for each in planned.files]
        }
        if as_json:
            done = yes and not dry_run
            if done:
                learner.changes.undo(planned.decision.id)
            print_json(fields | {"undone": done, "dry_run": dry_run})
            return 0 if done or dry_run else 1
        out = console()
        for each in planned.files:
            held, holds = (
                (text or b"").decode("utf-8", "replace").splitlines() for text in (each.old_content, each.new_content)
            )
            path = format_path(each.change.path)
            for line in difflib.unified_diff(held, holds, path, path, lineterm="", n=1):
                out.print(line, markup=False, highlight=False)
        asked = f"Undo: {planned.words}, {_format_age(learner.changes.age_of(planned.decision))}"
        if dry_run:
            out.print(f"Would undo: {asked.removeprefix('Undo: ')}", markup=False)
        elif not yes and not is_confirmed(f"{asked}?"):
            out.print("Nothing was undone. To undo without confirmation: --yes")
            return 1
        else:
            learner.changes.undo(planned.decision.id)
            out.print(f"Undone: {planned.words}", markup=False)
        for each in planned.files:
            out.print(
                f"{format_path(each.change.path)}: {(_UNDO_PLANS if dry_run else _UNDO_RESULTS)[each.kind.value]}",
                markup=False,
            )
    return 0


def list_decisions(*, as_json: bool) -> int:
    """List the decisions, newest first."""
    with app.wire().learner(reads=False) as learner:
        found = [(each, learner.changes.describe_decision(each)) for each in reversed(learner.changes.decisions())]
        ages = [_format_age(learner.changes.age_of(each)) for each, _ in found]
        forgotten = learner.forgetting.tombstones()
    if as_json:
        print_json({"decisions": [_decision_fields(*each) for each in found]})
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


def _decision_fields(decision: RecordedDecision, words: str) -> dict[str, object]:
    names = ("id", "at", "by", "did", "subject", "is_undone")
    fields: dict[str, object] = {name: getattr(decision, name) for name in names}
    return fields | {"short": short_id(decision.id), "words": words}


def _format_age(age: timedelta) -> str:
    """Return how long ago something was, in the largest unit that fits."""
    seconds = max(0, int(age.total_seconds()))
    for size, name in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            return f"{plural(seconds // size, name)} ago"
    return "just now"


def _describe_operation(operation: EditOperation) -> str:
    """Describe an edit operation in one line."""
    if isinstance(operation, LineEdit):
        return operation.text
    if isinstance(operation, ValueEdit):
        return (
            f"{'.'.join(map(str, operation.keys))} = {operation.new}"
            if operation.new
            else f"{'.'.join(map(str, operation.keys))} gone"
        )
    if isinstance(operation, LineRemoval):
        gone = [line.text.decode("utf-8", "replace").strip() for line in operation.lines]
        return f"removed: {'; '.join(gone)}"
    if isinstance(operation, FileEdit):
        return "the whole file" if operation.new is not None else "the file is deleted"
    return operation.new.decode("utf-8", "replace").strip().partition("\n")[0]


def _change_fields(change: Change, fate: ChangeFate | None) -> dict[str, object]:
    """Return the JSON fields of a change, without the bytes that undo it."""
    names = ("id", "machine", "path", "at", "why", "before", "after", "head", "undoes", "tokens")
    fields: dict[str, object] = {name: getattr(change, name) for name in names}
    fields["leads_to"] = link_target(change.path)
    fields["did"] = (
        change.external_description or None if change.operation is None else _describe_operation(change.operation)
    )
    return fields if fate is None else fields | {"fate": fate}
