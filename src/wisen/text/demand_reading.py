"""Reads what a correction wants done: an order, a duty or a polite request that may be for this once alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wisen.model.directive import DirectiveForm
from wisen.text.directive_reading import LOOSE, SentenceReader

if TYPE_CHECKING:
    from wisen.text.directive_matches import SentenceMatches
    from wisen.text.directive_reading import SentenceReading

FEWEST = 5
"""So many words at least can be understood by themselves."""
_UNSURE = re.compile(r"\b(?:it|them|maybe|perhaps|i think|i guess|for example|e\.g|something like|use case)\b")
"""What only those understand who were there, or what the user is not sure of."""
_DUTY = re.compile(r"(?:must|should|shall|ought to|ha(?:s|ve) to|needs?(?: to)?|(?:is|are) supposed to)\Z")


def read_demand(matches: SentenceMatches, fewest: int = FEWEST) -> SentenceReading | None:
    """What a sentence of a correction wants done, whether or not it says so of other times; None where nothing."""
    if matches.spans("citations") or matches.folded.rstrip(" .").endswith(":") or "://" in matches.folded:
        return None
    asks = matches.folded.rstrip(" \"')”").endswith("?")
    return _DemandReader(matches, asks=asks, is_message=False).read_demand(fewest)


class _DemandReader(SentenceReader):
    """Looks for what one sentence wants done."""

    def read_demand(self, fewest: int) -> SentenceReading | None:
        """An order, a duty or a polite request that may be for this once alone, but can be understood by itself."""
        matches = self._matches
        if any(matches.spans(name) for name in ("passing", "pointing", "permissions", "suppositions")):
            return None
        if _UNSURE.search(matches.folded):
            return None
        words = len(matches.folded) // 3 if matches.grammar.words.glued else len(matches.folded.split())
        if words < fewest or words > LOOSE or self._tells_at_its_head():
            return None
        polite = self._find_first("polite", whole=True)
        asks = self._ends_asking and not self._only_tail_asks()
        tasks = {start for start, _ in matches.spans_anywhere("tasks")}
        if polite is not None and not self._find_first("checks"):
            wanted = [
                span for span in matches.spans_anywhere("orders") if span[0] >= polite[1] and span[0] not in tasks
            ]
            form = DirectiveForm.QUESTION if wanted and self._leads_to(polite[1], wanted[0][0]) else None
        elif asks or self._opens_question():
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
