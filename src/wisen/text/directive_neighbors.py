"""Decides which sentences adjacent to a directive belong to it and are quoted with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.directive import DirectiveForm
from wisen.text.directive_matches import matches_of
from wisen.text.lazy_regex import lazy_regex
from wisen.text.sentence_leaning import MAX_DEPENDENT_WORDS, opens_with

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.text.directive_grammar import DirectiveGrammar
    from wisen.text.message_sentences import MessageSentence
    from wisen.text.sentence_reading import SentenceReading

MAX_STRESS_WORDS = 3
"""Maximum number of words of a sentence that only stresses the previous one."""
_MAX_REPLACEMENT_WORDS = 14
"""Maximum number of words of a sentence that names the replacement for what the previous one forbids."""
_STEM_LENGTH = 5
"""Words with the same first letters, this many, count as the same word."""
_ASCII_NAME = lazy_regex(r"[!-~]+")
_CONSEQUENCE = lazy_regex(
    r"(?:so|therefore|hence|because|deshalb|darum|weil|por eso|asi que|porque|donc|parce que|quindi|percio|perche"
    r"|por isso|поэтому|потому что|dlatego|bo|cunku|bu yuzden|darfor|vi the|لذلك|لأن|इसलिए|क्योंकि)\b"
    r"|所以|因此|因为|だから|なので|그래서|왜냐하면"
)
"""Openings of a sentence that gives a consequence of the previous one, or its reason."""


def belongs_to_previous(
    sentence: MessageSentence,
    candidate: tuple[SentenceReading, DirectiveGrammar] | None,
    previous: SentenceReading,
    grammar: DirectiveGrammar,
) -> bool:
    """Whether a sentence only stresses, limits or completes the previous directive."""
    matches = matches_of(grammar, sentence.text)
    folded = matches.folded
    if folded.rstrip().endswith("?"):
        return False
    words = len(folded.split()) if not grammar.words.glued else _unspaced_word_count(folded)
    if words <= MAX_STRESS_WORDS and (
        grammar.pattern("lasting").search(folded)
        or grammar.pattern("negators").match(folded)
        or (previous.forbids and grammar.pattern("quantifiers").search(folded))  # "quit that. drafts only"
    ):
        return True
    if words <= MAX_DEPENDENT_WORDS and (
        opens_with(matches, "exceptions")
        or opens_with(matches, "conditions")
        or grammar.pattern("complaints").search(folded)
    ):
        return True
    if previous.form is DirectiveForm.COMPLAINT and words <= MAX_DEPENDENT_WORDS + 2 and candidate is None:
        return True
    is_denial = previous.by_weights and words <= _MAX_REPLACEMENT_WORDS and bool(matches.spans("negators"))
    if (
        is_denial
        or _CONSEQUENCE.match(folded)
        or (words <= MAX_DEPENDENT_WORDS and candidate is not None and _is_short_addition(candidate[0], previous))
    ):
        return True
    may_complete = previous.forbids and words <= _MAX_REPLACEMENT_WORDS
    return (
        may_complete
        and (candidate is None or candidate[0].form is DirectiveForm.REPLACEMENT)
        and opens_with(matches, "orders")
    )


def explains_pronoun(
    sentences: list[MessageSentence],
    readings: Sequence[tuple[SentenceReading, DirectiveGrammar] | None],
    number: int,
    *,
    is_empty: bool,
) -> bool:
    """Whether the previous sentence may say what "it" is, or what an empty sentence (`is_empty`) only negates."""
    text = sentences[number].text
    return readings[number] is None and not text.endswith(("?", ":")) and len(text.split()) > (1 if is_empty else 2)


def are_two_halves(reading: SentenceReading, following: SentenceReading) -> bool:
    """Whether one of two directives says what to do and the other what not to do, or what went wrong."""
    return reading.forbids is not following.forbids or DirectiveForm.COMPLAINT in (reading.form, following.form)


def share_subject(one: MessageSentence, other: MessageSentence, grammar: DirectiveGrammar) -> bool:
    """Whether two sentences name the same thing: one may be the reason for the other, or its other half."""
    one_words, other_words = (_subject_words(grammar.fold(each.text), grammar) for each in (one, other))
    return not one_words.isdisjoint(other_words)


def _subject_words(folded: str, grammar: DirectiveGrammar) -> set[str]:
    words = [word.strip(".,;:!?\"'()") for word in folded.split()]
    return {word[:_STEM_LENGTH] for word in words if len(word) >= _STEM_LENGTH and word not in grammar.vocabulary}


def _is_short_addition(reading: SentenceReading, previous: SentenceReading) -> bool:
    """Whether a short directive belongs to the previous one.

    It refers to it ("dates are in UTC. keep to that"), or one says what to do and the other what not to do.
    """
    is_opposite = previous.forbids is not reading.forbids and (previous.forbids or reading.marker is None)
    return reading.has_dangling_pronoun or is_opposite


def _unspaced_word_count(folded: str) -> int:
    """Estimate the number of words in a script without spaces; names in Latin letters count as one each."""
    names = _ASCII_NAME.findall(folded)
    return len(names) + (len(folded) - sum(map(len, names))) // 3
