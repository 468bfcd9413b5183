"""Schema of the word lists that identify directives: one data file per language, or a section of an added one.

Each entry is a regular expression over folded text (`letter_folding.py`): a space is any run of whitespace, an
apostrophe is optional, `~` is a gap of up to four words, and an entry begins and ends at word boundaries.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TypeAlias

import msgspec

from wisen.errors import LanguageError
from wisen.text.stored_tables import stored_json

Words: TypeAlias = tuple[str, ...]
SHIPPED = tuple("en es fr de pt it pl tr vi sv hi-latn ru ar hi zh ja ko".split())
"""The languages that ship with the package, English first."""


class DirectiveWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Words with which speakers of a language tell an agent how to work."""

    script: str = "latin"
    """The script: latin, cyrillic, arabic, devanagari, han, kana or hangul."""
    glued: bool = False
    """Whether words are written without spaces between them, or with endings attached."""
    accents: bool = False
    """Whether words change their meaning without accents."""
    free_order: bool = False
    """Whether orders cannot be recognized by position: lasting words then make an order anywhere."""
    prefix: str = ""
    """Prefixes that may be attached to a word."""
    marks: Words = ()
    """Frequent words that identify the language."""
    letters: str = ""
    """Letters that few other languages have."""
    sure: Words = ()
    """Those of the `marks` that no other language has."""
    greetings: Words = ()
    """Greetings and names in front, followed by punctuation: they carry no meaning."""
    pleases: Words = ()
    """Polite words at the front or end, which carry no meaning."""
    tails: Words = ()
    """Question tags after an order: "…, ok?"."""
    leads: Words = ()
    """Introductory words before the word that determines a clause; they are still quoted."""
    joints: Words = ()
    """Words that begin a clause: and, but, because."""
    negators: Words = ()
    quantifiers: Words = ()
    conditions: Words = ()
    exceptions: Words = ()
    forbid: Words = ()
    """Openings of a clause that forbids."""
    forbidden: Words = ()
    """Words that forbid in any position: "is banned", a verb ending."""
    required: Words = ()
    """Words that order in any position: "is mandatory"."""
    swap: Words = ()
    """One thing instead of another, in any position of an order."""
    bare: Words = ()
    """Words between a wanted and an unwanted thing: "tabs not spaces"."""
    lasting: Words = ()
    """Lasting words such as "always"; they need an order, a prohibition or a wish."""
    adverbs: Words = ()
    """Those of the `lasting` words that may also describe: "a list that never ends"."""
    opening: Words = ()
    """Lasting words that turn what follows into an order: "from now on"."""
    orders: Words = ()
    """Openings of a clause that orders."""
    tasks: Words = ()
    """Openings of a clause that is a task: not a directive unless it has lasting words."""
    closing: Words = ()
    """Endings of a clause that orders."""
    habits: Words = ()
    """How to answer: always lasting."""
    conventions: Words = ()
    """How things are done in a project, at the beginning of a clause."""
    project: Words = ()
    """Words that name the current project: "in this repo", "here"."""
    wishes: Words = ()
    dislikes: Words = ()
    """What the user does not want to see."""
    remember: Words = ()
    polite: Words = ()
    """Openings of a question that asks for an action."""
    checks: Words = ()
    """Continuations of a polite question that asks to look at something."""
    complaints: Words = ()
    """Complaints that something unwanted was done again."""
    lapses: Words = ()
    """Complaints that something required was not done."""
    insists: Words = ()
    """Statements that it was said before."""
    obliges: Words = ()
    """Words of obligation: "needs", "is supposed to"."""
    mandates: Words = ()
    """Openings of a clause whose form alone makes it a directive: "every endpoint needs", "nobody pushes to"."""
    manners: Words = ()
    """Openings of a short message about a way of working, as opposed to a task: "sign mails with"."""
    binding: Words = ()
    """Words that make a directive in any position: "is a last resort", "and nowhere else"."""
    general: Words = ()
    """Scopes of an order that applies to every case: "before each commit"."""
    passing: Words = ()
    permissions: Words = ()
    questions: Words = ()
    """Openings of a question that asks for information."""
    suppositions: Words = ()
    narratives: Words = ()
    """Words that describe how things are or were."""
    citations: Words = ()
    """Words that introduce what somebody else says, or text that is only to be written somewhere."""
    harmless: Words = ()
    """Phrases that look like a directive but are not; they are ignored."""
    pointing: Words = ()
    """Words that refer to something that only the user saw."""


def check_patterns(words: DirectiveWords, where: str) -> None:
    """Check that each entry is a valid regular expression. Raises: LanguageError."""
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
    """Load the words of a shipped language."""
    return msgspec.json.decode(stored_json(__package__, f"languages/{code}"), type=DirectiveWords)
