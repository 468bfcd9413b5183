"""Finds text between delimiters in a message: elements, triple quotes, ruled lines, BEGIN and END, here-documents.

People enclose what they pass on, not what they say. What is enclosed may contain a closing delimiter of its own, so
everything up to the last one is enclosed.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wisen.safety.line_shapes import MessageLine

_OPENS = lazy_regex(r"\s{0,12}<(?P<tag>[A-Za-z][\w:.-]{0,60})(?:\s[^<>\n]{0,300})?>")
_CLOSES = lazy_regex(r"</(?P<tag>[A-Za-z][\w:.-]{0,60})>")
_TRIPLES = ('"' * 3, "'" * 3)
_RULE = lazy_regex(r"\s{0,8}(?P<sign>[-=*_#+~])(?P=sign){2,80}\s*$")
_BEGINS = lazy_regex(r"\W{2,20}(?:BEGIN|START)\b[^\n]{0,80}$", re.IGNORECASE)
_ENDS = lazy_regex(r"\W{2,20}(?:END|STOP)\b[^\n]{0,80}$", re.IGNORECASE)
_HERE = lazy_regex(r".{0,300}<<-?\s?['\"]?(?P<word>\w{1,30})['\"]?\s*(?:[>|].{0,200})?$")


def enclosed_spans(text: str, lines: Sequence[MessageLine]) -> Iterator[tuple[int, int]]:
    """Yield where enclosed text begins and ends, with its delimiters; spans may overlap."""
    outside = [each for each in lines if not each.fenced]
    if "</" in text:
        yield from _elements(text, outside)
    for sign, begin in _first_triples(text).items():
        end = text.rfind(sign)
        if end > begin:
            yield begin, end + len(sign)
    rules = [each for each in outside if _RULE.match(each.text)]
    for sign, same in groupby(sorted(rules, key=_sign_of), key=_sign_of):
        ruled = list(same)
        if sign and len(ruled) > 1:
            yield ruled[0].start, ruled[-1].end
    first = next((each for each in outside if _BEGINS.match(each.text)), None)
    if first is not None:
        ends = [each.end for each in outside if each.start > first.start and _ENDS.match(each.text)]
        yield first.start, ends[-1] if ends else len(text)
    if "<<" in text:
        yield from _here_documents(text, outside)


def _elements(text: str, lines: Sequence[MessageLine]) -> Iterator[tuple[int, int]]:
    """Yield elements that begin a line, each up to the last closing tag of its name."""
    last = {match["tag"]: match.end() for match in _CLOSES.finditer(text)}
    end = -1
    for line in lines:
        opens = _OPENS.match(line.text) if line.start >= end else None
        if opens is not None and last.get(opens["tag"], -1) > line.start:
            end = last[opens["tag"]]
            yield line.start, end


def _first_triples(text: str) -> dict[str, int]:
    return {sign: text.find(sign) for sign in _TRIPLES if sign in text}


def _sign_of(line: MessageLine) -> str:
    return line.text.strip()[:1]


def _here_documents(text: str, lines: Sequence[MessageLine]) -> Iterator[tuple[int, int]]:
    last = {each.text.strip(): each.end for each in lines}
    end = -1
    for line in lines:
        here = _HERE.match(line.text) if line.start >= end and "<<" in line.text else None
        if here is not None:
            end = last.get(here["word"], -1)
            end = end if end > line.end else len(text)
            yield line.start, end
