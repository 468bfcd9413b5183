"""Directives: sentences by which a user tells an agent how to work, in the user's own words; and what calls them up."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class DirectiveForm(StrEnum):
    """How a sentence tells what to do."""

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
    """That an earlier wish was not followed."""
    FACT = "fact"
    """What the agent has to know, and is asked to keep in mind."""


class Directive(Struct, frozen=True, kw_only=True):
    """One directive in a message."""

    text: str
    """The user's sentences, never cut inside; only a greeting, a "please" or a name may have fallen away."""
    start: int
    """Where in the message its sentences begin."""
    end: int
    form: DirectiveForm
    forbids: bool
    """Whether it says what not to do, and nothing else."""
    marker: str = ""
    """The words by which it says itself that it lasts: "from now on", "in this repo we"; empty where it does not."""
    passing: bool = False
    """Whether it says itself that it holds for now, or this once."""
    stands_alone: bool = True
    """Whether it says something to somebody who was not there: it points at nothing that only the user saw."""
    inner: bool = False
    """Whether what it tells only stands within a longer sentence: that may be a piece of work, or an option."""

    doubtful: bool = False
    """Whether it only may be one: somebody has to say so before anything is made of it."""

    @property
    def standing(self) -> bool:
        """Whether it is told at each start: it says itself that it lasts, and says something by itself."""
        return bool(self.marker) and not self.passing and not self.doubtful and self.stands_alone


class TriggerCause(StrEnum):
    """Why a call is taken to be what a lesson was about."""

    REJECTED = "rejected"
    INTERRUPTED = "interrupted"
    NAMED = "named"
    """The user's words and the call share names."""


class Trigger(Struct, frozen=True, kw_only=True):
    """What calls a lesson up again: a call like the one that it was about. It is inferred, not the user's word."""

    cause: TriggerCause
    tool: str
    words: tuple[str, ...]
    """By what such a call is known again: words of a command, a path, or names."""
    did: str
    """What the agent did then, in few words."""
