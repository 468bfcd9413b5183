"""A language file that is being written by an untrusted author: every phrase is checked before it is accepted."""

from __future__ import annotations

import unicodedata
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from wisen.feedback.language import GROUPS, Language, shipped_languages
from wisen.feedback.language_detection import is_in_script
from wisen.feedback.phrase_statistics import is_storable
from wisen.feedback.text_normalization import fold

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from wisen.feedback.language import Words

MAX_PHRASES = 60
"""The maximum number of phrases in a group."""
_MAX_LENGTH = 60


class LanguageDraft:
    """The lists of a language, as far as they are written."""

    def __init__(self, code: str, name: str, own_name: str, script: str | None, *, extends: bool = False) -> None:
        """`script`: the one that its phrases must be in; None where it is unknown."""
        self._header = {"code": code, "name": name, "own_name": own_name}
        self._extends = extends
        self._script = script
        self._lists: dict[str, dict[str, Words]] = {}
        self._confusable: set[str] = set()
        self.dropped = Counter[str]()
        """How many phrases were rejected, by reason."""

    def add(self, table: str, group: str, phrases: Iterable[str], confusable: Collection[str] = ()) -> None:
        """Add the acceptable phrases to a group of a table, or to a top-level list."""
        confused = {_normalize(each) for each in confusable}
        held = list(self._lists.setdefault(table, {}).get(group, ()))
        known = {_normalize(each) for each in held}
        for phrase in phrases:
            plain = _normalize(phrase)
            why = self._rejection(phrase, table, group, confused)
            if not why and plain in known:
                why = "twice in a group"
            if not why and len(held) >= MAX_PHRASES:
                why = f"more than {MAX_PHRASES} in a group"
            if why:
                self.dropped[why] += 1
                continue
            known.add(plain)
            text = " ".join(phrase.split())
            held.append(text)
            if plain in confused and table in GROUPS:
                self._confusable.add(text)
        self._lists[table][group] = tuple(held)

    def language(self) -> Language:
        """The resulting language."""
        tables, top = self._lists, self._lists.get("", {})
        lists = {table: dict(tables.get(table, {})) for table in ("negations", "opening", "lesson")}
        groups = {table: {name: words for name, words in tables.get(table, {}).items() if words} for table in GROUPS}
        held = {**self._header, **lists, **groups, **top, "confusable": sorted(self._confusable)}
        return msgspec.convert({**held, "extends": self._extends}, Language)

    def _rejection(self, phrase: str, table: str, group: str, confused: Collection[str]) -> str:
        """Why a phrase is not accepted into a group; empty where it is."""
        if not _normalize(phrase).strip(" *"):
            return "empty"
        if any(unicodedata.category(letter) in ("Cc", "Cs", "Co", "Cn", "Zl", "Zp") for letter in phrase):
            return "with control characters"
        if len(phrase) > _MAX_LENGTH:
            return f"longer than {_MAX_LENGTH} characters"
        if self._script is not None and not is_in_script(self._script, phrase):
            return "in another script"
        if (
            table in GROUPS
            and _normalize(phrase) not in confused
            and group not in english_groups().get(_normalize(phrase), {group})
        ):
            return "an English phrase of another meaning"
        return "" if is_storable(phrase) else "not allowed by the rules of safety"


@cache
def english_groups() -> dict[str, set[str]]:
    """The groups of each English phrase."""
    groups: dict[str, set[str]] = {}
    for group, words in shipped_languages()[0].groups.items():
        for word in words:
            groups.setdefault(_normalize(word), set()).add(group)
    return groups


def _normalize(phrase: str) -> str:
    return " ".join(fold(phrase).split())
