"""Reads the directives of a message: the sentences that tell an agent how to work, quoted as they were typed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from wisen.model.directive import Directive, DirectiveForm
from wisen.text.lasting_words import is_for_now, is_insistent, orders_lastingly
from wisen.text.negations import count_negations
from wisen.text.orders import is_order
from wisen.text.standing_alone import stands_alone

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST = 280
"""A directive is quoted whole or not at all."""
_SENTENCE = re.compile(r"[^.!?。！？।؟\n]+[.!?。！？।؟]*")


def directives_in(message: str) -> tuple[Directive, ...]:
    """The directives of a message, in order; a permission, a question or a remark is none."""
    return tuple(_directives(message))


def _directives(message: str) -> Iterator[Directive]:
    for found in _SENTENCE.finditer(message):
        text = " ".join(found.group().split())
        if not text or len(text) > LONGEST or not (is_order(text) or orders_lastingly(text) or is_insistent(text)):
            continue
        forbids = count_negations(text) > 0
        yield Directive(
            text=text,
            start=found.start(),
            end=found.end(),
            form=DirectiveForm.PROHIBITION if forbids else DirectiveForm.ORDER,
            forbids=forbids,
            marker=text if orders_lastingly(text) or is_insistent(text) else "",
            passing=is_for_now(text),
            stands_alone=stands_alone(text),
        )
