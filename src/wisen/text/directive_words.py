"""The words of a language by which directives are known: one data file per language, or a part of an added one.

Each entry is a regular expression over folded text (`letter_folding.py`): a blank is any run of blanks, an apostrophe
may be missing, `~` is a gap of up to four words, and an entry begins and ends where words do.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources
from typing import TypeAlias

import msgspec

from wisen.errors import LanguageError

Words: TypeAlias = tuple[str, ...]
SHIPPED = tuple("en es fr de pt it pl tr vi sv hi-latn ru ar hi zh ja ko".split())
"""The languages that come with the package, English first."""


class DirectiveWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How speakers of a language tell an agent how to work."""

    script: str = "latin"
    """The letters that it is written in: latin, cyrillic, arabic, devanagari, han, kana or hangul."""
    glued: bool = False
    """Whether words are written without blanks between them, or with endings glued to them."""
    accents: bool = False
    """Whether words mean something else without their accents."""
    free_order: bool = False
    """Whether orders are not known by their place: what says that it lasts is then one wherever it stands."""
    prefix: str = ""
    """What may be glued to the front of a word."""
    marks: Words = ()
    """Frequent words that tell the language."""
    letters: str = ""
    """Letters that few other languages have."""
    sure: Words = ()
    """Those of them that no other language has."""
    greetings: Words = ()
    """Greetings and names in front, where a mark sets them off: they carry no meaning."""
    pleases: Words = ()
    """Polite words in front or at the end, which carry no meaning."""
    tails: Words = ()
    """What is asked behind an order, and asks nothing: "…, ok?"."""
    leads: Words = ()
    """What may stand before the word that a clause is read by; it is quoted all the same."""
    joints: Words = ()
    """Words that begin a clause: and, but, because."""
    negators: Words = ()
    quantifiers: Words = ()
    conditions: Words = ()
    exceptions: Words = ()
    forbid: Words = ()
    """How a clause begins that forbids."""
    forbidden: Words = ()
    """What forbids wherever it stands: "is banned", an ending of verbs."""
    required: Words = ()
    """What orders wherever it stands: "is mandatory"."""
    swap: Words = ()
    """One thing instead of another, wherever it stands in an order."""
    bare: Words = ()
    """What stands between two things, of which the one is wanted and the other not: "tabs not spaces"."""
    lasting: Words = ()
    """What says that it lasts; with an order, a ban or a wish."""
    adverbs: Words = ()
    """Those of them that may also tell how a thing works: "a list that never ends"."""
    opening: Words = ()
    """What says that it lasts and makes an order of what follows: "from now on"."""
    orders: Words = ()
    """How a clause begins that orders."""
    tasks: Words = ()
    """How a clause begins that is a piece of work: it is no directive unless it says that it lasts."""
    closing: Words = ()
    """How a clause ends that orders."""
    habits: Words = ()
    """How to answer: it lasts by itself."""
    conventions: Words = ()
    """How things are done in a project, at the beginning of a clause."""
    project: Words = ()
    """What names the project at hand: "in this repo", "here"."""
    wishes: Words = ()
    dislikes: Words = ()
    """What the user does not want to see."""
    remember: Words = ()
    polite: Words = ()
    """How a question begins that asks for something."""
    checks: Words = ()
    """How a polite question goes on that asks to look at something."""
    complaints: Words = ()
    """That something was done again that must not be."""
    lapses: Words = ()
    """That something was not done that should be."""
    insists: Words = ()
    """That it was said before."""
    obliges: Words = ()
    """What says that something has to be so: "needs", "is supposed to"."""
    mandates: Words = ()
    """How a clause begins that says by its form alone how to work: "every endpoint needs", "nobody pushes to"."""
    manners: Words = ()
    """How a short message begins that tells a manner of working, and is no piece of work: "sign mails with"."""
    binding: Words = ()
    """The same wherever it stands: "is a last resort", "and nowhere else"."""
    general: Words = ()
    """An order that holds for each case: "before each commit"."""
    passing: Words = ()
    permissions: Words = ()
    questions: Words = ()
    """How a question begins that wants to know something."""
    suppositions: Words = ()
    narratives: Words = ()
    """What tells how things are or were."""
    citations: Words = ()
    """What somebody else says, or what is only to be written down somewhere."""
    harmless: Words = ()
    """What looks like a directive and is none; it is not read."""
    pointing: Words = ()
    """What points at something that only the user saw."""


def check_patterns(words: DirectiveWords, where: str) -> None:
    """Whether each entry can be matched. Raises: LanguageError."""
    for name, entries in msgspec.structs.asdict(words).items():
        for entry in entries if isinstance(entries, tuple) else ():
            try:
                re.compile(entry)
            except re.error as error:
                raise LanguageError(
                    f"{where}: {name!r} in [directives] holds {entry!r}, which cannot be matched: {error}."
                ) from error


@cache
def shipped_words(code: str) -> DirectiveWords:
    """The words of a language that comes with the package."""
    file = resources.files(__package__).joinpath("languages", f"{code}.toml")
    return msgspec.convert(tomllib.loads(file.read_text(encoding="utf-8")), DirectiveWords)
