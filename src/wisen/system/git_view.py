"""Builds a view of a repository with what git needs to answer, and nothing that the repository's owner configured.

A view is a bare repository of our own in a temporary folder. Its configuration is written here; from the original
repository there are only links to the files that hold objects, the index, and the commit that HEAD names. So git sees
no configuration (nor what it includes), hook, attribute, alternate, replacement, graft, remote or worktree setting of
the repository: what is not linked cannot be missing from a list of dangerous settings. This module reads git's files
itself, starts nothing, and writes only below the view.
"""

from __future__ import annotations

import os
import stat
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wisen.safety.regular_files import is_regular_file, read_regular_file
from wisen.text.lazy_regex import lazy_regex

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
_MAX_POINTER_BYTES = 1 << 16
"""Maximum bytes of HEAD, a branch or a pointer to another folder."""
_MAX_LIST_BYTES = 64 << 20
"""Maximum bytes of the packed refs, the shallow file or the reflog."""
_MAX_FILES = 20_000
"""Maximum number of packs, and of split indexes, in one repository."""
_FAN_OUT = lazy_regex(r"[0-9a-f]{2}")
_HASH = lazy_regex(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_BRANCH = lazy_regex(r"refs(?:/(?!\.)[^\s~^:?*\[\\\x00-\x1f\x7f/]+(?<!\.lock))+")
_MAX_REF_HOPS = 5
"""How many symbolic refs are followed, one after the other."""


_REFLOG_BYTES = 1 << 20
"""How many bytes of the reflog of HEAD are read, from its end."""
_REFLOG_LINE = lazy_regex(rb"([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [^\n\t]*> (\d{1,12}) [+-]\d{4}\t?([^\n]*)")
_OPERATION_FILES = ("rebase-merge", "rebase-apply", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG")
"""What exists in a git folder while an operation of several steps is in progress."""


class ViewError(ValueError):
    """A repository cannot be viewed: it is broken, of an unknown kind, or points at something that is not its own."""


class GitDirectories(NamedTuple):
    """Where a checkout stores its git data."""

    worktree: Path
    """Of this worktree: HEAD and the index."""
    common: Path
    """Of all worktrees: objects and branches."""


def top_of(file: Path) -> Path | None:
    """Return the top of the checkout that contains a file."""
    return next((folder for folder in file.parents if os.path.lexists(folder / ".git")), None)


def git_directories(top: Path) -> GitDirectories:
    """Return where the checkout stores its git data. Raises: ViewError, OSError."""
    inside = Path(os.path.realpath(top / ".git"))
    if inside.parent != Path(os.path.realpath(top)):
        raise ViewError(f"{top / '.git'} is a link to {inside}, which may be another project's")
    directory = inside if inside.is_dir() else _follow_pointer(top, inside)
    if not is_regular_file(directory / "HEAD"):
        raise ViewError(f"{directory} has no HEAD")
    if not os.path.lexists(directory / "commondir"):
        return GitDirectories(directory, directory)
    pointer = _read_pointer(directory / "commondir")
    common = Path(os.path.realpath(directory / pointer))
    # A worktree's folder is inside that of its repository; anywhere else it would be somebody else's.
    if directory.parent != common / "worktrees":
        raise ViewError(f"{directory} is not a worktree of {common}")
    return GitDirectories(directory, common)


def owners_of(top: Path, directories: GitDirectories) -> frozenset[int]:
    """Return the users who own the checkout and its repository. Raises: OSError."""
    places = (top, top / ".git", directories.worktree, directories.common)
    return frozenset(place.lstat().st_uid for place in places) | {(top / ".git").stat().st_uid}


def head_of(directories: GitDirectories) -> str:
    """Return the commit that is checked out; empty if there is none yet. Raises: ViewError, OSError."""
    ref = _read_pointer(directories.worktree / "HEAD")
    for _ in range(_MAX_REF_HOPS):
        if _HASH.fullmatch(ref):
            return ref
        branch = ref.removeprefix("ref:").strip()
        if not ref.startswith("ref:") or ".." in branch or not _BRANCH.fullmatch(branch):
            break
        if branch == "refs/heads/.invalid" or os.path.lexists(directories.common / "reftable"):
            break
        ref = _loose_ref(directories, branch) or _packed_ref(directories, branch)
        if not ref:
            return ""
    raise ViewError(f"{directories.worktree} names no commit that can be resolved")


class HeadMove(NamedTuple):
    """A move of HEAD as git logged it."""

    old: str
    new: str
    at: int
    """In seconds since 1970."""
    message: str


def head_moves(directories: GitDirectories) -> list[HeadMove]:
    """Return how HEAD moved in this checkout, oldest first, as far as git logged it. Raises: OSError."""
    log = directories.worktree / "logs" / "HEAD"
    if not is_regular_file(log) or log.is_symlink():
        return []
    lines = read_regular_file(log, _MAX_LIST_BYTES)[-_REFLOG_BYTES:].split(b"\n")
    return [
        HeadMove(match[1].decode(), match[2].decode(), int(match[3]), match[4].decode("utf-8", "replace"))
        for match in map(_REFLOG_LINE.fullmatch, lines)
        if match is not None
    ]


def has_operation_in_progress(directories: GitDirectories) -> bool:
    """Whether a rebase, merge or the like is in progress in this checkout."""
    return any(os.path.lexists(directories.worktree / name) for name in _OPERATION_FILES)


def make_view(folder: Path, directories: GitDirectories, head: str) -> None:
    """Build a view in an empty folder. Raises: OSError, ViewError."""
    version = 1 if len(head) > 40 else 0
    text = CONFIGURATION.format(version=version, nothing=os.devnull) + (_SHA256 if version else "")
    (folder / "config").write_text(text, encoding="ascii")
    (folder / "HEAD").write_text(f"{head or 'ref: refs/heads/none'}\n", encoding="ascii")
    (folder / "refs").mkdir()
    (folder / "objects" / "pack").mkdir(parents=True)
    objects = directories.common / "objects"
    if objects.is_symlink() or (objects / "pack").is_symlink():
        raise ViewError(f"{objects} is a link to what may be another project's")
    for entry in _entries(objects):
        if _FAN_OUT.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
            (folder / "objects" / entry.name).symlink_to(entry.path)
    _link_files(objects / "pack", folder / "objects" / "pack", "")
    _link_files(directories.worktree, folder, "sharedindex.")
    if is_regular_file(directories.common / "shallow"):
        (folder / "shallow").write_bytes(read_regular_file(directories.common / "shallow", _MAX_LIST_BYTES))
    if os.path.lexists(directories.worktree / "index"):
        if (directories.worktree / "index").is_symlink() or not is_regular_file(directories.worktree / "index"):
            raise ViewError(f"{directories.worktree / 'index'} is not a file")
        (folder / "index").symlink_to(directories.worktree / "index")


def _link_files(source: Path, target: Path, prefix: str) -> None:
    """Link the regular files of a folder: a pipe among them would block git."""
    for entry in _entries(source):
        if entry.name.startswith(prefix) and not entry.is_symlink() and is_regular_file(entry.path):
            (target / entry.name).symlink_to(entry.path)


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from list(islice(entries, _MAX_FILES))
    except FileNotFoundError:
        return


def _follow_pointer(top: Path, inside: Path) -> Path:
    """Return the folder that a `.git` file points at, if it belongs to this checkout. Raises: ViewError, OSError."""
    pointer = _read_pointer(inside)
    if not pointer.startswith("gitdir:"):
        raise ViewError(f"{inside} is neither a folder nor a pointer to one")
    directory = Path(os.path.realpath(top / pointer.removeprefix("gitdir:").strip()))
    if os.path.lexists(directory / "gitdir"):
        back = Path(os.path.realpath(directory / _read_pointer(directory / "gitdir")))  # of a worktree
        if back == inside:
            return directory
    # A submodule: its folder is inside the repository of a checkout around this one.
    for folder in Path(os.path.realpath(top)).parents:
        outer = folder / ".git"
        if outer.is_dir() and directory.is_relative_to(outer / "modules"):
            return directory
    raise ViewError(f"{inside} points at {directory}, which does not point back")


def _loose_ref(directories: GitDirectories, branch: str) -> str:
    for folder in dict.fromkeys((directories.worktree, directories.common)):
        file = folder / branch
        try:
            # Branches are folders and files that git made; a link among them leads elsewhere.
            if stat.S_ISREG(file.lstat().st_mode):
                return _read_pointer(file)
        except (FileNotFoundError, NotADirectoryError):
            continue
    return ""


def _packed_ref(directories: GitDirectories, branch: str) -> str:
    try:
        lines = read_regular_file(directories.common / "packed-refs", _MAX_LIST_BYTES)
    except FileNotFoundError:
        return ""
    suffix = b" " + branch.encode("utf-8", "surrogateescape")
    line_found = next((line for line in lines.split(b"\n") if line.endswith(suffix)), b"")
    return line_found.removesuffix(suffix).decode("ascii", "replace")


def _read_pointer(file: Path) -> str:
    return read_regular_file(file, _MAX_POINTER_BYTES).decode("utf-8", "surrogateescape").strip()
