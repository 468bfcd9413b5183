"""The result of reading one sentence for a directive."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from wisen.model.directive import DirectiveForm
    from wisen.text.directive_matches import Span


class SentenceReading(NamedTuple):
    """What a sentence was read as."""

    form: DirectiveForm
    forbids: bool
    marker: Span | None
    """Position in the folded sentence of the words that make it lasting ("always", "from now on")."""
    is_temporary: bool
    has_dangling_pronoun: bool
    """Whether it refers to something that only the user saw."""
    is_embedded: bool = False
    """Whether it is only part of a longer sentence that begins with something else."""
    by_weights: bool = False
    """Whether no rule matched and only the weights of its words make it a directive."""
    doubtful: bool = False
    """Whether it is only a possible directive."""
