"""Recognizes how users introduce a text that is not theirs: "Translate: …", "Bob wrote: …", "this is the mail: …"."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.safety import paste_words as words
from wisen.safety.line_shapes import QUOTATION, any_of, listed
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wisen.safety.line_shapes import MessageLine

_COLON = lazy_regex(r"(?:：|:(?=\s|[\"'“«„「『`*_]|[^\x00-\x7f]|$))")
_SENTENCE = lazy_regex(r"(?<=[.!?。！？…])\s+|[。！？]")
_MAX_HEAD_LENGTH, _MAX_WORDS = 90, 12
_TASK = lazy_regex(lambda: any_of(listed(words.TEXT_TASKS)))
_SAYING = lazy_regex(lambda: any_of(listed(words.SAYING)))
_FIRST_PERSON = lazy_regex(lambda: any_of(listed(words.FIRST_PERSON)))
_POINTING = lazy_regex(lambda: any_of(listed(words.POINTING)))
_DOCUMENTS = lazy_regex(lambda: any_of(listed(words.DOCUMENTS)))
_RULES = lazy_regex(lambda: any_of(listed(words.RULE_WORDS)))
_WITHIN = lazy_regex(lambda: any_of(listed(words.WITHIN)))
_MINE = lazy_regex(lambda: any_of(listed(words.MINE)))
_QUOTES = {'"': '"', "“": "”", "«": "»", "„": "“”", "「": "」", "『": "』", "'": "'", "`": "`"}
_INTRODUCTION = 300
_NOUNS = frozenset(listed(words.LONE_HEADS))
_COPULA = lazy_regex(r"\s(?:is|was|are|were|ist|war|lautet|est|était|es|era|é|foi|è|är|var|to|był|это|был)\Z")
"""How "the output is:" ends."""
_ACCORDING = lazy_regex(lambda: any_of(listed(words.ACCORDING)))


def find_object(text: str, lines: Sequence[MessageLine]) -> tuple[int, int] | None:
    """Return the span of the first text that is given to work on, or that somebody else said; None if there is none.

    It comes after a colon, or on the lines below.
    """
    for number, line in enumerate(lines):
        if line.fenced or line.blank:
            continue
        at = line.start
        for clause in _clauses(line.text) if ":" in line.text or "：" in line.text else ():
            colon = _COLON.search(clause.text)
            if colon is not None and _introduces_text(clause.text[: colon.start()]):
                return _span_from(text, at + clause.start + colon.end())
        if number + 1 < len(lines) and _is_task_line(line.text):
            return _span_from(text, line.end)
    return None


class _Clause(NamedTuple):
    start: int
    text: str


def _clauses(line: str) -> Iterator[_Clause]:
    at = 0
    for stop in _SENTENCE.finditer(line):
        yield _Clause(at, line[at : stop.start()])
        at = stop.end()
    yield _Clause(at, line[at:])


def _introduces_text(head: str) -> bool:
    """Whether the words before a colon introduce a text that is not the user's."""
    head = head.strip().casefold()
    if not head or len(head) > _MAX_HEAD_LENGTH or len(head.split()) > _MAX_WORDS or _RULES.search(head):
        return False
    if _TASK.search(head) or head.rstrip("s") in _NOUNS or _ACCORDING.match(head):
        return True
    last = " ".join(head.split()[-3:])
    if _SAYING.search(last) and not _FIRST_PERSON.search(head):
        return True
    return (
        (_POINTING.search(head) is not None or _COPULA.search(head) is not None)
        and _DOCUMENTS.search(head) is not None
        and _WITHIN.match(head) is None
        and _MINE.search(head) is None
    )


def _is_task_line(line: str) -> bool:
    """Whether a line asks for something to be done with the text below it."""
    text = line.strip().rstrip(".!?…。！？").casefold()
    if not text or len(text) > _MAX_HEAD_LENGTH or len(text.split()) > _MAX_WORDS or _RULES.search(text):
        return False
    task = _TASK.search(text)
    return task is not None and _POINTING.search(text) is not None


def _span_from(text: str, start: int) -> tuple[int, int]:
    """Return the span from a position to the end of what is quoted or fenced there, or to the end of the message."""
    rest = text[start:]
    body = rest.lstrip()
    at = start + len(rest) - len(body)
    if body.startswith("```"):
        close = text.rfind("```", at + 3)
        return start, len(text) if close < 0 else close + 3
    closing = _QUOTES.get(body[:1])
    if closing is not None:
        close = max(text.rfind(mark, at + 1) for mark in closing)
        if close > at:
            return start, close + 1
    if QUOTATION.match(body):
        return start, start  # the quotation marks of each line show where it ends
    return start, len(text)


def introduces_document(paragraph: str) -> bool:
    """Whether a paragraph introduces a document below it, and is not a part of it."""
    folded = paragraph.casefold()
    if not paragraph or len(paragraph) > _INTRODUCTION:
        return False
    return paragraph[-1] in ":：?？" or (_POINTING.search(folded) is not None and _DOCUMENTS.search(folded) is not None)
