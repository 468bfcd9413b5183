"""Counts which languages the phrases of a turn belong to; only statistics use it, detection does not."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from wisen.feedback.text_normalization import fold, mask

if TYPE_CHECKING:
    from wisen.feedback.lexicon import Lexicon


def languages_in(text: str, lexicon: Lexicon) -> set[str]:
    """The codes of the languages that most phrases of a turn belong to, and of emoji if there are any."""
    phrases = lexicon.phrases
    found = phrases.matches(fold(mask(lexicon.emoticons.with_emoji(text))))
    counts = Counter(bit for number, _, _ in found if (bit := phrases.bits[number]))
    most = max((many for bit, many in counts.items() if bit not in phrases.non_languages), default=0)
    return {phrases.codes[bit] for bit, many in counts.items() if many == most or bit in phrases.non_languages}
