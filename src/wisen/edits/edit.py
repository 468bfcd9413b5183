"""Edits a user's file: every change is recorded first, and can be undone exactly.

read → compare with what the plan saw → check that it can be undone → record → write → record that it was made. The
record comes before the write: a kill between them leaves a change that was not made, never one that nobody knows of.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec import structs

from wisen.edits import deeds, entry_passages, removals, values
from wisen.edits.budget import budget_of, describe_size, trimmed
from wisen.edits.managed import has_merge_conflict, managed_in, with_line, with_line_replaced, without_lines
from wisen.edits.past import past, whereabouts
from wisen.edits.splices import applied, difference, inverse
from wisen.edits.undo import Undoing, Undone, undone
from wisen.errors import FileChanged, FileError, FileFull, SettingsUnclear, UsageError
from wisen.model.change import Change, Fate, Line, Look, Passage, Splice, digest
from wisen.safety.withhold import rule_against

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from wisen.edits.past import Desk
    from wisen.edits.settings_text import Json
    from wisen.model.change import Deed, Seen


class LinePlan(NamedTuple):
    """A line to be added to a Markdown file."""

    path: str
    heading: str
    text: str
    id: str
    why: str
    saw: str
    """The digest of the file when the plan was made; empty if it did not exist."""
    may_be_full: bool = False
    """Whether the user wants the line in the file although the file exceeds its budget."""


class ValuePlan(NamedTuple):
    """A value to be set in a settings file, or removed from it."""

    path: str
    keys: tuple[str | int, ...]
    """`-` at the end appends to a list."""
    value: Json
    why: str
    saw: str
    removes: bool = False


class PassagePlan(NamedTuple):
    """A passage to be appended to a file, or to replace an earlier one of ours."""

    path: str
    new: bytes
    why: str
    saw: str
    old: bytes = b""


class Edit(NamedTuple):
    """A change that was made, with the file's content before and after."""

    change: Change
    held: bytes | None
    holds: bytes | None


class _What(NamedTuple):
    """The metadata of a change."""

    why: str
    deed: Deed | None = None
    undoes: str = ""
    told: str = ""


class Editor:
    """Edits files and undoes edits."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._last: dict[str, str] = {}
        """By path, the last change of a file that was known before the file was read."""

    def put(self, plan: LinePlan, worth: Mapping[str, float] | None = None, *, dry_run: bool = False) -> Edit:
        """Add a line; `worth` says how useful our other lines are, in case some have to make room.

        Raises:
            FileChanged: the file is not what the plan saw.
            FileFull: the file has no room for it.
            FileError: the file has merge conflicts, so its content is not decided yet.
            UsageError: the line cannot be there, or contains a secret.
        """
        _refuse_secrets(plan.text, plan.heading, plan.why)
        seen = self._seen(plan.path, plan.saw)
        content = seen.content or b""
        if has_merge_conflict(content):
            raise FileError(f"{plan.path} has merge conflicts. Resolve them first.")
        ours = [each.deed for each in past(self._desk).open(seen.real) if isinstance(each.deed, Line)]
        try:
            deed = Line(id=plan.id, heading=plan.heading.strip(), text=plan.text.strip())
            wide = deeds.again(deed, content)
            fitted = trimmed(wide, budget_of(Path(plan.path).name), ours, worth or {}, keep=deed)
            if fitted is None and not plan.may_be_full:
                raise FileFull(describe_size(plan.path, content))
            archived = fitted.archived if fitted is not None else ()
            new, block = with_line(without_lines(content, archived), deed.heading, deed.text, deed.id)
            deed = structs.replace(deed, opening=block.opening, closing=block.closing, archived=archived)
        except ValueError as error:
            raise UsageError(f"Nothing was written to {plan.path}: {error}.") from error
        return self._make(seen, new, _What(plan.why, deed), dry_run=dry_run)

    def replace(self, plan: LinePlan, old: str, *, dry_run: bool = False) -> Edit:
        """Replace the line of ours whose id is `old`; nothing else in the file changes.

        Raises:
            FileChanged: the file is not what the plan saw.
            UsageError: the old line is not there, or the new one cannot be there or contains a secret.
        """
        _refuse_secrets(plan.text, plan.why)
        seen = self._seen(plan.path, plan.saw)
        content = seen.content or b""
        before = next((each.text for each in managed_in(content) if each.id == old), "")
        try:
            new = with_line_replaced(content, old, plan.text, plan.id)
        except ValueError as error:
            raise UsageError(f"Nothing was written to {plan.path}: {error}.") from error
        heading, text = plan.heading.strip(), plan.text.strip()
        deed = Line(id=plan.id, heading=heading, text=text, instead_of=old, old=before)
        return self._make(seen, new, _What(plan.why, deed), dry_run=dry_run)

    def set(self, plan: ValuePlan, *, dry_run: bool = False) -> Edit:
        """Set a value, or remove it.

        Raises:
            FileChanged: the file is not what the plan saw.
            SettingsUnclear: the file cannot be parsed, or the change cannot be verified.
            UsageError: it contains a secret.
        """
        _refuse_secrets(plan.why, "" if plan.removes else msgspec.json.encode(plan.value).decode())
        seen = self._seen(plan.path, plan.saw)
        content = seen.content or b""
        try:
            format = values.format_of(Path(plan.path).name, content)
            if plan.removes:
                deed = values.taken_out(content, format, plan.keys)
            else:
                deed = values.planned(content, format, plan.keys, plan.value)
            new = values.onto(deed, content)
        except SettingsUnclear as error:
            raise SettingsUnclear(f"Nothing was written to {plan.path}: {error}.") from error
        return self._make(seen, new, _What(plan.why, deed), dry_run=dry_run)

    def place(self, plan: PassagePlan, *, dry_run: bool = False) -> Edit:
        """Append a passage to a file, or replace an earlier one of ours.

        Raises:
            FileChanged: the file is not what the plan saw.
            UsageError: it contains a secret, is there already, or the one it replaces is not there as it was.
        """
        _refuse_secrets(plan.why, plan.new.decode("utf-8", "replace"))
        seen = self._seen(plan.path, plan.saw)
        content = seen.content or b""
        parted = b"\n" if content and not content.endswith(b"\n") and not plan.old else b""
        deed = Passage(new=parted + plan.new, old=plan.old)
        if plan.old and not any(
            isinstance(each.deed, Passage) and each.deed.new.strip() == plan.old.strip()
            for each in past(self._desk).open(seen.real)
        ):
            raise UsageError(f"Nothing was written to {plan.path}: the passage to be replaced is not ours.")
        try:
            new = entry_passages.onto(deed, content)
        except ValueError as error:
            raise UsageError(f"Nothing was written to {plan.path}: {error}.") from error
        return self._make(seen, new, _What(plan.why, deed), dry_run=dry_run)

    def remove(self, path: str, numbers: Iterable[int], why: str, saw: str, *, dry_run: bool = False) -> Edit:
        """Remove lines of the user's own that they no longer want, by line number.

        Raises:
            FileChanged: the file is not what was seen.
            UsageError: there is no such line, or it is ambiguous.
        """
        seen = self._seen(path, saw)
        content = seen.content or b""
        try:
            deed = removals.planned(content, numbers)
            new = removals.onto(deed, content)
        except ValueError as error:
            raise UsageError(f"Nothing was removed from {path}: {error}.") from error
        return self._make(seen, new, _What(why, deed), dry_run=dry_run)

    def register(self, path: str, what: str, why: str, *, dry_run: bool = False) -> Change:
        """Record a change that somebody else made, so that its effect can be examined later.

        Raises:
            UsageError: there is no such file, or a description is missing; or it contains a secret.
            FileError: the file cannot be read.
        """
        _refuse_secrets(what, why)
        seen = self._desk.files.read(Path(path))
        if seen.content is None or not what.strip() or not why.strip():
            missing = (
                f"{path} does not exist"
                if seen.content is None
                else "The description of the change, or its reason, is empty"
            )
            raise UsageError(f"{missing}. Pass a file, what was changed in it, and why.")
        return self._make(seen, seen.content, _What(why, told=what), dry_run=dry_run).change

    def undo(self, id_: str, *, dry_run: bool = False) -> Undoing:
        """Undo a change: byte for byte if the file was not touched since, otherwise only what we added.

        Raises:
            UsageError: there is no such change, or it is unclear what of it is left: the user has to look.
            FileError: the file cannot be read or written.
        """
        known = past(self._desk)
        change = chosen(known.changes, id_)
        if change.told:
            raise UsageError(f"{change.id} was made by somebody else, who can revert it: {change.told}")
        seen = whereabouts(self._desk, change, known)
        if known.fates[change.id] in (Fate.UNDONE, Fate.NOT_MADE):
            return Undoing(change, Undone.ALREADY, seen.content, seen.content)
        moved = seen.real != known.real[change.path]
        undoing = undone(change, seen.content, () if moved else known.made(seen.real))
        if undoing.holds is None and seen.link is not None:
            undoing = undoing._replace(holds=b"")  # otherwise a dangling link would be left
        # Also if nothing is left of it: it is over, and the one before it is the last now.
        self._make(seen, undoing.holds, _What(f"undid {change.why}", undoes=change.id), dry_run=dry_run)
        return undoing

    def last(self) -> Change | None:
        """Return the newest change that was made, not undone, and is not itself an undo."""
        known = past(self._desk)
        over = (Fate.UNDONE, Fate.NOT_MADE)
        return next((each for each in reversed(known.changes) if each.deed and known.fates[each.id] not in over), None)

    def _seen(self, path: str, saw: str) -> Seen:
        before = self._desk.ledger.changes.of(machine=self._desk.machine, path=path)
        self._last[path] = before[-1].id if before else ""
        seen = self._desk.files.read(Path(path))
        if seen.digest != saw:
            raise FileChanged(f"{path} has changed since it was read. Read it again before you change it.")
        return seen

    def _make(self, seen: Seen, content: bytes | None, what: _What, *, dry_run: bool) -> Edit:
        """Record a change, make it, and record that it was made; rejected if it could not be undone exactly."""
        if content != seen.content:
            self._desk.files.link_target(Path(seen.path))  # checked before it is recorded, and in a dry run too
        old, new = seen.content or b"", content or b""
        splices = tuple(map(_narrowed, difference(old, new)))
        if applied(old, splices) != new or applied(new, inverse(splices)) != old:
            raise UsageError(f"Nothing was written to {seen.path}: the change could not be undone exactly.")
        desk = self._desk
        checkout = desk.checkouts.checkout_of(seen.real)
        change = Change(
            id=desk.ids.new(),
            machine=desk.machine,
            path=seen.path,
            at=desk.clock.now(),
            why=what.why,
            before=seen.digest,
            after=digest(content),
            splices=splices,
            deed=what.deed,
            head="" if checkout is None else checkout.head,
            undoes=what.undoes,
            told=what.told,
            follows=self._last.pop(seen.path, None),
        )
        if not dry_run:
            if not desk.ledger.changes.add(change):
                raise FileChanged(f"{seen.path} is being changed by another wisen. Look at it again in a moment.")
            desk.files.write(seen, content)
            desk.ledger.changes.add_look(look_at(desk, change, Fate.STANDS, seen.path, change.head))
        return Edit(change, seen.content, content)


def look_at(desk: Desk, change: Change, fate: Fate, path: str, head: str, text: str = "") -> Look:
    """Build the row that records what became of a change."""
    return Look(
        id=desk.ids.new(),
        change=change.id,
        machine=desk.machine,
        at=desk.clock.now(),
        fate=fate,
        path=path,
        head=head,
        text=text,
    )


def chosen(changes: Sequence[Change], id_: str) -> Change:
    """Find a change by its id or a prefix of it. Raises: UsageError."""
    fits = [each for each in changes if id_ and each.id.startswith(id_)]
    if len(fits) != 1:
        found = f"{len(fits)} changes begin with" if fits else "No change has the id"
        raise UsageError(f"{found} {id_!r}. List the ids: wisen changes")
    return fits[0]


def _refuse_secrets(*texts: str) -> None:
    rule = rule_against("\n".join(texts))
    if rule is not None:
        raise UsageError(f"The text contains something that may not be stored ({rule}). Rephrase it without that.")


def _narrowed(splice: Splice) -> Splice:
    """Trim the bytes that stay from a splice: the user's text is not stored where it is not replaced."""
    head = _same(splice.old, splice.new)
    old, new = splice.old[head:], splice.new[head:]
    tail = _same(old[::-1], new[::-1])
    return Splice(splice.at + head, old[: len(old) - tail], new[: len(new) - tail])


def _same(one: bytes, other: bytes) -> int:
    """Return the length of the common prefix."""
    pairs = zip(one, other, strict=False)
    return next((at for at, pair in enumerate(pairs) if pair[0] != pair[1]), min(len(one), len(other)))
