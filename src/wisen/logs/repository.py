"""Reads the `.git` of a directory: where its repository begins and what its remote is.

It reads the files directly, because git may be absent and one process per directory would be slow. It never writes, and
what it cannot read is not a repository. What a `.git` says about another directory counts only if that directory
confirms it: anybody can write a pointer into somebody else's repository.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from wisen.safety.regular_files import open_regular_file, read_at_most

_LARGEST = 1 << 20
"""The size limit in bytes for any git file that is read here."""

_MOST_WORKTREES = 1000


class GitSetting(NamedTuple):
    """One line of a git configuration."""

    section: str
    subsection: str
    key: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """A checkout and the repository it belongs to."""

    top: Path
    """Where this checkout begins."""
    root: Path
    """Where the main worktree begins, if both sides agree; otherwise the top. A bare repository is its own root."""
    claims: Path
    """Where the main worktree begins according to this side alone."""
    remote: str | None
    """The address of the remote as configured, credentials and all: never to be stored."""


def repository_at(top: Path, configured: tuple[GitSetting, ...] = ()) -> Repository | None:
    """Return the repository whose checkout begins at this directory. `configured`: the user's global git settings."""
    found = _git_directory(top)
    if found is None:
        return None
    if not is_directory(found):
        return Repository(top=top, root=top, claims=_root_of_lost_worktree(found) or top, remote=None)
    common = found
    if (pointer := _text(found / "commondir")) is not None:
        common = found / pointer.strip()
    common = real(common)
    settings = settings_of(common / "config")
    claims = _root(common, settings)
    inside = claims == top or (claims == common and common.is_relative_to(top))
    root = claims if inside or _is_linked_worktree(top, real(found), common) else top
    return Repository(top=top, root=root, claims=claims, remote=_remote(settings, configured))


def listed_worktrees(root: Path) -> tuple[str, ...]:
    """Return the worktrees that the repository of a main worktree lists, including those that no longer exist."""
    common = root if is_bare(root) else root / ".git"
    try:
        folders = sorted((common / "worktrees").iterdir())[:_MOST_WORKTREES]
    except (OSError, ValueError):
        return ()
    notes = (_text(folder / "gitdir") for folder in folders)
    return tuple(str(Path(note.strip()).parent) for note in notes if note is not None and note.startswith("/"))


def settings_of(file: Path) -> tuple[GitSetting, ...]:
    """Return the settings of a git configuration file; none if it cannot be read."""
    text = _text(file)
    return () if text is None else tuple(_parsed(text))


def is_directory(path: Path) -> bool:
    """Whether a directory is visible there; no path, however strange, raises an error."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def is_bare(path: Path) -> bool:
    """Whether a directory is itself a repository without a worktree."""
    return _exists(path / "HEAD") and is_directory(path / "objects") and is_directory(path / "refs")


def real(path: Path) -> Path:
    """Resolve the symbolic links of a path, as far as possible."""
    try:
        return Path(os.path.realpath(path))
    except (OSError, ValueError):
        return path


def _git_directory(top: Path) -> Path | None:
    inside = top / ".git"
    if is_directory(inside):
        return inside if _exists(inside / "HEAD") or _exists(inside / "config") else None
    if (text := _text(inside)) is not None:
        # A file that points nowhere ends the search, as it does in git: what is around it is another repository.
        return top / text.removeprefix("gitdir:").strip() if text.startswith("gitdir:") else inside
    return top if top.name != ".git" and is_bare(top) else None


def _root(common: Path, settings: tuple[GitSetting, ...]) -> Path:
    for setting in settings:
        if (setting.section, setting.key) == ("core", "worktree"):
            return real(common / setting.value)
    # A git directory stored elsewhere does not name its main worktree, so it stands in: all worktrees agree on it.
    return common.parent if common.name == ".git" else common


def _is_linked_worktree(top: Path, git_directory: Path, common: Path) -> bool:
    """Whether a repository lists a checkout as one of its worktrees, with a pointer back to it."""
    if git_directory.parent != common / "worktrees":
        return False
    back = _text(git_directory / "gitdir")
    return back is not None and real(git_directory / back.strip()) == top / ".git"


def _root_of_lost_worktree(git_directory: Path) -> Path | None:
    """Return the main worktree, judging by the shape of the path alone: the repository was moved or deleted."""
    parts = Path(os.path.normpath(git_directory)).parts
    return Path(*parts[:-3]) if parts[-3:-1] == (".git", "worktrees") else None


def _remote(settings: tuple[GitSetting, ...], configured: tuple[GitSetting, ...]) -> str | None:
    remotes: dict[str, str] = {}
    for setting in settings:
        if (setting.section, setting.key) == ("remote", "url") and setting.value:
            remotes.setdefault(setting.subsection, setting.value)
    if not remotes:
        return None
    address = remotes.get("origin") or remotes[min(remotes)]
    rewrites = [
        (setting.value, setting.subsection)
        for setting in (*configured, *settings)
        if (setting.section, setting.key) == ("url", "insteadof") and setting.value
    ]
    prefix, instead = max(
        ((old, new) for old, new in rewrites if address.startswith(old)),
        key=lambda pair: len(pair[0]),
        default=("", ""),
    )
    return instead + address.removeprefix(prefix)


_SECTION = re.compile(r'\s*\[\s*([-.\w]*)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]')
_ASSIGNMENT = re.compile(r"\s*([A-Za-z][-A-Za-z0-9]*)\s*=(.*)", re.DOTALL)
_VALUE = re.compile(r'"(?P<quoted>(?:[^"\\]|\\.)*)"?|\\(?P<escaped>.)|(?P<plain>[^"\\#;]+)', re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "b": "\b"}


def _parsed(text: str) -> list[GitSetting]:
    settings: list[GitSetting] = []
    section = subsection = ""
    for line in text.removeprefix("\ufeff").split("\n"):
        rest = line
        if header := _SECTION.match(line):
            section, _, legacy = header[1].partition(".")
            section = section.lower()
            subsection = legacy.lower() if header[2] is None else _unescaped(header[2])
            rest = line[header.end() :]
        if assignment := _ASSIGNMENT.match(rest):
            settings.append(GitSetting(section, subsection, assignment[1].lower(), _value(assignment[2])))
    return settings


def _value(written: str) -> str:
    value = ""
    solid = 0
    position = 0
    written = written.strip()
    while piece := _VALUE.match(written, position):
        position = piece.end()
        if piece["plain"] is not None:
            value += piece["plain"]
            continue
        value += _unescaped(piece["quoted"] if piece["quoted"] is not None else piece[0])
        solid = len(value)
    return value[:solid] + value[solid:].rstrip()


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: _ESCAPED.get(found[1], found[1]), text, flags=re.DOTALL)


def _text(file: Path) -> str | None:
    try:
        with open_regular_file(file) as opened:
            return read_at_most(opened, _LARGEST).decode("utf-8", "surrogateescape")
    except (OSError, ValueError):
        return None


def _exists(file: Path) -> bool:
    try:
        return os.path.lexists(file)
    except ValueError:
        return False
