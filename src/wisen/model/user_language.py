"""What is known of the languages a user writes in, and what came of building files for them."""

from __future__ import annotations

from datetime import datetime  # noqa: TC003 - the type of a field
from enum import StrEnum

from msgspec import Struct

MIN_TURNS = 3
"""In fewer turns a phrase of a language may stand by chance."""


class LanguageOrigin(StrEnum):
    """Where a language comes from."""

    SHIPPED = "shipped"
    ADDED = "added"
    EXTENDED = "extended"
    """It is shipped, and a file of the user's adds to it."""


class KnownLanguage(Struct, frozen=True, kw_only=True):
    """A language that there is a file for."""

    code: str
    name: str
    own_name: str
    origin: LanguageOrigin
    phrases: int
    turns: int
    """In how many of the user's typed turns it was spoken, by its phrases."""
    newest: datetime | None
    file: str = ""
    """The user's own file."""


class UnknownLanguage(Struct, frozen=True, kw_only=True):
    """A language that the user writes in, and that there is no file for."""

    code: str
    name: str
    own_name: str
    turns: int
    newest: datetime
    words: tuple[str, ...]
    """Small words of it that he wrote."""


class LanguageSurvey(Struct, frozen=True, kw_only=True):
    """The languages of a user."""

    turns: int
    """How many typed turns were looked at."""
    known: tuple[KnownLanguage, ...]
    """Those that are spoken most come first."""
    unknown: tuple[UnknownLanguage, ...]
    warnings: tuple[str, ...] = ()

    @property
    def spoken(self) -> tuple[str, ...]:
        """The codes of the languages that the user writes in, the most used first."""
        used = [(each.turns, each.code) for each in self.known if each.turns >= MIN_TURNS and each.own_name]
        used += [(each.turns, each.code) for each in self.unknown]
        return tuple(code for _, code in sorted(used, key=lambda each: (-each[0], each[1])))


class LanguageBuild(Struct, frozen=True, kw_only=True):
    """What came of building the file of one language."""

    code: str
    name: str
    file: str
    phrases: int = 0
    """How many are in the file; where it extends a shipped one, how many it adds."""
    dropped: dict[str, int] = {}
    """How many phrases were left out, by why."""
    answered: int = 0
    questions: int = 0
    """How many a model was asked, or would be."""
    written: bool = False
    kept: str = ""
    """Where the file is now that stood there before."""
    trouble: str = ""
    """Why it is not whole."""


class LanguageAccuracy(Struct, frozen=True, kw_only=True):
    """How well a language is heard on sentences that were held back from whoever wrote its file."""

    code: str
    name: str
    file: str
    """Where its sentences lie."""
    sentences: int = 0
    """How many there are, with those that were not held back. All counts below are of held-back ones."""
    directives: int = 0
    """How many tell how to work, with those that forbid."""
    heard: int = 0
    prohibitions: int = 0
    prohibitions_heard: int = 0
    negations_kept: int = 0
    """How many of the prohibitions that were heard are read as such."""
    harmless: int = 0
    taken: int = 0
    """How many harmless ones were taken for a directive."""
    needed: dict[str, int] = {}
    """About how many more are needed by kind, before the counts tell anything; empty where there are enough."""
    missed: tuple[str, ...] = ()
    """Some that were not held back, and are not heard or lose their negation: to write the file by."""
    wrongly_taken: tuple[str, ...] = ()
    """Some harmless ones that were not held back, and are taken for a directive."""
    trouble: str = ""
    """Why its sentences cannot be read."""
