"""Shortens what was typed or called to its distinctive part. Nothing is reworded: words are only removed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_LENGTH = 140
_MAX_READ = 1_000
"""How much of a text is searched for its request."""
_MIN_WORDS = 4
"""A sentence of fewer words says little by itself."""
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_PROGRAM_OUTPUT = re.compile(
    r"\s*(?:={2,}|[+-]\s{2,}|[-+]{3}|@@|[$❯%]\s|at \S+:\d|\[[\w:. -]+\]\s|https?://\S+\s*$|[{}<|│├└✓✗]|[\w./-]+:\d+:"
    r"|(?:\w*(?:Error|Exception)|Traceback\b.*|FAIL|panic|fatal|error|warning)[:\s]"
    r"|(?:[\w-]+\s)?\d{4}[-/]\d\d[-/]\d\d[ T]\d)"
)
"""How the output of a program begins."""
_MARK = re.compile(r"\A\s*(?:#{1,6}|[-*•>+]|\d{1,2}[.)])\s+")
_LEAD = re.compile(
    r"\A(?:(?:no|nope)\s*[,:.!…–—-]+(?:\s+|$)|(?:ok(?:ay)?|yes|yeah|yep|ah"
    r"|oh|hm+|so|and|also|but|now|then|well|alright|right|great|perfect|cool"
    r"|please|actually|q|question|note)(?:\s*[,:.!…–—-]+\s*|\s+))+(?=\S)",
    re.IGNORECASE,
)
"""Filler words before the actual request."""
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
"""Polite phrases that ask for work without saying which."""
_OPINION = re.compile(r"\bwhat do you think\b", re.IGNORECASE)
_REFERENCES = re.compile(
    r"\b(?:this|that|these|those|it|them|both|again|too|one|ones|option|more|everything|(?:fix|do|all|and) \d{1,2})\b",
    re.IGNORECASE,
)
_NAMES = re.compile(r"[`\"“]|\w[._/-]\w|[a-z][A-Z]|#\d")
_MIN_CLEAR_WORDS = 9
"""From this many words on, a request names what it refers to."""
_ORDERS = re.compile(
    r"\b(?:should|must|prefer|avoid|always|never|instead of|rather than|do not|don't|have to|need to)\b", re.IGNORECASE
)
_STATES = re.compile(
    r"(?:the|a|an|there|we|you|i|i'\w+|he|she|they|it|in|to|with|nothing|some\w*|another|unrelated|if|when|as|not)\b"
    r"|\w\)",
    re.IGNORECASE,
)
"""How a descriptive sentence begins."""
_COMMITS = re.compile(r"\bgit\b[^\n;&|]*?\bcommit\b")
_SUBJECT = re.compile(
    r"\bcommit\b[^;&|]*?\s(?:-[a-z]*m|--message)[\s=]*(?:\"\$\(cat <<-?\s*(?:'\w+'|\"\w+\"|\w+)\s*\n\s*([^\n]+)"
    r"|\"((?:\\.|[^\"\\])+)|'([^']+))",
    re.DOTALL,
)


def gist(text: str) -> str:
    """Return what a request asks for, in its own first words; empty where it is only program output."""
    lines = [_MARK.sub("", line).strip() for line in _FENCE.sub("\n", text[:_MAX_READ]).splitlines() if line.strip()]
    if not lines or _PROGRAM_OUTPUT.match(text):
        return ""
    sentence_text = _LEAD.sub("", lines[0])
    for line in lines[1:]:
        if len(sentence_text.split()) >= _MIN_WORDS and not sentence_text.endswith(":"):
            break
        if _PROGRAM_OUTPUT.match(line):
            break
        sentence_text += f" {line}"
    first_words = ""
    for sentence in _ENDS.split(sentence_text):
        first_words = f"{first_words} {sentence}".strip()
        if len(first_words.split()) >= _MIN_WORDS:
            break
    return clip(first_words.rstrip(" :"))


def sentence_at(text: str, start: int) -> str:
    """Return the sentence of a text at an offset."""
    before = max((found.end() for found in _SENTENCE.finditer(text, 0, len(text)) if found.end() <= start), default=0)
    end = _SENTENCE.search(text, max(start, before))
    part = text[before : end.start() if end else len(text)]
    return clip(_LEAD.sub("", _MARK.sub("", part).strip()))


def quote_at(text: str, start: int) -> str:
    """Return the sentence at an offset, or the gist of the text where that says too little."""
    quoted = sentence_at(text, start)
    if len(quoted.split()) < _MIN_WORDS or _PROGRAM_OUTPUT.match(quoted):
        return gist(text) or ("" if _PROGRAM_OUTPUT.match(quoted) else quoted)
    return quoted


def remembered_sentence(text: str, start: int) -> str:
    """Return the sentence that is to be remembered, without words such as "remember that"."""
    quoted = sentence_at(text, start)
    return _REMEMBER.sub("", quoted)


def sentences_with(text: str, with_one_of: Sequence[str]) -> list[str]:
    """Return the sentences of a text that contain one of some words, without code fences."""
    lowered = text.lower()
    if not any(word in lowered for word in with_one_of):
        return []
    parts = _SENTENCE.split(_FENCE.sub("\n", text))
    return [part for part in parts if any(word in part.lower() for word in with_one_of)]


def clip(text: str, max_length: int = MAX_LENGTH) -> str:
    """Return a text in one line, cut between words where it is too long."""
    line = " ".join(text.split())
    if len(line) <= max_length:
        return line
    cut = line[: max_length - 1]
    head, _, tail = cut.rpartition(" ")
    return f"{head if head and len(tail) < 40 else cut}".rstrip(" ,;:-") + "…"


def is_question(text: str) -> bool:
    """Whether a text only asks for an answer."""
    is_plain_question = text.rstrip().endswith("?") and _ASKS_WORK.search(text) is None
    return is_plain_question or _OPINION.search(text) is not None


def strip_politeness(text: str) -> str:
    """Return a request without its polite phrases."""
    bare = _POLITE.sub("", text)
    return text if bare == text else bare.rstrip(" ?")


def is_vague(text: str) -> bool:
    """Whether a text means nothing to somebody who did not see what it refers to."""
    return len(text.split()) < _MIN_CLEAR_WORDS and _REFERENCES.search(text) is not None and _NAMES.search(text) is None


def is_order(text: str) -> bool:
    """Whether a lesson says what to do, rather than how things are."""
    return len(text.split()) >= _MIN_WORDS and (_ORDERS.search(text) is not None or _STATES.match(text) is None)


def is_commit(command: str) -> bool:
    """Whether a command commits something to git."""
    return _COMMITS.search(command) is not None


def commit_subject(command: str) -> str:
    """Return the commit subject in a command; empty where it has none."""
    match = _SUBJECT.search(command)
    text = next(filter(None, match.groups()), "") if match else ""
    return clip(text.strip().partition("\n")[0], 100)
