"""Divides what a user typed into sentences, and leaves out code, quotations, logs and pasted documents."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

_READ = 6_000
"""How much of a message is looked at."""
_FENCE = re.compile(r"^[ \t]*(?:```|~~~).*?(?:^[ \t]*(?:```|~~~)[^\n]*$|\Z)|```.*?(?:```|\Z)", re.DOTALL | re.MULTILINE)
_DOCUMENT = re.compile(r"^(?:#{1,4} \S|\|.*\|[ \t]*$|={4,}|<[a-z][\w-]*>\s*$)", re.MULTILINE)
"""From such a line on a long message is a document that was pasted."""
_LONG = 1_200
_LOGGED = re.compile(
    r"[ \t]*(?:>|//|/\*|#(?!\d)|\$ |❯|[│├└┌╭╰✓✗✘⎿●]|[-=]{3,}|@@|diff --git|[+-]{1,3}[ \t]*[^\w\s]|at \S+ ?\(|\^+\s*$"
    r"|File \"|Traceback|E {2,}|(?:FAILED|PASSED|ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|npm ERR!)\b"
    r"|\[?\d{4}-\d\d-\d\d[T ]|\[?\d{1,2}:\d\d:\d\d|\[(?:warn|info|error|debug|trace|fatal)[\w ]*\]|\[\w+\.\w+\]"
    r"|(?-i:\[[A-Z][a-z]\w*\] (?=[A-Z][a-z]))"
    r"|[\w./-]+\.\w{1,4}:\d+(?::\d+)?:?|\w*(?:Error|Exception|Warning)\b ?[:\[(]|(?:Fehler|Error|erreur|errore): "
    r"|[{}\[\]();]+\s*$|<\/?[a-zA-Z][^>]*>|\"[\w$.-]+\":|(?:const|let|var|import|export|def|class|func|return|package"
    r"|from \w+ import|public|private|async function|function \w+\()\b.*[;{:()]\s*$|[A-Z_]{3,}\s*=\s*\S|https?://\S+\s*$)",
    re.IGNORECASE,
)
"""How a line begins that nobody typed as a sentence: output, code, a quotation, a heading."""
_LIST_MARK = re.compile(r"[ \t]*(?:[-*•·+‣–]|\(?\d{1,2}[.):]|\(?[a-zA-Z][.)])[ \t]+(?=\S)|[ \t]+")
_SHORT_FORMS = frozenset(
    "e.g i.e eg ie etc vs approx mr mrs dr st fig resp incl excl max min cf viz z.b bzw ca usw d.h u.a o.ä ggf inkl"
    " p.ej ej ex np tj itd itp m.in т.е т.д т.п т.к напр örn vb vs t.ex bl.a dvs osv ecc es pag art tel nr".split()
)
_END = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s|$)|[。！？｡]+[」』”）)]*|[।؟]+")
_MAY_END = re.compile(r"[.!?…。！？｡।؟]")
_LETTER = re.compile(r"[^\W\d_]")
_WORD_BEFORE = re.compile(r"[\w.]+\Z")


class MessageSentence(NamedTuple):
    """A sentence of a message."""

    text: str
    """As it was typed, on one line."""
    start: int
    end: int
    paragraph: int
    """Sentences of one line stand together."""


def sentences_of(message: str) -> list[MessageSentence]:
    """The sentences that the user typed, in order, without marks of lists."""
    if "\n" not in message and len(message) <= _READ:
        if _is_logged(message):
            return []
        several = message[:1].isspace() or not message[:1].isalpha() or _MAY_END.search(message) is not None
        return list(_line_sentences(message, 0, 0) if several else _sentence(message, 0, len(message), 0, 0))
    found: list[MessageSentence] = []
    place, logged = 0, False
    for number, line in enumerate(_without_pasted(message).splitlines(keepends=True)):
        indented = line.startswith(("    ", "\t"))
        logged = bool(line.strip()) and (_is_logged(line) or (indented and logged))
        if not logged:
            found.extend(_line_sentences(line, place, number))
        place += len(line)
    return found


def _without_pasted(message: str) -> str:
    """A message in which blanks stand in the place of fenced code and of a document."""
    read = message[:_READ]
    if "```" in read or "~~~" in read:
        read = _FENCE.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), read)
    if len(message) > _LONG and (document := _DOCUMENT.search(read)) is not None:
        read = read[: document.start()]
    return read


def _is_logged(line: str) -> bool:
    return _LOGGED.match(line) is not None


def _line_sentences(line: str, place: int, paragraph: int) -> Iterator[MessageSentence]:
    mark = _LIST_MARK.match(line)
    start = mark.end() if mark is not None else 0
    for end in _END.finditer(line, start):
        if _goes_on(line, start, end):
            continue
        yield from _sentence(line, start, end.end(), place, paragraph)
        start = end.end()
    yield from _sentence(line, start, len(line), place, paragraph)


def _goes_on(line: str, start: int, end: re.Match[str]) -> bool:
    """Whether a stop is none: of a short form, of a number in a list, in code, or in the middle of a sentence."""
    stop = end.group()
    if "`" in line and line.count("`", start, end.start()) % 2 and "`" in line[end.end() :]:
        return True  # within code
    if stop[0] == "." and len(stop) == 1:
        word = _WORD_BEFORE.search(line, max(start, end.start() - 8), end.start())
        before = word.group().lower() if word is not None else ""
        return before in _SHORT_FORMS or (len(before) == 1 and before.isdigit() and end.start() - start < 3)
    rest = line[end.end() :].lstrip()
    return stop[0] in ".…" and stop[-1] in ".…" and rest[:1].islower()


def _sentence(line: str, start: int, end: int, place: int, paragraph: int) -> Iterator[MessageSentence]:
    words = line[start:end]
    text = " ".join(words.split())
    if _LETTER.search(text):
        begin = start + len(words) - len(words.lstrip())
        yield MessageSentence(text, place + begin, place + begin + len(words.strip()), paragraph)
