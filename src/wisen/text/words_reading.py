"""Reads a sentence that no rule hears as a directive, but whose words speak for one (`directive_weights.py`)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wisen.model.directive import DirectiveForm
from wisen.text.directive_reading import SentenceReader
from wisen.text.sentence_leaning import WITHOUT

if TYPE_CHECKING:
    from wisen.text.directive_matches import SentenceMatches
    from wisen.text.directive_reading import SentenceReading

SAID_BEFORE = re.compile(r"\W*(?:i|we) (?:just |already |clearly |specifically )?(?:said|asked|told|wanted)\b")
"""How an English sentence tells what was wanted: what is wrong stands in the next one."""


def read_by_words(matches: SentenceMatches, *, doubtful: bool) -> SentenceReading | None:
    """What a sentence tells that no rule hears, but whose words speak for a directive; it never says that it lasts.

    None for leave that is given, for what only leads to the next line, and for a complaint that does not say what is
    not wanted. What somebody else may have said is never sure.
    """
    if matches.folded.rstrip().endswith(":") or SAID_BEFORE.match(matches.folded):
        return None
    if matches.spans("permissions") and not any(matches.spans_anywhere(name) for name in ("negators", "conditions")):
        return None
    doubtful = doubtful or bool(matches.spans("citations") or matches.spans("permissions"))
    asks = matches.folded.rstrip(" \"')”").endswith("?")
    reading = _WordsReader(matches, asks=asks, is_message=False).read_by_words()
    return None if reading is None else reading._replace(by_words=True, doubtful=doubtful)


class _WordsReader(SentenceReader):
    """What can be told of such a sentence."""

    def read_by_words(self) -> SentenceReading | None:
        """What is known of a sentence that is taken for a directive by its words."""
        blames = self._find_all("complaints", whole=True) or self._find_all("lapses", whole=True)
        begin = min(self._matches.clause_starts(), default=0)
        if any(start <= begin for start, _ in self._blanks) or (
            (blames or self._only_leaves_out()) and not self._says_what_for()
        ):
            return None
        refuses = bool(self._find_all("negators", whole=True)) and not self._is_replacement()
        form = DirectiveForm.QUESTION if self._ends_asking else DirectiveForm.ORDER
        forbids = refuses and (self._prohibition_span() is not None or not self._verb_spans())
        return self._build_reading(DirectiveForm.PROHIBITION if forbids else form, forbids=forbids, markers=[])

    def _only_leaves_out(self) -> bool:
        """Whether all that it negates is that something else was done with a deed: "you deleted it without asking"."""
        negators = [self._matches.folded[start:end] for start, end in self._find_all("negators", whole=True)]
        return bool(negators) and all(WITHOUT.match(each) for each in negators) and not self._verb_spans()
