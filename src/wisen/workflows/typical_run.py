"""Picks the run that a request would most typically take: of the runs with the most similar requests, the middle one.

A workflow says what all its runs have in common; this says which of its ways fits one request.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from wisen.kernel.request_words import request_words
from wisen.workflows.step_sequences import sequence_f1

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.model.workflow import WorkflowRun

NEAREST = 15
"""How many runs are compared."""
_LEAST = 0.01
"""What a run counts whose request shares no word."""


def typical_run(asked: str, runs: Sequence[WorkflowRun], nearest: int = NEAREST) -> WorkflowRun | None:
    """Return the run whose steps are most like those of the runs with the most similar requests."""
    requests = [Counter(request_words(run.asked)) for run in runs]
    with_word = Counter(word for words in requests for word in words)
    rarity = {word: math.log((len(runs) + 1) / (many + 0.5)) for word, many in with_word.items()}
    wanted = {word: rarity.get(word, 0.0) for word in request_words(asked)}
    similar = [max(_LEAST, _cosine(wanted, words, rarity)) for words in requests]
    top = sorted(range(len(runs)), key=lambda number: (-similar[number], -number))[:nearest]
    keys = {number: [step.key for step in runs[number].steps] for number in top}

    def agreement(number: int) -> float:
        return sum(similar[other] * sequence_f1(keys[number], keys[other]) for other in top)

    return runs[max(top, key=agreement)] if top else None


def _cosine(wanted: dict[str, float], words: Counter[str], rarity: dict[str, float]) -> float:
    product = sum(weight * rarity[word] for word, weight in wanted.items() if word in words)
    return product and product / (math.hypot(*wanted.values()) * math.hypot(*(rarity[word] for word in words)))
