"""Whether the sentence that teaches says that it holds in all projects, not only in the one at hand."""

from __future__ import annotations

import re

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_WORD = re.compile(r"\w+")
_PROJECTS = r"(?:projects?|repos?|repositor(?:y|ies)|code ?bases?)"
_SAYS = re.compile(
    rf"\b(?:in|for|across|with|on) (?:all|every|each|any)(?: (?:of )?(?:my|our|the))?(?: single)? {_PROJECTS}\b"
    rf"|\bacross (?:my|our) {_PROJECTS}\b"
    r"|\b(?:everywhere|globally)(?=\W*$|\s*[,;:(–—]|\s+(?:use|from now on|not|please)\b)",
    re.IGNORECASE,
)
_LIMITED = re.compile(r"\b(?:but|except|other|here|this|not (?:in|for) (?:all|every|each|any))\b", re.IGNORECASE)
"""What takes it back, or speaks of one place after all: "in all my other projects, but here"."""
_WORK = re.compile(
    r"\b(?:renam|replac|install|updat|chang|fix|remov|delet|mov|search|grep|look|propagat|appl(?:y|ied|ies))\w*\b"
    r".*\b(?:everywhere|globally)\b",
    re.IGNORECASE,
)
"""A piece of work that is to be done in every place of a project, or for every user of a machine."""


def says_everywhere(sentence: str) -> bool:
    """Whether a sentence says that what it teaches holds in all projects."""
    if _SAYS.search(sentence) is None or _LIMITED.search(sentence):
        return False
    return _WORK.search(sentence) is None


def teaching(text: str, lesson: str) -> str:
    """The sentence of a message that a lesson was taken from: the one that shares most words with how it begins."""
    words = set(_WORD.findall(lesson.partition("; ")[0].casefold()))
    shared = [(len(words & set(_WORD.findall(each.casefold()))), each) for each in _SENTENCE.split(text)]
    return max(shared, key=lambda each: each[0])[1] if words else ""
