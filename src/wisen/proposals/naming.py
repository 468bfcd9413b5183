"""What a Learner can be asked about proposals by the names that people have for them: numbers, short ids, ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.decisions.decider import Decider
from wisen.errors import UsageError
from wisen.model.entry_state import asked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.model.entry import Proposal
    from wisen.model.entry_state import Asked
    from wisen.proposals.conversations import ConversationExcerpt


_DIGITS = 4
"""So many digits are a number, and not the beginning of an id."""


class ProposalNamer(Decider):
    """What a Learner can be asked about proposals, by their names."""

    def proposals(self) -> tuple[Asked, ...]:
        """Every proposal with what became of it, oldest first."""
        return asked(self._parts.ledger.proposals(), self._parts.ledger.moves())

    def proposal(self, id_: str) -> Asked:
        """A proposal by its number in the list that was shown last, its short id, its id or how that begins.

        Raises:
            UsageError: no proposal, or more than one, fits.
        """
        from wisen.proposals.shown_lists import id_behind

        every, short = self.proposals(), self.short_ids()
        fits = [each for each in every if id_ and id_.lower() in (short[each.proposal.id], each.proposal.id.lower())]
        is_number = id_.isdecimal() and id_.isascii() and len(id_) <= _DIGITS
        if not is_number:
            fits = fits or [each for each in every if id_ and each.proposal.id.startswith(id_.upper())]
        elif not fits:
            waiting = [each.proposal.id for each in every if each.waits and not each.proposal.words]
            meant = id_behind(self._parts.files, self._parts.home, self._parts.viewer, int(id_), waiting)
            fits = [each for each in every if each.proposal.id == meant]
        if len(fits) != 1:
            found = f"{len(fits)} proposals begin with" if fits else "No proposal has the number or id"
            raise UsageError(f"{found} {id_!r}. They stand in: wisen proposals")
        return fits[0]

    def conversations(self, proposal: Proposal, most: int = 2) -> tuple[ConversationExcerpt, ...]:
        """What was said and done around the newest words that a proposal comes from."""
        from wisen.proposals.conversations import conversations_around

        seen = () if proposal.words else self._parts.ledger.occurrences(proposal.entry)
        return conversations_around(self._parts.index, seen, most)

    def short_ids(self) -> dict[str, str]:
        """The short id of every proposal, by its id: the same in every list, and never that of another one."""
        from wisen.model.short_ids import short_ids

        return short_ids(each.id for each in self._parts.ledger.proposals())

    def note_shown(self, proposals: Sequence[str]) -> None:
        """Remember the ids of the proposals that were shown with numbers: a number means these, whatever comes."""
        from wisen.proposals.shown_lists import note_list

        if not self._parts.decisions.is_person():
            return  # what an agent looked at was shown to nobody who decides
        note_list(self._parts.files, self._parts.home, self._parts.viewer, proposals)

    def _answered_already(self, each: Asked) -> UsageError:
        named = f"{self.short_ids()[each.proposal.id]} (“{each.proposal.text}”)"
        return UsageError(f"{named} was {each.answer} already. What waits: wisen proposals")
