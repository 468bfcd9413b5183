"""Rewrites an English sentence as an order for classification; this wording is never shown to anybody.

Words that only introduce or close an order are dropped, and polite requests are turned into orders. Quotes of the user
stay as typed.
"""

from __future__ import annotations

import re
from functools import cache

from wisen.text.lazy_regex import lazy_regex

_TAIL_LENGTH = 40
"""Number of trailing characters of a sentence that are searched for closing words."""
_BREAK = r"\s*[,:.!…–—-]+(?:\s+|$)"
_DENIAL = r"(?:no+|nope|nah|stop(?: for a second)?|wrong|(?:that|this)(?:'s| is| was) wrong)"
"""Before punctuation they answer what was done; without it they forbid what follows: "stop using it"."""
_INTRODUCTIONS = lazy_regex(
    rf"(?:{_DENIAL}{_BREAK}|(?:wait|hold on|hang on|hm+|erm+|uh+|ugh|eh|oh|ah|ok|okay|yes|yeah|yep|hey|hi|hello|claude|"
    r"sure|well|so|but|and|also|actually|then|now|right|again|sorry|please|pls|fyi|btw|q|question|quick thing|"
    r"one (?:more|last) thing|as i said|like i said|in fact|maybe|perhaps|"
    r"i (?:think|guess|feel|mean|believe|wonder if|was wondering if|assume)|even more|still|from now on|"
    r"going forward|all good|just)(?:\s*[,:.!…–—-]+\s*|\s+|$))+",
    re.IGNORECASE,
)
"""Words that only introduce a statement."""
_CLOSERS = (
    "please|pls|though|thanks|thank you|right?|yeah?|hey|ok?|okay?|again|anyway|either|i think|for now|now|:)|;)|:-)"
)
_TAILS = lazy_regex(
    rf"(?:[\s,]+(?:(?:that|this|it) (?:was|is) wrong|{'|'.join(map(re.escape, _CLOSERS.split('|')))}))+(?=[.!?\s]*$)"
    r"|[^\w\s.!?)\]}\"'`>%]+$",
    re.IGNORECASE,
)
"""Words and symbols that only close a statement."""
_CLOSER_ENDINGS = ("wrong", *(closer.rstrip("?") for closer in _CLOSERS.split("|")))
"""How the closing words end, without trailing punctuation."""
_TRAILING = ".!? \t\n\r\f\v\x1c\x1d\x1e\x1f"
_SPEAKER = r"(?:we|you|i|us|claude)"
_SOFTENERS = r"(?:(?:please|maybe|also|just|simply|perhaps|first|rather|really|probably|personally|now|somehow) )*"
_OBLIGATION = r"(?:should|must|need to|have to|ought to|want to|wanted to)"
_NOT = "Do not "
_REWRITES: tuple[tuple[str, str, str], ...] = (
    ("can could would should shall", rf"{_SPEAKER} {_SOFTENERS}not {_SOFTENERS}", _NOT),
    (
        "can can't could couldn't should shouldn't shall would wouldn't",
        rf"{_SPEAKER} {_SOFTENERS}(?:not )?{_SOFTENERS}(?:be )?",
        "",
    ),
    ("is are", r"there (?:any|a|some|another) (?:other )?way (?:to|for us to|of) not ", _NOT),
    ("is are", r"there (?:any|a) way (?:for us )?to ", ""),
    ("any a", r"way (?:for us )?to ", ""),
    ("why", rf"(?:don't|do not|can't|cannot) (?:we|you) (?:not )?{_SOFTENERS}", ""),
    ("why", rf"not {_SOFTENERS}", ""),
    ("let's lets let", rf"(?:us )?{_SOFTENERS}(?:not|avoid) ", _NOT),
    ("let's lets let", rf"(?:us )?{_SOFTENERS}", ""),
    ("you", "should never ", "Never "),
    ("we you i us claude", rf"{_SOFTENERS}{_OBLIGATION} {_SOFTENERS}not (?:be )?", _NOT),
    ("we you i us claude", r"(?:shouldn't|mustn't|(?:don't|do not) (?:want|need) to)(?: be)? ", _NOT),
    ("we you i us claude", rf"{_SOFTENERS}(?:do |_do_ )?{_OBLIGATION} {_SOFTENERS}(?:be )?", ""),
    ("i'd we'd i we", rf"(?:would )?{_SOFTENERS}(?:like|prefer|want|love)(?: you| it| us)? (?:to |that )", ""),
    ("i'd we'd", rf"{_SOFTENERS}(?=rather |replace |use |put |move |drop |keep |add |make |call |remove )", ""),
    ("i we", rf"would {_SOFTENERS}(?=rather |replace |use |put |move |drop |keep |add |make |call |remove )", ""),
    ("i we", r"(?:don't|do not|didn't|did not) (?:say|ask|want|tell)(?: you)?(?: for| to)? ", _NOT),
    ("i we", r"(?:told|asked|said|want|wanted|need|expect(?:ed)?) (?:you )?(?:not to|to not) ", _NOT),
    ("i we", r"(?:told|asked|want|wanted|need|expect(?:ed)?) you to ", ""),
    ("i we", r"(?:said|meant|asked for|wanted|told you) (?:that |to )?", ""),
    ("don't dont", "forget to ", ""),
    ("do", "not forget to ", ""),
    ("don't dont", "", _NOT),
    ("do", "not ", _NOT),
    ("it", r"(?:doesn't|does not) make (?:any )?sense to ", _NOT),
    ("there's there", "(?:is )?no need to ", _NOT),
    ("no", "need to ", _NOT),
    ("consider", "adding ", "Add "),
    ("remember", "to ", ""),
)
"""How requests become orders: the first word of the sentence, what follows it, and the replacement for both."""
_FIRST_WORDS = frozenset(word for words, _, _ in _REWRITES for word in words.split())


def read_order(sentence: str) -> str:
    """Rewrite a sentence as an order; a question that cannot be one stays a question. Empty for an empty text."""
    if not sentence.strip():
        return ""
    order = strip_introduction(sentence)
    end = "?" if sentence.rstrip().endswith("?") else "."
    for pattern, replacement in _rewrites_of(order.partition(" ")[0].lower()):
        match = pattern.match(order)
        rewritten = "" if match is None else replacement + order[match.end() :]
        if len(rewritten.split()) > (2 if replacement else 0):
            order, end = rewritten, "."
            break
    order = order.strip() or sentence.strip()
    return f"{order[0].upper()}{order[1:]}{end}"


def strip_introduction(sentence: str) -> str:
    """Remove words that only introduce or close a sentence."""
    introduction = _INTRODUCTIONS.match(sentence)
    order = (sentence[introduction.end() :] if introduction is not None else sentence) or sentence
    if _may_have_tail(order):
        order = order[:-_TAIL_LENGTH] + _TAILS.sub("", order[-_TAIL_LENGTH:]) or order
    order = order.strip().rstrip("?!.,;:… ")
    return order[1:-1] if order[:1] == "(" and order.find(")") == len(order) - 1 else order


def _may_have_tail(sentence: str) -> bool:
    """Whether to search the end: the pattern is slow and nearly always finds nothing."""
    last = sentence[-1]
    if not (last.isalnum() or last in ".!?"):
        return True
    return not sentence.isascii() or sentence[-_TAIL_LENGTH:].rstrip(_TRAILING).lower().endswith(_CLOSER_ENDINGS)


def _rewrites_of(word: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return the rewrites of sentences with a first word."""
    return _compiled_rewrites(word) if word in _FIRST_WORDS else ()


@cache
def _compiled_rewrites(word: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """The same, compiled on first use: all of them would make startup too slow."""
    return tuple(
        (re.compile(rf"{word} {rest}", re.IGNORECASE), replacement)
        for words, rest, replacement in _REWRITES
        if word in words.split()
    )
