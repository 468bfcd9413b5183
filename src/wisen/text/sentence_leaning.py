"""Decides whether a sentence makes sense on its own or depends on its neighbors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.text.directive_matches import matches_of
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.text.directive_grammar import DirectiveGrammar
    from wisen.text.directive_matches import SentenceMatches
    from wisen.text.message_sentences import MessageSentence

MAX_DEPENDENT_WORDS = 6
"""Maximum number of words of a sentence that depends on an adjacent one."""
_MAX_NEGATION_SPACES = 2
"""Maximum number of spaces within words that only negate."""
_MAX_DENIAL_WORDS = 4
"""Maximum number of words of a sentence that only says what is not wanted, before one that says what is."""
OMISSION = lazy_regex(
    r"(?:without|ohne|sans|sin|senza|sem|bez|без|utan|بدون|بلا|دون|من غير|बिना|बगैर|bina|ma khong|mà không"
    r"|olmadan|\w+m[ae]d[ae]n)\Z"
)
"""Words that only say what was omitted from an action: they forbid nothing by themselves."""
REFERS_BACK = lazy_regex(
    r"(?<=\bthat|\bthis)(?:\s+(?:for|in|when|whenever|from|next|going|throughout|across|every|on|at)\b|\W*$)"
)
"""What follows "remember that" if "that" refers back: "remember that for all letters"."""


def has_content(sentence: MessageSentence, grammar: DirectiveGrammar) -> bool:
    """Whether a sentence says more than that something lasts or is unwanted: "never again" does not."""
    matches = matches_of(grammar, sentence.text)
    folded = matches.folded
    if len(folded.split()) > MAX_DEPENDENT_WORDS:
        return True
    for name in ("negators", "lasting", "leads"):
        for start, end in matches.spans_anywhere(name):
            if matches.folded[start:end].count(" ") > _MAX_NEGATION_SPACES:
                return True  # the unwanted thing is inside it: "leave the vendor folder alone"
            folded = folded[:start] + " " * (end - start) + folded[end:]
    return any(map(str.isalnum, folded))


def is_only_denial(sentence: MessageSentence, grammar: DirectiveGrammar) -> bool:
    """Whether a sentence only denies something, so that the next one says what is wanted: "no, not pip."."""
    if grammar.words.glued:
        return False
    matches = matches_of(grammar, sentence.text)
    folded = matches.folded
    if len(folded.split()) > _MAX_DENIAL_WORDS or folded.rstrip().endswith("?"):
        return False
    clause_starts = matches.clause_starts()
    if matches.spans("harmless") or matches.spans("passing"):
        return False
    is_denial = any(
        start in clause_starts and folded[end : end + 2].strip(" .,!") for start, end in matches.spans_anywhere("bare")
    )
    return is_denial and not any(
        start in clause_starts for name in ("orders", "tasks") for start, _ in matches.spans_anywhere(name)
    )


def introduces_next(sentence: MessageSentence, grammar: DirectiveGrammar) -> bool:
    """Whether a sentence only denies something or asks why it was done: the next one says what is wanted."""
    if sentence.text.endswith(("?", "？", "؟")):
        return bool(matches_of(grammar, sentence.text).spans("complaints"))
    return is_only_denial(sentence, grammar)


def opens_with(matches: SentenceMatches, name: str) -> bool:
    """Whether a sentence begins with words of a kind, ignoring introductory words."""
    first_start = min(matches.clause_starts(), default=0)
    return any(
        span[0] <= first_start + 8 and span[0] in matches.clause_starts() for span in matches.spans_anywhere(name)
    )


def without_steps(sentences: Sequence[MessageSentence], grammars: Sequence[DirectiveGrammar]) -> list[MessageSentence]:
    """Drop the list that spells out a task: its lines are steps, not rules."""
    kept: list[MessageSentence] = []
    line = -1
    for sentence in sentences:
        if line >= 0 and line < sentence.paragraph <= line + 1:
            line = sentence.paragraph
            continue
        line = sentence.paragraph if sentence.text.endswith(":") and _is_task(sentence, grammars) else -1
        kept.append(sentence)
    return kept


def _is_task(sentence: MessageSentence, grammars: Sequence[DirectiveGrammar]) -> bool:
    for grammar in grammars:
        matches = matches_of(grammar, sentence.text)
        if matches.spans("lasting") or matches.spans("remember") or matches.spans("forbid"):
            return False
        if matches.spans("polite") or matches.spans("tasks"):
            return True
    return False
