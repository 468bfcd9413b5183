"""Directives: sentences in which the user tells an agent how to work, and the triggers that bring them up again."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class DirectiveForm(StrEnum):
    """The grammatical form of a directive."""

    ORDER = "order"
    PROHIBITION = "prohibition"
    REPLACEMENT = "replacement"
    """One thing instead of another."""
    CONVENTION = "convention"
    """How things are done in a project: "we indent with tabs"."""
    WISH = "wish"
    QUESTION = "question"
    """A polite question that asks for something: "could you stop …?"."""
    COMPLAINT = "complaint"
    """That an earlier request was not followed."""
    FACT = "fact"
    """Something the agent has to know and is asked to keep in mind."""


class Directive(Struct, frozen=True, kw_only=True):
    """One directive in a message."""

    text: str
    """The user's sentences, never cut inside; only a greeting, a "please" or a name may have been stripped."""
    start: int
    """Where in the message its sentences begin."""
    end: int
    form: DirectiveForm
    forbids: bool
    """Whether it only says what not to do."""
    marker: str = ""
    """The words that mark it as lasting ("from now on", "in this repo we"); empty if there are none."""
    passing: bool = False
    """Whether it says that it applies for now, or just this once."""
    stands_alone: bool = True
    """Whether somebody who was not there can understand it: it refers to nothing that only the user saw."""
    inner: bool = False
    """Whether the directive is only part of a longer sentence: it may be a piece of work, or an option."""

    doubtful: bool = False
    """Whether it is uncertain that this is a directive: a person has to confirm it before it is used."""

    @property
    def standing(self) -> bool:
        """Return whether it is delivered at each start: it is marked as lasting and can be understood by itself."""
        return bool(self.marker) and not self.passing and not self.doubtful and self.stands_alone


class TriggerCause(StrEnum):
    """Why a call is assumed to be what a lesson was about."""

    REJECTED = "rejected"
    INTERRUPTED = "interrupted"
    NAMED = "named"
    """The user's words and the call share names."""


class Trigger(Struct, frozen=True, kw_only=True):
    """What brings up a lesson again: a call like the one that it was about. It is inferred, not stated by the user."""

    cause: TriggerCause
    tool: str
    words: tuple[str, ...]
    """How such a call is recognized: words of a command, a path, or names."""
    did: str
    """What the agent did then, in few words."""
