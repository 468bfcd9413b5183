"""Turns a quote of the user into a rule line: drops a leading "no," that only answered somebody, nothing else."""

from __future__ import annotations

import re

from wisen.text.directives import directives_in
from wisen.text.lazy_regex import lazy_regex
from wisen.text.wording_check import find_mismatch

_ANSWER_WORD = lazy_regex(
    r"^(?:no+|nope|nah|wait|stop|ok|okay|yes|nein|nee|doch|halt|non|oui|si|sí|não|sim|nie|tak|nej|ja|hayır|dur|không|thôi|нет|да|стоп"
    r"|لا|نعم|नहीं|हाँ|不对?|不是|不行|错了?|いや|いいえ|違う|아니(?:요|야)?)(?:\s*[,.!:;，。！、–—-]+\s*)(?=\S)",
    re.IGNORECASE,
)


def rule_line(text: str) -> str:
    """Return the text of a lesson for a file; unchanged if dropping its beginning would lose anything else."""
    rule = _ANSWER_WORD.sub("", text, count=1)
    if rule == text or not directives_in(rule) or find_mismatch(text, rule):
        rule = text
    return rule[:1].upper() + rule[1:] if rule[:1].isascii() and rule.split(" ", 1)[0].isalpha() else rule
