"""Finds instruction files (CLAUDE.md, AGENTS.md, skills, ...) on this machine and collects their versions.

Their git history comes from `git_history.py`. The content of lines is not interpreted here.
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
"""How their names end: building a path for every file would take half of the time."""
_SKIPPED_FOLDERS = frozenset({".git", "node_modules", ".venv", "venv", "target", "dist", "build", "vendor"})
_CONFIGURATION = {".claude": "skills", ".agents": "skills", ".cursor": "rules"}
"""Folders whose files apply to the directory that contains them, and the one subfolder to search.

Claude Code also keeps worktrees there: the same files once more, on another branch.
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
    """The real paths of the folders that lead here; a link back to one of them is a loop."""
    configuration: bool = False
    """Whether it is an agent's configuration folder, or inside one."""


class InstructionFiles:
    """The instruction files of one user, on disk and in repositories."""

    def __init__(self, home: Path, environment: Mapping[str, str]) -> None:
        self._home = home
        self._environment = environment
        self._claude = _config_folder(environment, "CLAUDE_CONFIG_DIR", home / ".claude")
        self._codex = _config_folder(environment, "CODEX_HOME", home / ".codex")

    def files(self, roots: Sequence[str]) -> tuple[InstructionFile, ...]:
        """Return every instruction file in or below these project directories, and those of the user, by path."""
        known: dict[tuple[str, str], _FoundFile] = {}
        paths: set[Path] = set()
        for found in (*self._user_files(), *(each for root in roots for each in self._project_files(Path(root)))):
            if found.path not in paths:
                paths.add(found.path)
                # Two names of one file apply to the same sessions: count it once.
                known.setdefault((os.path.realpath(found.path), found.root), found)
        return tuple(sorted(self._read(known.values()), key=lambda file: file.path))

    def file(self, path: Path) -> InstructionFile:
        """Return one file, whatever its name. Raises: UsageError where it cannot be read."""
        place = Path(os.path.normpath(path.absolute()))
        of_user = {found.path: found.root for found in self._user_files()}
        root = of_user.get(place)
        file = self._read([_FoundFile(place, _root_of(place) if root is None else root)])
        if not file:
            raise UsageError(
                f"{path} is not a readable file, or has more than {MAX_FILE_BYTES:,} bytes. "
                "Give the path of an instruction file, such as CLAUDE.md."
            )
        return file[0]

    def _read(self, files_found: Iterable[_FoundFile]) -> list[InstructionFile]:
        """Return the files with their versions, without those that cannot be read or are too large."""
        present = {each: version for each in files_found if (version := _version_on_disk(each.path)) is not None}
        # For a link, the history is that of its target.
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
        """Yield the files that apply everywhere, and OpenClaw's, which apply in its own workspace."""
        for path in (self._claude / "CLAUDE.md", self._codex / "AGENTS.md", self._codex / "AGENTS.override.md"):
            yield _FoundFile(path, "")
        for skills in (self._claude / "skills", self._home / ".agents/skills"):
            for entry in _entries(skills, _MAX_ENTRIES):
                yield _FoundFile(skills / entry.name / "SKILL.md", "")
        workspace = self._home / ".openclaw/workspace"
        for name in _WORKSPACE_FILES:
            yield _FoundFile(workspace / name, str(workspace))

    def _project_files(self, root: Path) -> Iterator[_FoundFile]:
        """Yield the instruction files of a project, those closest to its root first."""
        if not root.is_absolute() or "\0" in str(root):
            return
        real = os.path.realpath(root)
        # Every project may be below a home folder: do not descend there.
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
                    # Small configuration folders come first, before the entry limit may end the search.
                    (waiting.appendleft if inside.configuration else waiting.append)(inside)


def _config_folder(environment: Mapping[str, str], name: str, default: Path) -> Path:
    configured = environment.get(name)
    return Path(configured).expanduser() if configured else default


def _entries(folder: Path, limit: int) -> list[os.DirEntry[str]]:
    """List a folder, real files before links; empty when it cannot be read."""
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
    """Return the folder of an entry; None where it cannot contain instruction files of this project."""
    if entry.name in _SKIPPED_FOLDERS or _CONFIGURATION.get(folder.path.name, entry.name) != entry.name:
        return None
    target = os.path.join(folder.ancestors[-1], entry.name)  # noqa: PTH118 - a real path stays a string, for speed
    if entry.is_symlink():
        target = os.path.realpath(target)
        # A link that leaves the project leads to another one.
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
    """Return the directory that a file applies to: the one it is in, or the parent of a configuration folder."""
    if _is_skill(path):
        return str(path.parents[3])
    if _is_cursor_rule(path):
        return str(path.parents[2])
    return str(path.parents[1] if path.parent.name in _CONFIGURATION else path.parent)


def _version_on_disk(path: Path) -> Version | None:
    """Return the version on disk; None where the file cannot be read or is too large."""
    try:
        status = path.stat()
        at = datetime.fromtimestamp(status.st_mtime, UTC)
        return Version(at=at, text=text_of(read_regular_file(path, MAX_FILE_BYTES)), origin="file")
    except (OSError, ValueError, OverflowError):
        return None


class Instructions(Protocol):
    """The files that agents read before they work, with their known history.

    A broken, untrusted or missing repository is not an error: then the file on disk is the only version. Versions come
    oldest first, and consecutive ones differ.
    """

    def files(self, roots: Sequence[str]) -> tuple[InstructionFile, ...]:
        """Return every instruction file in or below these project directories, and those of the user, by path."""
        ...

    def file(self, path: Path) -> InstructionFile:
        """Return one file, whatever its name. Raises: UsageError where it cannot be read."""
        ...
