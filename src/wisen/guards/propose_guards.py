"""Proposes guards in the learning cycle: from fixes that worked, rules that were broken and calls that were refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.edits.permission import Profile
from wisen.guards.backtest_history import WatchedGuard, build_backtest
from wisen.guards.backtest_totals import backtest_guard
from wisen.guards.guard_candidates import CandidateSearch
from wisen.guards.guard_proposals import (
    demote_overruled,
    find_closed_proposals,
    guards_awaiting_evidence,
    proposals_to_replace,
    propose_candidates,
    unconvincing_proposals,
)
from wisen.guards.live_outcomes import CALL_WINDOW, calls_by_id, count_outcomes
from wisen.model.entry import Answer, MoveKind, Proposal
from wisen.model.entry_state import fold_proposal_states
from wisen.model.guard import ACTIONS, GuardSource, guard_states
from wisen.model.report import Selection

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from wisen.edits.permission import PromotePolicy
    from wisen.edits.rule_files import RuleFiles
    from wisen.guards.settings import GuardPolicy
    from wisen.logs.projects import Projects
    from wisen.model.backtest import Backtest
    from wisen.model.entry_state import EntryState, ProposalState
    from wisen.model.exposure import Exposure
    from wisen.model.failure import Signature
    from wisen.model.fix import Fix
    from wisen.model.guard import Guard, GuardState, GuardStats
    from wisen.model.history import Step
    from wisen.model.instruction import Blame
    from wisen.store.home import Home
    from wisen.store.index import Index


class GuardProposer:
    """Proposes guards from fixes, rules and refusals, and demotes those that the user overrules."""

    def __init__(
        self, home: Home, projects: Projects, rule_files: RuleFiles, settings: GuardPolicy, promote: PromotePolicy
    ) -> None:
        self._home, self._projects, self._rule_files = home, projects, rule_files
        self._settings, self._promote = settings, promote

    def propose(self, fixes: Iterable[Fix], states: Sequence[EntryState], judged: Iterable[Blame]) -> int:
        """Propose guards that their backtest supports, and demote those that the user overrules.

        Returns by how much the number of open proposals grew.
        """
        ledger, factory = self._home.ledger, self._home.row_factory
        moves, proposals = ledger.moves.all(), ledger.proposals.all()
        known = guard_states(ledger.guards.all(), moves)
        before = fold_proposal_states(proposals, moves)
        closed = find_closed_proposals(before, known, self._home.clock.now(), self._promote.expires_days)
        reopenable = guards_awaiting_evidence(before)
        if self._promote.profile == Profile.AUTONOMOUS:
            reopenable |= {each.entry for each in unconvincing_proposals(before, self._settings)}
        settled = {state.guard.id: state.guard.watch for state in known if state.guard.id not in reopenable}
        search = CandidateSearch(self._home, self._projects, self._rule_files, self._settings, states)
        open_guards = self._open_guards_from_fixes(before, known, {proposal.id for proposal, _ in closed})
        ready = search.ready(fixes, judged, settled, [guard for _, guard in open_guards])
        # A tool was repaired: by now it would stop calls that work.
        closed += [(each, Answer.EXPIRED) for each, guard in open_guards if search.stops_good_calls(guard)]
        closed += [(each, Answer.EXPIRED) for each in proposals_to_replace(ready, before, self._settings)]
        answers = [factory.build_move(proposal.id, MoveKind.ANSWER, given) for proposal, given in closed]
        rows = propose_candidates(ready, known, fold_proposal_states(proposals, [*moves, *answers]), factory)
        demoted = demote_overruled(known, lambda state: live_outcomes(self._home, state), self._settings, factory)
        if rows or demoted or answers:
            ledger.entries.record([*answers, *rows, *demoted])
        return sum(isinstance(row, Proposal) for row in (*rows, *demoted)) - len(answers)

    def _open_guards_from_fixes(
        self, before: Sequence[ProposalState], known: Iterable[GuardState], closed: Collection[str]
    ) -> list[tuple[Proposal, WatchedGuard]]:
        """Return the questions that are open about guards that come from fixes, each with the guard."""
        guards = {each.guard.id: each.guard for each in known if each.guard.source is GuardSource.FIX}
        waiting = [each.proposal for each in before if each.is_waiting and each.proposal.id not in closed]
        return [
            (each, WatchedGuard(guards[each.entry].watch, guards[each.entry].context, self._settings.good == 0))
            for each in waiting
            if each.entry in guards
        ]


def live_outcomes(home: Home, state: GuardState) -> GuardStats:
    """Return what became of the calls that a guard decided about."""
    exposures = home.ledger.exposures.of(state.guard.id)
    if not exposures and state.mode not in ACTIONS:
        return count_outcomes((), {}, (), state.since)
    calls = find_calls(home.index, exposures)
    return count_outcomes(exposures, calls, home.ledger.moves.of(state.guard.id), state.since)


def find_calls(index: Index, exposures: Sequence[Exposure]) -> dict[tuple[str, str], Step]:
    """Return the calls that a guard decided about, by agent and call id; only their sessions are read."""
    if not exposures:
        return {}
    sessions = index.recorded_calls.sessions_of({(each.agent, each.call) for each in exposures if each.call})
    since = min(each.at for each in exposures) - CALL_WINDOW
    return calls_by_id(index.events.histories(Selection(since=since, sessions=sessions)))


def run_backtest(home: Home, guard: Guard) -> Backtest:
    """Backtest a guard on all recorded sessions where it applies."""
    total = backtest_guard(home.index, WatchedGuard(guard.watch, guard.context))
    return build_backtest(total.calls(), home.index.recorded_calls.count_sessions(), signature_of(home, guard))


def signature_of(home: Home, guard: Guard) -> Signature | None:
    """Return the signature of the failure that a guard prevents; None where it prevents no failure."""
    if guard.source is not GuardSource.FIX:
        return None
    return next((fix.signature for fix in home.index.findings.fixes(Selection()) if fix.id == guard.of), None)
