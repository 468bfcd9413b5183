"""Words the proposals that agents put to the user, each with what the user types to answer it."""

from __future__ import annotations

from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING

from wisen.delivery.block import PendingQuestion
from wisen.delivery.delivered_lines import one_line
from wisen.kernel.request_reading import phrase_request
from wisen.model.entry import ProposalType, rule_id
from wisen.model.fix import Danger
from wisen.model.guard import GuardSource
from wisen.model.guard_text import describe_proposal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wisen.delivery.candidate_sources import CandidateSources
    from wisen.delivery.private_words import PrivateWords
    from wisen.model.entry import Entry, Proposal
    from wisen.model.entry_state import EntryState, ProposalState
    from wisen.model.fix import Fix
    from wisen.model.guard import Guard
    from wisen.store.exposures import Exposures


class ProposalQuestions:
    """The proposals that await an answer, as questions; each is worded once, in however many contexts it is asked."""

    def __init__(  # noqa: PLR0913 - what the words of a question depend on
        self,
        answers: Sequence[ProposalState],
        candidates: CandidateSources,
        private: PrivateWords,
        exposures: Exposures,
        *,
        states: Iterable[EntryState],
        guards: Iterable[Guard],
        fixes: Iterable[Fix],
    ) -> None:
        """Create it from all proposals with their answers."""
        self._candidates, self._exposures = candidates, exposures
        self._states, self._guards, self._fixes = states, guards, fixes
        self._asked: dict[str, list[tuple[int, Proposal]]] = {}
        for number, each in enumerate((each for each in answers if each.is_waiting), 1):
            proposal = each.proposal
            is_asked = proposal.type is not ProposalType.SUGGESTION and not proposal.unworded
            if is_asked and private.may_show(proposal):  # approving an unworded one also needs a wording
                self._asked.setdefault(proposal.context, []).append((number, proposal))
        self._worded: dict[str, PendingQuestion] = {}
        self._by_context: dict[str, list[PendingQuestion]] = {}

    def of(self, context: str) -> list[PendingQuestion]:
        """Return the questions of a context, and those about all contexts, oldest first."""
        if context not in self._by_context:
            asked = sorted(
                (each for key in {"", context} for each in self._asked.get(key, ())), key=lambda each: each[0]
            )
            self._by_context[context] = [self._question(number, proposal) for number, proposal in asked]
        return self._by_context[context]

    def _question(self, number: int, proposal: Proposal) -> PendingQuestion:
        if proposal.id not in self._worded:
            self._worded[proposal.id] = self._word(number, proposal)
        return self._worded[proposal.id]

    def _word(self, number: int, proposal: Proposal) -> PendingQuestion:
        """Build a question with what the user types to answer it, in the language of what they said."""
        table, code = self._candidates.requests(), self._language_of(proposal)
        approve, skip = (phrase_request(table, code, deed, n=str(number)) for deed in ("approve", "skip"))
        problem, places = self._candidates.question_about(proposal)
        return PendingQuestion(
            number,
            proposal.id,
            rule_id(proposal.entry),
            self._text(proposal),
            problem,
            tuple((each.word.value, each.says) for each in places),
            is_new=not self._exposures.of(proposal.id),
            approve=approve,
            skip=skip,
        )

    def _language_of(self, proposal: Proposal) -> str:
        """Return the language of the lesson behind a proposal; English for what wisen words itself."""
        if proposal.type in (ProposalType.FIX, ProposalType.GUARD, ProposalType.SKILL):
            return "en"
        entry = self._entries.get(proposal.entry)
        return self._candidates.language_of(proposal.text if entry is None else entry.summary)

    def _text(self, proposal: Proposal) -> str:
        """Word a proposal for an agent that asks the user: a guard made from a dangerous fix is only named."""
        if proposal.type is ProposalType.FIX:
            return self._text_about_fix(proposal)
        if proposal.type is ProposalType.SKILL:  # its commands are for the user's eyes first
            return f"Write the skill {PurePath(proposal.path).parent.name} (`wisen review` shows it)?"
        if proposal.type is not ProposalType.GUARD:
            return f"Make it a rule: {one_line(proposal.text)}"
        careful = self._danger_of_guard(proposal.entry)
        if careful:
            return f"Switch guard {proposal.entry} on (careful: {careful})?"
        return f"{one_line(describe_proposal(proposal, with_reason=False))}?"

    def _text_about_fix(self, proposal: Proposal) -> str:
        """Word a question about a fix for an agent: what failed and what is in doubt, never what helped."""
        tags = self._entries[proposal.entry].tags
        fix = next((each for each in self._fixes if each.id in tags), None)
        if fix is None:
            return "May agents be given what helped against a failure?"
        seen = "1 session" if fix.sessions == 1 else f"{fix.sessions} sessions"
        return (
            f"May agents be given what helped in {seen} against “{fix.signature.safe_description}” "
            f"({fix.danger.value}; `wisen explain {fix.id}` shows it)?"
        )

    def _danger_of_guard(self, id_: str) -> str:
        """Return what is dangerous about the fix that a guard was made from; empty if nothing is."""
        fix_id = self._fixes_of_guards.get(id_)
        fix = next((each for each in self._fixes if each.id == fix_id), None) if fix_id else None
        return "" if fix is None or fix.danger is Danger.NONE else fix.danger.value

    @cached_property
    def _entries(self) -> dict[str, Entry]:
        return {each.entry.id: each.entry for each in self._states}

    @cached_property
    def _fixes_of_guards(self) -> dict[str, str]:
        return {each.id: each.of for each in self._guards if each.source is GuardSource.FIX}
