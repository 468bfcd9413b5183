"""Recognizes lines of wisen's own lists, pages and blocks in a message: somebody pasted them, nobody said them again.

Whole blocks are marked, and stripped (`safety/sentinel.py`). What people read has no marks, but ids in fixed places.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wisen.safety.line_shapes import MessageLine

_NAME = r"(?:LRN|ERR|FEAT)-\d{8}-[0-9A-Z]{3}"
_LINE = lazy_regex(
    rf"\s{{0,8}}{_NAME}\s{{2,8}}\S"  # a list of lessons
    r"|.{0,2000}(?:<!-- wisen:|\((?:R|G)-[0-9a-f]{8}\)\s*$)"  # a page, a block
    r"|\s{0,4}\d{1,3}\s{2}\S.{0,2000}\s{2}\([a-z]{4,8}\)\s*$"  # proposals
    r"|\s{4,6}[a-z ]{3,20}, (?:low|medium|high|critical), .{0,80}\d{4}-\d\d-\d\d\s*$"
    r"|\s{4,6}(?:not written to a file; |a guard before calls \()"
    r"|\s{0,8}(?:Said in one session, and meant to last:|One by one: wisen review)"
    r"|\s{2,12}\d{4}-\d\d-\d\d, [a-z-]{4,16} [0-9a-f]{8}\b"  # where a report quotes from
)
"""A line as only wisen writes it."""


def report_spans(lines: Sequence[MessageLine]) -> Iterator[tuple[int, int]]:
    """Yield the span of what was pasted of ours: the paragraphs with such lines, and everything between them.

    A beginning that was cut off is in the same paragraph as what shows whose it is.
    """
    paragraphs = [list(found) for blank, found in groupby(lines, key=lambda each: each.blank) if not blank]
    ours = [each for each in paragraphs if any(_LINE.match(line.text) for line in each)]
    if ours:
        yield ours[0][0].start, ours[-1][-1].end
