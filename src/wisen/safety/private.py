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
from wisen.safety.secrets import secret_scanner
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

_CONTEXT_WINDOW = 100
"""Characters around a card number in which a word says that it is one."""
_PERSON_WINDOW = 400
"""Characters within which an address, a telephone number and an e-mail address belong to one person."""
_ESCAPED = lazy_regex(r"\\+[nrt]")
"""A line break as JSON escapes it: its letter would join the next word."""
_GAPS = lazy_regex(r"[ .+-]")
_NEVER_KEPT = {
    rules.FINANCIAL: "card and account numbers are never kept",
    rules.MEDICAL: "what is said about somebody's health is never kept",
    rules.BIOMETRIC: "what is measured on somebody's body is never kept",
    rules.IDENTITY: "numbers of identity papers are never kept",
    rules.PEOPLE: "other people's private data is never kept",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateData:
    """Why a text is not stored."""

    kind: str
    reason: str
    """One sentence for the user, without the data."""
    is_sure: bool
    """Whether to reject; otherwise to ask."""

    @property
    def rule(self) -> str:
        """The name under which it is counted."""
        return f"{'private' if self.is_sure else 'doubtful'}:{self.kind}"


def find_private_data(text: str, clues: Collection[str] | None = None) -> PrivateData | None:
    """Return the private data in a text, the surest first, or None. `clues` come from a scan that was already made."""
    if clues is None:
        clues = secret_scanner().scan(text).clues
    if clues and "\\" in text:
        text = _ESCAPED.sub(" \n", text)
    doubtful = None
    for look in (_DETECTORS[topic] for topic in _DETECTORS if topic in clues):
        found = look(text)
        if found is not None and found.is_sure:
            return found
        doubtful = doubtful or found
    return doubtful


def _build(kind: str, description: str, *, sure: bool) -> PrivateData:
    holds = "holds" if sure else "may hold"
    return PrivateData(kind=kind, reason=f"It {holds} {description}; {_NEVER_KEPT[kind]}.", is_sure=sure)


def _find_money(text: str) -> PrivateData | None:
    if any(checksums.is_iban(_GAPS.sub("", number["n"])) for number in _pattern(rules.IBAN).finditer(text)):
        return _build(rules.FINANCIAL, "the number of a bank account", sure=True)
    doubtful = None
    for number in _pattern(rules.CARD).finditer(text):
        if not checksums.is_card(_GAPS.sub("", number["n"])):
            continue
        context = text[max(0, number.start() - _CONTEXT_WINDOW) : number.end() + _CONTEXT_WINDOW]
        sure = bool(number["gap"] or number["gap2"] or _pattern(rules.CARD_WORDS).search(context))
        doubtful = _build(rules.FINANCIAL, "the number of a payment card", sure=sure)
        if sure:
            return doubtful
    return doubtful


def _find_bank_account(text: str) -> PrivateData | None:
    account = _pattern(rules.ACCOUNT).search(text) is not None
    routed = any(checksums.is_routing_number(number["n"]) for number in _pattern(rules.ROUTING).finditer(text))
    if not account and not routed:
        return None
    sure = account and (routed or _pattern(rules.SORT_CODE).search(text) is not None)
    return _build(rules.FINANCIAL, "the number of a bank account", sure=sure)


def _find_health(text: str) -> PrivateData | None:
    if _pattern(rules.HEALTH).search(text):
        return _build(rules.MEDICAL, "a statement about somebody's illness or medicine", sure=True)
    if _pattern(rules.MAYBE_HEALTH).search(text):
        return _build(rules.MEDICAL, "a statement about somebody's health", sure=False)
    return None


def _find_biometrics(text: str) -> PrivateData | None:
    if _pattern(rules.BODY).search(text):
        return _build(rules.BIOMETRIC, "something measured on somebody's body", sure=True)
    if _pattern(rules.MAYBE_BODY).search(text):
        return _build(rules.BIOMETRIC, "something measured on somebody's body", sure=False)
    return None


def _find_address(text: str) -> PrivateData | None:
    for address in _pattern(rules.ADDRESS).finditer(text):
        context = text[max(0, address.start() - _PERSON_WINDOW) : address.end() + _PERSON_WINDOW]
        ahead = text[max(0, address.start() - _CONTEXT_WINDOW) : address.start()]
        reached = [_pattern(form).search(context) is not None for form in (rules.EMAIL, rules.PHONE)]
        if all(reached) or _pattern(rules.DWELLING).search(ahead):
            return _build(rules.PEOPLE, "where somebody lives", sure=True)
        if any(reached):
            return _build(rules.PEOPLE, "where somebody lives or can be reached", sure=False)
    return None


def _find_telephone(text: str) -> PrivateData | None:
    for number in _pattern(rules.TELEPHONE).finditer(text):
        digits = re.sub(r"\D", "", number["n"])
        least = 9 if number["n"][0] in "+0(" else 10
        if not least <= len(digits) <= 15 or len(set(digits)) <= 2 or _pattern(rules.SHOWN_NUMBER).search(number["n"]):
            continue
        words = rules.CALLED_BY if least == 9 or _pattern(rules.GROUPED).fullmatch(number["n"]) else rules.SURELY_CALLED
        if _pattern(words).search(text[max(0, number.start() - _CONTEXT_WINDOW) : number.start()]):
            return _build(rules.PEOPLE, "somebody's telephone number", sure=True)
    return None


def _find_number(rule: rules.NumberRule, text: str) -> PrivateData | None:
    for number in _pattern(rule.form).finditer(text):
        if rule.check is None or rule.check(_GAPS.sub("", number["n"]).upper()):
            return _build(rule.kind, rule.description, sure=rule.sure)
    return None


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_DETECTORS: dict[str, Callable[[str], PrivateData | None]] = {
    rules.MONEY: _find_money,
    rules.BANK: _find_bank_account,
    rules.HEALTHY: _find_health,
    rules.BODILY: _find_biometrics,
    rules.HOME: _find_address,
    **{rule.form: partial(_find_number, rule) for rule in rules.NUMBERS},
    rules.CALLED: _find_telephone,
}
