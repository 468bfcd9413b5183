"""What a Learner does with changes of people's files: lists them, remembers those of others, takes them back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wisen.domain.entries import REMOVED, MoveKind, Who
from wisen.domain.instructions import file_subject, line_subject
from wisen.errors import UsageError
from wisen.facade.review import Reviewer
from wisen.facade.writing import one_writer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.domain.changes import Change, Fate
    from wisen.domain.instructions import Judged
    from wisen.loop.apply.edit import Edit
    from wisen.loop.apply.past import Past
    from wisen.loop.apply.undo import Undoing


class Changer(Reviewer):
    """What a Learner does with changes of people's files."""

    def changes(self) -> Past:
        """Every change that was made to files of this machine, oldest first, and what became of each."""
        from wisen.loop.apply.past import past

        return past(self._parts.desk)

    def register(self, path: Path, what: str, why: str, *, dry_run: bool = False) -> Change:
        """Remember a change that somebody else made to a file, for later checking.

        Raises:
            UsageError: there is no such file, or nothing is said.
            FileError: the file cannot be read.
        """
        from wisen.loop.apply.edit import Editor

        return Editor(self._parts.desk).register(str(path.absolute()), what, why, dry_run=dry_run)

    def change(self, change: str) -> tuple[Change, Fate]:
        """A change by its id or the beginning of it, and what became of it.

        Raises:
            UsageError: there is no such change.
        """
        from wisen.loop.apply.edit import chosen

        known = self.changes()
        found = chosen(known.changes, change)
        return found, known.fates[found.id]

    def refuse(self, change: str) -> Change:
        """Take the user's word that what a change put in is gone because they did not want it.

        Raises:
            UsageError: there is no such change.
        """
        from wisen.loop.apply.edit import chosen
        from wisen.loop.apply.notice import refuse

        self.require_person("changes", "refuse", chosen(self.changes().changes, change).id)
        refused = refuse(self._parts.desk, change)
        self.took_back(refused, f"{REMOVED}{refused.path}")
        return refused

    @one_writer("blame")
    def remove_lines(self, path: Path, numbers: Sequence[int], *, dry_run: bool = False) -> Edit:
        """Take lines out of an instruction file because the user says so; it can be undone like any change.

        Raises:
            UsageError: there is no such file or line, or a line cannot be told from another one.
            PersonNeeded: nothing shows that a person says so.
            FileError: the file cannot be read or written.
        """
        from wisen.loop.apply.edit import Editor

        file = self._parts.instructions.file(path).path
        editor, saw = Editor(self._parts.desk), self._parts.files.read(Path(file)).digest
        edit = editor.remove(file, numbers, "you took it out", saw, dry_run=True)
        if not dry_run:
            self.require_person("blame", file, *_line_options(numbers), "--remove")
            edit = editor.remove(file, numbers, "you took it out", saw)
        return edit

    @one_writer("blame")
    def keep_lines(self, path: Path, numbers: Sequence[int] = ()) -> None:
        """Take the user's word that lines of an instruction file stay, or all that were never relevant.

        Raises:
            UsageError: there is no such file or line.
            PersonNeeded: nothing shows that a person says so.
        """
        file = self._parts.instructions.file(path).path
        lines = (self._parts.files.read(Path(file)).content or b"").decode("utf-8", "replace").splitlines()
        for number in numbers:
            if not 1 <= number <= len(lines):
                raise UsageError(f"{file} has no line {number}. Its lines: wisen blame {file}")
        self.require_person("blame", file, *_line_options(numbers), "--keep")
        subjects = [line_subject(file, lines[number - 1]) for number in numbers] or [file_subject(file)]
        move = self._parts.scribe.move
        self._parts.ledger.enter([move(each, MoveKind.KEEP, by=Who.USER) for each in subjects])

    def findings(self) -> tuple[Judged, ...]:
        """What the last judging of instruction files found, as far as it still holds and is not decided."""
        from wisen.steps.kept_judgements import open_judgements

        return open_judgements(self._parts)

    @one_writer("undo")
    def undo(self, change: str | None = None, *, dry_run: bool = False) -> Undoing:
        """Take a change back by its id or the beginning of it, or the last one; `dry_run` only says what would be.

        Raises:
            UsageError: there is no such change, or a person has to look at what is left of it.
            FileError: the file cannot be read or written.
        """
        from wisen.loop.apply.edit import Editor

        editor = Editor(self._parts.desk)
        if change is None:
            last = editor.last()
            if last is None:
                raise UsageError("There is no change to undo. What was changed: wisen changes")
            change = last.id
        if not dry_run:
            self.require_person("changes", "revert", editor.undo(change, dry_run=True).change.id)
        undoing = editor.undo(change, dry_run=dry_run)
        if not dry_run:
            self.took_back(undoing.change)
        return undoing


def _line_options(numbers: Sequence[int]) -> list[str]:
    return [option for number in numbers for option in ("--line", str(number))]
