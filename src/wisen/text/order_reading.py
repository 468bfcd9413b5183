"""Reads the order in an English sentence, to judge it by: nobody is ever told this wording.

What only leads to an order or out of it is set aside, and what is asked for politely is turned into an order. What a
user is quoted with stays as they typed it.
"""

from __future__ import annotations

import re
from functools import cache

_TAIL = 40
"""How much of the end of a sentence is looked at for what only leads out of it."""
_BREAK = r"\s*[,:.!…–—-]+(?:\s+|$)"
_DENIES = r"(?:no+|nope|nah|stop(?: for a second)?|wrong|(?:that|this)(?:'s| is| was) wrong)"
"""Before a mark they answer what was done; without one they forbid what follows: "stop using it", "no more of it"."""
_LEADS = re.compile(
    rf"(?:{_DENIES}{_BREAK}|(?:wait|hold on|hang on|hm+|erm+|uh+|ugh|eh|oh|ah|ok|okay|yes|yeah|yep|hey|hi|hello|claude|"
    r"sure|well|so|but|and|also|actually|then|now|right|again|sorry|please|pls|fyi|btw|q|question|quick thing|"
    r"one (?:more|last) thing|as i said|like i said|in fact|maybe|perhaps|"
    r"i (?:think|guess|feel|mean|believe|wonder if|was wondering if|assume)|even more|still|from now on|"
    r"going forward|all good|just)(?:\s*[,:.!…–—-]+\s*|\s+|$))+",
    re.IGNORECASE,
)
"""Words that only lead to what is said."""
_OUT = "please|pls|though|thanks|thank you|right?|yeah?|hey|ok?|okay?|again|anyway|either|i think|for now|now|:)|;)|:-)"
_TAILS = re.compile(
    rf"(?:[\s,]+(?:(?:that|this|it) (?:was|is) wrong|{'|'.join(map(re.escape, _OUT.split('|')))}))+(?=[.!?\s]*$)"
    r"|[^\w\s.!?)\]}\"'`>%]+$",
    re.IGNORECASE,
)
"""Words and signs that only lead out of it."""
_OUT_ENDS = ("wrong", *(out.rstrip("?") for out in _OUT.split("|")))
"""How the words among them end, but for what may stand behind."""
_SILENT = ".!? \t\n\r\f\v\x1c\x1d\x1e\x1f"
_WE = r"(?:we|you|i|us|claude)"
_SOFT = r"(?:(?:please|maybe|also|just|simply|perhaps|first|rather|really|probably|personally|now|somehow) )*"
_MUST = r"(?:should|must|need to|have to|ought to|want to|wanted to)"
_NOT = "Do not "
_TURNS: tuple[tuple[str, str, str], ...] = (
    ("can could would should shall", rf"{_WE} {_SOFT}not {_SOFT}", _NOT),
    ("can can't could couldn't should shouldn't shall would wouldn't", rf"{_WE} {_SOFT}(?:not )?{_SOFT}(?:be )?", ""),
    ("is are", r"there (?:any|a|some|another) (?:other )?way (?:to|for us to|of) not ", _NOT),
    ("is are", r"there (?:any|a) way (?:for us )?to ", ""),
    ("any a", r"way (?:for us )?to ", ""),
    ("why", rf"(?:don't|do not|can't|cannot) (?:we|you) (?:not )?{_SOFT}", ""),
    ("why", rf"not {_SOFT}", ""),
    ("let's lets let", rf"(?:us )?{_SOFT}(?:not|avoid) ", _NOT),
    ("let's lets let", rf"(?:us )?{_SOFT}", ""),
    ("you", "should never ", "Never "),
    ("we you i us claude", rf"{_SOFT}{_MUST} {_SOFT}not (?:be )?", _NOT),
    ("we you i us claude", r"(?:shouldn't|mustn't|(?:don't|do not) (?:want|need) to)(?: be)? ", _NOT),
    ("we you i us claude", rf"{_SOFT}(?:do |_do_ )?{_MUST} {_SOFT}(?:be )?", ""),
    ("i'd we'd i we", rf"(?:would )?{_SOFT}(?:like|prefer|want|love)(?: you| it| us)? (?:to |that )", ""),
    ("i'd we'd", rf"{_SOFT}(?=rather |replace |use |put |move |drop |keep |add |make |call |remove )", ""),
    ("i we", rf"would {_SOFT}(?=rather |replace |use |put |move |drop |keep |add |make |call |remove )", ""),
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
"""How what is asked for becomes an order: the word a sentence begins with, what follows, what stands in their place."""


def read_order(part: str) -> str:
    """A sentence as an order; a question that cannot be one stays a question. Empty for an empty text."""
    if not part.strip():
        return ""
    short = set_aside_leads(part)
    end = "?" if part.rstrip().endswith("?") else "."
    for pattern, put in _turns_of().get(short.partition(" ")[0].lower(), ()):
        found = pattern.match(short)
        turned = "" if found is None else put + short[found.end() :]
        if len(turned.split()) > (2 if put else 0):
            short, end = turned, "."
            break
    short = short.strip() or part.strip()
    return f"{short[0].upper()}{short[1:]}{end}"


def set_aside_leads(part: str) -> str:
    """A sentence without what only leads to it or out of it."""
    lead = _LEADS.match(part)
    short = (part[lead.end() :] if lead is not None else part) or part
    if _may_lead_out(short):
        short = short[:-_TAIL] + _TAILS.sub("", short[-_TAIL:]) or short
    short = short.strip().rstrip("?!.,;:… ")
    return short[1:-1] if short[:1] == "(" and short.find(")") == len(short) - 1 else short


def _may_lead_out(sentence: str) -> bool:
    """Whether its end is worth a look: the pattern is slow, and nearly always finds nothing."""
    last = sentence[-1]
    if not (last.isalnum() or last in ".!?"):
        return True
    return not sentence.isascii() or sentence[-_TAIL:].rstrip(_SILENT).lower().endswith(_OUT_ENDS)


@cache
def _turns_of() -> dict[str, list[tuple[re.Pattern[str], str]]]:
    """The turns by the word a sentence begins with. Made when first needed: that takes longer than a start may."""
    turns: dict[str, list[tuple[re.Pattern[str], str]]] = {}
    for words, behind, put in _TURNS:
        for word in words.split():
            turns.setdefault(word, []).append((re.compile(rf"{word} {behind}", re.IGNORECASE), put))
    return turns
