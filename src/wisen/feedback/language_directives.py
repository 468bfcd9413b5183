"""Derives the words by which directives are recognized from a language file that has no `[directives]` of its own.

They rather detect too little than too much. A file that has `[directives]` uses those alone.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wisen.feedback.language_detection import language_profiles
from wisen.feedback.text_normalization import is_unspaced_letter
from wisen.text.directive_words import SHIPPED, DirectiveWords
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.feedback.language import Language, Words

_SCRIPTS = (
    ("kana", lazy_regex("[\u3040-\u30ff]")),
    ("hangul", lazy_regex("[\uac00-\ud7af]")),
    ("han", lazy_regex("[\u3400-\u9fff]")),
    ("cyrillic", lazy_regex("[\u0400-\u04ff]")),
    ("arabic", lazy_regex("[\u0600-\u06ff]")),
    ("devanagari", lazy_regex("[\u0900-\u097f]")),
)
"""The scripts that are distinguished; all others are searched by words, like Latin ones."""
_UNSPACED_SHARE = 0.5
"""From this share of unspaced letters on a language counts as written without spaces."""


def directive_words_of(language: Language) -> DirectiveWords:
    """The words by which directives of a language are recognized: its own, or derived from its other lists.

    A shipped language has its own in `text/languages`, so nothing is derived for a file that extends one.
    """
    if language.directives != DirectiveWords() or language.code in SHIPPED:
        return language.directives
    groups, lesson, opening = language.groups, language.lesson, language.opening
    profile = language_profiles().get(language.code)
    lasting = _patterns((*groups.get("lasting", ()), *lesson.always))
    if not lasting and not lesson.forbids:
        return DirectiveWords()
    letters = "".join(word for words in (lesson.orders, lesson.forbids, *groups.values()) for word in words)
    glued = sum(map(is_unspaced_letter, letters)) > _UNSPACED_SHARE * len(letters.replace(" ", ""))
    negators = _patterns((*language.negations.before, *language.negations.after, *lesson.forbids))
    orders = _exclude(_patterns((*lesson.orders, *groups.get("liking", ()), *opening.command)), lasting, negators)
    return DirectiveWords(
        script=next((script for script, pattern in _SCRIPTS if pattern.search(letters)), "latin"),
        glued=glued,
        prefix=f"(?:{'|'.join(map(re.escape, language.prefixes))})?" if language.prefixes else "",
        marks=(*groups.get("marks", ()), *(profile.words.split() if profile is not None else ())),
        leads=_patterns((*lesson.leads, *opening.lead)),
        negators=negators,
        forbid=(*_patterns(lesson.forbids), *_negated_orders(orders, negators, glued=glued)),
        lasting=lasting,
        opening=tuple(each for each in lasting if " " in each),
        orders=orders,
        tasks=_exclude(_patterns(opening.command), _patterns(lesson.orders)),
        wishes=_exclude(_patterns(groups.get("wish", ())), orders),
        remember=_patterns(groups.get("keep", ())),
        polite=_patterns(groups.get("order", ())),
        permissions=_patterns(groups.get("agree", ())),
        questions=_patterns((*opening.question, *groups.get("asking", ()))),
        harmless=_patterns(language.harmless),
    )


def _negated_orders(orders: Words, negators: Words, *, glued: bool) -> Iterable[str]:
    """Patterns of clauses that negate their verb after it: "push niet"."""
    if not negators:
        return
    between = ".{0,12}?" if glued else r" (?:\S+ ){0,4}?"
    for order in orders:
        yield f"{order}{between}(?:{'|'.join(negators)})"


def _patterns(phrases: Iterable[str]) -> Words:
    """Phrases as patterns: `*` at the end also matches longer words."""
    patterns = (
        re.escape(" ".join(phrase.split()).rstrip("*")) + (r"\w*" if phrase.endswith("*") else "") for phrase in phrases
    )
    return tuple(dict.fromkeys(each.replace(r"\ ", " ") for each in patterns if each))


def _exclude(words: Words, *others: Words) -> Words:
    held = {word for each in others for word in each}
    return tuple(word for word in words if word not in held)
