"""Detects whether the sentence that states a lesson says that it holds in all projects."""

from __future__ import annotations

import re

from wisen.text.lazy_regex import lazy_regex

_SENTENCE = lazy_regex(r"(?<=[.!?])\s+|\n+")
_WORD = lazy_regex(r"\w+")
_PROJECTS = r"(?:projects?|repos?|repositor(?:y|ies)|code ?bases?)"
_SAYS = lazy_regex(
    rf"\b(?:in|for|across|with|on) (?:all|every|each|any)(?: (?:of )?(?:my|our|the))?(?: single)? {_PROJECTS}\b"
    rf"|\bacross (?:my|our) {_PROJECTS}\b"
    r"|\b(?:everywhere|globally)(?=\W*$|\s*[,;:(–—]|\s+(?:use|from now on|not|please)\b)",
    re.IGNORECASE,
)
_LIMITED = lazy_regex(r"\b(?:but|except|other|here|this|not (?:in|for) (?:all|every|each|any))\b", re.IGNORECASE)
"""What limits it to one place after all: "in all my other projects, but here"."""
_WORK = lazy_regex(
    r"\b(?:renam|replac|install|updat|chang|fix|remov|delet|mov|search|grep|look|propagat|appl(?:y|ied|ies))\w*\b"
    r".*\b(?:everywhere|globally)\b",
    re.IGNORECASE,
)
"""A task to be done everywhere in a project, or for every user of a machine."""


def is_for_all_projects(sentence: str) -> bool:
    """Whether a sentence says that its lesson holds in all projects."""
    if _SAYS.search(sentence) is None or _LIMITED.search(sentence):
        return False
    return _WORK.search(sentence) is None


def source_sentence(text: str, lesson: str) -> str:
    """Return the sentence of a message that a lesson came from: the one that shares most words with its beginning."""
    words = set(_WORD.findall(lesson.partition("; ")[0].casefold()))
    shared = [(len(words & set(_WORD.findall(each.casefold()))), each) for each in _SENTENCE.split(text)]
    return max(shared, key=lambda each: each[0])[1] if words else ""
