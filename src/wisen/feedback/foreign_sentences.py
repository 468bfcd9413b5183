"""Reads sentences in languages other than English: strips what only leads in or out, and recognizes orders."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from wisen.feedback.text_normalization import fold, fold_with_places, is_foreign, is_unspaced_letter, is_word_letter
from wisen.text.lasting_words import has_lasting_words, is_lasting_order
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wisen.feedback.language import Language, Words

_MARKS = " .,:;!?…-–—。，、！？：；।؟،؛"
"""Punctuation that may separate a lead from what it leads to."""
_STOPS = (".", "!", "?", "。", "！", "？", "।", "؟", "…")
_MAX_LEADS = 4
_FINAL_ORDER = lazy_regex(
    r"(?:て|で|ください|下さい|なさい|こと|禁止|しろ|使え|세요|십시오|해라|하라|해줘|마|말 것|말아|쓰자|하자"
    r"|करो|करना|करें|रखो|रखना|लिखो|डालो|चलाओ|karo|karna|rakho|likho|kullan|kullanma|yap|yapma|yaz|yazma|ekle"
    r"|ekleme|çalıştır|et|etme)"
    r"(?:ね|よ|요)?\Z",
    re.IGNORECASE,
)
"""How orders end in languages that put the verb last."""
_CONVENTION = lazy_regex(
    r"(?<!\w)(?:wir (?:verwenden|nutzen|benutzen|nehmen|schreiben)|(?:verwenden|nutzen|benutzen|nehmen"
    r"|schreiben) wir|usamos"
    r"|utilizamos|escribimos|on (?:n')?utilise|nous (?:n')?utilisons|usiamo|utilizziamo|мы (?:не )?используем"
    r"|używamy|kullanıyoruz"
    r"|kullanırız|kullanmıyoruz|vi använder|använder vi)(?!\w)|我们(?:不)?用|我们(?:不)?使用|を使(?:います"
    r"|っています)|를? ?사용합니다|씁니다",
    re.IGNORECASE,
)
"""How people say what they use, which is an order to whoever works there."""
_QUESTION_MARKS = ("?", "？", "؟")
_SEPARATORS = tuple(",:;!.…–—，、！：；。،؛")
_MAX_POINTING_WORDS = 4
"""A sentence of up to so many words that points at something means nothing to a later reader."""
_HERE = frozenset("hier aquí aqui acá ici qui здесь тут tutaj tu burada här ở đây đây यहाँ यहां هنا".split())
"""Words for the project at hand."""


def strip_leads_and_tails(part: str, languages: Sequence[Language]) -> str:
    """A sentence without leading and trailing fillers, with punctuation at its end."""
    short = part.strip()
    for _ in range(_MAX_LEADS):
        stripped = _strip_lead(short, languages)
        if not stripped or stripped == short:
            break
        short = stripped
    return punctuate(_strip_tail(short, languages) or short)


def punctuate(short: str) -> str:
    """A sentence with a capital letter and punctuation at its end."""
    # A name in Latin letters stays as it is in a sentence of another script.
    is_name = short[0].isascii() and is_foreign(fold(short))
    sentence = short if is_name else short[0].upper() + short[1:]
    return sentence if sentence.endswith(_STOPS) else sentence + _end_mark(sentence)


def is_empty(part: str, languages: Iterable[Language]) -> bool:
    """Whether a sentence says that something is wrong, but not what."""
    folded = fold(part).strip(_MARKS)
    return any(folded in _fold_words(language.lesson.empty) for language in languages)


def strip_interjections(part: str, languages: Sequence[Language]) -> str:
    """A sentence without answers to the agent before it, where punctuation separates them; words for "always" stay."""
    for _ in range(_MAX_LEADS):
        short = _strip_interjection(part, languages)
        if not short or short == part:
            break
        part = short
    return part


def _strip_interjection(part: str, languages: Iterable[Language]) -> str:
    folded = fold_with_places(part)
    first = folded.text[:1]
    leads = [
        lead
        for each in languages
        for lead in _group_by_first(each.lesson.leads).get(first, ())
        if _has_lead(folded.text, lead) and lead not in _fold_words(each.lesson.always)
    ]
    for lead in sorted(leads, key=len, reverse=True):
        rest = part[folded.place(len(lead)) :]
        if rest[:1] in _SEPARATORS and not has_lasting_words(part[: folded.place(len(lead))]):
            return rest.lstrip(_MARKS)
    return part


def is_order(part: str, languages: Sequence[Language]) -> bool:
    """Whether a sentence begins as an order or a ban does, or says how long something holds; and points at nothing."""
    short = part.strip()
    if short.endswith(_QUESTION_MARKS):
        return False
    for _ in range(_MAX_LEADS):
        folded = fold(short).lstrip()
        if any(_starts_as_order(folded, each) for each in languages):
            break
        stripped = _strip_lead(short, languages)
        if not stripped or stripped == short:
            return _is_indirect_order(part, languages) and not _is_pointing(part, languages)
        short = stripped
    return not _is_pointing(part, languages)


def _is_indirect_order(part: str, languages: Sequence[Language]) -> bool:
    """Whether an order is at its end, or it says how something is always done."""
    if _FINAL_ORDER.search(part.rstrip(_MARKS)) or _CONVENTION.search(part) or is_lasting_order(part):
        return True
    folded = f" {fold(part)} "
    words = [word for each in languages for word in _fold_words((*each.lesson.orders, *each.lesson.forbids))]
    return has_lasting_words(part) and any(
        f" {word} " in folded or (is_unspaced_letter(word[-1]) and word in folded) for word in words
    )


def _starts_as_order(folded: str, language: Language) -> bool:
    words = (*language.opening.command, *language.lesson.forbids, *language.lesson.orders)
    return any(_starts_with_word(folded, word) for word in _group_by_first(words).get(folded[:1], ()))


def _starts_with_word(folded: str, word: str) -> bool:
    """Whether a folded sentence begins with a word; in a script without spaces other letters may follow."""
    word = word.rstrip("*")
    if not word or not folded.startswith(word) or len(folded) <= len(word):
        return False
    return is_unspaced_letter(word[-1]) or not is_word_letter(folded[len(word)])


def _is_pointing(part: str, languages: Iterable[Language]) -> bool:
    """Whether a sentence is so short and refers to something that only the user saw."""
    words = fold(part).split()
    if len(words) > _MAX_POINTING_WORDS:
        return False
    return any(word in _fold_words(each.plain.get("pointing", ())) - _HERE for each in languages for word in words)


def _strip_lead(part: str, languages: Iterable[Language]) -> str:
    folded = fold_with_places(part)
    first = folded.text[:1]
    leads = [
        lead
        for each in languages
        for lead in _group_by_first(each.lesson.leads).get(first, ())
        if _has_lead(folded.text, lead)
    ]
    if not leads:
        return part
    end = folded.place(max(map(len, leads)))
    return part[end:].lstrip(_MARKS)


def _strip_tail(part: str, languages: Iterable[Language]) -> str:
    folded = fold(part).rstrip(_MARKS)
    last = folded[-1:]
    tails = [
        tail
        for each in languages
        for tail in _group_by_last(each.lesson.tails).get(last, ())
        if _has_tail(folded, tail)
    ]
    if not tails or len(fold(part)) != len(part):
        return part
    return part[: len(folded) - max(map(len, tails))].rstrip(_MARKS)


def _has_lead(folded: str, word: str) -> bool:
    """Whether a folded sentence begins with a word and continues after it."""
    if not folded.startswith(word) or len(folded) <= len(word):
        return False
    # In a script without spaces a word leads only before punctuation: otherwise it may begin another word.
    return folded[len(word)] in _MARKS if is_unspaced_letter(word[-1]) else not is_word_letter(folded[len(word)])


def _has_tail(folded: str, tail: str) -> bool:
    if not folded.endswith(tail) or len(folded) <= len(tail):
        return False
    return folded[-len(tail) - 1] in _MARKS


def _end_mark(sentence: str) -> str:
    last = sentence.rstrip()[-1]
    if is_unspaced_letter(last):
        return "。"
    return "।" if "\u0900" <= last <= "\u097f" else "."


@cache
def _fold_words(words: Words) -> frozenset[str]:
    return frozenset(each for word in words if (each := fold(word).strip(_MARKS)))


@cache
def _group_by_first(words: Words) -> dict[str, list[str]]:
    """The words by their first letter: most need not be compared."""
    return _group_by_letter(words, 0)


@cache
def _group_by_last(words: Words) -> dict[str, list[str]]:
    return _group_by_letter(words, -1)


def _group_by_letter(words: Words, place: int) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for word in sorted(_fold_words(words)):
        found.setdefault(word[place], []).append(word)
    return found
