"""What agents are not told: the user typed it to a model on their own machine, and has not allowed more.

At a hook it is not known which model an agent speaks to, so every agent counts as hosted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.delivery.settings import DeliverPolicy
    from wisen.model.entry import Proposal
    from wisen.model.entry_state import EntryState
    from wisen.model.guard import Guard


class PrivateWords:
    """The entries that agents are not told, and what was made of them."""

    def __init__(self, policy: DeliverPolicy, states: Iterable[EntryState], guards: Iterable[Guard] = ()) -> None:
        """`guards`: all there are; one that waits for the user's yes quotes the rule it was made of."""
        private = () if policy.local_words else (each.entry.id for each in states if each.is_private)
        self._entries = frozenset(private)
        self._guards = frozenset(each.id for each in guards if each.of in self._entries)

    def deliverable(self, states: Iterable[EntryState]) -> list[EntryState]:
        """Those of them that agents may be told."""
        return [each for each in states if each.entry.id not in self._entries]

    def may_show(self, proposal: Proposal) -> bool:
        """Whether a proposal may be shown to agents."""
        return proposal.entry not in self._entries | self._guards
