"""Tells whether a text holds a secret, and by which rule. It never says where, and it never masks.

All triggers of all rules are looked for in one pass, so that a clean text costs little. Characters that nobody sees do
not hide a secret: a text that has any is looked at again without them.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from ahocorasick_rs import BytesAhoCorasick, Implementation

from wisen.safety.secret_rules import RULES, Rule

_HIDDEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c"
    "\u202d\u202e\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\u206a\u206b\u206c\u206d\u206e\u206f\u3164\ufeff"
    "\uffa0" + "".join(map(chr, range(0xFE00, 0xFE10)))
)
_TAGS = "\U000e0000-\U000e0fff"
_FOLD = re.compile(f"[{_HIDDEN}{_TAGS}]")
_ENOUGH = 128
"""So many bytes of a value tell what it is; a text could be made of nothing but long ones."""
_TAG_LEAD = b"\xf3\xa0"


class _Triggers(NamedTuple):
    automaton: BytesAhoCorasick
    rules: tuple[tuple[Rule, ...], ...]
    """By trigger; none for a hidden character."""


@cache
def _triggers() -> _Triggers:
    rules: dict[bytes, list[Rule]] = {}
    for rule in RULES:
        for trigger in rule.triggers:
            rules.setdefault(trigger.encode("ascii"), []).append(rule)
    # Lowering bytes leaves those of other scripts alone, so hidden characters can be looked for in the same pass.
    for character in _HIDDEN:
        rules[character.encode()] = []
    rules[_TAG_LEAD] = []
    automaton = BytesAhoCorasick(list(rules), implementation=Implementation.DFA)
    return _Triggers(automaton, tuple(map(tuple, rules.values())))


def find_secret(text: str) -> str | None:
    """The name of the first rule that a text fits, or None. A text that fits is to be dropped whole."""
    found, hidden = _scan(text)
    if found is None and hidden:
        found, _ = _scan(_FOLD.sub("", text))
    return found


def _scan(text: str) -> tuple[str | None, bool]:
    automaton, rules = _triggers()
    data = text.encode("utf-8", "surrogatepass")
    hidden = False
    for trigger, start, _ in automaton.find_matches_as_indexes(data.lower(), overlapping=True):
        for rule in rules[trigger]:
            if _fits(rule, data, start):
                return rule.name, hidden
        hidden = hidden or not rules[trigger]
    return None, hidden


def _fits(rule: Rule, data: bytes, start: int) -> bool:
    found = _found_around(rule, data, start) if rule.before else rule.form.match(data, start)
    if found is None:
        return False
    value = found["value"] if "value" in rule.form.groupindex else found[0]
    return rule.check is None or rule.check(value[:_ENOUGH].decode("utf-8", "replace"))


def _found_around(rule: Rule, data: bytes, start: int) -> re.Match[bytes] | None:
    ahead = max(0, start - rule.before)
    if rule.near and data.rfind(rule.near, ahead, start) < 0:
        return None
    return rule.form.search(data, ahead, start + rule.within) if rule.within else rule.form.match(data, start)
