"""Instruction files on this machine: finds those that agents read before they work, and puts their versions together.

What git remembers of them is asked for in `git_history.py`. It does not read what a line says.
"""

from __future__ import annotations

import os
from collections import deque
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from msgspec import structs

from wisen.errors import UsageError
from wisen.model.instruction import InstructionFile, Version
from wisen.safety.regular_files import read_regular_file
from wisen.system.git_history import MAX_FILE_BYTES, GitHistory, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_WORKSPACE_FILES = ("AGENTS.md", "SOUL.md", "TOOLS.md", "USER.md", "MEMORY.md")
_FILE_NAMES = frozenset(
    ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.override.md", "GEMINI.md", ".cursorrules", *_WORKSPACE_FILES),
)
_SUFFIXES = (".md", ".mdc", ".cursorrules")
"""How their names end: making a path of every file that is met takes half of the time."""
_SKIPPED_FOLDERS = frozenset({".git", "node_modules", ".venv", "venv", "target", "dist", "build", "vendor"})
_CONFIGURATION = {".claude": "skills", ".agents": "skills", ".cursor": "rules"}
"""Folders whose files speak to the directory around them, and the one place inside to look at.

Beside it, Claude Code keeps worktrees there: the same files once more, on another branch.
"""
_MAX_DEPTH = 4
_MAX_ENTRIES = 20_000


class _FoundFile(NamedTuple):
    path: Path
    root: str


class _Folder(NamedTuple):
    path: Path
    depth: int
    ancestors: tuple[str, ...]
    """Where the folders that lead here really are; a link back to one of them is a loop."""
    configuration: bool = False
    """Whether it is one of the agents' own, or lies in one."""


class InstructionFiles:
    """The instruction files of one user, on disk and in repositories."""

    def __init__(self, home: Path, environment: Mapping[str, str]) -> None:
        self._home = home
        self._environment = environment
        self._claude = _config_folder(environment, "CLAUDE_CONFIG_DIR", home / ".claude")
        self._codex = _config_folder(environment, "CODEX_HOME", home / ".codex")

    def files(self, roots: Sequence[str]) -> tuple[InstructionFile, ...]:
        """Every instruction file in these project directories and below, and those of the user, by path."""
        known: dict[tuple[str, str], _FoundFile] = {}
        paths: set[Path] = set()
        for found in (*self._user_files(), *(each for root in roots for each in self._project_files(Path(root)))):
            if found.path not in paths:
                paths.add(found.path)
                # Two names of one file say the same to the same sessions.
                known.setdefault((os.path.realpath(found.path), found.root), found)
        return tuple(sorted(self._read(known.values()), key=lambda file: file.path))

    def file(self, path: Path) -> InstructionFile:
        """One file, whatever its name. Raises: UsageError where there is none that can be read."""
        place = Path(os.path.normpath(path.absolute()))
        of_user = {found.path: found.root for found in self._user_files()}
        root = of_user.get(place)
        file = self._read([_FoundFile(place, _root_of(place) if root is None else root)])
        if not file:
            raise UsageError(
                f"{path} is not a file that can be read, or has more than {MAX_FILE_BYTES:,} bytes. "
                "Give the path of an instruction file, such as CLAUDE.md."
            )
        return file[0]

    def _read(self, found: Iterable[_FoundFile]) -> list[InstructionFile]:
        """The files with their versions, without those that cannot be read or are too large."""
        present = {each: version for each in found if (version := _version_on_disk(each.path)) is not None}
        # Behind a link, the history is that of the file it leads to.
        real = {each: Path(os.path.realpath(each.path)) for each in present}
        remembered = GitHistory(self._environment).versions(dict.fromkeys(real.values()))
        files: list[InstructionFile] = []
        for each, version in present.items():
            versions = remembered.get(real[each], ())
            if not versions:
                versions = (version,)
            elif versions[-1].text != version.text:
                versions = (*versions, structs.replace(version, at=max(version.at, versions[-1].at)))
            files.append(InstructionFile(path=str(each.path), root=each.root, versions=versions))
        return files

    def _user_files(self) -> Iterator[_FoundFile]:
        """The files that speak wherever the user works, and OpenClaw's, which speak in its own workspace."""
        for path in (self._claude / "CLAUDE.md", self._codex / "AGENTS.md", self._codex / "AGENTS.override.md"):
            yield _FoundFile(path, "")
        for skills in (self._claude / "skills", self._home / ".agents/skills"):
            for entry in _entries(skills, _MAX_ENTRIES):
                yield _FoundFile(skills / entry.name / "SKILL.md", "")
        workspace = self._home / ".openclaw/workspace"
        for name in _WORKSPACE_FILES:
            yield _FoundFile(workspace / name, str(workspace))

    def _project_files(self, root: Path) -> Iterator[_FoundFile]:
        """The instruction files in a project, those nearest to its root first."""
        if not root.is_absolute() or "\0" in str(root):
            return
        real = os.path.realpath(root)
        # Below a home lie all projects there are.
        depth = 0 if Path(os.path.realpath(self._home)).is_relative_to(real) else _MAX_DEPTH
        waiting = deque([_Folder(root, 0, (real,))])
        entries_left = _MAX_ENTRIES
        while waiting and entries_left > 0:
            folder = waiting.popleft()
            entries = _entries(folder.path, entries_left)
            entries_left -= len(entries)
            for entry in entries:
                if not _is_directory(entry):
                    if entry.name.endswith(_SUFFIXES) and _is_instruction(path := folder.path / entry.name):
                        yield _FoundFile(path, _root_of(path))
                elif folder.depth < depth and (inside := _subfolder(folder, entry)) is not None:
                    # What is small and surely meant comes before the wide rest, in which the search may end.
                    (waiting.appendleft if inside.configuration else waiting.append)(inside)


def _config_folder(environment: Mapping[str, str], name: str, default: Path) -> Path:
    chosen = environment.get(name)
    return Path(chosen).expanduser() if chosen else default


def _entries(folder: Path, limit: int) -> list[os.DirEntry[str]]:
    """What stands in a folder, real files before links to them; nothing when it cannot be looked into."""
    try:
        with os.scandir(folder) as entries:
            return sorted(islice(entries, limit), key=lambda entry: (entry.is_symlink(), entry.name))
    except (OSError, ValueError):
        return []


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _subfolder(folder: _Folder, entry: os.DirEntry[str]) -> _Folder | None:
    """The folder behind an entry; None where nothing that speaks to this project is to be found."""
    if entry.name in _SKIPPED_FOLDERS or _CONFIGURATION.get(folder.path.name, entry.name) != entry.name:
        return None
    target = os.path.join(folder.ancestors[-1], entry.name)  # noqa: PTH118 - a real path stays a string, for speed
    if entry.is_symlink():
        target = os.path.realpath(target)
        # A link that leads out of the project leads to another one.
        if target in folder.ancestors or not Path(target).is_relative_to(folder.ancestors[0]):
            return None
    configuration = folder.configuration or entry.name in _CONFIGURATION
    return _Folder(folder.path / entry.name, folder.depth + 1, (*folder.ancestors, target), configuration)


def _is_instruction(path: Path) -> bool:
    return path.name in _FILE_NAMES or _is_cursor_rule(path) or _is_skill(path)


def _is_cursor_rule(path: Path) -> bool:
    return path.suffix == ".mdc" and path.parts[-3:-1] == (".cursor", "rules")


def _is_skill(path: Path) -> bool:
    return path.name == "SKILL.md" and path.match("skills/*/*") and path.parents[2].name in _CONFIGURATION


def _root_of(path: Path) -> str:
    """The directory whose sessions a file speaks to: the one it stands in, or around a folder of configuration."""
    if _is_skill(path):
        return str(path.parents[3])
    if _is_cursor_rule(path):
        return str(path.parents[2])
    return str(path.parents[1] if path.parent.name in _CONFIGURATION else path.parent)


def _version_on_disk(path: Path) -> Version | None:
    """What is on disk; None where no file of a fitting size can be read."""
    try:
        status = path.stat()
        at = datetime.fromtimestamp(status.st_mtime, UTC)
        return Version(at=at, text=text_of(read_regular_file(path, MAX_FILE_BYTES)), origin="file")
    except (OSError, ValueError, OverflowError):
        return None


class Instructions(Protocol):
    """The files that agents read before they work, with their history as far as anybody remembers it.

    A repository that is broken, refused or missing is no error: then what is on disk is the only version. Versions come
    oldest first, and two that follow each other differ.
    """

    def files(self, roots: Sequence[str]) -> tuple[InstructionFile, ...]:
        """Every instruction file in these project directories and below, and those of the user, by path."""
        ...

    def file(self, path: Path) -> InstructionFile:
        """One file, whatever its name. Raises: UsageError where there is none that can be read."""
        ...
