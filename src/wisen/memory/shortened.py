"""Shortens what was typed or called to what tells it from others. Nothing is reworded: words only fall away."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST = 140
_READ = 1_000
"""How much of a text is looked at for what it asks."""
_FEWEST = 4
"""Below so many words a sentence says little by itself."""
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_LOGGED = re.compile(
    r"\s*(?:={2,}|[+-]\s{2,}|[-+]{3}|@@|[$❯%]\s|at \S+:\d|\[[\w:. -]+\]\s|https?://\S+\s*$|[{}<|│├└✓✗]|[\w./-]+:\d+:"
    r"|(?:\w*(?:Error|Exception)|Traceback\b.*|FAIL|panic|fatal|error|warning)[:\s]"
    r"|(?:[\w-]+\s)?\d{4}[-/]\d\d[-/]\d\d[ T]\d)"
)
"""How what a program printed begins."""
_MARK = re.compile(r"\A\s*(?:#{1,6}|[-*•>+]|\d{1,2}[.)])\s+")
_LEAD = re.compile(
    r"\A(?:(?:no|nope)\s*[,:.!…–—-]+(?:\s+|$)|(?:ok(?:ay)?|yes|yeah|yep|ah"
    r"|oh|hm+|so|and|also|but|now|then|well|alright|right|great|perfect|cool"
    r"|please|actually|q|question|note)(?:\s*[,:.!…–—-]+\s*|\s+))+(?=\S)",
    re.IGNORECASE,
)
"""Words that only lead to what is said."""
_ENDS = re.compile(r"(?<=[\w)\]\"'`][.!?])\s+")
_SENTENCE = re.compile(r"(?<=[\w)\]\"'`][.!?])\s+|\n+")
_REMEMBER = re.compile(
    r"\A(?:please\s+)?(?:remember|note|keep in mind|don't forget)"
    r"(?:(?:\s+(?:that|this))?\s*[:,]|\s+that)\s+",
    re.IGNORECASE,
)
_WANTS = (
    r"(?:(?:can|could|would) (?:you|we)|let'?s|please|i(?:'d| would) like (?:you |us )?to|i want (?:you |us )?to)\b"
)
_ASKS_WORK = re.compile(_WANTS, re.IGNORECASE)
_POLITE = re.compile(
    rf"\A{_WANTS}\s+(?:(?:please|also|maybe|now|just|quickly|again|simply|first|both)\s+)*(?=\S)", re.IGNORECASE
)
"""Words that ask for work, and do not say which."""
_OPINION = re.compile(r"\bwhat do you think\b", re.IGNORECASE)
_POINTS = re.compile(
    r"\b(?:this|that|these|those|it|them|both|again|too|one|ones|option|more|everything|(?:fix|do|all|and) \d{1,2})\b",
    re.IGNORECASE,
)
_NAMES = re.compile(r"[`\"“]|\w[._/-]\w|[a-z][A-Z]|#\d")
_LOOSE = 9
"""From so many words on a request names what it points at."""
_ORDERS = re.compile(
    r"\b(?:should|must|prefer|avoid|always|never|instead of|rather than|do not|don't|have to|need to)\b", re.IGNORECASE
)
_STATES = re.compile(
    r"(?:the|a|an|there|we|you|i|i'\w+|he|she|they|it|in|to|with|nothing|some\w*|another|unrelated|if|when|as|not)\b"
    r"|\w\)",
    re.IGNORECASE,
)
"""How a sentence begins that says how things are."""
_COMMITS = re.compile(r"\bgit\b[^\n;&|]*?\bcommit\b")
_SUBJECT = re.compile(
    r"\bcommit\b[^;&|]*?\s(?:-[a-z]*m|--message)[\s=]*(?:\"\$\(cat <<-?\s*(?:'\w+'|\"\w+\"|\w+)\s*\n\s*([^\n]+)"
    r"|\"((?:\\.|[^\"\\])+)|'([^']+))",
    re.DOTALL,
)


def gist(text: str) -> str:
    """What a request asks for, in its own first words; empty where it is only what a program printed."""
    said = [_MARK.sub("", line).strip() for line in _FENCE.sub("\n", text[:_READ]).splitlines() if line.strip()]
    if not said or _LOGGED.match(text):
        return ""
    whole = _LEAD.sub("", said[0])
    for line in said[1:]:
        if len(whole.split()) >= _FEWEST and not whole.endswith(":"):
            break
        if _LOGGED.match(line):
            break
        whole += f" {line}"
    told = ""
    for sentence in _ENDS.split(whole):
        told = f"{told} {sentence}".strip()
        if len(told.split()) >= _FEWEST:
            break
    return clipped(told.rstrip(" :"))


def sentence(text: str, start: int) -> str:
    """The sentence of a text in which a place lies."""
    before = max((found.end() for found in _SENTENCE.finditer(text, 0, len(text)) if found.end() <= start), default=0)
    behind = _SENTENCE.search(text, max(start, before))
    part = text[before : behind.start() if behind else len(text)]
    return clipped(_LEAD.sub("", _MARK.sub("", part).strip()))


def quote(text: str, start: int) -> str:
    """The sentence in which a place lies, or what the text begins with where that says too little."""
    said = sentence(text, start)
    if len(said.split()) < _FEWEST or _LOGGED.match(said):
        return gist(text) or ("" if _LOGGED.match(said) else said)
    return said


def kept_in_mind(text: str, start: int) -> str:
    """The sentence in which something was said to be remembered, without the words that say so."""
    said = sentence(text, start)
    return _REMEMBER.sub("", said)


def sentences(text: str, with_one_of: Sequence[str]) -> list[str]:
    """The sentences of a text in which one of some words stands, without fences of code."""
    lowered = text.lower()
    if not any(word in lowered for word in with_one_of):
        return []
    parts = _SENTENCE.split(_FENCE.sub("\n", text))
    return [part for part in parts if any(word in part.lower() for word in with_one_of)]


def clipped(text: str, longest: int = LONGEST) -> str:
    """A text in one line, cut between words where it is too long."""
    line = " ".join(text.split())
    if len(line) <= longest:
        return line
    cut = line[: longest - 1]
    head, _, tail = cut.rpartition(" ")
    return f"{head if head and len(tail) < 40 else cut}".rstrip(" ,;:-") + "…"


def is_question(text: str) -> bool:
    """Whether a text only asks for an answer."""
    asks = text.rstrip().endswith("?") and _ASKS_WORK.search(text) is None
    return asks or _OPINION.search(text) is not None


def wish(text: str) -> str:
    """A request without the words that only ask for it."""
    bare = _POLITE.sub("", text)
    return text if bare == text else bare.rstrip(" ?")


def points(text: str) -> bool:
    """Whether a text says nothing to somebody who did not see what it points at."""
    return len(text.split()) < _LOOSE and _POINTS.search(text) is not None and _NAMES.search(text) is None


def is_order(text: str) -> bool:
    """Whether a lesson says what to do, rather than how things are."""
    return len(text.split()) >= _FEWEST and (_ORDERS.search(text) is not None or _STATES.match(text) is None)


def commits(command: str) -> bool:
    """Whether a command commits something to git."""
    return _COMMITS.search(command) is not None


def subject(command: str) -> str:
    """The subject that a command commits under; empty where it names none."""
    found = _SUBJECT.search(command)
    text = next(filter(None, found.groups()), "") if found else ""
    return clipped(text.strip().partition("\n")[0], 100)
