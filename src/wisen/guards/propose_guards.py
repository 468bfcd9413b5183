"""Proposes guards in the learning cycle: from fixes that worked, rules that were broken and calls that were refused."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.delivery.guards_from_fixes import patterns_of_fix
from wisen.delivery.guards_from_rules import pattern_of_rule, plain_wording
from wisen.delivery.rules_in_force import RulesInForce
from wisen.edits.permission import Profile
from wisen.guards.backtest_history import WatchedGuard, build_backtest, describe_calls, is_regretted, match_calls
from wisen.guards.guard_proposals import (
    GuardCandidate,
    demote_overruled,
    find_closed_proposals,
    first_ready_candidates,
    guards_awaiting_evidence,
    proposals_to_replace,
    propose_candidates,
    unconvincing_proposals,
)
from wisen.guards.live_outcomes import CALL_WINDOW, calls_by_id, count_outcomes
from wisen.guards.rule_violations import DeliveredRule, find_violations
from wisen.mining.irreversible_calls import guard_watch
from wisen.mining.signatures import describe_failure
from wisen.model import event
from wisen.model.change import LineEdit
from wisen.model.directive import TriggerCause
from wisen.model.entry import Answer, EntryOrigin, EntryStatus, MoveKind, Proposal, rule_id
from wisen.model.entry_state import fold_proposal_states
from wisen.model.exposure import Arm
from wisen.model.fix import Danger
from wisen.model.guard import ACTIONS, GuardSource, guard_id, guard_states
from wisen.model.report import Selection
from wisen.model.signal import SignalKind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from wisen.edits.permission import PromotePolicy
    from wisen.edits.rule_files import RuleFiles
    from wisen.guards.backtest_history import MatchedCall
    from wisen.guards.settings import GuardPolicy
    from wisen.logs.projects import Projects
    from wisen.model.backtest import Backtest
    from wisen.model.entry_state import EntryState
    from wisen.model.failure import Signature
    from wisen.model.fix import Fix
    from wisen.model.guard import Guard, GuardState, GuardStats
    from wisen.model.history import Step
    from wisen.model.instruction import Blame
    from wisen.store.home import Home
    from wisen.store.index import Index

_REFUSAL_CAUSES = (TriggerCause.REJECTED, TriggerCause.INTERRUPTED)
VIOLATION_WINDOW = timedelta(days=90)
"""How far back violations of rules count."""


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
        moves = ledger.moves.all()
        known = guard_states(ledger.guards.all(), moves)
        before = fold_proposal_states(ledger.proposals.all(), moves)
        closed = find_closed_proposals(before, known, self._home.clock.now(), self._promote.expires_days)
        reopenable = guards_awaiting_evidence(before)
        if self._promote.profile == Profile.AUTONOMOUS:
            reopenable |= {each.entry for each in unconvincing_proposals(before, self._settings)}
        settled = {state.guard.id for state in known} - reopenable
        ready = first_ready_candidates(
            {
                **self._candidates_from_fixes(fixes, states, settled),
                **self._candidates_from_rules(states, judged, settled),
                **self._candidates_from_refusals(states, settled),
            },
            self._settings,
        )
        closed += [(each, Answer.EXPIRED) for each in proposals_to_replace(ready, before, self._settings)]
        answers = [factory.build_move(proposal.id, MoveKind.ANSWER, given) for proposal, given in closed]
        rows = propose_candidates(
            ready, known, fold_proposal_states(ledger.proposals.all(), [*moves, *answers]), factory
        )
        demoted = demote_overruled(known, lambda state: live_outcomes(self._home, state), self._settings, factory)
        if rows or demoted or answers:
            ledger.entries.record([*answers, *rows, *demoted])
        return sum(isinstance(row, Proposal) for row in (*rows, *demoted)) - len(answers)

    def _candidates_from_fixes(
        self, fixes: Iterable[Fix], states: Sequence[EntryState], settled: Collection[str]
    ) -> dict[str, list[GuardCandidate]]:
        """Return the candidates of each fix, the most general first; only what is not settled yet is backtested.

        Most candidates end early: too few sessions failed in this way, or the guard would stop a good call.
        """
        index = self._home.index
        failing = {each.signature: each.sessions for each in index.findings.failures(Selection())}
        untested: list[tuple[Fix, WatchedGuard, str]] = []
        rules = RulesInForce(self._home, self._rule_files, states)
        for fix in fixes:
            if not fix.is_reliable or failing.get(fix.signature, 0) < self._settings.sessions:
                continue
            evidence = index.findings.evidence(fix.id)
            contexts = {each.context for each in evidence if each.worked}
            context = contexts.pop() if len(contexts) == 1 else ""
            derivations = patterns_of_fix(fix, evidence)
            # A guard proposed for one project is not proposed again when the same failure is seen in another one.
            contexts_seen = {"", *(each.context for each in evidence)}
            known = [
                each.watch for each in derivations if any(guard_id(one, each.watch) in settled for one in contexts_seen)
            ]
            for each in derivations:
                if rules.rule_broken_by(context, fix.change.tool, {"command": each.better}):
                    continue  # what the user stated takes precedence over what was seen to help
                if not any(f"{each.watch} ".startswith(f"{one} ") for one in known):  # nor a special case of it
                    untested.append((fix, WatchedGuard(each.watch, context, fix.signature), each.better))
        if not untested:
            return {}
        corrected = _correction_messages(index)

        def disqualifies(met: MatchedCall) -> bool:
            went_well = met.step.status is event.Status.OK and not is_regretted(met.history, met.at, corrected)
            return went_well and self._settings.good == 0

        matches, sessions = match_calls(
            [watched for _, watched, _ in untested], index.events.histories(Selection()), disqualifies
        )
        candidates: dict[str, list[GuardCandidate]] = {}
        for (fix, watched, better), here in zip(untested, matches, strict=True):
            candidates.setdefault(fix.id, []).append(
                GuardCandidate(
                    watch=watched.watch,
                    better=better,
                    context=watched.context,
                    source=GuardSource.FIX,
                    source_id=fix.id,
                    reason=fix.signature.safe_description,
                    backtest=build_backtest(watched, here, sessions, _step_signature, corrected),
                    reasons=(f"In {fix.sessions} sessions it worked {fix.change.description}.", *_danger_note(fix)),
                )
            )
        return candidates

    def _candidates_from_rules(
        self, states: Sequence[EntryState], judged: Iterable[Blame], settled: Collection[str]
    ) -> dict[str, list[GuardCandidate]]:
        """Return the candidates of each rule that was recently broken after it was delivered."""
        index = self._home.index
        delivered = self._delivered_rules(states, judged)
        rules = [each for each in delivered if guard_id(each.context, each.derived.watch) not in settled]
        rules = [each for each in rules if each.since is not None or each.sessions]
        if not rules:
            return {}
        since = (index.events.counts(Selection()).last or self._home.clock.now()) - VIOLATION_WINDOW
        watched = [WatchedGuard(each.derived.watch, each.context, None) for each in rules]
        matches, sessions = match_calls(watched, index.events.histories(Selection(since=since)))
        corrected = _correction_messages(index)
        candidates: dict[str, list[GuardCandidate]] = {}
        for rule, watch, here in zip(rules, watched, matches, strict=True):
            violations = find_violations(rule, here)
            if violations:
                candidate = GuardCandidate(
                    watch=watch.watch,
                    better=rule.derived.better,
                    context=rule.context,
                    source=GuardSource.RULE,
                    source_id=rule.source_id,
                    reason=rule.text,
                    backtest=build_backtest(watch, here, sessions, _step_signature, corrected),
                    violations=len(violations),
                    reasons=(
                        f"Your rule “{rule.text}” was delivered and still broken {len(violations)} times:",
                        *map(_describe_violation, violations),
                    ),
                )
                candidates.setdefault(f"{rule.source_id}: {watch.watch}", []).append(
                    candidate
                )  # a file may hold many rules
        return candidates

    def _candidates_from_refusals(
        self, states: Sequence[EntryState], settled: Collection[str]
    ) -> dict[str, list[GuardCandidate]]:
        """Return the candidates of each lesson about a call that the user refused or stopped and that cannot be undone.

        A hint about such a call is mostly read when it is too late, so the user is asked whether to watch for it.
        """
        refusals = [
            (state, state.entry.trigger, WatchedGuard(watch, state.context, None))
            for state in states
            if state.entry.trigger is not None and state.entry.trigger.cause in _REFUSAL_CAUSES and not state.is_over
            if (watch := guard_watch(state.entry.trigger)) and guard_id(state.context, watch) not in settled
        ]
        if not refusals:
            return {}
        index = self._home.index
        matches, sessions = match_calls([each for _, _, each in refusals], index.events.histories(Selection()))
        corrected = _correction_messages(index)
        return {
            f"{state.entry.id}: {watched.watch}": [
                GuardCandidate(
                    watch=watched.watch,
                    better="",
                    context=watched.context,
                    source=GuardSource.RULE,
                    source_id=state.entry.id,
                    reason=state.text,
                    backtest=build_backtest(watched, here, sessions, _step_signature, corrected),
                    was_refused=True,
                    reasons=(
                        f"On {state.last:%Y-%m-%d} the agent {trigger.did}, you stopped it and said: “{state.text}”",
                    ),
                )
            ]
            for (state, trigger, watched), here in zip(refusals, matches, strict=True)
        }

    def _delivered_rules(self, states: Sequence[EntryState], judged: Iterable[Blame]) -> Iterator[DeliveredRule]:
        """Yield the rules that clearly say what not to do, each with when it was delivered to agents."""
        for state in states:
            is_approved = (
                state.entry.origin is EntryOrigin.STATED or state.status is EntryStatus.PROMOTED or state.confirmed
            )
            prohibition = (
                pattern_of_rule(state.text) if is_approved and not state.is_over and not state.conflicts else None
            )
            if prohibition is None:
                continue
            id_ = rule_id(state.entry.id)
            exposures = [each for each in self._home.ledger.exposures.of(id_) if each.arm is Arm.GIVEN]
            sessions = {(each.agent, each.session): each.at for each in reversed(exposures)}
            written = [
                each.at
                for each in self._home.ledger.changes.of(machine=self._home.machine)
                if _is_line_of(each.operation, id_)
            ]
            yield DeliveredRule(
                state.entry.id, state.text, state.context, prohibition, min(written, default=None), sessions
            )
        for blame in judged:
            context = self._projects.context_of(Path(blame.file.root)) if blame.file.root else ""
            for effect in blame.effects:
                line = effect.line
                prohibition = pattern_of_rule(line.text) if line.rule and "wisen:R-" not in line.text else None
                if prohibition is not None:
                    yield DeliveredRule(blame.file.path, plain_wording(line.text), context, prohibition, line.born, {})


def live_outcomes(home: Home, state: GuardState) -> GuardStats:
    """Return what became of the calls that a guard decided about."""
    exposures = home.ledger.exposures.of(state.guard.id)
    if not exposures and state.mode not in ACTIONS:
        return count_outcomes((), {}, (), state.since)
    since = min((each.at for each in exposures), default=state.since)
    calls = calls_by_id(home.index.events.histories(Selection(since=since - CALL_WINDOW))) if exposures else {}
    return count_outcomes(exposures, calls, home.ledger.moves.of(state.guard.id), state.since)


def run_backtest(home: Home, watched: WatchedGuard) -> Backtest:
    """Backtest a guard on all recorded sessions."""
    (matches,), sessions = match_calls([watched], home.index.events.histories(Selection()))
    return build_backtest(watched, matches, sessions, _step_signature, _correction_messages(home.index))


def signature_of(home: Home, guard: Guard) -> Signature | None:
    """Return the signature of the failure that a guard prevents; None where it prevents no failure."""
    if guard.source is not GuardSource.FIX:
        return None
    return next((fix.signature for fix in home.index.findings.fixes(Selection()) if fix.id == guard.of), None)


def _danger_note(fix: Fix) -> tuple[str, ...]:
    return (
        ()
        if fix.danger is Danger.NONE
        else (f"Careful: the call that worked is not known to be harmless ({fix.danger.value}).",)
    )


def _is_line_of(operation: object, id_: str) -> bool:
    return isinstance(operation, LineEdit) and operation.id == id_


def _describe_violation(match: MatchedCall) -> str:
    return f"{match.step.at:%Y-%m-%d}, {match.history.agent} {match.history.native[:8]}: {describe_calls([match])[0]}"


def _step_signature(step: Step) -> Signature:
    return describe_failure(tool=step.tool, arguments=step.arguments, text=step.text).signature


def _correction_messages(index: Index) -> frozenset[tuple[str, str]]:
    """Return the session and message id of every correction by the user."""
    return frozenset(
        (each.native, each.said.message)
        for each in index.findings.signals(Selection())
        if each.said.signal.kind is SignalKind.CORRECTION
    )
