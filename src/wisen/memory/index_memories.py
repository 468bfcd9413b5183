"""Updates the memory index in each run: turns, summaries, entries and notes become searchable."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wisen.errors import FileError, StoreError
from wisen.memory.build_memories import (
    DAYS,
    NOTEBOOKS,
    build_entry_memories,
    memories_of_day,
    memories_of_notebooks,
    memories_of_session,
    with_agent_texts,
)
from wisen.memory.memory_files import memory_folder
from wisen.memory.memory_marks import MemoryMarks, file_mark, keys_mark, state_mark
from wisen.model.context import NOWHERE
from wisen.model.error_boundaries import BoundaryKind
from wisen.model.history import session_label
from wisen.model.memory import ENTRY_ORIGIN_PREFIX
from wisen.model.report import Selection

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wisen.logs.projects import Projects
    from wisen.memory.build_memories import Gathered
    from wisen.memory.notebook_files import Notebooks
    from wisen.model.entry_state import EntryState
    from wisen.model.error_boundaries import ErrorBoundaries
    from wisen.model.failure import SessionFindings
    from wisen.model.history import History
    from wisen.model.summary import Summary
    from wisen.safety.forgotten_filter import ForgottenFilter
    from wisen.store.home import Home
    from wisen.system.machine_ports import Files


class SessionMemories(NamedTuple):
    """What is remembered of a session."""

    label: str
    """Names the session to the user."""
    summaries: tuple[Summary, ...]
    memories: Gathered


def describe_session(history: History, mined: SessionFindings, boundaries: ErrorBoundaries) -> SessionMemories:
    """Summarize a session and collect its memories; what fails is left out, so that it does not block the others."""
    from wisen.memory.summarize import summarize_history
    from wisen.text.standing_alone import stands_alone

    label = session_label(history)
    summaries: tuple[Summary, ...] = ()
    memories: Gathered = {}
    with boundaries.isolate(BoundaryKind.SESSION, label):
        summaries = summarize_history(history, mined, stands_alone)
    with boundaries.isolate(BoundaryKind.SESSION, label):
        memories = memories_of_session(history, mined.goals, summaries)
    return SessionMemories(label, summaries, memories)


def index_sessions(home: Home, sessions: Sequence[SessionMemories], boundaries: ErrorBoundaries) -> None:
    """Index the memories of sessions: all at once, or one by one where one of them fails."""
    try:
        home.index.memories.replace({name: found for each in sessions for name, found in each.memories.items()})
    except StoreError:
        raise
    except Exception:  # noqa: BLE001 - the error boundaries below report which session failed
        for each in sessions:
            with boundaries.isolate(BoundaryKind.SESSION, each.label):
                home.index.memories.replace(each.memories)


def refresh_memories(projects: Projects, files: Files, notebooks: Notebooks, states: Iterable[EntryState]) -> None:
    """Index entries, notes and the notebooks of other systems again; origins that no longer exist are removed.

    Only what changed since the last time is built.
    """
    home = projects.home
    known = home.index.memories.origins(ENTRY_ORIGIN_PREFIX)
    marks = MemoryMarks(home, "entry memories", known)
    texts = with_agent_texts([*states], home.index.findings.fixes(Selection()))
    now = build_entry_memories(
        (state, text)
        for state, text in texts
        if marks.is_changed(f"{ENTRY_ORIGIN_PREFIX}{state.entry.id}", state_mark(state, text))
    )
    _replace(home, now, known, marks)
    refresh_notes(projects, files, notebooks)


def refresh_notes(projects: Projects, files: Files, notebooks: Notebooks) -> None:
    """Index notes and the notebooks of other systems again: people and programs edit them at any time.

    Days are read only if they changed since the last time.
    """
    home = projects.home
    places = {path: context for path, context in projects.places_with_contexts() if not projects.resolver.is_off(path)}
    known = frozenset[str]().union(*map(home.index.memories.origins, (NOTEBOOKS, DAYS)))
    marks = MemoryMarks(home, "day memories", known)
    written = memories_of_notebooks(notebooks.notebooks(places)) | _note_memories(home, files, known, marks)
    _replace(home, _without_forgotten(written, home.forgotten_filter), known, marks)


def _replace(home: Home, now: Gathered, known: frozenset[str], marks: MemoryMarks) -> None:
    """Replace the memories of origins that changed, and remove those of origins that are gone."""
    gone: Gathered = {name: [] for name in known - now.keys() if not marks.is_kept(name)}
    home.index.memories.replace({**now, **gone})
    marks.save(now)


def index_day(home: Home, files: Files, context: str, path: Path) -> None:
    """Index a day again, so that a new note can be found at once."""
    home.index.memories.replace(
        _without_forgotten(_day_memories(files, context or NOWHERE, path), home.forgotten_filter)
    )


def _without_forgotten(gathered: Gathered, forgotten: ForgottenFilter) -> Gathered:
    """Return the memories without forgotten texts."""
    return {
        origin: [
            each
            for each in memories
            if not forgotten.contains_forgotten(each[0].text) and not forgotten.contains_forgotten(each[0].beside)
        ]
        for origin, memories in gathered.items()
    }


def _note_memories(home: Home, files: Files, known: Iterable[str], marks: MemoryMarks) -> Gathered:
    """Return the lines that people wrote into changed days, below the home and in workspaces with notes."""
    days = [origin.removeprefix(DAYS).partition(":") for origin in known if origin.startswith(DAYS)]
    paths = {(context, Path(path)) for context, _, path in days}
    for context in (NOWHERE, *(each.key for each in home.ledger.contexts.all())):
        folder = memory_folder(home.path, "" if context == NOWHERE else context).folder
        paths |= {(context, path) for path in files.siblings(folder / "-.md")}
    forgotten = keys_mark(home.ledger.tombstones.all_keys())
    return {
        name: found
        for context, path in sorted(paths)
        if marks.is_changed(f"{DAYS}{context}:{path}", file_mark(path, forgotten))
        for name, found in _day_memories(files, context, path).items()
    }


def _day_memories(files: Files, context: str, path: Path) -> Gathered:
    try:
        content = files.read(path).content or b""
    except FileError:
        return {}
    return memories_of_day(context, str(path), path.stem, content.decode("utf-8", "replace"))
