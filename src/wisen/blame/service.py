"""What people and the cycle ask about instruction files: what each line costs and does, and what is decided of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wisen.errors import UsageError
from wisen.model.entry import MoveKind, Who
from wisen.model.instruction import file_subject, line_subject
from wisen.model.report import Selection
from wisen.store.one_writer import one_writer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.blame.instruction_files import Instructions
    from wisen.decisions.service import Decisions
    from wisen.edits.edit import Edit
    from wisen.edits.past import Desk
    from wisen.logs.projects import Projects
    from wisen.model.fences import Fences
    from wisen.model.fix import Evidence
    from wisen.model.instruction import Blame, Effect, Judged
    from wisen.store.home import Home


class BlameService:
    """The lines of instruction files, judged by the sessions before and after them."""

    def __init__(
        self, home: Home, projects: Projects, desk: Desk, decisions: Decisions, *, instructions: Instructions
    ) -> None:
        """Begin; `instructions` finds the files, with their history as far as anybody remembers it."""
        self._home, self._projects, self._desk, self._decisions = home, projects, desk, decisions
        self._instructions = instructions

    def get(self, path: Path) -> Blame:
        """What each line of an instruction file costs, and what the sessions tell about it.

        Raises:
            UsageError: there is no such file.
        """
        from wisen.blame import judgement

        file = judgement.remembered(self._projects, self._instructions.file(path))
        return next(judgement.blamed(self._home, [file]))

    def evidence_of(self, effect: Effect) -> tuple[Evidence, ...]:
        """The failing calls that stand behind what is said of a line, newest first."""
        from wisen.blame.judge import evidence_of

        return evidence_of(effect.calls, self._home.index.events.histories(Selection())) if effect.calls else ()

    def judge_or_recall(
        self, *, judges: bool | None, is_new: bool, fences: Fences, places: Sequence[str] = ()
    ) -> tuple[tuple[Blame, ...], tuple[Judged, ...]]:
        """Judge where something is new, in sessions or files; else what was found then. Without what is decided.

        `judges`: whether files are judged; None: where `is_new` says that sessions held something new, or a file was
        changed. With `places` only what was found in files of these directories is told.
        """
        judged, found = self._judge_or_recall(judges=judges, is_new=is_new, fences=fences)
        there = [each for each in found if not places or any(Path(each.path).is_relative_to(one) for one in places)]
        return judged, tuple(there)

    def _judge_or_recall(
        self, *, judges: bool | None, is_new: bool, fences: Fences
    ) -> tuple[tuple[Blame, ...], tuple[Judged, ...]]:
        from wisen.blame.judge import summary
        from wisen.blame.judgement import judge
        from wisen.blame.kept_judgements import keep_judgements, kept_judgements, open_judgements

        files, judges_now = self._desk.files, is_new if judges is None else judges
        kept = None if judges_now else kept_judgements(self._home, files)
        if kept is None and judges is not False:
            judged = judge(self._projects, self._instructions, fences)
            found = tuple(map(summary, judged))
            keep_judgements(self._home, files, found)
            return judged, open_judgements(self._projects, files, found)
        return (), open_judgements(self._projects, files, kept)

    def findings(self) -> tuple[Judged, ...]:
        """What the last judging of instruction files found, as far as it still holds and is not decided."""
        from wisen.blame.kept_judgements import open_judgements

        return open_judgements(self._projects, self._desk.files)

    @one_writer("blame")
    def remove_lines(self, path: Path, numbers: Sequence[int], *, dry_run: bool = False) -> Edit:
        """Take lines out of an instruction file because the user says so; it can be undone like any change.

        Raises:
            UsageError: there is no such file or line, or a line cannot be told from another one.
            PersonNeeded: nothing shows that a person says so.
            FileError: the file cannot be read or written.
        """
        from wisen.edits.edit import Editor

        file = self._instructions.file(path).path
        editor, saw = Editor(self._desk), self._desk.files.read(Path(file)).digest
        edit = editor.remove(file, numbers, "you took it out", saw, dry_run=True)
        if not dry_run:
            self._decisions.require_person("blame", file, *_line_options(numbers), "--remove")
            with self._decisions.as_decision("removed"):
                edit = Editor(self._desk).remove(file, numbers, "you took it out", saw)
        return edit

    @one_writer("blame")
    def keep_lines(self, path: Path, numbers: Sequence[int] = ()) -> None:
        """Take the user's word that lines of an instruction file stay, or all that were never relevant.

        Raises:
            UsageError: there is no such file or line.
            PersonNeeded: nothing shows that a person says so.
        """
        file = self._instructions.file(path).path
        lines = (self._desk.files.read(Path(file)).content or b"").decode("utf-8", "replace").splitlines()
        for number in numbers:
            if not 1 <= number <= len(lines):
                raise UsageError(f"{file} has no line {number}. Its lines: wisen blame {file}")
        self._decisions.require_person("blame", file, *_line_options(numbers), "--keep")
        subjects = [line_subject(file, lines[number - 1]) for number in numbers] or [file_subject(file)]
        move = self._home.scribe.move
        with self._decisions.as_decision("kept"):
            self._home.ledger.entries.enter([move(each, MoveKind.KEEP, by=Who.USER) for each in subjects])


def _line_options(numbers: Sequence[int]) -> list[str]:
    return [option for number in numbers for option in ("--line", str(number))]
