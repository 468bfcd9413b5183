"""The blame service: reports what each line of an instruction file costs and does, and removes or keeps lines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wisen.errors import UsageError
from wisen.model.entry import Actor, MoveKind
from wisen.model.instruction import file_subject, line_subject
from wisen.model.report import Selection
from wisen.store.one_writer import one_writer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.blame.instruction_files import Instructions
    from wisen.decisions.service import Decisions
    from wisen.edits.edit_history import EditPorts
    from wisen.edits.editor import Edit
    from wisen.logs.projects import Projects
    from wisen.model.error_boundaries import ErrorBoundaries
    from wisen.model.fix import Evidence
    from wisen.model.instruction import Blame, Effect, InstructionSummary
    from wisen.store.home import Home


class BlameService:
    """Judges the lines of instruction files by the sessions before and after them."""

    def __init__(
        self, home: Home, projects: Projects, edit_ports: EditPorts, decisions: Decisions, *, instructions: Instructions
    ) -> None:
        """Create the service; `instructions` finds the files, with their known history."""
        self._home, self._projects, self._edit_ports, self._decisions = home, projects, edit_ports, decisions
        self._instructions = instructions

    def get(self, path: Path) -> Blame:
        """Return what each line of an instruction file costs, and its estimated effect.

        Raises:
            UsageError: there is no such file.
        """
        from wisen.blame import judge_files

        return judge_files.blame_file(self._projects, self._instructions.file(path))

    def evidence_of(self, effect: Effect) -> tuple[Evidence, ...]:
        """Return the failing calls that are the evidence for an effect, newest first."""
        from wisen.blame.blame_summary import evidence_of

        if not effect.calls:
            return ()
        sessions = self._home.index.calls.sessions_of(effect.calls)
        return evidence_of(effect.calls, self._home.index.events.histories(Selection(sessions=sessions)))

    def judge_or_load(
        self, *, should_judge: bool | None, is_new: bool, boundaries: ErrorBoundaries, places: Sequence[str] = ()
    ) -> tuple[tuple[Blame, ...], tuple[InstructionSummary, ...]]:
        """Judge if sessions or files have changed, else load the last findings. Decided findings are left out.

        `should_judge`: whether files are judged; None: where `is_new` says that sessions have new events, or a file was
        changed. With `places` only findings about files of these directories are returned.
        """
        judged, findings = self._judge_or_load(should_judge=should_judge, is_new=is_new, boundaries=boundaries)
        selected = [
            each for each in findings if not places or any(Path(each.path).is_relative_to(one) for one in places)
        ]
        return judged, tuple(selected)

    def _judge_or_load(
        self, *, should_judge: bool | None, is_new: bool, boundaries: ErrorBoundaries
    ) -> tuple[tuple[Blame, ...], tuple[InstructionSummary, ...]]:
        from wisen.blame.judge_files import are_unchanged, judge_files
        from wisen.blame.stored_judgements import load_judgements, undecided_judgements

        files, judge_now = self._edit_ports.files, is_new if should_judge is None else should_judge
        stored = None if judge_now else load_judgements(self._home, files)
        is_current = stored is not None and are_unchanged(self._home, stored[1])
        if should_judge is not False and not is_current:
            judged = judge_files(self._projects, files, self._instructions, boundaries, search_all=should_judge is True)
            findings = undecided_judgements(self._projects, files, [each.judged for each, _ in judged])
            return tuple(blame for _, blame in judged), findings
        known = [each.judged for each in stored[1]] if stored is not None and is_current else None
        return (), undecided_judgements(self._projects, files, known)

    def findings(self) -> tuple[InstructionSummary, ...]:
        """Return the findings of the last judging that still apply and are not decided."""
        from wisen.blame.stored_judgements import undecided_judgements

        return undecided_judgements(self._projects, self._edit_ports.files)

    @one_writer("blame")
    def remove_lines(self, path: Path, numbers: Sequence[int], *, dry_run: bool = False) -> Edit:
        """Remove lines from an instruction file on the user's request; it can be undone like any change.

        Raises:
            UsageError: there is no such file or line, or a line is ambiguous.
            PersonNeeded: nothing shows that a person decides it.
            FileError: the file cannot be read or written.
        """
        from wisen.edits.editor import Editor

        file = self._instructions.file(path).path
        editor, digest = Editor(self._edit_ports), self._edit_ports.files.read(Path(file)).digest
        edit = editor.remove_lines(file, numbers, "you took it out", digest, dry_run=True)
        if not dry_run:
            self._decisions.require_person("blame", file, *_line_options(numbers), "--remove")
            with self._decisions.as_decision("removed"):
                edit = Editor(self._edit_ports).remove_lines(file, numbers, "you took it out", digest)
        return edit

    @one_writer("blame")
    def keep_lines(self, path: Path, numbers: Sequence[int] = ()) -> None:
        """Record the user's decision to keep lines of an instruction file, or all that were never relevant.

        Raises:
            UsageError: there is no such file or line.
            PersonNeeded: nothing shows that a person decides it.
        """
        file = self._instructions.file(path).path
        lines = (self._edit_ports.files.read(Path(file)).content or b"").decode("utf-8", "replace").splitlines()
        for number in numbers:
            if not 1 <= number <= len(lines):
                raise UsageError(f"{file} has no line {number}. List its lines with: wisen blame {file}")
        self._decisions.require_person("blame", file, *_line_options(numbers), "--keep")
        subjects = [line_subject(file, lines[number - 1]) for number in numbers] or [file_subject(file)]
        move = self._home.row_factory.build_move
        with self._decisions.as_decision("kept"):
            self._home.ledger.entries.record([move(each, MoveKind.KEEP, by=Actor.USER) for each in subjects])


def _line_options(numbers: Sequence[int]) -> list[str]:
    return [option for number in numbers for option in ("--line", str(number))]
