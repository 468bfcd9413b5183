"""Tombstones: prove what was forgotten by ids and keyed digests, never by its text."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - the type of a field
from enum import StrEnum
from hashlib import blake2b
from typing import NamedTuple

from msgspec import Struct

from wisen.model.context import EVERYWHERE

ALL_CONTEXTS = "*"
"""The scope of everything, whatever context it belongs to."""
DISABLED_SESSION = "/off"
"""The scope of a disabled session; no context has such a key."""
FORGOTTEN = "forgotten"
"""Takes the place of the safety rule that kept the text of an event from being stored."""


class TombstoneKeyKind(StrEnum):
    """How something forgotten is recognized."""

    EVENT = "event"
    """An event, by the agent's own id."""
    WORDS = "words"
    """Consecutive words, ignoring punctuation between them; as a keyed digest."""
    MARKED = "marked"
    """Consecutive words and punctuation; as a keyed digest."""
    THING = "thing"
    """A row, by its kind and id."""
    SESSION = "session"
    """A disabled session, as a keyed digest of its agent and id: nothing of it is ever stored."""
    UNTIL = "until"
    """Everything that happened in a context up to a moment."""
    DONE = "done"
    """That everything was removed, and when."""


class TombstoneKey(Struct, frozen=True, kw_only=True):
    """What something forgotten is recognized by, without its text."""

    kind: TombstoneKeyKind
    value: str
    """The id of an event, a digest, `kind:id` of a row, or the scope of an UNTIL key."""
    agent: str = ""
    session: str = ""
    size: int = 0
    """The number of words in a digest, or microseconds since 1970."""

    @property
    def id(self) -> str:
        """Return an id that is unique within a tombstone."""
        content = "\0".join((self.kind.value, self.agent, self.session, self.value, str(self.size)))
        return blake2b(content.encode("utf-8", "surrogateescape"), digest_size=13).hexdigest()


class Tombstone(Struct, frozen=True, kw_only=True):
    """Proof that something was forgotten: when, in which scope, and how much."""

    id: str
    machine: str
    at: datetime
    scope: str
    """The key of a context, `EVERYWHERE`, `ALL_CONTEXTS`, or `DISABLED_SESSION`."""
    many: int
    done: bool = False
    """Whether everything that it names was removed; otherwise the next run continues."""


class IndexedText(NamedTuple):
    """A text that the index holds because of an event."""

    agent: str
    session: str
    """The agent's own id of the session."""
    event: str
    context: str
    """Empty outside of any."""
    text: str


class TextSearch(NamedTuple):
    """Which stored texts may contain what is to be forgotten. A store may return others too: the caller checks each."""

    words: tuple[tuple[str, ...], ...] | None = None
    """Only texts that may contain all of the folded words of one group; None for all texts, empty for none."""
    scope: str = ALL_CONTEXTS
    events: frozenset[tuple[str, str]] = frozenset()
    """Also the texts of these events, by agent and id, whatever they contain."""
    sessions: frozenset[tuple[str, str]] = frozenset()
    """Also the texts of these sessions, by agent and its id."""
    origins: frozenset[str] = frozenset()
    """Also the memories of these origins."""


EVERY_TEXT = TextSearch()


class ForgottenItem(NamedTuple):
    """Something that is forgotten, as it is shown to a person."""

    kind: str
    id: str
    where: str
    text: str


class ForgetResult(NamedTuple):
    """What was forgotten, or would be."""

    tombstone: str
    """Empty if nothing was done."""
    scope: str
    things: tuple[ForgottenItem, ...]
    left: tuple[str, ...]
    """What could not be removed, and why."""


class PurgeCount(NamedTuple):
    """How much a safety rule removed from one place."""

    rule: str
    place: str
    many: int


def is_in_scope(scope: str, context: str) -> bool:
    """Return whether a context is within a scope."""
    return scope in (ALL_CONTEXTS, context)


def describe_scope(scope: str) -> str:
    """Describe a scope for a person."""
    return {ALL_CONTEXTS: "all", EVERYWHERE: "global", DISABLED_SESSION: "a session that was switched off"}.get(
        scope, scope
    )
