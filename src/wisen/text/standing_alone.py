"""Whether the words of a lesson can be a rule: they must say something to somebody who was not there.

A question, an answer, a word that points at what stood on the screen or a number of an option say nothing later on.
"""

from __future__ import annotations

import re

from wisen.text.order_reading import read_order
from wisen.text.orders import PROJECT, is_order

_LONGEST = 220
_FEWEST = 3
_CLAUSE = re.compile(r"[,;:]\s|(?<=\w)[.!?]\s|\s[-–—]\s|\b(?:because|since|so that|otherwise)\b")
"""Where the order ends and its reason begins, which may point at it."""
_TERSE = re.compile(r"(?:use|avoid|no|never|prefer|always|only|stop|don't|dont|skip) [`\w]", re.IGNORECASE)
"""So begins an order that two words are enough for: "no emojis", "use pnpm"."""
_DENSE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
"""Letters of scripts that put no blanks between words: about two of them are a word."""
_POINTS = re.compile(
    rf"\b(?:(?:this|that|these|those)(?! (?:\w+ )?{PROJECT}s?\b)|it|them|(?:above|below)(?=\W*$)"
    r"|the (?:one|ones|other|others|same|first|second|third|last|next|latter|former|rest)"
    r"|(?:thing|things|stuff)"
    r"|(?:option|step|point|item|issue|phase|task|finding|approach|number|part|pr)s? ?#?\d+)\b|#\d+",
    re.IGNORECASE,
)
_HERE = re.compile(r"\bhere\b", re.IGNORECASE)
_ON_SCREEN = re.compile(
    r"\b(?:right|over|in|up|down|from|out|to|around) here\b"
    r"|^(?:\w+ ){0,2}(?:add|put|insert|paste|place|change|edit|fix|look|see|stop|wait|continue|start|remove|delete"
    r"|replace|move|break|click|end)\b[^,;]*\bhere\b",
    re.IGNORECASE,
)
"""Where "here" is a place that the user sees, and not the project: "put it here"."""
_POINTS_ABROAD = re.compile(
    r"(?<!\w)(?:das|dies|dieses|es|dort|eso|esto|aquello|ça|cela|ceci|questo|quello|isso|isto|aquilo|это|tamto"
    r"|bunu|şunu|onu|det|detta"
    r"|cái này|cái đó|इसे|उसे|ये|वो|هذا|ذلك)(?!\w)|这个|那个|這個|那個|これ|それ|あれ|이거|그거|저거|이것|그것",
    re.IGNORECASE,
)
_POINTING = 4
"""Up to so many words a sentence of another language that holds such a word says nothing without what it points at."""
_NO_RULE = re.compile(
    r"^(?:i\b(?! (?:det|den|detta|denna|vår|vårt|projektet|repot)\b)|i'm|i've|i'd|we're|we've|my|why|what|how"
    r"|where|when|who|which|is|are|does|did|do you|do we|do me"
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
_WORD = re.compile(r"[\w'`@./-]+")


def stands_alone(text: str) -> bool:
    """Whether a lesson says what to do to somebody who reads it later, in the project that it was said in."""
    said = read_order(text)
    if (
        said.endswith("?")
        or (text.rstrip().endswith("?") and not is_order(text))
        or len(text) > _LONGEST
        or _RAW.search(text)
        or _is_too_short(said)
    ):
        return False
    if _HEDGED.search(text) or _points(said):
        return False
    return _NO_RULE.match(said) is None or _LASTS.search(said) is not None


def _is_too_short(said: str) -> bool:
    words = len(_WORD.findall(said)) + len(_DENSE.findall(said)) // 2
    return words < _FEWEST and _TERSE.match(said) is None


def _points(said: str) -> bool:
    """Whether it points at something that only the user saw; "here" and "this project" are where it was said."""
    order = _CLAUSE.split(said, maxsplit=1)[0]
    if _POINTS.search(order):
        return True
    if _HERE.search(order) and (_ON_SCREEN.search(order) or not is_order(said)):
        return True
    words = len(said.split()) + len(_DENSE.findall(said)) // 2
    return words <= _POINTING and _POINTS_ABROAD.search(said) is not None
