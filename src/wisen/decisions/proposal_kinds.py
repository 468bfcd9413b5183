"""What each kind of proposal brings along: who may let it pass, and what an answer does."""

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
    """What a person's answer did."""

    asked: ProposalState
    edit: Edit | None
    """The change that was made, or would be."""
    place: RulePlace | None = None
    """Where the rule went, or would; None where there is none."""


class ProposalKind(Protocol):
    """How proposals of one kind are answered."""

    def leave_for(self, each: ProposalState) -> Permission:
        """Whether policy lets a proposal pass, proposes it or asks."""
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
        """Carry out what the user, or policy, says. Raises: UsageError, PersonNeeded, PlaceNeeded, FileError."""
        ...


def already_answered(ledger: Ledger, each: ProposalState) -> UsageError:
    """That a proposal waits no longer, as it is told to who answers it again."""
    from wisen.model.short_ids import short_ids

    short = short_ids(proposal.id for proposal in ledger.proposals.all())[each.proposal.id]
    return UsageError(f"{short} (“{each.proposal.text}”) was {each.answer} already. What waits: wisen proposals")


def refuse_place(proposal: Proposal, to: str | None) -> None:
    """See that nobody names a place for what goes into no file. Raises: UsageError."""
    if to is not None:
        raise UsageError(f"{proposal.id} goes into no file, so {to!r} is no place for it. Leave out --to.")
