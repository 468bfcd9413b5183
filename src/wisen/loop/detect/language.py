"""The file of a language: what its speakers write to an agent, by what it tells. A new language is a new file.

Each group of phrases is one feature of the model, the same in all languages: which way it points, and how far, is
learnt. Files come with the package (`languages/`), and more may lie in a folder of the home.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from wisen.errors import LanguageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

Words: TypeAlias = tuple[str, ...]
GROUPS = {
    "correction": tuple(
        "unmistakable deny refuse take_back told you_did otherwise not_that softly opinion sigh dislike doubt again "
        "contrast turning failing sight lacking isnt finding prose asked_check frown".split()
    ),
    "praise": ("praise", "thanks", "smile"),
    "preference": ("lasting", "liking"),
    "feature_request": ("wish", "by_hand"),
    "knowledge_gap": ("telling",),
    "remember": ("keep",),
    "plain": tuple(
        "agree order new_work asking other_people supposing ourselves addressed myself pointing marks".split()
    ),
}
"""The groups there are, by the kind of signal that they speak for first."""
MARKS = "marks"
"""The group of words that only tell which language it is."""
_ENGLISH = "en"


class Negations(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What negates a phrase."""

    before: Words = ()
    after: Words = ()


class Opening(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the first word of a message is."""

    command: Words = ()
    auxiliary: Words = ()
    question: Words = ()
    thing: Words = ()
    person: Words = ()
    lead: Words = ()
    """What only leads to the word that counts."""


class LessonWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The words by which lessons are found and understood."""

    orders: Words = ()
    """Those of sentences that say what is to be done."""
    leads: Words = ()
    """Those that only lead to what is said."""
    tails: Words = ()
    """Those that only lead out of it."""
    empty: Words = ()
    """What says that something is wrong, and not what."""
    forbids: Words = ()
    """How a sentence begins that only forbids."""
    always: Words = ()
    """What tells that a lesson is meant to last."""
    about: dict[str, Words] = {}
    lasting: dict[str, Words] = {}


class Language(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One language."""

    code: str
    name: str
    own_name: str = ""
    prefixes: Words = ()
    """What is glued to the front of words."""
    respell: dict[str, str] = {}
    """Other ways to type a letter."""
    confusable: Words = ()
    """Phrases that mean something else in another language: they count only beside another phrase of this one."""
    harmless: Words = ()
    """What hides the phrases in it."""
    common: Words = ()
    """Other words that are frequent; only those of English are used, to tell at once what is in no other language."""
    negations: Negations = Negations()
    correction: dict[str, Words] = {}
    praise: dict[str, Words] = {}
    preference: dict[str, Words] = {}
    feature_request: dict[str, Words] = {}
    knowledge_gap: dict[str, Words] = {}
    remember: dict[str, Words] = {}
    plain: dict[str, Words] = {}
    opening: Opening = Opening()
    lesson: LessonWords = LessonWords()
    emoticons: dict[str, Words] = {}
    """Signs made of other signs, by the emoji they stand for."""

    @property
    def groups(self) -> dict[str, Words]:
        """The phrases by group."""
        return {group: words for table in GROUPS for group, words in getattr(self, table).items()}


def read_language(text: str, where: str) -> Language:
    """A language from the text of its file. Raises: LanguageError."""
    try:
        language = msgspec.convert(tomllib.loads(text), Language)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise LanguageError(
            f"{where} is no language file: {error}. docs/languages.md tells what may stand there."
        ) from error
    for table, groups in GROUPS.items():
        for group, words in getattr(language, table).items():
            if group not in groups:
                known = ", ".join(groups)
                raise LanguageError(f"{where}: [{table}] has no group {group!r}. Those there are: {known}.")
            if not all(map(_says_something, words)):
                raise LanguageError(f"{where}: {group!r} in [{table}] holds a phrase without a letter or sign.")
    if not language.code.isascii() or not language.code.replace("-", "").isalnum():
        raise LanguageError(f"{where}: {language.code!r} is no code of a language. Codes are like en, pt or zh-tw.")
    return language


@cache
def shipped_languages() -> tuple[Language, ...]:
    """The languages that come with the package, English first."""
    folder = resources.files(__package__).joinpath("languages")
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)
    read = [read_language(file.read_text(encoding="utf-8"), file.name) for file in files]
    return tuple(sorted(read, key=lambda language: (language.code != _ENGLISH, language.code)))


def languages_in(folder: Path) -> tuple[Language, ...]:
    """The languages of a folder; none where there is no folder. Raises: LanguageError."""
    return tuple(_read(file) for file in sorted(folder.glob("*.toml")))


def together(shipped: Iterable[Language], added: Iterable[Language]) -> tuple[Language, ...]:
    """Both; an added one takes the place of a shipped one of the same code."""
    by_code = {language.code: language for language in (*shipped, *added)}
    return tuple(by_code.values())


def _read(file: Path) -> Language:
    try:
        return read_language(file.read_text(encoding="utf-8"), str(file))
    except (OSError, UnicodeDecodeError) as error:
        raise LanguageError(f"{file} cannot be read: {error}. Mend it or take it away.") from error


def _says_something(phrase: Any) -> bool:
    return bool(phrase.strip().strip("*").strip())
