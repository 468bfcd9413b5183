"""Divides what a user typed into sentences, and leaves out code, quotations, logs and pasted documents."""

from __future__ import annotations

import re
from typing import NamedTuple

_QUOTED = 400
"""So many letters behind a stop the mark may stand that ends a quotation."""
_READ = 6_000
"""How much of a message is looked at."""
_FENCE = re.compile(r"^[ \t]*(?:```|~~~).*?(?:^[ \t]*(?:```|~~~)[^\n]*$|\Z)|```.*?(?:```|\Z)", re.DOTALL | re.MULTILINE)
_DOCUMENT = re.compile(r"^(?:#{1,4} \S|\|.*\|[ \t]*$|={4,}|<[a-z][\w-]*>\s*$)", re.MULTILINE)
"""From such a line on a long message is a document that was pasted."""
_LONG = 1_200
_LOGGED = re.compile(
    r"[ \t]*(?:>|//|/\*|#(?!\d)|\$ |❯|[│├└┌╭╰✓✗✘⎿●]|[-=]{3,}|@@|diff --git|[+-]{1,3}[ \t]*[^\w\s]|at \S+ ?\(|\^+\s*$"
    r"|File \"|Traceback|E {2,}|(?-i:FAILED|PASSED|ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|npm ERR!)\b"
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
_END = re.compile(
    r"[.!?…。！？｡।؟](?:(?<=[.!?…])[.!?…]*[\"'”’»)\]]*(?=\s|$)|(?<=[。！？｡])[。！？｡]*[」』”）)]*|(?<=[।؟])[।؟]*)"
)
"""What ends a sentence. It begins with what is rare, so that the search is fast."""
_GOING_ON = ".…\"'”’»"
"""Behind these a small letter goes on with the sentence: `the line "Use it." is wrong`."""
_CLOSING = "\"'”’»)]"
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
    found: list[MessageSentence] = []
    if "\n" not in message and len(message) <= _READ:
        if _LOGGED.match(message) is not None:
            return []
        if not message[:1].isalpha() or _MAY_END.search(message) is not None:
            _split_line(message, 0, 0, found)
        else:
            _add_sentence(message, (0, len(message)), 0, 0, found)
        return found
    place, logged = 0, False
    for number, line in enumerate(_without_pasted(message).splitlines(keepends=True)):
        if not line.isspace():
            logged = _LOGGED.match(line) is not None or (logged and line.startswith(("    ", "\t")))
            if not logged:
                _split_line(line, place, number, found)
        else:
            logged = False
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


def _split_line(line: str, place: int, paragraph: int, found: list[MessageSentence]) -> None:
    mark = _LIST_MARK.match(line)
    start = mark.end() if mark is not None else 0
    if _MAY_END.search(line, start) is not None:
        for end in _END.finditer(line, start):
            if not _is_sentence_continued(line, start, end):
                _add_sentence(line, (start, end.end()), place, paragraph, found)
                start = end.end()
    if start < len(line):
        _add_sentence(line, (start, len(line)), place, paragraph, found)


def _is_sentence_continued(line: str, start: int, end: re.Match[str]) -> bool:
    """Whether a stop is none: of a short form, of a number in a list, in code, or in the middle of a sentence."""
    stop = end.group()
    if "`" in line and line.count("`", start, end.start()) % 2 and "`" in line[end.end() :]:
        return True  # within code
    if stop[-1] not in _CLOSING and _is_within_quotation(line, start, end):
        return True
    if stop[0] == "." and len(stop) == 1:
        word = _WORD_BEFORE.search(line, max(start, end.start() - 8), end.start())
        before = word.group().lower() if word is not None else ""
        return before in _SHORT_FORMS or (len(before) == 1 and before.isdigit() and end.start() - start < 3)
    rest = line[end.end() :].lstrip()
    closes = stop[-1] in _CLOSING  # of what is quoted within it: `without "Sure!" in front`
    return rest[:1].islower() and (closes or (stop[0] in ".…" and stop[-1] in _GOING_ON))


def _is_within_quotation(line: str, start: int, end: re.Match[str]) -> bool:
    """Whether a stop stands between two marks of quotation: `as "Dr. P. Jones"`."""
    behind = line[end.end() : end.end() + _QUOTED]
    if '"' in behind and line.count('"', start, end.start()) % 2:
        return True
    return "”" in behind and line.rfind("“", start, end.start()) > line.rfind("”", start, end.start())


def _add_sentence(line: str, span: tuple[int, int], place: int, paragraph: int, found: list[MessageSentence]) -> None:
    words = line[span[0] : span[1]]
    text = " ".join(words.split())
    if _LETTER.search(text) is not None:
        begin = place + span[0] + len(words) - len(words.lstrip())
        found.append(MessageSentence(text, begin, begin + len(words.strip()), paragraph))
