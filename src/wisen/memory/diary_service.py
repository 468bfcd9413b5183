"""What a Learner can be asked and told about days and summaries: notes, what stands in them, and writing them down."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from wisen.errors import UsageError
from wisen.memory import daily
from wisen.memory.kept_counts import Day, KeptCounts, MemoryOverview
from wisen.memory.summary_text import NAME, read_session, write_summary
from wisen.model.context import NOWHERE
from wisen.model.report import Selection
from wisen.model.summary import DayLine, Mark

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from wisen.model.failure import Mined
    from wisen.model.history import History
    from wisen.parts import Parts

_LONGEST = 500


class Noted(NamedTuple):
    """A line that was put down, or would be."""

    path: Path
    line: DayLine
    is_new: bool
    """Whether it did not stand there before."""


class Told(NamedTuple):
    """A summary as it is kept, or would be."""

    name: str
    """What its file is called; empty where it has none."""
    text: str


class Rememberer:
    """What a Learner can be asked and told about days and summaries."""

    _parts: Parts

    def note(self, text: str, place: Path, *, mark: str = Mark.NOTE, dry_run: bool = False) -> Noted:
        """Put a line to the end of today, for the project that a directory belongs to.

        Raises:
            UsageError: the mark is none that there is, or the text is empty, too long or holds a secret.
            FileError: the file cannot be read or written.
        """
        from wisen.memory.recollection import keep_day
        from wisen.memory.workspace_files import append
        from wisen.safety.withhold import rule_against

        if mark not in list(Mark):
            raise UsageError(f"--mark {mark!r} is none of {', '.join(Mark)}. Give one of them, or leave it out.")
        said = daily.told(text)
        if not said or len(said) > _LONGEST:
            what = f"The note has {len(said)} characters" if said else "There is nothing to note"
            raise UsageError(f"{what}. Give a text of 1 to {_LONGEST} characters.")
        rule = rule_against(text)
        if rule is not None:
            raise UsageError(f"The note holds what may not be stored ({rule}). Word it without that.")
        parts = self._parts
        now = parts.local(parts.clock.now())
        line = DayLine(mark=Mark(mark), time=f"{now:%H:%M}", text=said)
        own = self._own(place)
        path = (own or self._shelf(place)) / f"{now:%Y-%m-%d}.md"
        if own is not None:
            made = append(parts.desk, path, [line], why="a note", dry_run=dry_run) is not None
        else:
            seen = parts.files.read(path)
            behind = daily.added(seen.content or b"", [line], title=path.stem)
            made = bool(behind)
            if made and not dry_run:
                parts.files.write(seen, (seen.content or b"") + behind)
        if made and not dry_run:
            keep_day(parts, parts.context_of(place), path)
        return Noted(path, line, is_new=made)

    def memory_overview(self, place: Path) -> MemoryOverview:
        """What is kept of the project that a directory belongs to, and of all."""
        from wisen.model.entry import Status
        from wisen.model.entry_state import states

        parts, key = self._parts, self._parts.context_of(place)
        name = next((each.name for each in parts.ledger.contexts() if each.key == key), "")
        ledger = parts.ledger
        every = [each for each in states(ledger.entries(), ledger.tallies(), ledger.moves()) if not each.merged_into]
        found = parts.index.memories.contexts()
        places = tuple(parts.places_by_context().get(key, ()))

        def kept(selection: Selection | None, context: str | None) -> KeptCounts:
            of = [each for each in every if context is None or each.context == context]
            return KeptCounts(
                0 if selection is None else parts.index.counts(selection).sessions,
                len(of),
                sum(each.status is Status.PROMOTED for each in of),
                sum(found.values()) if context is None else found.get(context, 0),
            )

        here = kept(Selection(places=places) if places else None, key or NOWHERE)
        return MemoryOverview(name, here, kept(Selection(), None), self.days(place), self.summaries(place))

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
        from wisen.memory.keep import SESSIONS

        found = (path for folder in self._folders(place) for path in (folder / SESSIONS).glob("*.md"))
        ours = (path for path in found if NAME.fullmatch(path.name))
        return tuple(sorted(ours, key=lambda path: (path.name, str(path)), reverse=True))

    def summary_of(self, session: str, place: Path) -> tuple[Told, ...]:
        """The summaries of a session by the name of a file, or by how the agent's id begins.

        One that has no file is made from what was read; a session that worked in several projects has several.

        Raises:
            UsageError: there is no such session, or it came to nothing that could be told.
        """
        files = self.summaries(place)
        named = [path for path in files if path.stem == session.removesuffix(".md")]
        if named:
            return tuple(Told(path.name, self._text(path)) for path in named)
        held = [(path, text) for path in files if _is_of(text := self._text(path), session)]
        if held:
            return tuple(Told(path.name, text) for path, text in sorted(held))
        fits = self._understood(Selection(), session) if session else ()
        found = [each for history, mined in fits for each in self._made(history, mined)]
        if not found:
            raise UsageError(
                f"Nothing is known of a session {session!r}. The days and sessions of this project: wisen memory days"
            )
        return tuple(found)

    def write_memory(self, place: Path, *, dry_run: bool = False) -> tuple[str, ...]:
        """Write the summaries and days of every session of a project: into its own memory, else below the home.

        Returns the files that change.

        Raises:
            UsageError: the directory belongs to no project.
            FileError: a file cannot be read or written.
        """
        from wisen.memory.diary import kept, setting_of, told
        from wisen.memory.workspace_files import put_down

        parts, context = self._parts, self._parts.context_of(place)
        if not context:
            raise UsageError(f"{place} belongs to no project. Go to a project's folder.")
        places = tuple(path for path, each in parts.places() if each == context)
        every = told(parts, self._understood(Selection(places=places)), context) if places else []
        own = self._own(place)
        if own is None:
            return tuple(map(str, kept(parts, context, every, dry_run=dry_run)))
        edits = put_down(parts.desk, own, every, setting_of(parts, context), dry_run=dry_run)
        return tuple(dict.fromkeys(edit.change.path for edit in edits))

    def _understood(self, selection: Selection, begins: str = "") -> Iterator[tuple[History, Mined]]:
        from wisen.feedback.listen import listen
        from wisen.feedback.phrase_search import own
        from wisen.mining.sessions import mine

        speaks = own(self._parts)
        for history in self._parts.index.histories(selection):
            if history.native.startswith(begins):
                yield history, replace(mine(history), said=listen(history, speaks))

    def _made(self, history: History, mined: Mined) -> Iterator[Told]:
        from wisen.memory.diary import setting_of, told

        for context in dict.fromkeys(turn.context for turn in history.turns):
            setting = setting_of(self._parts, context)
            for summary in told(self._parts, [(history, mined)], context):
                yield Told("", write_summary(summary, summary.session[:8], setting))

    def _folders(self, place: Path) -> list[Path]:
        own = self._own(place)
        return [self._shelf(place), *([own] if own is not None else [])]

    def _shelf(self, place: Path) -> Path:
        from wisen.memory.keep import shelf_of

        return shelf_of(self._parts.home, self._parts.context_of(place)).folder

    def _own(self, place: Path) -> Path | None:
        """The memory that the workspace of a directory keeps itself; one of another project is none."""
        from wisen.memory.workspace_files import memory_of

        context = self._parts.context_of(place)
        return memory_of(place, lambda folder: self._parts.context_of(folder) == context)

    def _text(self, path: Path) -> str:
        return (self._parts.files.read(path).content or b"").decode("utf-8", "replace")


def _is_of(text: str, session: str) -> bool:
    """Whether a text is the summary of a session whose id begins so."""
    return bool(session) and read_session(text).partition(" ")[2].startswith(session)
