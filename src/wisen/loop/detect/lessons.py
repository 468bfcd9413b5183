"""Draws the lesson out of what a user typed: the sentence that says what to do, turned into an order, in his words."""

from __future__ import annotations

import re
from bisect import bisect
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING

from wisen.domain.signals import About
from wisen.loop.detect import sentences
from wisen.loop.detect.lexicon import shipped_lexicon
from wisen.loop.detect.writing import fold

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wisen.loop.detect.language import Language
    from wisen.loop.detect.lexicon import Lexicon

_READ = 1_000
"""How much of a text is looked at."""
_LONGEST = 240
_PART = 400
"""How much of a sentence is looked through for words of orders."""
_APART = "  \0 "
"""What keeps parts apart, so that no phrase begins in one and ends in the next."""
_TAIL = 40
"""How much of the end of a sentence is looked at for what only leads out of it."""
_THIN, _SAYS = 6, 1.0
"""Below so many words an order leans on another sentence; that one may say so much too little."""
_PASTED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_ENDS = re.compile(
    r"[.!?;\n。！？；।؟؛](?:(?<=\n)\n*|(?<=[;؛])\s+|(?<=[\w)\]\"'`][.!?؟])\s+(?=\S)|(?<=[。！？；।])\s*)"
)
"""What ends sentences and lines: it begins with what is rare, so that the search is fast."""
_LIST_MARK = re.compile(r"\s*(?:[-*•>+]|\d{1,2}[.)]|[a-zA-Z]\))\s+")
_LEADS = re.compile(
    r"(?:(?:no+|nope|nah|wait|hold on|hang on|stop(?: for a second)?|hm+|erm+|uh+|ugh|eh|oh|ah|ok|okay|yes|yeah|yep|"
    r"sure|well|so|but|and|also|actually|then|now|right|again|sorry|please|pls|fyi|btw|q|question|quick thing|"
    r"one (?:more|last) thing|(?:that|this)(?:'s| is| was) wrong|wrong|as i said|like i said|in fact|maybe|perhaps|"
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
_EMPTY = re.compile(
    r"^(?:no|wrong|that'?s (?:wrong|not right|incorrect)|not (?:quite|right)|stop|wait|hm+|"
    r"(?:that|this|it) (?:was|is) (?:wrong|not right|incorrect)|you (?:misunderstood|got (?:it|that) wrong)|"
    r"what are you doing|thanks?|great|perfect|nice|good|sorry|[\s,])+[\s.!?…]*$",
    re.IGNORECASE,
)
"""It says that something is wrong, and not what."""
_QUESTION = re.compile(r"^(?:why|what|how|where|when|who|which|is|are|does|do|did|was|were|has|have)\b", re.IGNORECASE)
_LOGGED = re.compile(
    r"^(?://|[\s│├└─✓✗=+|$❯#]{2,}|at \S+:\d|[\w./-]+:\d+:|\w*(?:Error|Exception):|\[\w{6,}\]|https?://\S+$)"
)
_FORBIDS = re.compile(r"^(?:do not|don't|never|avoid|no|not|stop|without|drop|remove)\b", re.IGNORECASE)
_ALSO_WANTS = re.compile(r"\b(?:use|but|instead|rather)\b|;", re.IGNORECASE)
_COMMAND = re.compile(r"`[a-z][\w-]* [^`]+`|(?<!\w)--\w")
_PATH = re.compile(r"(?<![\w:/])[\w.-]*/[\w./-]+")
_FILE = re.compile(r"\w-*\.(?:py|ts|tsx|js|jsx|go|rs|java|md|json|ya?ml|toml|sh|sql|css|html|txt|lock|cfg|ini)\b")
_ABOUT = tuple((f"about {of.value}", of) for of in About if of is not About.FACT)


def lesson(text: str, abroad: Sequence[Language] = (), lexicon: Lexicon | None = None) -> str:
    """What is to be done, in the user's own words, as one sentence; empty where only something is wrong.

    `abroad`: the languages that it is in, where it is not English; `lexicon`: those that are known.
    """
    text = text[:_READ]
    if "```" in text:
        text = _PASTED.sub("\n", text)
    parts = parts_of(text)
    if abroad:
        parts = [part for part in parts if not sentences.is_empty(part, abroad)]
    if not parts:
        return ""
    ranked = _ranked(parts, lexicon, abroad=bool(abroad)) if parts[1:] else [(0.0, 0)]
    best = parts[ranked[0][1]]
    if _EMPTY.match(best) or not any(map(str.isalpha, best)):
        return ""
    if abroad:
        return _cut(sentences.plain(best, abroad))
    if ranked[1:] and ranked[1][0] < _SAYS and len(best.split()) < _THIN:
        # So short an order leans on the sentence beside it.
        beside = parts[ranked[1][1]]
        if not beside.endswith("?"):
            return f"{_ordered(best)[:-1]}; {_plain(beside)}."
    return _ordered(best)


def parts_of(text: str) -> list[str]:
    """The sentences and lines of a text that say something, without the marks of lists."""
    several = "\n" in text or ". " in text or "? " in text or "! " in text or "; " in text or not text.isascii()
    parts = []
    for each in _torn(text) if several else (text,):
        mark = _LIST_MARK.match(each)
        part = (each if mark is None else each[mark.end() :]).strip()
        if part:
            parts.append(part)
    return parts


def _torn(text: str) -> list[str]:
    parts, start = [], 0
    for end in _ENDS.finditer(text):
        stop = end.start()
        parts.append(text[start : stop + 1 if text[stop] in ".!?。！？।؟" else stop])
        start = end.end()
    return [*parts, text[start:]]


def forbids(text: str, abroad: Sequence[Language] = ()) -> bool:
    """Whether a lesson only says what not to do."""
    if abroad:
        return sentences.forbids(text, abroad)
    return _FORBIDS.match(text) is not None and _ALSO_WANTS.search(text) is None


def groups_in(text: str, abroad: Sequence[Language] = (), lexicon: Lexicon | None = None) -> dict[str, int]:
    """How many words of a lesson stand for what."""
    lexicon = lexicon or shipped_lexicon()
    return (lexicon.lessons if abroad else lexicon.english_lessons).groups_in(text)


def about(text: str, groups: Mapping[str, int]) -> About:
    """What a lesson is about; where nothing tells, it states how things are."""
    if ("`" in text or "--" in text) and _COMMAND.search(text):
        return About.COMMAND
    for name, of in _ABOUT:
        if name in groups:
            return of
    is_file = ("/" in text and _PATH.search(text)) or ("." in text[:-1] and _FILE.search(text))
    return About.FILE if is_file else About.FACT


def _ranked(parts: list[str], lexicon: Lexicon | None, *, abroad: bool) -> list[tuple[float, int]]:
    """The parts, the one first that most says what is to be done; of two that say as much, the earlier."""
    orders = orders_in([part[:_PART] for part in parts], lexicon, abroad=abroad)
    return sorted([(-_telling(number, part, orders[number]), number) for number, part in enumerate(parts)])


def orders_in(parts: list[str], lexicon: Lexicon | None = None, *, abroad: bool = False) -> list[int]:
    """How many words of each part say that something is to be done. All are looked through in one go."""
    starts = list(accumulate([len(part) + len(_APART) for part in parts]))
    lexicon = lexicon or shipped_lexicon()
    found = (lexicon.orders if abroad else lexicon.english_orders).matches(fold(_APART.join(parts)))
    counts = [0] * len(parts)
    for number, _ in {(bisect(starts, start), order) for order, start, _ in found}:
        counts[number] += 1
    return counts


def _telling(number: int, part: str, orders: int) -> float:
    """How much a part says what is to be done."""
    words = len(part.split())
    worth = 2.0 * min(orders, 3) - 0.3 * min(number, 10)
    if words > 25:
        worth -= 0.03 * (words - 25)
    elif words < 3:
        worth -= 2.0
    if _EMPTY.match(part):
        worth -= 6.0
    if (":" in part or not part[0].isalnum()) and _LOGGED.match(part):
        worth -= 4.0
    if part.endswith("?") and _QUESTION.match(part):
        worth -= 2.0
    return worth


def _plain(part: str) -> str:
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


def _ordered(part: str) -> str:
    """A sentence as an order; a question that cannot be one stays a question."""
    short = _plain(part)
    end = "?" if part.rstrip().endswith("?") else "."
    for pattern, put in _turns_of().get(short.partition(" ")[0].lower(), ()):
        found = pattern.match(short)
        turned = "" if found is None else put + short[found.end() :]
        if len(turned.split()) > (2 if put else 0):
            short, end = turned, "."
            break
    short = _cut(short.strip()) or part.strip()
    return f"{short[0].upper()}{short[1:]}{end}"


@cache
def _turns_of() -> dict[str, list[tuple[re.Pattern[str], str]]]:
    """The turns by the word a sentence begins with. Made when first needed: that takes longer than a start may."""
    turns: dict[str, list[tuple[re.Pattern[str], str]]] = {}
    for words, behind, put in _TURNS:
        for word in words.split():
            turns.setdefault(word, []).append((re.compile(rf"{word} {behind}", re.IGNORECASE), put))
    return turns


def _cut(sentence: str) -> str:
    if len(sentence) <= _LONGEST:
        return sentence
    return f"{sentence[:_LONGEST].rsplit(' ', 1)[0]} …"
