"""Edits a user's file: every change is recorded first, and can be undone exactly.

read → compare with what the plan saw → check that it can be undone → record → write → record that it was made. The
record comes before the write: a kill between them leaves a change that was not made, never one that nobody knows of.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec import structs

from wisen.edits import edit_operations, entry_passages, removals, setting_values
from wisen.edits.budget import budget_of, describe_size, trim_to_budget
from wisen.edits.edit_history import edit_history, locate_change
from wisen.edits.managed_lines import has_merge_conflict, insert_line, managed_lines, remove_lines, replace_line
from wisen.edits.splices import apply_splices, diff, invert
from wisen.edits.undo import UndoKind, UndoResult, compute_undo
from wisen.errors import FileChanged, FileError, FileFull, SettingsUnclear, UsageError
from wisen.model.change import Change, ChangeCheck, ChangeFate, FileEdit, LineEdit, PassageEdit, Splice, content_digest
from wisen.safety.withhold import rule_against

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from wisen.edits.edit_history import EditPorts
    from wisen.edits.settings_text import Json
    from wisen.model.change import EditOperation, FileVersion


class LinePlan(NamedTuple):
    """A line to be added to a Markdown file."""

    path: str
    heading: str
    text: str
    id: str
    reason: str
    seen_digest: str
    """The digest of the file when the plan was made; empty if it did not exist."""
    may_be_full: bool = False
    """Whether the user wants the line in the file although the file exceeds its budget."""


class ValuePlan(NamedTuple):
    """A value to be set in a settings file, or removed from it."""

    path: str
    keys: tuple[str | int, ...]
    """`-` at the end appends to a list."""
    value: Json
    reason: str
    seen_digest: str
    removes: bool = False


class PassagePlan(NamedTuple):
    """A passage to be appended to a file, or to replace an earlier one of ours."""

    path: str
    new: bytes
    reason: str
    seen_digest: str
    old: bytes = b""


class Edit(NamedTuple):
    """A change that was made, with the file's content before and after."""

    change: Change
    old_content: bytes | None
    new_content: bytes | None


class _ChangeInfo(NamedTuple):
    """The metadata of a change."""

    reason: str
    operation: EditOperation | None = None
    undoes: str = ""
    description: str = ""


class Editor:
    """Edits files and undoes edits."""

    def __init__(self, edit_ports: EditPorts) -> None:
        self._edit_ports = edit_ports
        self._last: dict[str, str] = {}
        """By path, the last change of a file that was known before the file was read."""

    def add_line(self, plan: LinePlan, worth: Mapping[str, float] | None = None, *, dry_run: bool = False) -> Edit:
        """Add a line; `worth` says how useful our other lines are, in case some have to make room.

        Raises:
            FileChanged: the file is not what the plan saw.
            FileFull: the file has no room for it.
            FileError: the file has merge conflicts, so its content is not decided yet.
            UsageError: the line cannot be there, or contains a secret.
        """
        _reject_secrets(plan.text, plan.heading, plan.reason)
        seen = self._read_checked(plan.path, plan.seen_digest)
        content = seen.content or b""
        if has_merge_conflict(content):
            raise FileError(f"{plan.path} has merge conflicts. Resolve them first.")
        ours = [
            each.operation
            for each in edit_history(self._edit_ports).open_changes(seen.real_path)
            if isinstance(each.operation, LineEdit)
        ]
        try:
            operation = LineEdit(id=plan.id, heading=plan.heading.strip(), text=plan.text.strip())
            untrimmed = edit_operations.reapply(operation, content)
            fitted = trim_to_budget(untrimmed, budget_of(Path(plan.path).name), ours, worth or {}, keep=operation)
            if fitted is None and not plan.may_be_full:
                raise FileFull(describe_size(plan.path, content))
            archived = fitted.archived if fitted is not None else ()
            new, block = insert_line(remove_lines(content, archived), operation.heading, operation.text, operation.id)
            operation = structs.replace(operation, opening=block.opening, closing=block.closing, archived=archived)
        except ValueError as error:
            raise UsageError(f"Nothing was written to {plan.path}: {error}.") from error
        return self._apply_change(seen, new, _ChangeInfo(plan.reason, operation), dry_run=dry_run)

    def replace_line(self, plan: LinePlan, old: str, *, dry_run: bool = False) -> Edit:
        """Replace the line of ours whose id is `old`; nothing else in the file changes.

        Raises:
            FileChanged: the file is not what the plan saw.
            UsageError: the old line is not there, or the new one cannot be there or contains a secret.
        """
        _reject_secrets(plan.text, plan.reason)
        seen = self._read_checked(plan.path, plan.seen_digest)
        content = seen.content or b""
        before = next((each.text for each in managed_lines(content) if each.id == old), "")
        try:
            new = replace_line(content, old, plan.text, plan.id)
        except ValueError as error:
            raise UsageError(f"Nothing was written to {plan.path}: {error}.") from error
        heading, text = plan.heading.strip(), plan.text.strip()
        operation = LineEdit(id=plan.id, heading=heading, text=text, instead_of=old, old=before)
        return self._apply_change(seen, new, _ChangeInfo(plan.reason, operation), dry_run=dry_run)

    def set_value(self, plan: ValuePlan, *, dry_run: bool = False) -> Edit:
        """Set a value, or remove it.

        Raises:
            FileChanged: the file is not what the plan saw.
            SettingsUnclear: the file cannot be parsed, or the change cannot be verified.
            UsageError: it contains a secret.
        """
        _reject_secrets(plan.reason, "" if plan.removes else msgspec.json.encode(plan.value).decode())
        seen = self._read_checked(plan.path, plan.seen_digest)
        content = seen.content or b""
        try:
            format = setting_values.format_of(Path(plan.path).name, content)
            if plan.removes:
                operation = setting_values.plan_removal(content, format, plan.keys)
            else:
                operation = setting_values.plan_value(content, format, plan.keys, plan.value)
            new = setting_values.apply(operation, content)
        except SettingsUnclear as error:
            raise SettingsUnclear(f"Nothing was written to {plan.path}: {error}.") from error
        return self._apply_change(seen, new, _ChangeInfo(plan.reason, operation), dry_run=dry_run)

    def add_passage(self, plan: PassagePlan, *, dry_run: bool = False) -> Edit:
        """Append a passage to a file, or replace an earlier one of ours.

        Raises:
            FileChanged: the file is not what the plan saw.
            UsageError: it contains a secret, is there already, or the one it replaces is not there as it was.
        """
        _reject_secrets(plan.reason, plan.new.decode("utf-8", "replace"))
        seen = self._read_checked(plan.path, plan.seen_digest)
        content = seen.content or b""
        separator = b"\n" if content and not content.endswith(b"\n") and not plan.old else b""
        operation = PassageEdit(new=separator + plan.new, old=plan.old)
        if plan.old and not any(
            isinstance(each.operation, PassageEdit) and each.operation.new.strip() == plan.old.strip()
            for each in edit_history(self._edit_ports).open_changes(seen.real_path)
        ):
            raise UsageError(f"Nothing was written to {plan.path}: the passage to be replaced is not ours.")
        try:
            new = entry_passages.apply(operation, content)
        except ValueError as error:
            raise UsageError(f"Nothing was written to {plan.path}: {error}.") from error
        return self._apply_change(seen, new, _ChangeInfo(plan.reason, operation), dry_run=dry_run)

    def write_file(
        self, path: str, content: bytes | None, reason: str, seen_digest: str, *, dry_run: bool = False
    ) -> Edit:
        """Write a whole file, or delete it: undone exactly as long as nobody edits it.

        Raises:
            FileChanged: the file is not what was seen.
            UsageError: it contains a secret.
            FileError: the file cannot be read or written.
        """
        _reject_secrets(reason, (content or b"").decode("utf-8", "replace"))
        seen = self._read_checked(path, seen_digest)
        return self._apply_change(seen, content, _ChangeInfo(reason, FileEdit(new=content)), dry_run=dry_run)

    def remove_lines(
        self, path: str, numbers: Iterable[int], reason: str, seen_digest: str, *, dry_run: bool = False
    ) -> Edit:
        """Remove lines of the user's own that they no longer want, by line number.

        Raises:
            FileChanged: the file is not what was seen.
            UsageError: there is no such line, or it is ambiguous.
        """
        seen = self._read_checked(path, seen_digest)
        content = seen.content or b""
        try:
            operation = removals.plan_removal(content, numbers)
            new = removals.apply(operation, content)
        except ValueError as error:
            raise UsageError(f"Nothing was removed from {path}: {error}.") from error
        return self._apply_change(seen, new, _ChangeInfo(reason, operation), dry_run=dry_run)

    def register_change(self, path: str, description: str, reason: str, *, dry_run: bool = False) -> Change:
        """Record a change that somebody else made, so that its effect can be examined later.

        Raises:
            UsageError: there is no such file, or a description is missing; or it contains a secret.
            FileError: the file cannot be read.
        """
        _reject_secrets(description, reason)
        seen = self._edit_ports.files.read(Path(path))
        if seen.content is None or not description.strip() or not reason.strip():
            missing = (
                f"{path} does not exist"
                if seen.content is None
                else "The description of the change, or its reason, is empty"
            )
            raise UsageError(f"{missing}. Pass a file, what was changed in it, and why.")
        return self._apply_change(
            seen, seen.content, _ChangeInfo(reason, description=description), dry_run=dry_run
        ).change

    def undo(self, id_: str, *, dry_run: bool = False) -> UndoResult:
        """Undo a change: byte for byte if the file was not touched since, otherwise only what we added.

        Raises:
            UsageError: there is no such change, or it is unclear what of it is left: the user has to look.
            FileError: the file cannot be read or written.
        """
        known = edit_history(self._edit_ports)
        change = find_change(known.changes, id_)
        if change.external_description:
            raise UsageError(f"{change.id} was made by somebody else, who can revert it: {change.external_description}")
        seen = locate_change(self._edit_ports, change, known)
        if known.fates[change.id] in (ChangeFate.UNDONE, ChangeFate.NOT_MADE):
            return UndoResult(change, UndoKind.ALREADY, seen.content, seen.content)
        was_moved = seen.real_path != known.real_paths[change.path]
        undoing = compute_undo(change, seen.content, () if was_moved else known.changes_to(seen.real_path))
        if undoing.new_content is None and seen.link is not None:
            undoing = undoing._replace(new_content=b"")  # otherwise a dangling link would be left
        # Also if nothing is left of it: it is over, and the one before it is the last now.
        self._apply_change(
            seen, undoing.new_content, _ChangeInfo(f"undid {change.why}", undoes=change.id), dry_run=dry_run
        )
        return undoing

    def last_change(self) -> Change | None:
        """Return the newest change that was made, not undone, and is not itself an undo."""
        known = edit_history(self._edit_ports)
        closed_fates = (ChangeFate.UNDONE, ChangeFate.NOT_MADE)
        return next(
            (each for each in reversed(known.changes) if each.operation and known.fates[each.id] not in closed_fates),
            None,
        )

    def _read_checked(self, path: str, seen_digest: str) -> FileVersion:
        before = self._edit_ports.ledger.changes.of(machine=self._edit_ports.machine, path=path)
        self._last[path] = before[-1].id if before else ""
        seen = self._edit_ports.files.read(Path(path))
        if seen.digest != seen_digest:
            raise FileChanged(f"{path} has changed since it was read. Read it again before you change it.")
        return seen

    def _apply_change(self, seen: FileVersion, content: bytes | None, info: _ChangeInfo, *, dry_run: bool) -> Edit:
        """Record a change, make it, and record that it was made; rejected if it could not be undone exactly."""
        if content != seen.content:
            self._edit_ports.files.link_target(Path(seen.path))  # checked before it is recorded, and in a dry run too
        old, new = seen.content or b"", content or b""
        splices = tuple(map(_narrow, diff(old, new)))
        if apply_splices(old, splices) != new or apply_splices(new, invert(splices)) != old:
            raise UsageError(f"Nothing was written to {seen.path}: the change could not be undone exactly.")
        edit_ports = self._edit_ports
        checkout = edit_ports.checkouts.checkout_of(seen.real_path)
        change = Change(
            id=edit_ports.ids.new(),
            machine=edit_ports.machine,
            path=seen.path,
            at=edit_ports.clock.now(),
            why=info.reason,
            before=seen.digest,
            after=content_digest(content),
            splices=splices,
            operation=info.operation,
            head="" if checkout is None else checkout.head,
            undoes=info.undoes,
            external_description=info.description,
            follows=self._last.pop(seen.path, None),
        )
        if not dry_run:
            if not edit_ports.ledger.changes.add(change):
                raise FileChanged(f"{seen.path} is being changed by another wisen. Look at it again in a moment.")
            if not change.external_description:  # what others did is there already, whatever they do next
                edit_ports.files.write(seen, content)
            edit_ports.ledger.changes.add_check(
                build_check(edit_ports, change, ChangeFate.STANDS, seen.path, change.head)
            )
        return Edit(change, seen.content, content)


def build_check(
    edit_ports: EditPorts, change: Change, fate: ChangeFate, path: str, head: str, text: str = ""
) -> ChangeCheck:
    """Build the row that records what became of a change."""
    return ChangeCheck(
        id=edit_ports.ids.new(),
        change=change.id,
        machine=edit_ports.machine,
        at=edit_ports.clock.now(),
        fate=fate,
        path=path,
        head=head,
        text=text,
    )


def find_change(changes: Sequence[Change], id_: str) -> Change:
    """Find a change by its id or a prefix of it. Raises: UsageError."""
    matches = [each for each in changes if id_ and each.id.startswith(id_)]
    if len(matches) != 1:
        problem = f"{len(matches)} changes begin with" if matches else "No change has the id"
        raise UsageError(f"{problem} {id_!r}. List the ids: wisen changes")
    return matches[0]


def _reject_secrets(*texts: str) -> None:
    rule = rule_against("\n".join(texts))
    if rule is not None:
        raise UsageError(f"The text contains something that may not be stored ({rule}). Rephrase it without that.")


def _narrow(splice: Splice) -> Splice:
    """Trim the bytes that stay from a splice: the user's text is not stored where it is not replaced."""
    head = _common_prefix(splice.old, splice.new)
    old, new = splice.old[head:], splice.new[head:]
    tail = _common_prefix(old[::-1], new[::-1])
    return Splice(splice.at + head, old[: len(old) - tail], new[: len(new) - tail])


def _common_prefix(one: bytes, other: bytes) -> int:
    """Return the length of the common prefix."""
    pairs = zip(one, other, strict=False)
    return next((at for at, pair in enumerate(pairs) if pair[0] != pair[1]), min(len(one), len(other)))
