"""Builds suggestions: proposals from agents' texts, which only the user can approve.

An agent's text never teaches. It is not an entry, so nothing compares, counts, delivers or tries it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.model.change import estimate_tokens
from wisen.model.entry import Proposal, ProposalType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.model.entry_state import ProposalState
    from wisen.store.row_factory import RowFactory

MAX_WAITING = 20
"""How many suggestions may wait at once: an agent cannot flood the list of proposals."""
MAX_LENGTH = 500


class SuggestionDraft(NamedTuple):
    """What an agent considers worth keeping."""

    text: str
    kind: str
    """One of LOGGABLE; empty for another wording of an existing entry."""
    agent: str
    context: str
    why: str
    entry: str = ""
    """The entry it is about, or would become, if known."""


def build_suggestion(draft: SuggestionDraft, factory: RowFactory) -> Proposal:
    """Build the proposal for a suggestion; its target file is set by the caller."""
    return Proposal(
        id=factory.ids.new(),
        machine=factory.machine,
        at=factory.clock.now(),
        type=ProposalType.SUGGESTION,
        entry=draft.entry or factory.ids.new(),
        context=draft.context,
        text=draft.text,
        path="",
        heading="",
        why=draft.why,
        hypothesis="An agent believes that it will be of use again. Nothing was measured.",
        risk="medium",
        effort="low",
        impact="low",
        tokens=estimate_tokens(f"- {draft.text} <!-- wisen:R-00000000 -->\n".encode()),
        sessions=0,
        agent=draft.agent,
        kind=draft.kind,
    )


def waiting_suggestions(before: Iterable[ProposalState]) -> list[ProposalState]:
    """Return the suggestions that await the user."""
    return [each for each in before if each.is_waiting and each.proposal.type is ProposalType.SUGGESTION]
