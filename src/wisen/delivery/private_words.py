"""Finds what agents do not receive: the user typed it to a local model and has not allowed more.

A hook cannot know which model an agent uses, so every agent counts as hosted.
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
    """The entries that agents do not receive, and the guards made from them."""

    def __init__(self, policy: DeliverPolicy, states: Iterable[EntryState], guards: Iterable[Guard] = ()) -> None:
        """`guards`: all guards; one that awaits the user's approval quotes the rule it was made from."""
        private = () if policy.local_words else (each.entry.id for each in states if each.is_private)
        self._entries = frozenset(private)
        self._guards = frozenset(each.id for each in guards if each.of in self._entries)

    def deliverable(self, states: Iterable[EntryState]) -> list[EntryState]:
        """Return those that agents may receive."""
        return [each for each in states if each.entry.id not in self._entries]

    def may_show(self, proposal: Proposal) -> bool:
        """Whether a proposal may be shown to agents."""
        return proposal.entry not in self._entries | self._guards
