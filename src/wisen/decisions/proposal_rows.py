"""Proposals as rows: questions that a command answers, and what is offered for a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.context import NOWHERE
from wisen.model.entry import Proposal, ProposalType, request_id

if TYPE_CHECKING:
    from wisen.store.ledger_port import Scribe


def command_proposal(words: tuple[str, ...], text: str, why: str, scribe: Scribe, *, risk: str) -> Proposal:
    """A question to the user that a command of theirs answers: `words` are run once they say yes."""
    return Proposal(
        id=scribe.ids.new(),
        machine=scribe.machine,
        at=scribe.clock.now(),
        type=ProposalType.SUGGESTION,
        entry=request_id(words),
        context=NOWHERE,
        text=text,
        path="",
        heading="",
        why=why,
        hypothesis="Nothing is done before you say so.",
        risk=risk,
        effort="low",
        impact="low",
        tokens=0,
        sessions=0,
        words=words,
    )
