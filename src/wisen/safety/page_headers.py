"""Recognizes the line above somebody's comment, post or mail as pages and programs show it: who wrote it, and when.

Every pattern matches one line and is bounded, so that no text can make it slow.
"""

from __future__ import annotations

import re

from wisen.text.lazy_regex import lazy_regex

_UNIT = r"(?:s|m|h|d|w|y|mo|min|sec|hr|second|minute|hour|day|week|month|year)s?"
_NUMBER = r"(?:\d{1,3}\+?|an?|one)"
AGE = (
    rf"(?:{_NUMBER}\s?{_UNIT}\.? ago|just now|yesterday"
    r"|vor \w{1,6} [^\W\d]{3,9}|il y a \w{1,4} [^\W\d]{2,9}|hace \w{1,4} [^\W\d]{2,9}|h[áa] \w{1,4} [^\W\d]{2,9}"
    r"|\w{1,4} [^\W\d]{2,9} (?:fa|atrás|temu|назад|önce|trước)|för \w{1,4} [^\W\d]{2,9} sedan"
    r"|\d{1,3} ?(?:秒|分|分钟|時間|小时|日|天|週間|周|か月|ヶ月|个月|年)前|\d{1,3} ?(?:초|분|시간|일|주|개월|년) ?전"
    r"|(?:منذ|قبل) [^\n]{1,20}|\d{1,3} [^\s\d]{1,9} पहले)"
)
"""How long ago something was written, as pages show it."""
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
_SEPARATED = lazy_regex(
    rf"\W{{0,4}}[^\n:]{{1,60}}?\s[·•|–—]\s?(?:{AGE}|{_MONTH} \d{{1,2}}(?:, \d{{4}})?|\d{{1,3}}(?:h|d|w|mo|y|m))"
    r"(?:\s?[·•|(\[].{0,80})?\s*$",
    re.IGNORECASE,
)
"""`Name @handle · Mar 3`, `u/name · 3h ago`."""
_HANDLE = lazy_regex(rf"\s{{0,4}}(?:@|u/)?[\w.-]{{2,40}} (?:{AGE})\s?[|·•(\[].{{0,80}}$", re.IGNORECASE)
"""`name 3 hours ago | parent | next`."""
_NAMED = lazy_regex(rf"\s{{0,4}}(?:[^\W\d_a-z][\w.'-]{{0,30}} ){{2,4}}(?i:{AGE})\s*$")
"""`First Last 3 days ago`."""
_ADDED = lazy_regex(
    rf"[^\n:]{{1,60}} (?:added|left|posted|made) an? (?:comment|note|reply|review)\b.{{0,40}}(?:{AGE}|\d)", re.I
)
_SENDER = lazy_regex(
    r"\s{0,4}[^\W\d_a-z][^<>\n:]{0,60} <[^\s<>@]{1,80}@[^\s<>@]{1,80}>\s*$"
    r"|[^\n]{0,120}\s<[^\s<>@]{1,80}@[^\s<>@]{1,80}>\)?[^\n:：]{0,30}[:：]\s*$"
)
"""A name with its address, alone in a line or before a colon at its end."""
_BRACKETED = lazy_regex(
    r"\s{0,4}[^\W\d_][^,\[\]\n]{0,40}, ?\[[^\]\n]{0,30}\d{1,2}[:.]\d\d[^\]\n]{0,12}\]:?\s*$"
    r"|\[[^\]\n]{0,24}\d{1,2}:\d\d(?::\d\d)?(?: ?[AaPp][Mm])?\] [^\W\d_a-z][^\n:.!?]{0,40}\s*$"
)
"""`Name, [Mar 3, 2026 at 10:32]:`, `[Yesterday 10:32] Name`."""
_ONLY_AGE = lazy_regex(rf"\s{{0,4}}[·•]?\s?(?:{AGE})\s*$", re.IGNORECASE)


def is_page_header(line: str) -> bool:
    """Whether a line says who wrote what is below it, and when or from which address."""
    return len(line) <= 240 and any(
        pattern.match(line) for pattern in (_SEPARATED, _HANDLE, _NAMED, _ADDED, _SENDER, _BRACKETED)
    )


def is_age(line: str) -> bool:
    """Whether a line only says how long ago something was written."""
    return len(line) <= 60 and _ONLY_AGE.match(line) is not None
