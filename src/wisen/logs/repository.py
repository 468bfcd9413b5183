"""Reads the `.git` of a directory: where its repository begins and what its remote is.

It reads the files directly, because git may be absent and one process per directory would be slow. It never writes, and
what it cannot read is not a repository. What a `.git` says about another directory counts only if that directory
confirms it: anybody can write a pointer into somebody else's repository.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from wisen.safety.regular_files import open_regular_file, read_at_most
from wisen.text.lazy_regex import lazy_regex

_MAX_FILE_BYTES = 1 << 20
"""The size limit in bytes for any git file that is read here."""

_MAX_WORKTREES = 1000


class GitSetting(NamedTuple):
    """One line of a git configuration."""

    section: str
    subsection: str
    key: str
    value: str


class Repository(Struct, frozen=True, kw_only=True):
    """A checkout and the repository it belongs to."""

    top: Path
    """Where this checkout begins."""
    root: Path
    """Where the main worktree begins, if both sides agree; otherwise the top. A bare repository is its own root."""
    claimed_root: Path
    """Where the main worktree begins according to this side alone."""
    remote: str | None
    """The address of the remote as configured, credentials and all: never to be stored."""


def repository_at(top: Path, global_settings: tuple[GitSetting, ...] = ()) -> Repository | None:
    """Return the repository whose checkout begins at this directory. `global_settings`: the user's own."""
    git_directory = _git_directory(top)
    if git_directory is None:
        return None
    if not is_directory(git_directory):
        return Repository(top=top, root=top, claimed_root=_root_of_lost_worktree(git_directory) or top, remote=None)
    common = git_directory
    if (pointer := _read_text(git_directory / "commondir")) is not None:
        common = git_directory / pointer.strip()
    common = resolve_path(common)
    settings = settings_of(common / "config")
    claimed_root = _root(common, settings)
    inside = claimed_root == top or (claimed_root == common and common.is_relative_to(top))
    root = claimed_root if inside or _is_linked_worktree(top, resolve_path(git_directory), common) else top
    return Repository(top=top, root=root, claimed_root=claimed_root, remote=_remote_address(settings, global_settings))


def listed_worktrees(root: Path) -> tuple[str, ...]:
    """Return the worktrees that the repository of a main worktree lists, including those that no longer exist."""
    common = root if is_bare(root) else root / ".git"
    try:
        folders = sorted((common / "worktrees").iterdir())[:_MAX_WORKTREES]
    except (OSError, ValueError):
        return ()
    notes = (_read_text(folder / "gitdir") for folder in folders)
    return tuple(str(Path(note.strip()).parent) for note in notes if note is not None and note.startswith("/"))


def settings_of(file: Path) -> tuple[GitSetting, ...]:
    """Return the settings of a git configuration file; none if it cannot be read."""
    text = _read_text(file)
    return () if text is None else tuple(_parse_settings(text))


def is_directory(path: Path) -> bool:
    """Whether a directory is visible there; no path, however strange, raises an error."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def is_bare(path: Path) -> bool:
    """Whether a directory is itself a repository without a worktree."""
    return _exists(path / "HEAD") and is_directory(path / "objects") and is_directory(path / "refs")


def resolve_path(path: Path) -> Path:
    """Resolve the symbolic links of a path, as far as possible."""
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError):
        return path


def _git_directory(top: Path) -> Path | None:
    inside = top / ".git"
    if is_directory(inside):
        return inside if _exists(inside / "HEAD") or _exists(inside / "config") else None
    if (text := _read_text(inside)) is not None:
        # A file that points nowhere ends the search, as it does in git: what is around it is another repository.
        return top / text.removeprefix("gitdir:").strip() if text.startswith("gitdir:") else inside
    return top if top.name != ".git" and is_bare(top) else None


def _root(common: Path, settings: tuple[GitSetting, ...]) -> Path:
    for setting in settings:
        if (setting.section, setting.key) == ("core", "worktree"):
            return resolve_path(common / setting.value)
    # A git directory stored elsewhere does not name its main worktree, so it stands in: all worktrees agree on it.
    return common.parent if common.name == ".git" else common


def _is_linked_worktree(top: Path, git_directory: Path, common: Path) -> bool:
    """Whether a repository lists a checkout as one of its worktrees, with a pointer back to it."""
    if git_directory.parent != common / "worktrees":
        return False
    back = _read_text(git_directory / "gitdir")
    return back is not None and resolve_path(git_directory / back.strip()) == top / ".git"


def _root_of_lost_worktree(git_directory: Path) -> Path | None:
    """Return the main worktree, judging by the shape of the path alone: the repository was moved or deleted."""
    parts = Path(os.path.normpath(git_directory)).parts
    return Path(*parts[:-3]) if parts[-3:-1] == (".git", "worktrees") else None


def _remote_address(settings: tuple[GitSetting, ...], global_settings: tuple[GitSetting, ...]) -> str | None:
    remotes: dict[str, str] = {}
    for setting in settings:
        if (setting.section, setting.key) == ("remote", "url") and setting.value:
            remotes.setdefault(setting.subsection, setting.value)
    if not remotes:
        return None
    address = remotes.get("origin") or remotes[min(remotes)]
    rewrites = [
        (setting.value, setting.subsection)
        for setting in (*global_settings, *settings)
        if (setting.section, setting.key) == ("url", "insteadof") and setting.value
    ]
    prefix, instead = max(
        ((old, new) for old, new in rewrites if address.startswith(old)),
        key=lambda pair: len(pair[0]),
        default=("", ""),
    )
    return instead + address.removeprefix(prefix)


_SECTION = lazy_regex(r'\s*\[\s*([-.\w]*)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]')
_ASSIGNMENT = lazy_regex(r"\s*([A-Za-z][-A-Za-z0-9]*)\s*=(.*)", re.DOTALL)
_VALUE = lazy_regex(r'"(?P<quoted>(?:[^"\\]|\\.)*)"?|\\(?P<escaped>.)|(?P<plain>[^"\\#;]+)', re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "b": "\b"}


def _parse_settings(text: str) -> list[GitSetting]:
    settings: list[GitSetting] = []
    section = subsection = ""
    for line in text.removeprefix("\ufeff").split("\n"):
        rest = line
        if header := _SECTION.match(line):
            section, _, legacy = header[1].partition(".")
            section = section.lower()
            subsection = legacy.lower() if header[2] is None else _unescape(header[2])
            rest = line[header.end() :]
        if assignment := _ASSIGNMENT.match(rest):
            settings.append(GitSetting(section, subsection, assignment[1].lower(), _parse_value(assignment[2])))
    return settings


def _parse_value(raw: str) -> str:
    value = ""
    quoted_end = 0
    position = 0
    raw = raw.strip()
    while piece := _VALUE.match(raw, position):
        position = piece.end()
        if piece["plain"] is not None:
            value += piece["plain"]
            continue
        value += _unescape(piece["quoted"] if piece["quoted"] is not None else piece[0])
        quoted_end = len(value)
    return value[:quoted_end] + value[quoted_end:].rstrip()


def _unescape(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: _ESCAPED.get(found[1], found[1]), text, flags=re.DOTALL)


def _read_text(file: Path) -> str | None:
    try:
        with open_regular_file(file) as opened:
            return read_at_most(opened, _MAX_FILE_BYTES).decode("utf-8", "surrogateescape")
    except (OSError, ValueError):
        return None


def _exists(file: Path) -> bool:
    try:
        return os.path.lexists(file)
    except ValueError:
        return False
