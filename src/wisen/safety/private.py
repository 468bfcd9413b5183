"""Detects private data in a text: money, health, biometrics, identity papers, where other people live.

It names the kind and says why in one sentence, and never quotes. If it is not sure, the user has to be asked; until
then the text is not stored either. A lone e-mail address, as every commit has one, is not private data.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

from wisen.safety import checksums
from wisen.safety import private_rules as rules
from wisen.safety.secrets import finder

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

_NEAR = 100
"""Characters around a card number in which a word says that it is one."""
_TOGETHER = 400
"""Characters within which an address, a telephone number and an e-mail address belong to one person."""
_ESCAPED = re.compile(r"\\+[nrt]")
"""A line break as JSON escapes it: its letter would join the next word."""
_GAPS = re.compile(r"[ .+-]")
_NEVER_KEPT = {
    rules.FINANCIAL: "card and account numbers are never kept",
    rules.MEDICAL: "what is said about somebody's health is never kept",
    rules.BIOMETRIC: "what is measured on somebody's body is never kept",
    rules.IDENTITY: "numbers of identity papers are never kept",
    rules.PEOPLE: "other people's private data is never kept",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Private:
    """Why a text is not stored."""

    kind: str
    why: str
    """One sentence for the user, without the data."""
    sure: bool
    """Whether to reject; otherwise to ask."""

    @property
    def rule(self) -> str:
        """The name under which it is counted."""
        return f"{'private' if self.sure else 'doubtful'}:{self.kind}"


def find_private(text: str, clues: Collection[str] | None = None) -> Private | None:
    """Return the private data in a text, the surest first, or None. `clues` come from a scan that was already made."""
    if clues is None:
        clues = finder().scan(text).clues
    if clues and "\\" in text:
        text = _ESCAPED.sub(" \n", text)
    doubtful = None
    for look in (_LOOKS[topic] for topic in _LOOKS if topic in clues):
        found = look(text)
        if found is not None and found.sure:
            return found
        doubtful = doubtful or found
    return doubtful


def _found(kind: str, what: str, *, sure: bool) -> Private:
    holds = "holds" if sure else "may hold"
    return Private(kind=kind, why=f"It {holds} {what}; {_NEVER_KEPT[kind]}.", sure=sure)


def _money(text: str) -> Private | None:
    if any(checksums.iban(_GAPS.sub("", number["n"])) for number in _form(rules.IBAN).finditer(text)):
        return _found(rules.FINANCIAL, "the number of a bank account", sure=True)
    doubtful = None
    for number in _form(rules.CARD).finditer(text):
        if not checksums.card(_GAPS.sub("", number["n"])):
            continue
        around = text[max(0, number.start() - _NEAR) : number.end() + _NEAR]
        sure = bool(number["gap"] or number["gap2"] or _form(rules.CARD_WORDS).search(around))
        doubtful = _found(rules.FINANCIAL, "the number of a payment card", sure=sure)
        if sure:
            return doubtful
    return doubtful


def _bank(text: str) -> Private | None:
    account = _form(rules.ACCOUNT).search(text) is not None
    routed = any(checksums.routing(number["n"]) for number in _form(rules.ROUTING).finditer(text))
    if not account and not routed:
        return None
    sure = account and (routed or _form(rules.SORT_CODE).search(text) is not None)
    return _found(rules.FINANCIAL, "the number of a bank account", sure=sure)


def _health(text: str) -> Private | None:
    if _form(rules.HEALTH).search(text):
        return _found(rules.MEDICAL, "a statement about somebody's illness or medicine", sure=True)
    if _form(rules.MAYBE_HEALTH).search(text):
        return _found(rules.MEDICAL, "a statement about somebody's health", sure=False)
    return None


def _body(text: str) -> Private | None:
    if _form(rules.BODY).search(text):
        return _found(rules.BIOMETRIC, "something measured on somebody's body", sure=True)
    if _form(rules.MAYBE_BODY).search(text):
        return _found(rules.BIOMETRIC, "something measured on somebody's body", sure=False)
    return None


def _home(text: str) -> Private | None:
    for address in _form(rules.ADDRESS).finditer(text):
        around = text[max(0, address.start() - _TOGETHER) : address.end() + _TOGETHER]
        ahead = text[max(0, address.start() - _NEAR) : address.start()]
        reached = [_form(form).search(around) is not None for form in (rules.EMAIL, rules.PHONE)]
        if all(reached) or _form(rules.DWELLING).search(ahead):
            return _found(rules.PEOPLE, "where somebody lives", sure=True)
        if any(reached):
            return _found(rules.PEOPLE, "where somebody lives or can be reached", sure=False)
    return None


def _telephone(text: str) -> Private | None:
    for number in _form(rules.TELEPHONE).finditer(text):
        digits = re.sub(r"\D", "", number["n"])
        least = 9 if number["n"][0] in "+0(" else 10
        if not least <= len(digits) <= 15 or len(set(digits)) <= 2 or _form(rules.SHOWN_NUMBER).search(number["n"]):
            continue
        words = rules.CALLED_BY if least == 9 or _form(rules.GROUPED).fullmatch(number["n"]) else rules.SURELY_CALLED
        if _form(words).search(text[max(0, number.start() - _NEAR) : number.start()]):
            return _found(rules.PEOPLE, "somebody's telephone number", sure=True)
    return None


def _number(rule: rules.Number, text: str) -> Private | None:
    for number in _form(rule.form).finditer(text):
        if rule.check is None or rule.check(_GAPS.sub("", number["n"]).upper()):
            return _found(rule.kind, rule.what, sure=rule.sure)
    return None


@cache
def _form(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_LOOKS: dict[str, Callable[[str], Private | None]] = {
    rules.MONEY: _money,
    rules.BANK: _bank,
    rules.HEALTHY: _health,
    rules.BODILY: _body,
    rules.HOME: _home,
    **{rule.form: partial(_number, rule) for rule in rules.NUMBERS},
    rules.CALLED: _telephone,
}
