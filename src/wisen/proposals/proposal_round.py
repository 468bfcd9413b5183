"""Proposes what is ready, and ends what is over, in one turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from wisen.model.context import EVERY_PROJECT, EVERYWHERE
from wisen.model.entry import Answer, MoveKind
from wisen.model.entry_state import fold_proposal_states
from wisen.model.error_boundaries import BoundaryKind
from wisen.proposals.propose import expired, proposed

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
    """A line in a file that says what no longer holds."""

    @property
    def entry(self) -> EntryState:
        """The entry whose words belong there."""
        ...

    @property
    def line(self) -> str:
        """Its id."""
        ...

    @property
    def target(self) -> Target:
        """Where it stands."""
        ...


Old = TypeVar("Old", bound=OutdatedLine)


class ProposalRound:
    """One turn of it."""

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
        outdated: Callable[[], Sequence[Old]],
        replacements: Callable[[Sequence[Old], Sequence[ProposalState]], list[Proposal]],
    ) -> int:
        """End what is over and propose what is ready. Returns how many proposals wait."""
        before = fold_proposal_states(self._home.ledger.proposals.all(), known.moves)
        waiting = sum(each.is_waiting for each in before)
        with self._boundaries.isolate_step("propose"):
            waiting += self._propose(known, before, outdated(), replacements)
        return waiting

    def _propose(
        self,
        known: KnownEntries,
        before: Sequence[ProposalState],
        outdated: Sequence[Old],
        replacements: Callable[[Sequence[Old], Sequence[ProposalState]], list[Proposal]],
    ) -> int:
        """Returns how many proposals wait more than before, or fewer."""
        home, places = self._home, self._projects.places_with_contexts()
        over = expired(before, known.states, home.clock.now(), self._settings)
        lines = {(each.target.path, each.line, each.entry.entry.id) for each in outdated}
        replacing = {each.entry.entry.id for each in outdated}
        gone = {proposal.id for proposal, _ in over}
        over += [
            (each.proposal, Answer.EXPIRED)
            for each in before
            if each.is_waiting
            and each.proposal.replaces
            and each.proposal.id not in gone
            and _line_of(each) not in lines
        ]

        def target(entry: Entry, seen: Sequence[Occurrence], scope: str) -> Target | None:
            if entry.id in replacing and scope != EVERYWHERE:
                return None  # it takes the place of a line, and is no line beside it
            return self._readable_target(entry, seen, scope, places)

        offered = proposed(known.states, home.ledger.occurrences.of, before, target, self._settings, home.row_factory)
        offered += replacements(outdated, before)
        ended = (home.row_factory.build_move(proposal.id, MoveKind.ANSWER, given) for proposal, given in over)
        known.record([*ended, *offered])
        return len(offered) - len(over)

    def _readable_target(
        self, entry: Entry, seen: Sequence[Occurrence], scope: str, places: Sequence[tuple[str, str]]
    ) -> Target | None:
        """Where a rule would go; None where the files of its project cannot be read, which is told."""
        with self._boundaries.isolate(BoundaryKind.PROJECT, entry.context or EVERY_PROJECT):
            return self._rule_files.target_for(entry, seen, scope, places=places)
        return None


def _line_of(each: ProposalState) -> tuple[str, str, str]:
    """Which line a proposal is to change, and for which entry."""
    return each.proposal.path, each.proposal.replaces, each.proposal.entry
