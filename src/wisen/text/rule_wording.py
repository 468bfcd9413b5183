"""What the user said as a line of a file: without the "no," in front that only answered somebody, and nothing else."""

from __future__ import annotations

import re

from wisen.text.directives import directives_in
from wisen.text.wording_check import find_mismatch

_ANSWER = re.compile(
    r"^(?:no+|nope|nah|wait|stop|ok|okay|yes|nein|nee|doch|halt|non|oui|si|sí|não|sim|nie|tak|nej|ja|hayır|dur|không|thôi|нет|да|стоп"
    r"|لا|نعم|नहीं|हाँ|不对?|不是|不行|错了?|いや|いいえ|違う|아니(?:요|야)?)(?:\s*[,.!:;，。！、–—-]+\s*)(?=\S)",
    re.IGNORECASE,
)


def rule_line(text: str) -> str:
    """The words of a lesson for a file; as they are where anything else would be lost without their beginning."""
    rest = _ANSWER.sub("", text, count=1)
    if rest == text or not directives_in(rest) or find_mismatch(text, rest):
        rest = text
    return rest[:1].upper() + rest[1:] if rest[:1].isascii() and rest.split(" ", 1)[0].isalpha() else rest
