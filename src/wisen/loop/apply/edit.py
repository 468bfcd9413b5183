"""The one door for edits of a person's file: what is done is recorded first, and can be undone exactly.

read → compare with what the plan saw → see that it can be undone → record → write. The record comes before the write:
a kill between them leaves a change that was not made, never one that nobody knows of.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from wisen.domain.changes import Change, Splice, digest
from wisen.errors import FileChanged, UsageError
from wisen.loop.apply.budget import budget_of, trimmed
from wisen.loop.apply.managed import Block, managed_in, with_line, without_line
from wisen.loop.apply.splices import applied, difference, inverse
from wisen.safety.withhold import rule_against

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wisen.domain.changes import Seen
    from wisen.ports import Clock, Files, Ids, Ledger


class LinePlan(NamedTuple):
    """A line that is to be put into a file."""

    path: str
    heading: str
    text: str
    id: str
    why: str
    saw: str
    """The digest of what the file held when the plan was made; empty where it was not there."""


class Undone(StrEnum):
    """How a change was taken back."""

    EXACTLY = "exactly"
    """The file holds what it held before, byte for byte."""
    ALONE = "alone"
    """Only what we put in went; what others wrote since stays."""
    ALREADY = "already"
    """There was nothing left of it."""


class Undoing(NamedTuple):
    """A change that is taken back: how, and what the file held and holds."""

    change: Change
    how: Undone
    held: bytes
    holds: bytes


class Editor:
    """Edits files, and takes edits back."""

    def __init__(self, files: Files, ledger: Ledger, clock: Clock, ids: Ids, machine: str) -> None:
        self._files = files
        self._ledger = ledger
        self._clock = clock
        self._ids = ids
        self._machine = machine

    def put(self, plan: LinePlan, worth: Mapping[str, float] | None = None) -> Change:
        """Put a line in; `worth` says how useful our other lines are, should some have to make room.

        Raises:
            FileChanged: the file is not what the plan saw.
            UsageError: the line cannot stand there, holds a secret, or the file has no room for it.
        """
        rule = rule_against("\n".join((plan.text, plan.heading, plan.why)))
        if rule is not None:
            raise UsageError(f"The line holds what may not be stored ({rule}). Word it without that.")
        seen = self._files.read(Path(plan.path))
        if seen.digest != plan.saw:
            raise FileChanged(f"{plan.path} is no longer what it was. Look at it again before it is changed.")
        try:
            new, block = with_line(seen.content or b"", plan.heading, plan.text, plan.id)
        except ValueError as error:
            raise UsageError(f"Nothing was written to {plan.path}: {error}.") from error
        ours = {each.line: each.text for each in self._ledger.changes(machine=self._machine, path=seen.path)}
        fitted = trimmed(new, budget_of(Path(plan.path).name), ours, worth or {}, keep=plan.id)
        if fitted is None:
            raise UsageError(f"{plan.path} is full, and not of lines of ours. Shorten it, or choose another file.")
        if fitted.archived:
            # What makes room is a change of its own: it can be taken back without the new line.
            names = ", ".join(fitted.archived)
            seen = self._make(seen, _without(seen.content or b"", fitted.archived), why=f"made room: {names}")[1]
            new, block = with_line(seen.content or b"", plan.heading, plan.text, plan.id)
        change, _ = self._make(
            seen, new, why=plan.why, line=plan.id, text=plan.text.strip(), heading=plan.heading.strip(),
            opening=block.opening, closing=block.closing,
        )  # fmt: skip
        return change

    def undo(self, id_: str, *, dry_run: bool = False) -> Undoing:
        """Take a change back: exactly where the file was not touched since, else only what we put in.

        Raises:
            UsageError: there is no such change, or it cannot be told what of it is left: a person has to look.
            FileError: the file cannot be read or written.
        """
        change = self._change(id_)
        seen = self._files.read(Path(change.path))
        others = self._ledger.changes(machine=self._machine, path=change.path)
        if any(each.undoes == change.id for each in others):
            return Undoing(change, Undone.ALREADY, seen.content or b"", seen.content or b"")
        how, content = self._undone(change, seen)
        if not dry_run:
            # Also where nothing is left of it: it is over, and the one before it is the last now.
            self._make(seen, content, why=f"undid {change.why}", undoes=change.id)
        return Undoing(change, how, seen.content or b"", content or b"")

    def last(self) -> Change | None:
        """The newest change that was not taken back, and takes none back itself."""
        made = self.changes()
        undone = {each.undoes for each in made}
        return next((each for each in reversed(made) if not each.undoes and each.id not in undone), None)

    def changes(self) -> tuple[Change, ...]:
        """Every change of this machine's files, oldest first."""
        return self._ledger.changes(machine=self._machine)

    def _undone(self, change: Change, seen: Seen) -> tuple[Undone, bytes | None]:
        """What a file holds when a change is taken back."""
        if seen.digest == change.before:
            return Undone.ALREADY, seen.content
        if seen.digest == change.after:
            old = applied(seen.content or b"", inverse(change.splices))
            return Undone.EXACTLY, old if change.before else None
        left = self._left(change, seen)
        if left == (seen.content or b""):
            return Undone.ALREADY, seen.content
        return Undone.ALONE, self._or_none(left, change.path)

    def _or_none(self, content: bytes, path: str) -> bytes | None:
        """A file that we made goes when nothing is left in it."""
        first = self._ledger.changes(machine=self._machine, path=path)[0]
        return content if content or first.before else None

    def _left(self, change: Change, seen: Seen) -> bytes:
        """What a file that others touched holds without a change of ours."""
        content = seen.content or b""
        if not change.line:
            raise UsageError(
                f"{change.path} was changed since, and it cannot be told what is left of {change.id}. Look at the file."
            )
        stands = next((each for each in managed_in(content) if each.id == change.line), None)
        if stands is None or stands.text != change.text:
            return content  # he took it out, or made it his own
        return without_line(content, change.line, self._blocks(change))

    def _blocks(self, change: Change) -> list[Block]:
        """What was put around the lines that this one stands among: with it, or with the first of them before it."""
        around = [
            Block(each.opening, each.closing)
            for each in self._ledger.changes(machine=self._machine, path=change.path)
            if each.id <= change.id and each.heading == change.heading and (each.opening or each.closing)
        ]
        return around[-1:]

    def _change(self, id_: str) -> Change:
        fits = [each for each in self.changes() if id_ and each.id.startswith(id_)]
        if len(fits) != 1:
            found = f"{len(fits)} changes begin with" if fits else "No change has the id"
            raise UsageError(f"{found} {id_!r}. The ids stand beside the changes: wisen changes")
        return fits[0]

    def _make(self, seen: Seen, content: bytes | None, **what: str | bytes) -> tuple[Change, Seen]:
        """Record a change, then make it; refused where it could not be undone exactly."""
        old, new = seen.content or b"", content or b""
        splices = tuple(map(_narrowed, difference(old, new)))
        if applied(old, splices) != new or applied(new, inverse(splices)) != old:
            raise UsageError(f"Nothing was written to {seen.path}: the change could not be undone exactly.")
        change = Change(
            id=self._ids.new(),
            machine=self._machine,
            path=seen.path,
            at=self._clock.now(),
            why="",
            before=seen.digest,
            after=digest(content),
            splices=splices,
        )
        change = structs.replace(change, **what)
        self._ledger.change(change)
        return change, self._files.write(seen, content)


def _narrowed(splice: Splice) -> Splice:
    """A splice without the bytes that stay: what a person wrote is not kept where it is not replaced."""
    head = _same(splice.old, splice.new)
    old, new = splice.old[head:], splice.new[head:]
    tail = _same(old[::-1], new[::-1])
    return Splice(splice.at + head, old[: len(old) - tail], new[: len(new) - tail])


def _same(one: bytes, other: bytes) -> int:
    """With how many equal bytes both begin."""
    pairs = zip(one, other, strict=False)
    return next((at for at, pair in enumerate(pairs) if pair[0] != pair[1]), min(len(one), len(other)))


def _without(content: bytes, ids: tuple[str, ...]) -> bytes:
    for id_ in ids:
        content = without_line(content, id_)
    return content
