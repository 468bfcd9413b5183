"""What people and the cycle ask of memory: days, summaries, and whatever can be found again."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from wisen.errors import UsageError
from wisen.memory.memory_overview import Day, MemoryCounts, MemoryOverview
from wisen.memory.memory_search import MemorySearch
from wisen.memory.summary_text import NAME, parse_session, write_summary
from wisen.model.context import NOWHERE
from wisen.model.memory import BRIEFING_TOKENS
from wisen.model.report import Selection
from wisen.model.summary import DayLine, DayMark
from wisen.text import daily

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from wisen.edits.edit_history import Desk
    from wisen.logs.projects import Projects
    from wisen.memory.memory_search import Praised
    from wisen.memory.notebook_files import Notebooks
    from wisen.memory.summary_writer import SummaryWriter
    from wisen.model.entry_state import EntryState
    from wisen.model.error_boundaries import ErrorBoundaries
    from wisen.model.failure import SessionFindings
    from wisen.model.history import History
    from wisen.model.memory import Briefing, Memory, MemoryKind, RecallResult
    from wisen.model.signal import RecordedSignal
    from wisen.store.home import Home

    Listener = Callable[[], Callable[[History], tuple[RecordedSignal, ...]]]
    """Makes what tells the signals of a session, with the phrases that are the user's own by now."""

_MAX_NOTE = 500


class AddedNote(NamedTuple):
    """A line that was put down, or would be."""

    path: Path
    line: DayLine
    is_new: bool
    """Whether it did not stand there before."""


class SummaryText(NamedTuple):
    """A summary as it is kept, or would be."""

    name: str
    """What its file is called; empty where it has none."""
    text: str


class MemoryService:
    """What can be found again, and what is kept of days and sessions."""

    def __init__(
        self,
        home: Home,
        projects: Projects,
        desk: Desk,
        *,
        notebooks: Notebooks,
        detector: Listener,
        count_praise: Praised,
    ) -> None:
        """Begin with the notebooks that agents keep, with what hears the user, and with what praise speaks for."""
        self._home, self._projects, self._desk, self._files = home, projects, desk, desk.files
        self._notebooks, self._detector = notebooks, detector
        self._search = MemorySearch(home, projects, count_praise)

    def recall(  # noqa: PLR0913 - what can be asked, each by its name
        self,
        question: str,
        place: Path,
        *,
        everywhere: bool = False,
        days: float | None = None,
        kinds: tuple[MemoryKind, ...] = (),
        limit: int = 10,
        local: bool = True,
    ) -> RecallResult:
        """What answers a question, best first: from the context of `place` and what holds everywhere, or from all.

        `local`: whether also by what was typed to models on the user's own machine.

        Raises:
            UsageError: the question holds no word, or a number makes no sense.
        """
        return self._search.recall(
            question, place, everywhere=everywhere, days=days, kinds=kinds, limit=limit, local=local
        )

    def neighbours(self, memory: Memory, reach: int) -> tuple[Memory, ...]:
        """What stands around a memory in its session or file."""
        return self._search.neighbours(memory, reach)

    def brief(self, prompt: str, place: Path, *, budget: int = BRIEFING_TOKENS, local: bool = True) -> Briefing:
        """What a task needs to know, within a budget of tokens; `local` as for `recall`.

        Raises:
            UsageError: the budget is not a number of tokens.
        """
        return self._search.brief(prompt, place, budget=budget, local=local)

    def summary_writer(self) -> SummaryWriter:
        """A new diary, for what the sessions of a turn come to."""
        from wisen.memory.summary_writer import SummaryWriter

        return SummaryWriter(self._home, self._files)

    def index_sessions(
        self, writer: SummaryWriter, sessions: Sequence[tuple[History, SessionFindings]], boundaries: ErrorBoundaries
    ) -> None:
        """Note what sessions came to, and have found again what was typed in them and how it was reached."""
        from wisen.memory.index_memories import index_isolated, summarize_session

        index_isolated(
            self._home, [(*each, summarize_session(writer, *each, boundaries)) for each in sessions], boundaries
        )

    def refresh(self, states: Iterable[EntryState]) -> None:
        """Have found again what was learnt, and what people and other systems noted down; what is gone is not."""
        from wisen.memory.index_memories import refresh_memories

        refresh_memories(self._projects, self._files, self._notebooks, states)

    def remove_written(
        self, context: str, sessions: Collection[tuple[str, str]], sources: Collection[str]
    ) -> list[str]:
        """Take out what was written below the home of a context's sessions, and lines of days that tell of turns.

        Returns the keys of the summaries that are gone: they can be written anew.
        """
        from wisen.memory.memory_files import memory_folder, remove_written

        return remove_written(self._files, memory_folder(self._home.path, context), sessions, sources)

    def add_note(self, text: str, place: Path, *, mark: str = DayMark.NOTE, dry_run: bool = False) -> AddedNote:
        """Put a line to the end of today, for the project that a directory belongs to.

        Raises:
            UsageError: the mark is none that there is, or the text is empty, too long or holds a secret.
            FileError: the file cannot be read or written.
        """
        from wisen.memory.index_memories import index_day
        from wisen.memory.workspace_files import append_lines
        from wisen.safety.withhold import rule_against

        if mark not in list(DayMark):
            raise UsageError(f"--mark {mark!r} is none of {', '.join(DayMark)}. Give one of them, or leave it out.")
        note_text = daily.told(text)
        if not note_text or len(note_text) > _MAX_NOTE:
            problem = f"The note has {len(note_text)} characters" if note_text else "There is nothing to note"
            raise UsageError(f"{problem}. Give a text of 1 to {_MAX_NOTE} characters.")
        rule = rule_against(text)
        if rule is not None:
            raise UsageError(f"The note holds what may not be stored ({rule}). Word it without that.")
        home, files = self._home, self._files
        now = home.local(home.clock.now())
        line = DayLine(mark=DayMark(mark), time=f"{now:%H:%M}", text=note_text)
        workspace = self._workspace_memory(place)
        path = (workspace or self._home_folder(place)) / f"{now:%Y-%m-%d}.md"
        if workspace is not None:
            is_new = append_lines(self._desk, path, [line], why="a note", dry_run=dry_run) is not None
        else:
            seen = files.read(path)
            addition = daily.added(seen.content or b"", [line], title=path.stem)
            is_new = bool(addition)
            if is_new and not dry_run:
                files.write(seen, (seen.content or b"") + addition)
        if is_new and not dry_run:
            index_day(home, files, self._projects.context_of(place), path)
        return AddedNote(path, line, is_new=is_new)

    def overview(self, place: Path) -> MemoryOverview:
        """What is kept of the project that a directory belongs to, and of all."""
        from wisen.model.entry import EntryStatus
        from wisen.model.entry_state import fold_entry_states

        key = self._projects.context_of(place)
        ledger, index = self._home.ledger, self._home.index
        name = next((each.name for each in ledger.contexts.all() if each.key == key), "")
        entries = [
            each
            for each in fold_entry_states(ledger.entries.all(), ledger.entries.tallies(), ledger.moves.all())
            if not each.merged_into
        ]
        by_context = index.memories.contexts()
        places = tuple(self._projects.places_by_context().get(key, ()))

        def count(selection: Selection | None, context: str | None) -> MemoryCounts:
            selected = [each for each in entries if context is None or each.context == context]
            return MemoryCounts(
                0 if selection is None else index.events.counts(selection).sessions,
                len(selected),
                sum(each.status is EntryStatus.PROMOTED for each in selected),
                sum(by_context.values()) if context is None else by_context.get(context, 0),
            )

        here = count(Selection(places=places) if places else None, key or NOWHERE)
        return MemoryOverview(name, here, count(Selection(), None), self.days(place), self.summaries(place))

    def days(self, place: Path) -> tuple[Day, ...]:
        """The days of the project that a directory belongs to, newest first: its own, and those below the home."""
        found = [
            Day(path.stem, path, daily.read_day(self._text(path)))
            for folder in self._folders(place)
            for path in folder.glob("*.md")
            if daily.NAME.fullmatch(path.name)
        ]
        return tuple(sorted(found, key=lambda each: (each.day, str(each.path)), reverse=True))

    def summaries(self, place: Path) -> tuple[Path, ...]:
        """The summaries of the project that a directory belongs to, newest first."""
        from wisen.memory.memory_files import SESSIONS

        found = (path for folder in self._folders(place) for path in (folder / SESSIONS).glob("*.md"))
        ours = (path for path in found if NAME.fullmatch(path.name))
        return tuple(sorted(ours, key=lambda path: (path.name, str(path)), reverse=True))

    def summary_of(self, session: str, place: Path) -> tuple[SummaryText, ...]:
        """The summaries of a session by the name of a file, or by how the agent's id begins.

        One that has no file is made from what was read; a session that worked in several projects has several.

        Raises:
            UsageError: there is no such session, or it came to nothing that could be told.
        """
        files = self.summaries(place)
        by_name = [path for path in files if path.stem == session.removesuffix(".md")]
        if by_name:
            return tuple(SummaryText(path.name, self._text(path)) for path in by_name)
        by_session = [(path, text) for path in files if _is_summary_of(text := self._text(path), session)]
        if by_session:
            return tuple(SummaryText(path.name, text) for path, text in sorted(by_session))
        sessions = self._mined_sessions(Selection(), session) if session else ()
        found = [each for history, mined in sessions for each in self._build_summaries(history, mined)]
        if not found:
            raise UsageError(
                f"Nothing is known of a session {session!r}. The days and sessions of this project: wisen memory days"
            )
        return tuple(found)

    def write_summaries(self, place: Path, *, dry_run: bool = False) -> tuple[str, ...]:
        """Write the summaries and days of every session of a project: into its own memory, else below the home.

        Returns the files that change.

        Raises:
            UsageError: the directory belongs to no project.
            FileError: a file cannot be read or written.
        """
        from wisen.memory.summary_writer import style_of, summarize_sessions, write_context_memory
        from wisen.memory.workspace_files import write_to_workspace

        home, context = self._home, self._projects.context_of(place)
        if not context:
            raise UsageError(f"{place} belongs to no project. Go to a project's folder.")
        places = tuple(path for path, each in self._projects.places_with_contexts() if each == context)
        summaries = summarize_sessions(home, self._mined_sessions(Selection(places=places)), context) if places else []
        workspace = self._workspace_memory(place)
        if workspace is None:
            return tuple(map(str, write_context_memory(home, self._files, context, summaries, dry_run=dry_run)))
        edits = write_to_workspace(self._desk, workspace, summaries, style_of(home, context), dry_run=dry_run)
        return tuple(dict.fromkeys(edit.change.path for edit in edits))

    def _mined_sessions(self, selection: Selection, begins: str = "") -> Iterator[tuple[History, SessionFindings]]:
        from wisen.mining.sessions import mine

        detect = self._detector()
        for history in self._home.index.events.histories(selection):
            if history.native.startswith(begins):
                yield history, replace(mine(history), said=detect(history))

    def _build_summaries(self, history: History, mined: SessionFindings) -> Iterator[SummaryText]:
        from wisen.memory.summary_writer import style_of, summarize_sessions

        for context in dict.fromkeys(turn.context for turn in history.turns):
            style = style_of(self._home, context)
            for summary in summarize_sessions(self._home, [(history, mined)], context):
                yield SummaryText("", write_summary(summary, summary.session[:8], style))

    def _folders(self, place: Path) -> list[Path]:
        workspace = self._workspace_memory(place)
        return [self._home_folder(place), *([workspace] if workspace is not None else [])]

    def _home_folder(self, place: Path) -> Path:
        from wisen.memory.memory_files import memory_folder

        return memory_folder(self._home.path, self._projects.context_of(place)).folder

    def _workspace_memory(self, place: Path) -> Path | None:
        """The memory that the workspace of a directory keeps itself; one of another project is none."""
        from wisen.logs.workspace_memory import find_memory_folder

        context = self._projects.context_of(place)
        return find_memory_folder(place, lambda folder: self._projects.context_of(folder) == context)

    def _text(self, path: Path) -> str:
        return (self._files.read(path).content or b"").decode("utf-8", "replace")


def _is_summary_of(text: str, session: str) -> bool:
    """Whether a text is the summary of a session whose id begins so."""
    return bool(session) and parse_session(text).partition(" ")[2].startswith(session)
