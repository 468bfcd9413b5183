"""The languages a user writes in, and the results of building language files."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - the type of a field
from enum import StrEnum

from msgspec import Struct, field

MIN_TURNS = 3
"""In fewer turns a phrase of a language may occur by chance."""


class LanguageOrigin(StrEnum):
    """Where a language comes from."""

    SHIPPED = "shipped"
    ADDED = "added"
    EXTENDED = "extended"
    """It is shipped, and a file of the user adds to it."""


class KnownLanguage(Struct, frozen=True, kw_only=True):
    """A language with a file."""

    code: str
    name: str
    own_name: str
    origin: LanguageOrigin
    phrases: int
    turns: int
    """In how many of the user's typed turns its phrases occur."""
    newest: datetime | None
    file: str = ""
    """The user's own file."""


class UnknownLanguage(Struct, frozen=True, kw_only=True):
    """A language that the user writes in, without a file."""

    code: str
    name: str
    own_name: str
    turns: int
    newest: datetime
    words: tuple[str, ...]
    """Function words of it that the user wrote."""


class LanguageSurvey(Struct, frozen=True, kw_only=True):
    """The languages of a user."""

    turns: int
    """How many typed turns were examined."""
    known: tuple[KnownLanguage, ...]
    """The most used first."""
    unknown: tuple[UnknownLanguage, ...]
    warnings: tuple[str, ...] = ()

    @property
    def spoken(self) -> tuple[str, ...]:
        """Return the codes of the languages that the user writes in, the most used first."""
        used = [(each.turns, each.code) for each in self.known if each.turns >= MIN_TURNS and each.own_name]
        used += [(each.turns, each.code) for each in self.unknown]
        return tuple(code for _, code in sorted(used, key=lambda each: (-each[0], each[1])))


class LanguageBuild(Struct, frozen=True, kw_only=True):
    """The result of building the file of one language."""

    code: str
    name: str
    file: str
    phrases: int = 0
    """How many are in the file; for an extension of a shipped language, how many it adds."""
    dropped: dict[str, int] = {}
    """How many phrases were dropped, by reason."""
    answered: int = 0
    questions: int = 0
    """How many questions a model was asked, or would be."""
    written: bool = False
    kept: str = ""
    """Where the previous file was moved to."""
    problem: str = field(default="", name="trouble")
    """Why it is incomplete."""


class LanguageAccuracy(Struct, frozen=True, kw_only=True):
    """How accurately a language is detected, on sentences held back from whoever wrote its file."""

    code: str
    name: str
    file: str
    """Where its sentences are."""
    sentences: int = 0
    """How many sentences there are, including those not held back. All counts below are of held-back ones."""
    directives: int = 0
    """How many sentences are directives, prohibitions included."""
    heard: int = 0
    """How many directives are detected."""
    prohibitions: int = 0
    """How many directives are prohibitions."""
    prohibitions_heard: int = 0
    """How many prohibitions are detected."""
    negations_kept: int = 0
    """How many of the detected prohibitions are recognized as such."""
    harmless: int = 0
    """How many sentences are not directives."""
    taken: int = 0
    """How many harmless sentences are mistaken for a directive."""
    needed: dict[str, int] = {}
    """About how many more are needed by kind before the counts are meaningful; empty if there are enough."""
    missed: tuple[str, ...] = ()
    """Some that were not held back, and are missed or lose their negation: help for improving the file."""
    wrongly_taken: tuple[str, ...] = ()
    """Some harmless ones that were not held back, and are mistaken for a directive."""
    problem: str = field(default="", name="trouble")
    """Why its sentences cannot be read."""
