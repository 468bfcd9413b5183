"""Decides whether a lesson can be a rule: it must make sense to somebody who was not there.

A question, an answer, a reference to something on the screen or the number of an option mean nothing later.
"""

from __future__ import annotations

import re

from wisen.text.lazy_regex import lazy_regex
from wisen.text.letter_ranges import letter_ranges
from wisen.text.order_reading import read_order
from wisen.text.orders import PROJECT, is_order

_MAX_LENGTH = 220
_MIN_WORDS = 3
_CLAUSE = lazy_regex(r"[,;:]\s|(?<=\w)[.!?]\s|\s[-–—]\s|\b(?:because|since|so that|otherwise)\b")
"""Where the order ends and its reason begins, which may refer to it."""
_TERSE = lazy_regex(r"(?:use|avoid|no|never|prefer|always|only|stop|don't|dont|skip) [`\w]", re.IGNORECASE)
"""Openings of an order for which two words are enough: "no emojis", "use pnpm"."""
_UNSPACED_LETTER = letter_ranges("\u3040-\u30ff\u3400-\u9fff")
"""Letters of scripts without spaces: about two of them are a word."""
_REFERENCE = lazy_regex(
    rf"\b(?:(?:this|that|these|those)(?! (?:\w+ )?{PROJECT}s?\b)|it|them|(?:above|below)(?=\W*$)"
    r"|the (?:one|ones|other|others|same|first|second|third|last|next|latter|former|rest)"
    r"|(?:thing|things|stuff)"
    r"|(?:option|step|point|item|issue|phase|task|finding|approach|number|part|pr)s? ?#?\d+)\b|#\d+",
    re.IGNORECASE,
)
_HERE = lazy_regex(r"\bhere\b", re.IGNORECASE)
_ON_SCREEN = lazy_regex(
    r"\b(?:right|over|in|up|down|from|out|to|around) here\b"
    r"|^(?:\w+ ){0,2}(?:add|put|insert|paste|place|change|edit|fix|look|see|stop|wait|continue|start|remove|delete"
    r"|replace|move|break|click|end)\b[^,;]*\bhere\b",
    re.IGNORECASE,
)
"""Uses of "here" for a place on the screen instead of the project: "put it here"."""
_FOREIGN_REFERENCE = lazy_regex(
    r"(?<!\w)(?:das|dies|dieses|es|dort|eso|esto|aquello|ça|cela|ceci|questo|quello|isso|isto|aquilo|это|tamto"
    r"|bunu|şunu|onu|det|detta"
    r"|cái này|cái đó|इसे|उसे|ये|वो|هذا|ذلك)(?!\w)|这个|那个|這個|那個|これ|それ|あれ|이거|그거|저거|이것|그것",
    re.IGNORECASE,
)
_MAX_REFERENCE_WORDS = 4
"""Non-English sentences of up to this many words with such a reference say nothing on their own."""
_NO_RULE = lazy_regex(
    r"^(?:i\b(?! (?:det|den|detta|denna|vår|vårt|projektet|repot)\b)|i'm|i've|i'd|we're|we've|my|why|what|how"
    r"|where|when|who|which|is|are|does|did|do you|do we|do me"
    r"|can you|could you|go with|go ahead|proceed|continue|yes|ok|okay|thanks?|great|good|nice|hm+|oh|ah"
    r"|there (?:is|are|was|were|'s)|seems|looks|still|maybe|perhaps|show|give|tell|explain|summari[sz]\w+|check|look"
    r"|revert|undo|retry|try|implement|commit|push|fix|rename|delete|remove|move|update|create|review"
    r"|replace|drop|change|swap|convert|extract|split|merge|refactor|rewrite|bump)\b",
    re.IGNORECASE,
)
"""Openings of a question, an answer or the next task."""
_LASTING = lazy_regex(
    r"\b(?:always|never|whenever|every ?time|each time|from now on|in (?:the )?future|by default|in general|generally"
    r"|prefer|avoid|instead of|rather than)\b",
    re.IGNORECASE,
)
"""Words that make even a task a rule: "always review", "never push"."""
_MOMENTARY = lazy_regex(r"\b[0-9a-f]{7,}\b|https?://|\n|```|\w+Error\b|/[\w.-]+/[\w.-]+/[\w.-]+|…")
"""What belongs to one moment: a commit hash, a URL, a path, an error."""
_HEDGED = lazy_regex(
    r"\.\.\.|\b(?:not sure|i think|i guess|i'd think|i wonder|maybe|perhaps|probably)\b", re.IGNORECASE
)
"""Thinking aloud is not a rule yet."""
_WORD = lazy_regex(r"[\w'`@./-]+")


def stands_alone(text: str) -> bool:
    """Whether a lesson makes sense to somebody who reads it later in the same project."""
    order = read_order(text)
    if (
        order.endswith("?")
        or (text.rstrip().endswith("?") and not is_order(text))
        or len(text) > _MAX_LENGTH
        or _MOMENTARY.search(text)
        or _is_too_short(order)
    ):
        return False
    if _HEDGED.search(text) or _has_reference(order):
        return False
    return _NO_RULE.match(order) is None or _LASTING.search(order) is not None


def _is_too_short(order: str) -> bool:
    words = len(_WORD.findall(order)) + len(_UNSPACED_LETTER.findall(order)) // 2
    return words < _MIN_WORDS and _TERSE.match(order) is None


def _has_reference(order: str) -> bool:
    """Whether it refers to something that only the user saw; "here" and "this project" mean the project."""
    clause = _CLAUSE.split(order, maxsplit=1)[0]
    if _REFERENCE.search(clause):
        return True
    if _HERE.search(clause) and (_ON_SCREEN.search(clause) or not is_order(order)):
        return True
    words = len(order.split()) + len(_UNSPACED_LETTER.findall(order)) // 2
    return words <= _MAX_REFERENCE_WORDS and _FOREIGN_REFERENCE.search(order) is not None
