"""Reads what a correction asks for: an order, a duty or a polite request, possibly for this one time only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.directive import DirectiveForm
from wisen.text.directive_reading import MAX_LOOSE_WORDS, SentenceReader
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from wisen.text.directive_matches import SentenceMatches
    from wisen.text.sentence_reading import SentenceReading

MIN_DEMAND_WORDS = 5
"""Minimum number of words of a sentence that can be understood on its own."""
_VAGUE = lazy_regex(r"\b(?:it|them|maybe|perhaps|i think|i guess|for example|e\.g|something like|use case)\b")
"""Words that only make sense in context, or that show that the user is unsure."""
_DUTY = lazy_regex(r"(?:must|should|shall|ought to|ha(?:s|ve) to|needs?(?: to)?|(?:is|are) supposed to)\Z")


def read_demand(matches: SentenceMatches, min_words: int = MIN_DEMAND_WORDS) -> SentenceReading | None:
    """Read what a sentence of a correction asks for, lasting or not; None if it asks for nothing."""
    if matches.spans("citations") or matches.folded.rstrip(" .").endswith(":") or "://" in matches.folded:
        return None
    is_question = matches.folded.rstrip(" \"')”").endswith("?")
    return _DemandReader(matches, is_question=is_question, is_message=False).read_demand(min_words)


class _DemandReader(SentenceReader):
    """Looks for what one sentence asks for."""

    def read_demand(self, min_words: int) -> SentenceReading | None:
        """Read an order, a duty or a polite request that can be understood on its own."""
        matches = self._matches
        if any(matches.spans(name) for name in ("passing", "pointing", "permissions", "suppositions")):
            return None
        if _VAGUE.search(matches.folded):
            return None
        words = len(matches.folded) // 3 if matches.grammar.words.glued else len(matches.folded.split())
        if words < min_words or words > MAX_LOOSE_WORDS or self._opens_with_narrative():
            return None
        polite = self._find_first("polite", anywhere=True)
        is_question = self._is_question and not self._is_tag_question()
        tasks = {start for start, _ in matches.spans_anywhere("tasks")}
        if polite is not None and not self._find_first("checks"):
            orders = [
                span for span in matches.spans_anywhere("orders") if span[0] >= polite[1] and span[0] not in tasks
            ]
            form = DirectiveForm.QUESTION if orders and self._are_close(polite[1], orders[0][0]) else None
        elif is_question or self._opens_as_question():
            return None
        else:
            verbs = [span for span in self._verb_spans() if span[0] not in tasks]
            duties = [span for span in matches.spans_anywhere("obliges") if _DUTY.match(matches.folded[slice(*span)])]
            form = DirectiveForm.ORDER if verbs or duties else None
        return (
            None
            if form is None
            else self._build_reading(form, forbids=self._prohibition_span() is not None, markers=[])
        )
