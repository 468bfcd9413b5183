"""The memory service: recall, briefings, notes, daily logs and session summaries."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

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

    from wisen.edits.edit_history import EditPorts
    from wisen.logs.projects import Projects
    from wisen.memory.index_memories import SessionMemories
    from wisen.memory.memory_search import CountPraise, FindWorkflows
    from wisen.memory.notebook_files import Notebooks
    from wisen.memory.summary_writer import SummaryWriter
    from wisen.model.entry_state import EntryState
    from wisen.model.error_boundaries import ErrorBoundaries
    from wisen.model.failure import AnalyzedSession, SessionFindings
    from wisen.model.history import History
    from wisen.model.memory import Briefing, Memory, MemoryKind, RecallResult
    from wisen.model.signal import RecordedSignal
    from wisen.store.home import Home

    DetectorFactory = Callable[[], Callable[[History], tuple[RecordedSignal, ...]]]
    """Returns the feedback detector of sessions, with this user's phrases as known now."""

_MAX_NOTE = 500


class AddedNote(NamedTuple):
    """A note that was added to a day, or would be."""

    path: Path
    line: DayLine
    is_new: bool
    """Whether it was not there before."""


class SummaryText(NamedTuple):
    """The text of a summary as written, or as it would be."""

    name: str
    """The name of its file; empty where it has none."""
    text: str


class MemoryService:
    """Searches memories, and manages the notes and summaries of days and sessions."""

    def __init__(  # noqa: PLR0913 - a service is made of what it works with
        self,
        home: Home,
        projects: Projects,
        edit_ports: EditPorts,
        *,
        notebooks: Notebooks,
        detector: DetectorFactory,
        count_praise: CountPraise,
        find_workflows: FindWorkflows,
    ) -> None:
        """Create the service with agents' notebooks, the feedback detector, praise counts, and known workflows."""
        self._home, self._projects, self._edit_ports, self._files = home, projects, edit_ports, edit_ports.files
        self._notebooks, self._detector = notebooks, detector
        self._search = MemorySearch(home, projects, count_praise, find_workflows)

    def recall(  # noqa: PLR0913 - search options, all by keyword
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
        """Search for a question, best match first, in the context of `place` and what applies everywhere, or in all.

        `local`: whether to include what was typed to models on the user's own machine.

        Raises:
            UsageError: the question contains no word, or a number is out of range.
        """
        return self._search.recall(
            question, place, everywhere=everywhere, days=days, kinds=kinds, limit=limit, local=local
        )

    def neighbors(self, memory: Memory, reach: int) -> tuple[Memory, ...]:
        """Return the memories before and after a memory in its session or file."""
        return self._search.neighbors(memory, reach)

    def brief(self, prompt: str, place: Path, *, budget: int = BRIEFING_TOKENS, local: bool = True) -> Briefing:
        """Build the briefing for a task, within a token budget; `local` as for `recall`.

        Raises:
            UsageError: the budget is below 1.
        """
        return self._search.brief(prompt, place, budget=budget, local=local)

    def summary_writer(self) -> SummaryWriter:
        """Create a writer for the session summaries of one run."""
        from wisen.memory.summary_writer import SummaryWriter

        return SummaryWriter(self._home, self._files)

    @staticmethod
    def describe_session(history: History, mined: SessionFindings, boundaries: ErrorBoundaries) -> SessionMemories:
        """Summarize a session and collect its memories; other processes can run this."""
        from wisen.memory.index_memories import describe_session

        return describe_session(history, mined, boundaries)

    def index_sessions(
        self,
        writer: SummaryWriter,
        sessions: Sequence[AnalyzedSession[SessionMemories]],
        boundaries: ErrorBoundaries,
    ) -> None:
        """Index the turns, summaries and workflows of sessions, and keep the summaries for the end of the run."""
        from wisen.memory.index_memories import index_sessions

        described = [
            each.described if each.history is None else self.describe_session(each.history, each.findings, boundaries)
            for each in sessions
        ]
        found = [each for each in described if each is not None]
        for memories in found:
            writer.add(memories.summaries)
        index_sessions(self._home, found, boundaries)

    def refresh(self, states: Iterable[EntryState]) -> None:
        """Index entries, notes and notebooks again; what no longer exists is removed from the index."""
        from wisen.memory.index_memories import refresh_memories

        refresh_memories(self._projects, self._files, self._notebooks, states)

    def refresh_notes(self) -> None:
        """Index notes and notebooks again: people and programs edit them at any time."""
        from wisen.memory.index_memories import refresh_notes

        refresh_notes(self._projects, self._files, self._notebooks)

    def remove_written(
        self, context: str, sessions: Collection[tuple[str, str]], sources: Collection[str]
    ) -> list[str]:
        """Remove what was written below the home about a context's sessions, and the day lines with the given sources.

        Returns the keys of the removed summaries: they can be written again.
        """
        from wisen.memory.memory_files import memory_folder, remove_written

        return remove_written(self._files, memory_folder(self._home.path, context), sessions, sources)

    def add_note(self, text: str, place: Path, *, mark: str = DayMark.NOTE, dry_run: bool = False) -> AddedNote:
        """Append a note to today's log of the project that a directory belongs to.

        Raises:
            UsageError: the mark is unknown, or the text is empty, too long or contains a secret.
            FileError: the file cannot be read or written.
        """
        from wisen.memory.day_file import append_to_day
        from wisen.memory.index_memories import index_day
        from wisen.memory.workspace_files import append_lines
        from wisen.safety.withhold import rule_against

        if mark not in list(DayMark):
            raise UsageError(f"--mark {mark!r} is not one of {', '.join(DayMark)}. Give one of them, or omit it.")
        note_text = daily.single_line(text)
        if not note_text or len(note_text) > _MAX_NOTE:
            problem = f"The note has {len(note_text)} characters" if note_text else "There is nothing to note"
            raise UsageError(f"{problem}. Give a text of 1 to {_MAX_NOTE} characters.")
        rule = rule_against(text)
        if rule is not None:
            raise UsageError(f"The note contains something that may not be stored ({rule}). Remove it and try again.")
        home, files = self._home, self._files
        now = home.local(home.clock.now())
        line = DayLine(mark=DayMark(mark), time=f"{now:%H:%M}", text=note_text)
        workspace = self._workspace_memory(place)
        path = (workspace or self._home_folder(place)) / f"{now:%Y-%m-%d}.md"
        if workspace is not None:
            is_new = append_lines(self._edit_ports, path, [line], why="a note", dry_run=dry_run) is not None
        else:
            is_new = append_to_day(files, path, line, dry_run=dry_run)
        if is_new and not dry_run:
            index_day(home, files, self._projects.context_of(place), path)
        return AddedNote(path, line, is_new=is_new)

    def overview(self, place: Path) -> MemoryOverview:
        """Return what is stored for the project that a directory belongs to, and in total."""
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
        """Return the daily logs of the project of a directory, newest first: its own, and those below the home."""
        days = [
            Day(path.stem, path, daily.read_day(self._text(path)))
            for folder in self._folders(place)
            for path in folder.glob("*.md")
            if daily.NAME.fullmatch(path.name)
        ]
        return tuple(sorted(days, key=lambda each: (each.day, str(each.path)), reverse=True))

    def summaries(self, place: Path) -> tuple[Path, ...]:
        """Return the summary files of the project that a directory belongs to, newest first."""
        from wisen.memory.memory_files import SESSIONS

        paths = (path for folder in self._folders(place) for path in (folder / SESSIONS).glob("*.md"))
        ours = (path for path in paths if NAME.fullmatch(path.name))
        return tuple(sorted(ours, key=lambda path: (path.name, str(path)), reverse=True))

    def summary_of(self, session: str, place: Path) -> tuple[SummaryText, ...]:
        """Return the summaries of a session by file name, or by the beginning of the agent's session id.

        One without a file is built from the log; a session that worked in several projects has several.

        Raises:
            UsageError: there is no such session, or there is nothing to summarize.
        """
        files = self.summaries(place)
        by_name = [path for path in files if path.stem == session.removesuffix(".md")]
        if by_name:
            return tuple(SummaryText(path.name, self._text(path)) for path in by_name)
        by_session = [(path, text) for path in files if _is_summary_of(text := self._text(path), session)]
        if by_session:
            return tuple(SummaryText(path.name, text) for path, text in sorted(by_session))
        sessions = self._mined_sessions(Selection(), session) if session else ()
        summaries = [each for history, mined in sessions for each in self._build_summaries(history, mined)]
        if not summaries:
            raise UsageError(
                f"Nothing is known about a session {session!r}. List the days and sessions with: wisen memory days"
            )
        return tuple(summaries)

    def write_summaries(self, place: Path, *, dry_run: bool = False) -> tuple[str, ...]:
        """Write the summaries and days of every session of a project to its own memory, else below the home.

        Returns the files that change.

        Raises:
            UsageError: the directory belongs to no project.
            FileError: a file cannot be read or written.
        """
        from wisen.memory.summary_writer import style_of, summarize_sessions, write_context_memory
        from wisen.memory.workspace_files import write_to_workspace

        home, context = self._home, self._projects.context_of(place)
        if not context:
            raise UsageError(f"{place} belongs to no project. Run this in a project's folder.")
        places = tuple(path for path, each in self._projects.places_with_contexts() if each == context)
        summaries = summarize_sessions(home, self._mined_sessions(Selection(places=places)), context) if places else []
        workspace = self._workspace_memory(place)
        if workspace is None:
            return tuple(map(str, write_context_memory(home, self._files, context, summaries, dry_run=dry_run)))
        edits = write_to_workspace(self._edit_ports, workspace, summaries, style_of(home, context), dry_run=dry_run)
        return tuple(dict.fromkeys(edit.change.path for edit in edits))

    def _mined_sessions(self, selection: Selection, begins: str = "") -> Iterator[tuple[History, SessionFindings]]:
        from wisen.mining.session_mining import mine_session

        detect = self._detector()
        for history in self._home.index.events.histories(selection):
            if history.native.startswith(begins):
                yield history, replace(mine_session(history), signals=detect(history))

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
        """Return the memory folder of the workspace of a directory; one of another project is ignored."""
        from wisen.logs.workspace_memory import find_memory_folder

        context = self._projects.context_of(place)
        return find_memory_folder(place, lambda folder: self._projects.context_of(folder) == context)

    def _text(self, path: Path) -> str:
        return (self._files.read(path).content or b"").decode("utf-8", "replace")


def _is_summary_of(text: str, session: str) -> bool:
    """Whether a text is the summary of a session whose id begins like this."""
    return bool(session) and parse_session(text).partition(" ")[2].startswith(session)
