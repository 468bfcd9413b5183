"""Closes proposals that no longer apply and proposes what is ready, once per run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from wisen.model.context import EVERY_PROJECT, EVERYWHERE
from wisen.model.entry import Answer, MoveKind
from wisen.model.entry_state import fold_proposal_states
from wisen.model.error_boundaries import BoundaryKind
from wisen.proposals.propose import find_expired, make_proposals

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from wisen.edits.permission import PromotePolicy
    from wisen.edits.rule_files import RuleFiles
    from wisen.edits.targets import Target
    from wisen.logs.projects import Projects
    from wisen.model.entry import Entry, Occurrence, Proposal
    from wisen.model.entry_state import EntryState, ProposalState
    from wisen.model.error_boundaries import ErrorBoundaries
    from wisen.store.home import Home
    from wisen.store.known_entries import KnownEntries


class OutdatedLine(Protocol):
    """A line in a file that no longer matches its rule."""

    @property
    def entry(self) -> EntryState:
        """The entry whose text belongs there."""
        ...

    @property
    def line(self) -> str:
        """Its id."""
        ...

    @property
    def target(self) -> Target:
        """Where it is."""
        ...


Old = TypeVar("Old", bound=OutdatedLine)


class ProposalRound:
    """One round of proposals."""

    def __init__(
        self,
        home: Home,
        projects: Projects,
        rule_files: RuleFiles,
        settings: PromotePolicy,
        boundaries: ErrorBoundaries,
    ) -> None:
        self._home, self._projects, self._rule_files = home, projects, rule_files
        self._settings, self._boundaries = settings, boundaries

    def propose(
        self,
        known: KnownEntries,
        is_concerned: Callable[[str], bool],
        outdated: Callable[[], Sequence[Old]],
        replacements: Callable[[Sequence[Old], Sequence[ProposalState]], list[Proposal]],
    ) -> int:
        """Close proposals that no longer apply and make new ones. Return how many await a decision.

        `is_concerned`: whether something changed in a context, so that its entries have to be looked at.
        """
        before = fold_proposal_states(self._home.ledger.proposals.all(), known.moves)
        waiting = sum(each.is_waiting for each in before)
        with self._boundaries.isolate_step("propose"):
            waiting += self._propose(known, is_concerned, before, outdated(), replacements)
        return waiting

    def _propose(
        self,
        known: KnownEntries,
        is_concerned: Callable[[str], bool],
        before: Sequence[ProposalState],
        outdated: Sequence[Old],
        replacements: Callable[[Sequence[Old], Sequence[ProposalState]], list[Proposal]],
    ) -> int:
        """Return by how many the number of open proposals changes."""
        home, places = self._home, self._projects.places_with_contexts()
        closing = find_expired(before, known.states, home.clock.now(), self._settings)
        lines = {(each.target.path, each.line, each.entry.entry.id) for each in outdated}
        replacing = {each.entry.entry.id for each in outdated}
        closing_ids = {proposal.id for proposal, _ in closing}
        closing += [
            (each.proposal, Answer.EXPIRED)
            for each in before
            if each.is_waiting
            and each.proposal.replaces
            and each.proposal.id not in closing_ids
            and _line_of(each) not in lines
        ]

        def target(entry: Entry, seen: Sequence[Occurrence], scope: str) -> Target | None:
            if entry.id in replacing and scope != EVERYWHERE:
                return None  # it replaces a line instead of being added
            return self._readable_target(entry, seen, scope, places)

        proposals = make_proposals(
            known.states,
            home.ledger.occurrences.of,
            before,
            target,
            self._settings,
            home.row_factory,
            is_concerned=is_concerned,
        )
        proposals += replacements(outdated, before)
        answers = (home.row_factory.build_move(proposal.id, MoveKind.ANSWER, given) for proposal, given in closing)
        known.record([*answers, *proposals])
        return len(proposals) - len(closing)

    def _readable_target(
        self, entry: Entry, seen: Sequence[Occurrence], scope: str, places: Sequence[tuple[str, str]]
    ) -> Target | None:
        """Return where a rule would go; None if the files of its project cannot be read, which is reported."""
        with self._boundaries.isolate(BoundaryKind.PROJECT, entry.context or EVERY_PROJECT):
            return self._rule_files.target_for(entry, seen, scope, places=places)
        return None


def _line_of(each: ProposalState) -> tuple[str, str, str]:
    """Return which line a proposal would change, and for which entry."""
    return each.proposal.path, each.proposal.replaces, each.proposal.entry
