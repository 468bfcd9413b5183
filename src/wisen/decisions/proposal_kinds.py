"""The interface of a kind of proposal: whether policy may approve it, and what an answer does."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from wisen.errors import UsageError
from wisen.model.entry import Actor

if TYPE_CHECKING:
    from wisen.edits.editor import Edit
    from wisen.edits.permission import Permission
    from wisen.model.entry import Answer, Proposal
    from wisen.model.entry_state import ProposalState
    from wisen.model.place import RulePlace
    from wisen.store.ledger import Ledger


class Answered(NamedTuple):
    """The result of an answer."""

    asked: ProposalState
    edit: Edit | None
    """The edit that was made, or would be."""
    place: RulePlace | None = None
    """Where the rule went, or would; None if it has no place."""


class ProposalKind(Protocol):
    """How proposals of one kind are answered."""

    def permission_for(self, each: ProposalState) -> Permission:
        """Whether policy approves a proposal, proposes it or asks."""
        ...

    def answer(
        self,
        each: ProposalState,
        given: Answer,
        *,
        text: str | None = None,
        to: str | None = None,
        dry_run: bool = False,
        by: Actor = Actor.USER,
    ) -> Answered:
        """Execute the user's or policy's answer. Raises: UsageError, PersonNeeded, PlaceNeeded, FileError."""
        ...


def already_answered(ledger: Ledger, each: ProposalState) -> UsageError:
    """Return the error for answering a proposal again."""
    from wisen.model.short_ids import short_ids

    short = short_ids(proposal.id for proposal in ledger.proposals.all())[each.proposal.id]
    return UsageError(
        f"{short} (“{each.proposal.text}”) was already {each.answer}. List what is waiting with: wisen proposals"
    )


def refuse_place(proposal: Proposal, to: str | None) -> None:
    """Reject a place for a proposal that goes into no file. Raises: UsageError."""
    if to is not None:
        raise UsageError(
            f"{proposal.id} is not written to a file, so {to!r} is not a valid place for it. Leave out --to."
        )
