"""Names what in a text looks meant to deceive a reader that is a machine: unseen characters, forged roles, orders.

It only names. People write such things too, about them if not with them, so nothing is dropped for a mark alone; who
said a text is decided by the structure of the record.
"""

from __future__ import annotations

import re
from functools import cache

from wisen.safety import hidden

_ROLES = "user|human|assistant|system|developer|tool|tool_result|function_results?|system-reminder|instructions?"
_UNSEEN = {
    "zero-width": (
        r"[\u00ad\u034f\u115f\u1160\u180e\u200b\u2060-\u2064\u3164\uffa0]|(?<!\A)\ufeff"
        # These two join emoji and the letters of several scripts; between Latin letters they join nothing.
        r"|(?<=[A-Za-z0-9])[\u200c\u200d](?=[A-Za-z0-9])"
    ),
    "bidi": r"[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]",
    # Three flags are written with tags behind a black one.
    "tag": rf"(?<![\U0001f3f4{hidden.TAGS}])[{hidden.TAGS}]",
}
_SAID = {
    "role-tag": (
        rf"(?i)(?<!\w)</?(?:{_ROLES})(?:\s[^<>\n]{{0,80}})?>"
        rf"|<\|(?:im_start|im_end|endoftext|eot_id|{_ROLES})\|>|\[/?INST\]|<</?SYS>>"
    ),
    "role-turn": r"(?m)^[ \t>*#]{0,6}(?:Human|Assistant)[ \t]?:(?=\s)|^#{2,3} (?:Instruction|Response):",
    "system-mark": (
        r"(?im)\[\s?(?:system|admin|developer|root)(?: (?:message|prompt|override|note|notice))?\s?:?\]"
        r"|^\s{0,4}system (?:prompt|override|message)\s?:|\bbegin (?:new )?system prompt\b"
    ),
    "override": (
        r"(?i)\b(?:ignore|disregard|forget|override|bypass)\s(?:(?:all|any|the|of|your|my|these|every)\s){0,3}"
        r"(?:previous|prior|above|earlier|preceding|former|existing)\s(?:\w+\s){0,2}"
        r"(?:instructions?|prompts?|rules?|messages?|directions?|guidelines?|context)\b"
        r"|\bdo not (?:tell|inform) the user\b|\bfrom now on,? you (?:are|will|must)\b"
        r"|\bignorier\w*\s(?:alle\s)?(?:vorherigen|bisherigen|obigen)\s(?:anweisungen|regeln)"
        r"|\bignore[zr]?\s(?:toutes\s)?les\s(?:instructions|consignes)\spr[ée]c[ée]dentes"
        r"|\bignor[ae]\w?\s(?:todas\s)?(?:las|as)\s(?:instrucciones|instruções)\santeriores"
        r"|\bignora\s(?:tutte\s)?le\sistruzioni\sprecedenti"
        r"|игнорируй\w*\s(?:все\s)?предыдущие\s(?:инструкции|указания)"
        r"|(?:忽略|无视|忽視)(?:之前|以上|先前|前面|上述)的?(?:所有|全部)?的?(?:指令|指示|说明|提示)"
        r"|(?:以前|これまで|上記)の(?:すべての)?(?:指示|命令)[をは]?無視"
        r"|이전\s?(?:의\s?)?(?:모든\s?)?지시(?:를|사항을)?\s?무시"
    ),
}


def suspicious_marks(text: str) -> tuple[str, ...]:
    """The names of the marks that a text bears, in a fixed order; none for nearly every text."""
    unseen = () if text.isascii() else tuple(name for name, form in _UNSEEN.items() if _compiled(form).search(text))
    plain = hidden.without(text) if unseen else text
    return unseen + tuple(name for name, form in _SAID.items() if _compiled(form).search(plain))


@cache
def _compiled(form: str) -> re.Pattern[str]:
    return re.compile(form)
