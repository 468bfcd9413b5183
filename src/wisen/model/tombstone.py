"""Tombstones: what was forgotten, known by ids and keyed digests, never by its words; and what is looked through."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - the type of a field
from enum import StrEnum
from hashlib import blake2b
from typing import NamedTuple

from msgspec import Struct

from wisen.model.context import EVERYWHERE

ALL_CONTEXTS = "*"
"""The scope of everything that is there, whatever context it belongs to."""
DISABLED_SESSION = "/off"
"""The scope of a session that was switched off; no context has such a key."""
FORGOTTEN = "forgotten"
"""Stands in the place of the rule by which the text of an event was withheld."""


class TombstoneKeyKind(StrEnum):
    """By what something forgotten is known again."""

    EVENT = "event"
    """An event, by the agent's own id."""
    WORDS = "words"
    """Words that follow each other, whatever marks stand between them; as a keyed digest."""
    MARKED = "marked"
    """Words and marks that follow each other; as a keyed digest."""
    THING = "thing"
    """A row, by its kind and id."""
    SESSION = "session"
    """A session that was switched off, as a keyed digest of its agent and id: nothing of it is ever kept."""
    UNTIL = "until"
    """Whatever happened in a context up to a moment."""
    DONE = "done"
    """That everything is gone, and since when."""


class TombstoneKey(Struct, frozen=True, kw_only=True):
    """By what something forgotten is known again, without a word of it."""

    kind: TombstoneKeyKind
    value: str
    """The id of an event, a digest, `kind:id` of a row, or the scope of what happened until then."""
    agent: str = ""
    session: str = ""
    size: int = 0
    """How many words a digest was made of, or microseconds since 1970."""

    @property
    def id(self) -> str:
        """Tells it from the others of a tombstone."""
        told = "\0".join((self.kind.value, self.agent, self.session, self.value, str(self.size)))
        return blake2b(told.encode("utf-8", "surrogateescape"), digest_size=13).hexdigest()


class Tombstone(Struct, frozen=True, kw_only=True):
    """That something was forgotten: when, in which scope, and how much of it there was."""

    id: str
    machine: str
    at: datetime
    scope: str
    """The key of a context, `EVERYWHERE`, `ALL`, or `OFF`."""
    many: int
    done: bool = False
    """Whether everything that it names is gone; else the next run goes on with it."""


class IndexedText(NamedTuple):
    """A text that the index holds because of an event."""

    agent: str
    session: str
    """The agent's own id of the session."""
    event: str
    context: str
    """Empty outside of any."""
    text: str


class ForgottenItem(NamedTuple):
    """Something that is forgotten, as it is shown to a person."""

    kind: str
    id: str
    where: str
    text: str


class ForgetResult(NamedTuple):
    """What was forgotten, or would be."""

    tombstone: str
    """Empty where nothing was done."""
    scope: str
    things: tuple[ForgottenItem, ...]
    left: tuple[str, ...]
    """What could not be removed, and why."""


class PurgeCount(NamedTuple):
    """What a rule of safety does not let be kept: how much of it was in which place."""

    rule: str
    place: str
    many: int


def is_in_scope(scope: str, context: str) -> bool:
    """Whether what belongs to a context is within a scope."""
    return scope in (ALL_CONTEXTS, context)


def describe_scope(scope: str) -> str:
    """A scope for a person."""
    return {ALL_CONTEXTS: "all", EVERYWHERE: "global", DISABLED_SESSION: "a session that was switched off"}.get(
        scope, scope
    )
