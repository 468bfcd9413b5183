"""Splits a user message into sentences, leaving out code, quotations, logs and pasted documents."""

from __future__ import annotations

import re
from typing import NamedTuple

from wisen.text.lazy_regex import lazy_regex

_MAX_QUOTATION = 400
"""Maximum distance from a full stop to the mark that closes a quotation."""
_MAX_READ = 6_000
"""Number of characters of a message that are read."""
_FENCE = lazy_regex(r"^[ \t]*(?:```|~~~).*?(?:^[ \t]*(?:```|~~~)[^\n]*$|\Z)|```.*?(?:```|\Z)", re.DOTALL | re.MULTILINE)
_DOCUMENT = lazy_regex(r"^(?:#{1,4} \S|\|.*\|[ \t]*$|={4,}|<[a-z][\w-]*>\s*$)", re.MULTILINE)
"""From such a line on, a long message is a pasted document."""
_LONG_MESSAGE = 1_200
_PASTED_LINE = lazy_regex(
    r"[ \t]*(?:>|//|/\*|#(?!\d)|\$ |❯|[│├└┌╭╰✓✗✘⎿●]|[-=]{3,}|@@|diff --git|[+-]{1,3}[ \t]*[^\w\s]|at \S+ ?\(|\^+\s*$"
    r"|File \"|Traceback|E {2,}|(?-i:FAILED|PASSED|ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|npm ERR!)\b"
    r"|\[?\d{4}-\d\d-\d\d[T ]|\[?\d{1,2}:\d\d:\d\d|\[(?:warn|info|error|debug|trace|fatal)[\w ]*\]|\[\w+\.\w+\]"
    r"|(?-i:\[[A-Z][a-z]\w*\] (?=[A-Z][a-z]))"
    r"|[\w./-]+\.\w{1,4}:\d+(?::\d+)?:?|\w*(?:Error|Exception|Warning)\b ?[:\[(]|(?:Fehler|Error|erreur|errore): "
    r"|[{}\[\]();]+\s*$|<\/?[a-zA-Z][^>]*>|\"[\w$.-]+\":|(?:const|let|var|import|export|def|class|func|return|package"
    r"|from \w+ import|public|private|async function|function \w+\()\b.*[;{:()]\s*$|[A-Z_]{3,}\s*=\s*\S|https?://\S+\s*$)",
    re.IGNORECASE,
)
"""Beginnings of lines that nobody typed as a sentence: output, code, a quotation, a heading."""
_LIST_MARK = lazy_regex(r"[ \t]*(?:[-*•·+‣–]|\(?\d{1,2}[.):]|\(?[a-zA-Z][.)])[ \t]+(?=\S)|[ \t]+")
_SHORT_FORMS = frozenset(
    "e.g i.e eg ie etc vs approx mr mrs dr st fig resp incl excl max min cf viz z.b bzw ca usw d.h u.a o.ä ggf inkl"
    " p.ej ej ex np tj itd itp m.in т.е т.д т.п т.к напр örn vb vs t.ex bl.a dvs osv ecc es pag art tel nr".split()
)
_END = lazy_regex(
    r"[.!?…。！？｡।؟](?:(?<=[.!?…])[.!?…]*[\"'”’»)\]]*(?=\s|$)|(?<=[。！？｡])[。！？｡]*[」』”）)]*|(?<=[।؟])[।؟]*)"
)
"""Ends of a sentence. The pattern begins with rare characters, so that the search is fast."""
_CONTINUABLE_ENDS = ".…\"'”’»"
"""After these, a lowercase letter continues the sentence: `the line "Use it." is wrong`."""
_CLOSING = "\"'”’»)]"
_MAY_END = lazy_regex(r"[.!?…。！？｡।؟]")
_LETTER = lazy_regex(r"[^\W\d_]")
_WORD_BEFORE = lazy_regex(r"[\w.]+\Z")


class MessageSentence(NamedTuple):
    """A sentence of a message."""

    text: str
    """As typed, on one line."""
    start: int
    end: int
    paragraph: int
    """Line number: sentences of one line belong together."""


def sentences_of(message: str) -> list[MessageSentence]:
    """Return the sentences that the user typed, in order, without list markers."""
    sentences: list[MessageSentence] = []
    if "\n" not in message and len(message) <= _MAX_READ:
        if _PASTED_LINE.match(message) is not None:
            return []
        if not message[:1].isalpha() or _MAY_END.search(message) is not None:
            _split_line(message, 0, 0, sentences)
        else:
            _add_sentence(message, (0, len(message)), 0, 0, sentences)
        return sentences
    offset, is_pasted = 0, False
    for number, line in enumerate(_without_pasted(message).splitlines(keepends=True)):
        if not line.isspace():
            is_pasted = _PASTED_LINE.match(line) is not None or (is_pasted and line.startswith(("    ", "\t")))
            if not is_pasted:
                _split_line(line, offset, number, sentences)
        else:
            is_pasted = False
        offset += len(line)
    return sentences


def _without_pasted(message: str) -> str:
    """Replace fenced code by whitespace and cut off a pasted document."""
    text = message[:_MAX_READ]
    if "```" in text or "~~~" in text:
        text = _FENCE.sub(lambda fence: re.sub(r"[^\n]", " ", fence.group()), text)
    if len(message) > _LONG_MESSAGE and (document := _DOCUMENT.search(text)) is not None:
        text = text[: document.start()]
    return text


def _split_line(line: str, offset: int, paragraph: int, sentences: list[MessageSentence]) -> None:
    mark = _LIST_MARK.match(line)
    start = mark.end() if mark is not None else 0
    if _MAY_END.search(line, start) is not None:
        for end in _END.finditer(line, start):
            if not _is_sentence_continued(line, start, end):
                _add_sentence(line, (start, end.end()), offset, paragraph, sentences)
                start = end.end()
    if start < len(line):
        _add_sentence(line, (start, len(line)), offset, paragraph, sentences)


def _is_sentence_continued(line: str, start: int, end: re.Match[str]) -> bool:
    """Whether a full stop does not end the sentence: abbreviation, list number, code or mid-sentence."""
    ending = end.group()
    if "`" in line and line.count("`", start, end.start()) % 2 and "`" in line[end.end() :]:
        return True  # within code
    if ending[-1] not in _CLOSING and _is_within_quotation(line, start, end):
        return True
    if ending[0] == "." and len(ending) == 1:
        word = _WORD_BEFORE.search(line, max(start, end.start() - 8), end.start())
        before = word.group().lower() if word is not None else ""
        return before in _SHORT_FORMS or (len(before) == 1 and before.isdigit() and end.start() - start < 3)
    rest = line[end.end() :].lstrip()
    ends_quotation = ending[-1] in _CLOSING  # a quotation inside the sentence: `without "Sure!" in front`
    return rest[:1].islower() and (ends_quotation or (ending[0] in ".…" and ending[-1] in _CONTINUABLE_ENDS))


def _is_within_quotation(line: str, start: int, end: re.Match[str]) -> bool:
    """Whether a full stop is inside quotation marks: `as "Dr. P. Jones"`."""
    rest = line[end.end() : end.end() + _MAX_QUOTATION]
    if '"' in rest and line.count('"', start, end.start()) % 2:
        return True
    return "”" in rest and line.rfind("“", start, end.start()) > line.rfind("”", start, end.start())


def _add_sentence(
    line: str, span: tuple[int, int], offset: int, paragraph: int, sentences: list[MessageSentence]
) -> None:
    words = line[span[0] : span[1]]
    text = " ".join(words.split())
    if _LETTER.search(text) is not None:
        start = offset + span[0] + len(words) - len(words.lstrip())
        sentences.append(MessageSentence(text, start, start + len(words.strip()), paragraph))
