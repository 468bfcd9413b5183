"""Whether a sentence says something by itself, or leans on the ones beside it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wisen.text.directive_matches import matches_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.text.directive_grammar import DirectiveGrammar
    from wisen.text.directive_matches import SentenceMatches
    from wisen.text.message_sentences import MessageSentence

LEANING = 6
"""Up to so many words a sentence may lean on the one beside it."""
_NEGATES_IN = 2
"""Up to so many blanks stand within words that only negate."""
_DENYING = 4
"""Up to so many words a sentence may only say what is not wanted, before one that says what is."""
WITHOUT = re.compile(
    r"(?:without|ohne|sans|sin|senza|sem|bez|без|utan|بدون|بلا|دون|من غير|बिना|बगैर|bina|ma khong|mà không"
    r"|olmadan|\w+m[ae]d[ae]n)\Z"
)
"""What says of a deed only that something else was left out: it forbids nothing by itself."""
POINTS_BACK = re.compile(
    r"(?<=\bthat|\bthis)(?:\s+(?:for|in|when|whenever|from|next|going|throughout|across|every|on|at)\b|\W*$)"
)
"""What follows "remember that" where "that" is what was said before: "remember that for all letters"."""


def has_content(sentence: MessageSentence, grammar: DirectiveGrammar) -> bool:
    """Whether a sentence says more than that something lasts or is not wanted: "never again" does not."""
    matches = matches_of(grammar, sentence.text)
    said = matches.folded
    if len(said.split()) > LEANING:
        return True
    for name in ("negators", "lasting", "leads"):
        for start, end in matches.spans_anywhere(name):
            if matches.folded[start:end].count(" ") > _NEGATES_IN:
                return True  # what is not wanted stands within it: "leave the vendor folder alone"
            said = said[:start] + " " * (end - start) + said[end:]
    return any(map(str.isalnum, said))


def is_only_denial(sentence: MessageSentence, grammar: DirectiveGrammar) -> bool:
    """Whether a sentence names something only to say no to it, and the next one says what is wanted: "no, not pip."."""
    if grammar.words.glued:
        return False
    matches = matches_of(grammar, sentence.text)
    said = matches.folded
    if len(said.split()) > _DENYING or said.rstrip().endswith("?"):
        return False
    begins = matches.clause_starts()
    if matches.spans("harmless") or matches.spans("passing"):
        return False
    denies = any(start in begins and said[end : end + 2].strip(" .,!") for start, end in matches.spans_anywhere("bare"))
    return denies and not any(
        start in begins for name in ("orders", "tasks") for start, _ in matches.spans_anywhere(name)
    )


def introduces_next(sentence: MessageSentence, grammar: DirectiveGrammar) -> bool:
    """Whether a sentence only says no to something, or asks why it is done: the next one says what is wanted."""
    if sentence.text.endswith(("?", "？", "؟")):
        return bool(matches_of(grammar, sentence.text).spans("complaints"))
    return is_only_denial(sentence, grammar)


def opens_with(matches: SentenceMatches, name: str) -> bool:
    """Whether a sentence begins with words of a kind, but for what only leads to them."""
    begin = min(matches.clause_starts(), default=0)
    return any(span[0] <= begin + 8 and span[0] in matches.clause_starts() for span in matches.spans_anywhere(name))


def without_steps(sentences: Sequence[MessageSentence], grammars: Sequence[DirectiveGrammar]) -> list[MessageSentence]:
    """The sentences of a message but for the list that a task is spelt out in: its lines are steps, and no rules."""
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
