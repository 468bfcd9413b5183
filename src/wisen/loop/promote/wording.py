"""Whether the words of a lesson can be a rule: they must say something to somebody who was not there.

A question, an answer, a word that points at what stood on the screen or a number of an option say nothing later on.
"""

from __future__ import annotations

import re

_LONGEST = 220
_FEWEST = 3
_CLAUSE = re.compile(r"[,;:]\s|\s[-–—]\s|\b(?:because|since|so that|otherwise)\b")
"""Where the order ends and its reason begins, which may point at it."""
_POINTS = re.compile(
    r"\b(?:this|that|these|those|it|them|here|(?:above|below)(?=\W*$)"
    r"|the (?:one|ones|other|others|same|first|second|third|last|next|latter|former|rest)"
    r"|(?:thing|things|stuff)"
    r"|(?:option|step|point|item|issue|phase|task|finding|approach|number|part|pr)s? ?#?\d+)\b|#\d+",
    re.IGNORECASE,
)
_NO_RULE = re.compile(
    r"^(?:i\b|i'm|i've|i'd|we're|we've|my|why|what|how|where|when|who|which|is|are|does|did|do you|do we|do me"
    r"|can you|could you|go with|go ahead|proceed|continue|yes|ok|okay|thanks?|great|good|nice|hm+|oh|ah"
    r"|there (?:is|are|was|were|'s)|seems|looks|still|maybe|perhaps|show|give|tell|explain|summari[sz]\w+|check|look"
    r"|revert|undo|retry|try|implement|commit|push|fix|rename|delete|remove|move|update|create|review"
    r"|replace|drop|change|swap|convert|extract|split|merge|refactor|rewrite|bump)\b",
    re.IGNORECASE,
)
"""How a question, an answer or the next piece of work begins."""
_LASTS = re.compile(
    r"\b(?:always|never|whenever|every ?time|each time|from now on|in (?:the )?future|by default|in general|generally"
    r"|prefer|avoid|instead of|rather than)\b",
    re.IGNORECASE,
)
"""With such a word also a piece of work is a rule: "always review", "never push"."""
_RAW = re.compile(r"\b[0-9a-f]{7,}\b|https?://|\n|```|\w+Error\b|/[\w.-]+/[\w.-]+/[\w.-]+|…")
"""What belongs to one moment: a commit, an address, a path, an error."""
_HEDGED = re.compile(
    r"\.\.\.|\b(?:not sure|i think|i guess|i'd think|i wonder|maybe|perhaps|probably)\b", re.IGNORECASE
)
"""Somebody who thinks aloud has not made a rule yet."""
_NOT_ASKED = re.compile(
    r"\bi (?:did not|didn't|never) (?:say|ask|tell)\b|\bnobody (?:said|asked|told)\b", re.IGNORECASE
)
_WORD = re.compile(r"[\w'`@./-]+")


def is_of_the_moment(message: str) -> bool:
    """Whether a message only says that something was not asked for: another time it may be."""
    return _NOT_ASKED.search(message) is not None and _LASTS.search(message) is None


def stands_alone(text: str) -> bool:
    """Whether a lesson says what to do to somebody who reads it later."""
    if text.rstrip().endswith("?") or len(text) > _LONGEST or _RAW.search(text) or len(_WORD.findall(text)) < _FEWEST:
        return False
    if _HEDGED.search(text) or _POINTS.search(_CLAUSE.split(text, maxsplit=1)[0]):
        return False
    return _NO_RULE.match(text) is None or _LASTS.search(text) is not None
