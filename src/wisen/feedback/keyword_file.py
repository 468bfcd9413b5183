"""Reads and updates `.language-keywords.json` (versions 1 and 2), a keyword file that some users keep already.

`{"version": 2, "detectedAt": "…", "topLanguages": ["en", "sv"], "translations": {"sv": {"triggers": […]}}}`.
Unknown fields are kept; a writer sets only what `changed_fields` returns.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from wisen.errors import UsageError
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

VERSION = 2
_VERSIONS = (1, 2)
IMPORTED_GROUPS: dict[str, tuple[str, str]] = {
    "triggers": ("keep", "keep"),
    "correctionSignals": ("told", "unmistakable"),
    "directiveSignals": ("lasting", "lasting"),
    "directive": ("lasting", "lasting"),
    "directivePreference": ("liking", "liking"),
    "directiveExplicitMemory": ("keep", "keep"),
    "reinforcementSignals": ("praise", "praise"),
    "reinforcement": ("praise", "praise"),
    "reinforcementGenericPoliteness": ("thanks", "thanks"),
}
"""Our group for each of theirs: for one word, which is often in innocent messages too, and for several words.

A name that is not here maps like its longest prefix here. Groups without such a prefix are not imported.
"""
_EXPORTED_GROUPS = {
    "triggers": ("keep",),
    "correctionSignals": ("unmistakable", "told"),
    "directiveSignals": ("lasting", "liking"),
    "reinforcementSignals": ("praise", "thanks"),
}
"""Which of our groups each of theirs is made of."""
_BY_CATEGORY = {"reinforcementCategories": "reinforcement", "directiveSignalsByCategory": "directive"}
"""Fields with phrases by category and no language: they count for the language that has them, or for the first one."""
_CODE = lazy_regex(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})?")
_MAX_LENGTH = 120
_SHOWN = 60


class Keywords(Struct, frozen=True, kw_only=True):
    """The content of such a file."""

    version: int = VERSION
    top: tuple[str, ...] = ()
    """The user's languages, the most used first."""
    translations: dict[str, dict[str, tuple[str, ...]]] = {}
    categories: dict[str, tuple[str, ...]] = {}
    """Phrases by group without a language."""

    @property
    def phrases(self) -> dict[str, dict[str, tuple[str, ...]]]:
        """The phrases by language and by our groups."""
        found: dict[str, dict[str, dict[str, None]]] = defaultdict(lambda: defaultdict(dict))
        for code, group, text in self._entries():
            if (our_group := _our_group(group, text)) is not None:
                found[code][our_group][text] = None
        return {code: {name: tuple(texts) for name, texts in groups.items()} for code, groups in found.items()}

    @property
    def skipped_groups(self) -> tuple[str, ...]:
        """The names of the groups that are not imported."""
        names = {group for groups in self.translations.values() for group in groups} | self.categories.keys()
        return tuple(sorted(name for name in names if _our_group(name, "") is None))

    def _entries(self) -> Iterable[tuple[str, str, str]]:
        for group, texts in self.categories.items():
            for text in texts:
                holds = [code for code, of in self.translations.items() if any(text in each for each in of.values())]
                yield from ((code, group, text) for code in holds or self.top[:1])
        for code, groups in self.translations.items():
            yield from ((code, group, text) for group, texts in groups.items() for text in texts)


def read_keywords(text: str) -> Keywords:
    """Parse the text of a keyword file.

    Raises:
        UsageError: it has another format or an unknown version; the message shows the offending value.
    """
    try:
        data = msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise UsageError(f"it is not valid JSON: {error}") from error
    if not isinstance(data, dict):
        raise UsageError(f"it contains {_quote_value(data)}, but must contain an object with version and translations")
    version = data.get("version")
    if version not in _VERSIONS or isinstance(version, bool):
        raise UsageError(f"version is {_quote_value(version)}, but only 1 and 2 are supported")
    translations = _read_object("translations", data.get("translations", {}))
    return Keywords(
        version=version,
        top=tuple(
            _read_code("topLanguages", each) for each in _read_list("topLanguages", data.get("topLanguages", []))
        ),
        translations={
            _read_code("translations", code): {
                group: _read_texts(f"translations.{code}.{group}", texts)
                for group, texts in _read_object(f"translations.{code}", groups).items()
            }
            for code, groups in translations.items()
        },
        categories={
            f"{named}{category[:1].upper()}{category[1:]}": _read_texts(f"{field}.{category}", texts)
            for field, named in _BY_CATEGORY.items()
            for category, texts in _read_object(field, data.get(field) or {}).items()
        },
    )


def changed_fields(
    held: Keywords | None, top: Sequence[str], languages: Mapping[str, Mapping[str, Sequence[str]]], now: datetime
) -> dict[str, Any]:
    """The fields to set so that a file has these languages too: none where it has them already.

    `languages`: the phrases of each by our groups.
    """
    known = held or Keywords()
    translations = {
        code: {name: [*texts] for name, texts in theirs.items()} for code, theirs in known.translations.items()
    }
    for code, our_groups in languages.items():
        theirs = translations.setdefault(code, {})
        for name, groups in _EXPORTED_GROUPS.items():
            phrases = [phrase for group in groups for phrase in our_groups.get(group, ()) if not phrase.endswith("*")]
            if phrases:
                theirs[name] = list(dict.fromkeys((*theirs.get(name, ()), *phrases)))
    changed: dict[str, Any] = {}
    if held is None or held.version != VERSION:
        changed["version"] = VERSION
    if held is None or list(known.top) != [*top]:
        changed["topLanguages"] = [*top]
    if held is None or translations != {
        code: {name: [*texts] for name, texts in theirs.items()} for code, theirs in known.translations.items()
    }:
        changed["translations"] = translations
    return changed | {"detectedAt": now.isoformat(timespec="seconds")} if changed else {}


def _our_group(group: str, text: str) -> str | None:
    """Our group for a phrase of one of theirs; None where it is not imported."""
    begins = max((name for name in IMPORTED_GROUPS if group.startswith(name)), key=len, default=None)
    return None if begins is None else IMPORTED_GROUPS[begins][" " in text.strip()]


def _read_code(where: str, value: object) -> str:
    if not isinstance(value, str) or not _CODE.fullmatch(value):
        raise UsageError(f"{where} names {_quote_value(value)}, which is not a language code like en, pt or zh-tw")
    return value.lower()


def _read_object(where: str, value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UsageError(f"{where} is {_quote_value(value)}, but must be an object")
    return value


def _read_list(where: str, value: object) -> list[Any]:
    if not isinstance(value, list):
        raise UsageError(f"{where} is {_quote_value(value)}, but must be a list")
    return value


def _read_texts(where: str, value: object) -> tuple[str, ...]:
    for number, each in enumerate(_read_list(where, value), 1):
        if not isinstance(each, str) or not each.strip():
            raise UsageError(f"{where} number {number} is {_quote_value(each)}, but must be a phrase")
        if len(each) > _MAX_LENGTH:
            raise UsageError(
                f"{where} number {number} has {len(each)} characters, {_quote_value(each)}: at most {_MAX_LENGTH}"
            )
    return tuple(_read_list(where, value))


def _quote_value(value: object) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
