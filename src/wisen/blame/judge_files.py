"""Judges the lines of instruction files by the sessions before and after them, as part of the learning cycle.

Judged are the files of the directories whose sessions or files changed; for the others the last findings are kept.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.blame.file_sessions import FileSessions, JudgedFold, load_fold, save_fold
from wisen.blame.instruction_marks import file_mark
from wisen.blame.instruction_snapshots import new_snapshots, with_snapshots
from wisen.blame.stored_judgements import build_judgement, load_blame, load_judgements, store_judgements
from wisen.errors import UsageError
from wisen.model.error_boundaries import BoundaryKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.blame.instruction_files import Instructions
    from wisen.blame.stored_judgements import StoredJudgement
    from wisen.logs.projects import Projects
    from wisen.model.error_boundaries import ErrorBoundaries
    from wisen.model.instruction import Blame, InstructionFile
    from wisen.store.home import Home
    from wisen.system.machine_ports import Files


def judge_files(
    projects: Projects, files: Files, instructions: Instructions, boundaries: ErrorBoundaries, *, search_all: bool
) -> tuple[tuple[StoredJudgement, Blame], ...]:
    """Judge the instruction files of every project with sessions, as far as something changed; returns all of them.

    Files that no repository tracks are snapshotted. New files are looked for in projects with changed sessions, or in
    all of them with `search_all`.
    """
    home = projects.home
    revision, fold = load_fold(home.index)
    stored = load_judgements(home, files)
    if stored is None or stored[0] != fold.page:
        revision, fold, stored = 0, JudgedFold(), ("", ())
    sessions = FileSessions(home, revision, fold)
    judging = _Judging(projects, files, instructions, boundaries, sessions, stored[1])
    judged = judging.judge(search_all=search_all)
    digest = store_judgements(home, files, judged)
    new_fold = JudgedFold(digest, judging.projects, judging.roots)
    if sessions.changed or new_fold != fold:
        save_fold(home.index, sessions.revision, new_fold)
    return tuple((each, judging.blames.get(each.judged.path) or load_blame(files, each)) for each in judged)


def are_unchanged(home: Home, judged: Iterable[StoredJudgement]) -> bool:
    """Whether the files are as they were when they were judged."""
    return all(each.mark and file_mark(home, each.judged.path) == each.mark for each in judged)


class _Judging:
    """One judging of all files."""

    def __init__(
        self,
        projects: Projects,
        files: Files,
        instructions: Instructions,
        boundaries: ErrorBoundaries,
        sessions: FileSessions,
        known: Iterable[StoredJudgement],
    ) -> None:
        self._projects, self._files, self._instructions, self._boundaries = projects, files, instructions, boundaries
        self._sessions = sessions
        self._known = {each.judged.path: each for each in known}
        self.projects = sorted({alias.path for alias in projects.active_aliases()})
        self.roots = dict(sessions.fold.roots)
        self.blames: dict[str, Blame] = {}
        """What was judged now, by path."""
        self._found: dict[str, InstructionFile] = {}
        self._marks: dict[str, str] = {}

    def judge(self, *, search_all: bool) -> list[StoredJudgement]:
        """Judge what changed; returns the findings about all files, by path."""
        searched = self.projects if search_all else self._changed_projects()
        self._find(self._instructions.files(searched))
        kept = [path for path in self._known if path not in self._found and self._is_kept(path, searched)]
        root_of = {path: self._known[path].root for path in kept}
        root_of |= {path: file.root for path, file in self._found.items()}
        self._marks |= {path: file_mark(self._projects.home, path) for path in kept}
        changed = {
            root
            for path, root in root_of.items()
            if path not in self._known or not self._marks[path] or self._known[path].mark != self._marks[path]
        }
        roots = {root for root in set(root_of.values()) if root in changed or self._sessions.is_affected(root)}
        self._read(path for path in kept if root_of[path] in roots)
        judged = self._judge_roots(roots)
        there = {*(root_of[path] for path in judged), *(set(root_of.values()) - roots)}
        self.roots = {root: state for root, state in self.roots.items() if root in there}
        unchanged = {path: self._known[path] for path in root_of if root_of[path] not in roots}
        return [each for _, each in sorted((unchanged | judged).items())]

    def _changed_projects(self) -> list[str]:
        """Return the projects in which files may be new: those with changed sessions, new ones, and all below them."""
        places = {place for each in self._sessions.changed_places.values() for place in each}
        known = set(self._sessions.fold.projects)
        changed = [each for each in self.projects if each not in known or any(_is_in(place, each) for place in places)]
        return [each for each in self.projects if any(_is_in(each, project) for project in changed)]

    def _is_kept(self, path: str, searched: Iterable[str]) -> bool:
        """Whether a file that was not found now is still there, because nobody looked for it."""
        root = self._known[path].root
        if not root or any(_is_in(path, project) for project in searched):
            return False
        return any(_is_in(path, project) for project in self.projects)

    def _find(self, files: Iterable[InstructionFile]) -> None:
        for file in files:
            self._marks[file.path] = file_mark(self._projects.home, file.path)
            self._found[file.path] = file

    def _read(self, paths: Iterable[str]) -> None:
        for path in paths:
            try:
                self._find([self._instructions.file(Path(path))])
            except UsageError:
                continue  # it was removed

    def _judge_roots(self, roots: Iterable[str]) -> dict[str, StoredJudgement]:
        by_root: dict[str, list[InstructionFile]] = defaultdict(list)
        for path, file in sorted(self._found.items()):
            if file.root in roots:
                with self._boundaries.isolate(BoundaryKind.PROJECT, path):
                    by_root[file.root].append(with_stored_history(self._projects, file))
        judged: dict[str, StoredJudgement] = {}
        for root, files in by_root.items():
            blames, self.roots[root] = self._sessions.judge(root, files)
            for blame in blames:
                path = blame.file.path
                self.blames[path] = blame
                judged[path] = build_judgement(self._files, blame, file_mark(self._projects.home, path))
        return judged


def blame_file(projects: Projects, file: InstructionFile) -> Blame:
    """Judge one file, whatever was judged before."""
    revision, fold = load_fold(projects.home.index)
    known = with_stored_history(projects, file)
    sessions = FileSessions(projects.home, revision, fold, only=file.root)
    return sessions.judge(file.root, [known])[0][0]


def with_stored_history(projects: Projects, file: InstructionFile) -> InstructionFile:
    """Snapshot a file if needed, and return it with its stored snapshots as versions."""
    home = projects.home
    known = home.ledger.file_snapshots.of(file.path, machine=home.machine)
    new = new_snapshots([file], known, machine=home.machine, now=home.clock.now())
    forgotten_filter = home.forgotten_filter
    for snapshot in new:
        if not forgotten_filter.contains_forgotten(snapshot.text) and not projects.resolver.is_off(snapshot.path):
            home.ledger.file_snapshots.add(snapshot)
    return with_snapshots(file, home.ledger.file_snapshots.of(file.path, machine=home.machine))


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")
