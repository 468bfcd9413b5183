"""What a Learner can be told about fixes: whether agents may be told one; and which are held back, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.decisions.proposal_kinds import Answered
from wisen.decisions.service import answer_words
from wisen.errors import UsageError
from wisen.guards.service import Guarder
from wisen.model.entry import Answer, ProposalType, Who

if TYPE_CHECKING:
    from wisen.delivery.holding_back import HeldBack
    from wisen.edits.permission import Leave
    from wisen.model.entry_state import Asked


class FixReviewer(Guarder):
    """What a Learner can be told about fixes."""

    def leave_for(self, each: Asked) -> Leave:
        """Whether policy lets a proposal pass, proposes it or asks: about a fix a person is always asked."""
        from wisen.edits.permission import Leave

        return Leave.ASK if each.proposal.type is ProposalType.FIX else super().leave_for(each)

    def answer(
        self,
        proposal: str,
        given: Answer,
        *,
        text: str | None = None,
        dry_run: bool = False,
        by: Who = Who.USER,
        to: str | None = None,
    ) -> Answered:
        """Carry out what the user, or policy, says to a proposal; a yes to a fix has agents told it, a no ends it.

        Raises:
            UsageError: there is no such proposal, or a fix is to be told in other words.
            PersonNeeded: the user is to have answered, and nothing shows that a person does.
            FileError: a file cannot be read or written; then nothing was answered.
        """
        from wisen.fixes.questions import answered_fix

        each = self.proposal(proposal)
        if each.proposal.type is not ProposalType.FIX:
            return super().answer(proposal, given, text=text, dry_run=dry_run, by=by, to=to)
        if not each.waits:
            raise UsageError(f"{each.proposal.id} was {each.answer} already. What waits: wisen proposals")
        if to is not None:
            raise UsageError(f"{to!r} is no place for a fix: it is told when the call fails, and goes to no file.")
        if text is not None:
            raise UsageError("What helped cannot be worded otherwise: answer yes or no, or say a rule of your own.")
        if by is not Who.USER:
            raise UsageError(f"{each.proposal.id} is about a fix with a danger, and needs the user's own word.")
        self.require_person(*answer_words(each.proposal.id, given, None), dry_run=dry_run)
        if not dry_run:
            self._parts.ledger.enter(answered_fix(each.proposal, given, by, self._parts.scribe))
            self.prepare()
        return Answered(each, None)

    def held_back_fixes(self) -> tuple[HeldBack, ...]:
        """Fixes that are told nowhere or not everywhere, because a rule in force says not to do that."""
        from wisen.delivery.telling import fixes_to_tell

        return tuple(fixes_to_tell(self._parts)[1])
