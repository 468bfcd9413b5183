"""Reads a sentence that no rule matches but whose word weights suggest a directive (`directive_weights.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.directive import DirectiveForm
from wisen.text.directive_reading import SentenceReader
from wisen.text.lazy_regex import lazy_regex
from wisen.text.sentence_leaning import OMISSION

if TYPE_CHECKING:
    from wisen.text.directive_matches import SentenceMatches
    from wisen.text.sentence_reading import SentenceReading

SAID_BEFORE = lazy_regex(r"\W*(?:i|we) (?:just |already |clearly |specifically )?(?:said|asked|told|wanted)\b")
"""How an English sentence recalls what was wanted; what is wrong follows in the next one."""


def read_by_weights(matches: SentenceMatches, *, doubtful: bool) -> SentenceReading | None:
    """Read a sentence that no rule matches but whose words suggest a directive; it is never marked as lasting.

    None for permissions, for what only introduces the next line, and for a complaint that does not say what is
    unwanted. What may quote somebody else is always doubtful.
    """
    if matches.folded.rstrip().endswith(":") or SAID_BEFORE.match(matches.folded):
        return None
    if matches.spans("permissions") and not any(matches.spans_anywhere(name) for name in ("negators", "conditions")):
        return None
    doubtful = doubtful or bool(matches.spans("citations") or matches.spans("permissions"))
    is_question = matches.folded.rstrip(" \"')”").endswith("?")
    reading = _WeightedSentenceReader(matches, is_question=is_question, is_message=False).read_by_weights()
    return None if reading is None else reading._replace(by_weights=True, doubtful=doubtful)


class _WeightedSentenceReader(SentenceReader):
    """Reads a sentence that is taken for a directive by its words."""

    def read_by_weights(self) -> SentenceReading | None:
        """Return the form of the sentence and whether it forbids."""
        complaints = self._find_all("complaints", anywhere=True) or self._find_all("lapses", anywhere=True)
        first_start = min(self._matches.clause_starts(), default=0)
        if any(start <= first_start for start, _ in self._harmless) or (
            (complaints or self._is_only_omission()) and not self._has_specific_complaint()
        ):
            return None
        negates = bool(self._find_all("negators", anywhere=True)) and not self._is_replacement()
        form = DirectiveForm.QUESTION if self._is_question else DirectiveForm.ORDER
        forbids = negates and (self._prohibition_span() is not None or not self._verb_spans())
        return self._build_reading(DirectiveForm.PROHIBITION if forbids else form, forbids=forbids, markers=[])

    def _is_only_omission(self) -> bool:
        """Whether it only negates what was omitted from an action: "you deleted it without asking"."""
        negators = [self._matches.folded[start:end] for start, end in self._find_all("negators", anywhere=True)]
        return bool(negators) and all(OMISSION.match(each) for each in negators) and not self._verb_spans()
