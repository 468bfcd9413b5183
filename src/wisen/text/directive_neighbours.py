"""Tells which sentences beside a directive belong to it and are quoted along with it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wisen.model.directive import DirectiveForm
from wisen.text.directive_matches import matches_of
from wisen.text.sentence_leaning import LEANING, opens_with

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.text.directive_grammar import DirectiveGrammar
    from wisen.text.directive_reading import SentenceReading
    from wisen.text.message_sentences import MessageSentence

MOST_STRESS_WORDS = 3
"""Up to so many words a sentence may only stress the one before it."""
_SWAPPING = 14
"""Up to so many words it may say what is wanted in the place of what that one forbids."""
_MATTER = 5
"""By so many letters at its beginning a word is known again."""
_ASCII_NAME = re.compile(r"[!-~]+")
_FOLLOWS = re.compile(
    r"(?:so|therefore|hence|because|deshalb|darum|weil|por eso|asi que|porque|donc|parce que|quindi|percio|perche"
    r"|por isso|поэтому|потому что|dlatego|bo|cunku|bu yuzden|darfor|vi the|لذلك|لأن|इसलिए|क्योंकि)\b"
    r"|所以|因此|因为|だから|なので|그래서|왜냐하면"
)
"""How a sentence begins that says what follows from the one before it, or why."""


def belongs_to_previous(
    sentence: MessageSentence,
    read: tuple[SentenceReading, DirectiveGrammar] | None,
    before: SentenceReading,
    grammar: DirectiveGrammar,
) -> bool:
    """Whether a sentence only stresses, limits or completes the directive before it."""
    matches = matches_of(grammar, sentence.text)
    said = matches.folded
    if said.rstrip().endswith("?"):
        return False
    words = len(said.split()) if not grammar.words.glued else _unspaced_word_count(said)
    if words <= MOST_STRESS_WORDS and (
        grammar.pattern("lasting").search(said)
        or grammar.pattern("negators").match(said)
        or (before.forbids and grammar.pattern("quantifiers").search(said))  # "quit that. drafts only"
    ):
        return True
    if words <= LEANING and (
        opens_with(matches, "exceptions")
        or opens_with(matches, "conditions")
        or grammar.pattern("complaints").search(said)
    ):
        return True
    if before.form is DirectiveForm.COMPLAINT and words <= LEANING + 2 and read is None:
        return True
    denies = before.by_words and words <= _SWAPPING and bool(matches.spans("negators"))
    if denies or _FOLLOWS.match(said) or (words <= LEANING and read is not None and _belongs(read[0], before)):
        return True
    completes = before.forbids and words <= _SWAPPING
    return completes and (read is None or read[0].form is DirectiveForm.REPLACEMENT) and opens_with(matches, "orders")


def explains_pronoun(
    sentences: list[MessageSentence],
    readings: Sequence[tuple[SentenceReading, DirectiveGrammar] | None],
    number: int,
    *,
    empty: bool,
) -> bool:
    """Whether the sentence before may say what "it" is; or what it is that an `empty` one only negates."""
    text = sentences[number].text
    return readings[number] is None and not text.endswith(("?", ":")) and len(text.split()) > (1 if empty else 2)


def are_two_halves(reading: SentenceReading, behind: SentenceReading) -> bool:
    """Whether one of two directives tells what to do and the other what not, or what went wrong."""
    return reading.forbids is not behind.forbids or DirectiveForm.COMPLAINT in (reading.form, behind.form)


def share_subject(one: MessageSentence, other: MessageSentence, grammar: DirectiveGrammar) -> bool:
    """Whether two sentences name the same thing: one of them may be the reason of the other, or its other half."""
    ours, theirs = (_subject_words(grammar.fold(each.text), grammar) for each in (one, other))
    return not ours.isdisjoint(theirs)


def _subject_words(said: str, grammar: DirectiveGrammar) -> set[str]:
    words = [word.strip(".,;:!?\"'()") for word in said.split()]
    return {word[:_MATTER] for word in words if len(word) >= _MATTER and word not in grammar.vocabulary}


def _belongs(reading: SentenceReading, before: SentenceReading) -> bool:
    """Whether a short directive belongs to the one before it.

    It points at it ("dates are in UTC. keep to that"), or one tells what to do and the other what not.
    """
    turns = before.forbids is not reading.forbids and (before.forbids or reading.marker is None)
    return reading.points or turns


def _unspaced_word_count(said: str) -> int:
    """About how many words there are where words are not written apart: names in Latin letters are one each."""
    names = _ASCII_NAME.findall(said)
    return len(names) + (len(said) - sum(map(len, names))) // 3
