"""Builds a view of a repository with what git needs to answer, and nothing that the repository's owner configured.

A view is a bare repository of our own in a temporary folder. Its configuration is written here; from the original
repository there are only links to the files that hold objects, the index, and the commit that HEAD names. So git sees
no configuration (nor what it includes), hook, attribute, alternate, replacement, graft, remote or worktree setting of
the repository: what is not linked cannot be missing from a list of dangerous settings. This module reads git's files
itself, starts nothing, and writes only below the view.
"""

from __future__ import annotations

import os
import re
import stat
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wisen.safety.regular_files import is_regular_file, read_regular_file

if TYPE_CHECKING:
    from collections.abc import Iterator

CONFIGURATION = """\
[core]
	repositoryformatversion = {version}
	bare = true
	hooksPath = {nothing}
	attributesFile = {nothing}
	excludesFile = {nothing}
	fsmonitor = false
	untrackedCache = false
	pager = cat
	sshCommand = false
	gitProxy = false
	askPass = false
	editor = false
	alternateRefsCommand = false
	useReplaceRefs = false
	packedGitWindowSize = 32m
	packedGitLimit = 256m
[protocol]
	allow = never
[gc]
	auto = 0
[maintenance]
	auto = false
"""
"""None of this overrides anything, as it is the only configuration there is: it says what must never happen."""
_SHA256 = "[extensions]\n\tobjectFormat = sha256\n"
_POINTER = 1 << 16
"""Maximum bytes of HEAD, a branch or a pointer to another folder."""
_LISTS = 64 << 20
"""Maximum bytes of the packed refs, the shallow file or the reflog."""
_MOST_FILES = 20_000
"""Maximum number of packs, and of split indexes, in one repository."""
_FAN_OUT = re.compile(r"[0-9a-f]{2}")
_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_BRANCH = re.compile(r"refs(?:/(?!\.)[^\s~^:?*\[\\\x00-\x1f\x7f/]+(?<!\.lock))+")
_STEPS = 5
"""How many symbolic refs are followed, one after the other."""


_LOG = 1 << 20
"""How many bytes of the reflog of HEAD are read, from its end."""
_LOGGED = re.compile(rb"([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [^\n\t]*> (\d{1,12}) [+-]\d{4}\t?([^\n]*)")
_UNDER_WAY = ("rebase-merge", "rebase-apply", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG")
"""What exists in a git folder while an operation of several steps is in progress."""


class NoView(ValueError):
    """A repository cannot be viewed: it is broken, of an unknown kind, or points at something that is not its own."""


class Directories(NamedTuple):
    """Where a checkout stores its git data."""

    own: Path
    """Of this worktree: HEAD and the index."""
    common: Path
    """Of all worktrees: objects and branches."""


def top_of(file: Path) -> Path | None:
    """Return the top of the checkout that contains a file."""
    return next((folder for folder in file.parents if os.path.lexists(folder / ".git")), None)


def git_directories(top: Path) -> Directories:
    """Return where the checkout stores its git data. Raises: NoView, OSError."""
    inside = Path(os.path.realpath(top / ".git"))
    if inside.parent != Path(os.path.realpath(top)):
        raise NoView(f"{top / '.git'} is a link to {inside}, which may be another project's")
    own = inside if inside.is_dir() else _pointed(top, inside)
    if not is_regular_file(own / "HEAD"):
        raise NoView(f"{own} holds no HEAD")
    if not os.path.lexists(own / "commondir"):
        return Directories(own, own)
    told = _text(own / "commondir")
    common = Path(os.path.realpath(own / told))
    # A worktree's folder is inside that of its repository; anywhere else it would be somebody else's.
    if own.parent != common / "worktrees":
        raise NoView(f"{own} is no worktree of {common}")
    return Directories(own, common)


def owners_of(top: Path, where: Directories) -> frozenset[int]:
    """Return the users who own the checkout and its repository. Raises: OSError."""
    places = (top, top / ".git", where.own, where.common)
    return frozenset(place.lstat().st_uid for place in places) | {(top / ".git").stat().st_uid}


def head_of(where: Directories) -> str:
    """Return the commit that is checked out; empty if there is none yet. Raises: NoView, OSError."""
    named = _text(where.own / "HEAD")
    for _ in range(_STEPS):
        if _HASH.fullmatch(named):
            return named
        branch = named.removeprefix("ref:").strip()
        if not named.startswith("ref:") or ".." in branch or not _BRANCH.fullmatch(branch):
            break
        if branch == "refs/heads/.invalid" or os.path.lexists(where.common / "reftable"):
            break
        named = _loose(where, branch) or _packed(where, branch)
        if not named:
            return ""
    raise NoView(f"{where.own} names no commit that can be looked up")


class HeadMove(NamedTuple):
    """A move of HEAD as git logged it."""

    old: str
    new: str
    at: int
    """In seconds since 1970."""
    message: str


def head_moves(where: Directories) -> list[HeadMove]:
    """Return how HEAD moved in this checkout, oldest first, as far as git logged it. Raises: OSError."""
    log = where.own / "logs" / "HEAD"
    if not is_regular_file(log) or log.is_symlink():
        return []
    lines = read_regular_file(log, _LISTS)[-_LOG:].split(b"\n")
    return [
        HeadMove(found[1].decode(), found[2].decode(), int(found[3]), found[4].decode("utf-8", "replace"))
        for found in map(_LOGGED.fullmatch, lines)
        if found is not None
    ]


def is_midway(where: Directories) -> bool:
    """Whether a rebase, merge or the like is in progress in this checkout."""
    return any(os.path.lexists(where.own / name) for name in _UNDER_WAY)


def make_view(folder: Path, where: Directories, head: str) -> None:
    """Build a view in an empty folder. Raises: OSError, NoView."""
    version = 1 if len(head) > 40 else 0
    text = CONFIGURATION.format(version=version, nothing=os.devnull) + (_SHA256 if version else "")
    (folder / "config").write_text(text, encoding="ascii")
    (folder / "HEAD").write_text(f"{head or 'ref: refs/heads/none'}\n", encoding="ascii")
    (folder / "refs").mkdir()
    (folder / "objects" / "pack").mkdir(parents=True)
    objects = where.common / "objects"
    if objects.is_symlink() or (objects / "pack").is_symlink():
        raise NoView(f"{objects} is a link to what may be another project's")
    for entry in _entries(objects):
        if _FAN_OUT.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
            (folder / "objects" / entry.name).symlink_to(entry.path)
    _link_files(objects / "pack", folder / "objects" / "pack", "")
    _link_files(where.own, folder, "sharedindex.")
    if is_regular_file(where.common / "shallow"):
        (folder / "shallow").write_bytes(read_regular_file(where.common / "shallow", _LISTS))
    if os.path.lexists(where.own / "index"):
        if (where.own / "index").is_symlink() or not is_regular_file(where.own / "index"):
            raise NoView(f"{where.own / 'index'} is not a file")
        (folder / "index").symlink_to(where.own / "index")


def _link_files(source: Path, target: Path, begins: str) -> None:
    """Link the regular files of a folder: a pipe among them would block git."""
    for entry in _entries(source):
        if entry.name.startswith(begins) and not entry.is_symlink() and is_regular_file(entry.path):
            (target / entry.name).symlink_to(entry.path)


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from list(islice(entries, _MOST_FILES))
    except FileNotFoundError:
        return


def _pointed(top: Path, inside: Path) -> Path:
    """Return the folder that a `.git` file points at, if it belongs to this checkout. Raises: NoView, OSError."""
    told = _text(inside)
    if not told.startswith("gitdir:"):
        raise NoView(f"{inside} is neither a folder nor a pointer to one")
    own = Path(os.path.realpath(top / told.removeprefix("gitdir:").strip()))
    if os.path.lexists(own / "gitdir"):
        back = Path(os.path.realpath(own / _text(own / "gitdir")))  # of a worktree
        if back == inside:
            return own
    # A submodule: its folder is inside the repository of a checkout around this one.
    for folder in Path(os.path.realpath(top)).parents:
        around = folder / ".git"
        if around.is_dir() and own.is_relative_to(around / "modules"):
            return own
    raise NoView(f"{inside} points at {own}, which does not know of it")


def _loose(where: Directories, branch: str) -> str:
    for folder in dict.fromkeys((where.own, where.common)):
        file = folder / branch
        try:
            # Branches are folders and files that git made; a link among them leads elsewhere.
            if stat.S_ISREG(file.lstat().st_mode):
                return _text(file)
        except (FileNotFoundError, NotADirectoryError):
            continue
    return ""


def _packed(where: Directories, branch: str) -> str:
    try:
        lines = read_regular_file(where.common / "packed-refs", _LISTS)
    except FileNotFoundError:
        return ""
    wanted = b" " + branch.encode("utf-8", "surrogateescape")
    found = next((line for line in lines.split(b"\n") if line.endswith(wanted)), b"")
    return found.removesuffix(wanted).decode("ascii", "replace")


def _text(file: Path) -> str:
    return read_regular_file(file, _POINTER).decode("utf-8", "surrogateescape").strip()
