"""Edits made to a user's files: what was done, everything needed to undo it, and what became of it since."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - a change is read back from JSON by its types
from enum import StrEnum
from hashlib import blake2b
from typing import TypeAlias

from msgspec import Struct, field

_CHARACTERS_PER_TOKEN = 4
SWITCHED_OFF = "you switched wisen off here"
"""The reason recorded when a marker file is put into a project."""
EXPERIMENTS_ANSWER = "your answer about experiments"
"""The reason recorded when config.toml is changed to allow or forbid experiments."""
POINTING_ANSWER = "your answer about help of your agent"
"""The reason recorded when config.toml is changed to let agents point at the user's words, or not."""


class Splice(Struct, frozen=True):
    """One replacement: at byte `at` of the old content, `old` becomes `new`."""

    at: int
    old: bytes
    new: bytes


class FileVersion(Struct, frozen=True):
    """The content of a file at the time it was read."""

    path: str
    content: bytes | None
    """None if the file does not exist."""
    mode: int
    """The permission bits; 0 if the file does not exist."""
    link: str | None
    """The real path, if `path` is a symbolic link."""

    @property
    def digest(self) -> str:
        """Return the digest of the content; empty if the file does not exist."""
        return content_digest(self.content)

    @property
    def real_path(self) -> str:
        """Return the path of the file itself, with links resolved."""
        return self.link or self.path


class LineEdit(Struct, frozen=True, tag="line", kw_only=True):
    """A line of ours was added below a heading of a Markdown file."""

    id: str
    heading: str
    text: str
    opening: bytes = b""
    """What was written before the first of our lines below the heading; it is removed with the last of them."""
    closing: bytes = b""
    archived: tuple[str, ...] = ()
    """The ids of our lines that were archived to make room for it."""
    instead_of: str = ""
    """The id of our line that it replaced; empty if it is a new line."""
    old: str = ""
    """The text of the replaced line."""


class ValueEdit(Struct, frozen=True, tag="value", kw_only=True):
    """A value was set in a settings file, or removed from it."""

    format: str
    keys: tuple[str | int, ...]
    """The path of keys to the value; a list index is the one at that time."""
    new: str
    """As JSON; empty if the value was removed."""
    old: str = ""
    """The previous value as JSON; empty if there was none."""
    made: int = 0
    """How many enclosing mappings were created with it."""
    appended: bool = False
    """It was appended to a list, where it is identified by its value instead of its index."""


class PassageEdit(Struct, frozen=True, tag="passage", kw_only=True):
    """A passage of ours replaced another one of ours, or was appended."""

    new: bytes
    old: bytes = b""


class RemovedLine(Struct, frozen=True, kw_only=True):
    """A line including its line break, and the line above it (empty for the first line)."""

    text: bytes
    above: bytes = b""


class LineRemoval(Struct, frozen=True, tag="removal", kw_only=True):
    """Lines that belong to the user were removed because they asked for it."""

    lines: tuple[RemovedLine, ...]


class FileEdit(Struct, frozen=True, tag="file", kw_only=True):
    """A whole file was written or deleted."""

    new: bytes | None
    """None if it was deleted."""


EditOperation: TypeAlias = LineEdit | ValueEdit | PassageEdit | LineRemoval | FileEdit


class Change(Struct, frozen=True, kw_only=True):
    """An edit of a file, with everything needed to undo it."""

    id: str
    machine: str
    path: str
    at: datetime
    why: str
    """The reason for the edit, in one line."""
    before: str
    """The digest of the content before; empty if the file did not exist."""
    after: str
    splices: tuple[Splice, ...]
    operation: EditOperation | None = field(default=None, name="deed")
    """None if the change undoes another one, and if somebody else made it."""
    external_description: str = field(default="", name="told")
    """What somebody else changed, as they described it; it is only recorded."""
    head: str = ""
    """The commit that was checked out, if git tracks the file."""
    undoes: str = ""
    """The id of the change that this one undoes."""
    follows: str | None = None
    """The id of the previous change of the same file, empty for the first; None if that is unknown."""

    @property
    def tokens(self) -> int:
        """Return the approximate number of tokens that it adds to every session that reads the file."""
        return sum(estimate_tokens(splice.new) - estimate_tokens(splice.old) for splice in self.splices)


class ChangeFate(StrEnum):
    """What became of a change."""

    STANDS = "stands"
    """It is as we wrote it, wherever it was moved to."""
    REWORDED = "his"
    """The user reworded it: it belongs to them now, and we leave it alone."""
    REMOVED = "refused"
    """The user removed it."""
    UNCLEAR = "unclear"
    """It is gone or reworded, and something else may have done that: ask the user."""
    NOT_MADE = "not made"
    """It was recorded, but the file was never written."""
    ARCHIVED = "archived"
    """It made room for a more valuable line."""
    UNDONE = "undone"


class ChangeCheck(Struct, frozen=True, kw_only=True):
    """What a check of a change found."""

    id: str
    change: str
    machine: str
    at: datetime
    fate: ChangeFate
    path: str
    """Where the text was found, or should have been."""
    head: str = ""
    """The commit that was checked out at that time, if git tracks the file."""
    text: str = ""
    """The user's wording, if they reworded it."""


class CheckedOutFile(Struct, frozen=True):
    """What git knows about a file that it tracks."""

    head: str
    """The commit that is checked out."""
    content: bytes
    """What the file holds in that commit; empty if it is not in it."""
    is_midway: bool = False
    """Whether a rebase, merge or similar is in progress: the content of the file is then nobody's decision."""


class HeadStepKind(StrEnum):
    """How HEAD moved from one commit to the next."""

    FORWARD = "forward"
    """By a commit on the branch: the user's own, a merged or pulled one, or a cherry-pick."""
    REWRITTEN = "rewritten"
    """A rebase began or ended: the commits that follow are rewritten ones."""
    SWITCHED = "switched"
    """Another branch or commit was checked out, or HEAD was reset; also if the kind is unknown."""


class HeadStep(Struct, frozen=True):
    """One move of HEAD, with the content of a file before and after it."""

    kind: HeadStepKind
    before: bytes
    after: bytes


def estimate_tokens(content: bytes) -> int:
    """Estimate the number of tokens of a content, rounded up."""
    return -(-len(content.decode("utf-8", "replace")) // _CHARACTERS_PER_TOKEN)


def content_digest(content: bytes | None) -> str:
    """Return the digest of a content; empty for None."""
    return "" if content is None else blake2b(content, digest_size=16).hexdigest()
