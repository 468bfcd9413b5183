"""Changes of a user's file: what was done to it, with everything that undoes it, and what became of it since."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - a change is read back from JSON by its types
from enum import StrEnum
from hashlib import blake2b
from typing import TypeAlias

from msgspec import Struct

_CHARACTERS_A_TOKEN = 4
SWITCHED_OFF = "you switched wisen off here"
"""Why a marker was put into a project."""
EXPERIMENTS_ANSWER = "your answer about experiments"
"""Why config.toml says whether experiments are welcome."""
POINTING_ANSWER = "your answer about help of your agent"
"""Why config.toml says whether agents may point at the user's words."""


class Splice(Struct, frozen=True):
    """One place that changes: at byte `at` of the old content, `old` is replaced by `new`."""

    at: int
    old: bytes
    new: bytes


class FileVersion(Struct, frozen=True):
    """A file as it was read."""

    path: str
    content: bytes | None
    """None: it is not there."""
    mode: int
    """Its permission bits; 0 where it is not there."""
    link: str | None
    """The real path, when `path` is a symbolic link."""

    @property
    def digest(self) -> str:
        """Two contents are the same where these are; empty where the file is not there."""
        return content_digest(self.content)

    @property
    def real_path(self) -> str:
        """Where the file itself is."""
        return self.link or self.path


class LineEdit(Struct, frozen=True, tag="line", kw_only=True):
    """A line of ours was put below a heading of a Markdown file."""

    id: str
    heading: str
    text: str
    opening: bytes = b""
    """What was put before the first of our lines below the heading, and goes with the last of them."""
    closing: bytes = b""
    archived: tuple[str, ...] = ()
    """The ids of our lines that made room for it."""
    instead_of: str = ""
    """The id of the line of ours in whose place it was put; empty where it is a new line."""
    old: str = ""
    """What that line said."""


class ValueEdit(Struct, frozen=True, tag="value", kw_only=True):
    """A value was set in a settings file, or taken out of it."""

    format: str
    keys: tuple[str | int, ...]
    """Where it is; the place in a list is the one it had then."""
    new: str
    """As JSON; empty where it was taken out."""
    old: str = ""
    """What stood there, as JSON; empty where nothing did."""
    made: int = 0
    """How many mappings around it were made with it."""
    appended: bool = False
    """It went to the end of a list, where it is told by what it is and not by its place."""


class PassageEdit(Struct, frozen=True, tag="passage", kw_only=True):
    """A passage of ours took the place of another one of ours, or was put at the end."""

    new: bytes
    old: bytes = b""


class RemovedLine(Struct, frozen=True, kw_only=True):
    """A line with its end, and the line that it stood under; empty for the first."""

    text: bytes
    above: bytes = b""


class LineRemoval(Struct, frozen=True, tag="removal", kw_only=True):
    """Lines of the person's own were taken out because they said so."""

    lines: tuple[RemovedLine, ...]


EditOperation: TypeAlias = LineEdit | ValueEdit | PassageEdit | LineRemoval


class Change(Struct, frozen=True, kw_only=True):
    """An edit of a file that was made, with everything that undoes it."""

    id: str
    machine: str
    path: str
    at: datetime
    why: str
    """What it was for, in one line."""
    before: str
    """The digest of what the file held; empty where it was not there."""
    after: str
    splices: tuple[Splice, ...]
    deed: EditOperation | None = None
    """None where it takes another change back, and where somebody else made it."""
    told: str = ""
    """What somebody else changed, in his words; it is only remembered."""
    head: str = ""
    """The commit that was checked out, where git tracks the file."""
    undoes: str = ""
    """The id of the change that it takes back."""
    follows: str | None = None
    """The id of the change of the same file before it, empty for the first; None where that is not known."""

    @property
    def tokens(self) -> int:
        """About how many tokens more every session costs that reads the file."""
        return sum(estimate_tokens(splice.new) - estimate_tokens(splice.old) for splice in self.splices)


class ChangeFate(StrEnum):
    """What became of a change."""

    STANDS = "stands"
    """As we made it, wherever it was moved to."""
    REWORDED = "his"
    """He worded it otherwise: it is his now, and we leave it alone."""
    REMOVED = "refused"
    """He took it out."""
    UNCLEAR = "unclear"
    """It is gone or reworded, and something else may have done it: ask."""
    NOT_MADE = "not made"
    """It was recorded, and the file was never written."""
    ARCHIVED = "archived"
    """It made room for a line that was worth more."""
    UNDONE = "undone"


class ChangeCheck(Struct, frozen=True, kw_only=True):
    """What had become of a change when we looked."""

    id: str
    change: str
    machine: str
    at: datetime
    fate: ChangeFate
    path: str
    """Where it was found, or missed."""
    head: str = ""
    """The commit that was checked out then, where git tracks the file."""
    text: str = ""
    """His words, where it is his now."""


class CheckedOutFile(Struct, frozen=True):
    """What git knows of a file that it tracks."""

    head: str
    """The commit that is checked out."""
    content: bytes
    """What the file holds in that commit; empty where it is not in it."""
    is_midway: bool = False
    """Whether git is in the midst of a rebase, a merge or the like: what the file holds then is nobody's decision."""


class HeadStepKind(StrEnum):
    """How HEAD came from one commit to the next."""

    FORWARD = "forward"
    """By a commit on the branch: the user's, one that was merged or pulled, or one that was picked."""
    REWRITTEN = "rewritten"
    """A rebase began or ended: commits that follow are made anew."""
    SWITCHED = "switched"
    """Another branch or commit was checked out, or HEAD was reset; also where it cannot be told."""


class HeadStep(Struct, frozen=True):
    """A move of HEAD, with what a file held in the commits before and after it."""

    kind: HeadStepKind
    before: bytes
    after: bytes


def estimate_tokens(content: bytes) -> int:
    """About how many tokens a content has, rather too many than too few."""
    return -(-len(content.decode("utf-8", "replace")) // _CHARACTERS_A_TOKEN)


def content_digest(content: bytes | None) -> str:
    """Names a content; empty for none."""
    return "" if content is None else blake2b(content, digest_size=16).hexdigest()
