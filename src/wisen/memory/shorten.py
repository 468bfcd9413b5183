"""Shortens what was typed or called to what tells it from others. Nothing is reworded: words only fall away."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_LENGTH = 140
_MAX_READ = 1_000
"""How much of a text is looked at for what it asks."""
_MIN_WORDS = 4
"""Below so many words a sentence says little by itself."""
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_PROGRAM_OUTPUT = re.compile(
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
_REFERENCES = re.compile(
    r"\b(?:this|that|these|those|it|them|both|again|too|one|ones|option|more|everything|(?:fix|do|all|and) \d{1,2})\b",
    re.IGNORECASE,
)
_NAMES = re.compile(r"[`\"“]|\w[._/-]\w|[a-z][A-Z]|#\d")
_MIN_CLEAR_WORDS = 9
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
    lines = [_MARK.sub("", line).strip() for line in _FENCE.sub("\n", text[:_MAX_READ]).splitlines() if line.strip()]
    if not lines or _PROGRAM_OUTPUT.match(text):
        return ""
    whole = _LEAD.sub("", lines[0])
    for line in lines[1:]:
        if len(whole.split()) >= _MIN_WORDS and not whole.endswith(":"):
            break
        if _PROGRAM_OUTPUT.match(line):
            break
        whole += f" {line}"
    first_words = ""
    for sentence in _ENDS.split(whole):
        first_words = f"{first_words} {sentence}".strip()
        if len(first_words.split()) >= _MIN_WORDS:
            break
    return clip(first_words.rstrip(" :"))


def sentence_at(text: str, start: int) -> str:
    """The sentence of a text in which a place lies."""
    before = max((found.end() for found in _SENTENCE.finditer(text, 0, len(text)) if found.end() <= start), default=0)
    behind = _SENTENCE.search(text, max(start, before))
    part = text[before : behind.start() if behind else len(text)]
    return clip(_LEAD.sub("", _MARK.sub("", part).strip()))


def quote_at(text: str, start: int) -> str:
    """The sentence in which a place lies, or what the text begins with where that says too little."""
    quoted = sentence_at(text, start)
    if len(quoted.split()) < _MIN_WORDS or _PROGRAM_OUTPUT.match(quoted):
        return gist(text) or ("" if _PROGRAM_OUTPUT.match(quoted) else quoted)
    return quoted


def remembered_sentence(text: str, start: int) -> str:
    """The sentence in which something was said to be remembered, without the words that say so."""
    quoted = sentence_at(text, start)
    return _REMEMBER.sub("", quoted)


def sentences_with(text: str, with_one_of: Sequence[str]) -> list[str]:
    """The sentences of a text in which one of some words stands, without fences of code."""
    lowered = text.lower()
    if not any(word in lowered for word in with_one_of):
        return []
    parts = _SENTENCE.split(_FENCE.sub("\n", text))
    return [part for part in parts if any(word in part.lower() for word in with_one_of)]


def clip(text: str, max_length: int = MAX_LENGTH) -> str:
    """A text in one line, cut between words where it is too long."""
    line = " ".join(text.split())
    if len(line) <= max_length:
        return line
    cut = line[: max_length - 1]
    head, _, tail = cut.rpartition(" ")
    return f"{head if head and len(tail) < 40 else cut}".rstrip(" ,;:-") + "…"


def is_question(text: str) -> bool:
    """Whether a text only asks for an answer."""
    asks = text.rstrip().endswith("?") and _ASKS_WORK.search(text) is None
    return asks or _OPINION.search(text) is not None


def strip_politeness(text: str) -> str:
    """A request without the words that only ask for it."""
    bare = _POLITE.sub("", text)
    return text if bare == text else bare.rstrip(" ?")


def is_vague(text: str) -> bool:
    """Whether a text says nothing to somebody who did not see what it points at."""
    return len(text.split()) < _MIN_CLEAR_WORDS and _REFERENCES.search(text) is not None and _NAMES.search(text) is None


def is_order(text: str) -> bool:
    """Whether a lesson says what to do, rather than how things are."""
    return len(text.split()) >= _MIN_WORDS and (_ORDERS.search(text) is not None or _STATES.match(text) is None)


def is_commit(command: str) -> bool:
    """Whether a command commits something to git."""
    return _COMMITS.search(command) is not None


def commit_subject(command: str) -> str:
    """The subject that a command commits under; empty where it names none."""
    found = _SUBJECT.search(command)
    text = next(filter(None, found.groups()), "") if found else ""
    return clip(text.strip().partition("\n")[0], 100)
