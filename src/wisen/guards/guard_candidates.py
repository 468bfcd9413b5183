"""Finds the guards that can be proposed: from fixes that worked, rules that were broken and calls that were refused."""

from __future__ import annotations

from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wisen.delivery.guards_from_rules import plain_wording
from wisen.delivery.rules_in_force import RulesInForce
from wisen.guards.backtest_history import CallEnding, WatchedGuard, build_backtest
from wisen.guards.backtest_totals import backtest_guards
from wisen.guards.fix_patterns import derive_patterns
from wisen.guards.guard_proposals import GuardCandidate, first_ready_candidates, is_ready
from wisen.guards.rule_patterns import RulePatterns
from wisen.guards.rule_violations import DeliveredRule, find_violations
from wisen.mining.irreversible_calls import guard_watch
from wisen.model.change import LineEdit
from wisen.model.directive import TriggerCause
from wisen.model.entry import EntryOrigin, EntryStatus, rule_id
from wisen.model.exposure import Arm
from wisen.model.fix import Danger
from wisen.model.guard import GuardSource, guard_id

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from wisen.edits.rule_files import RuleFiles
    from wisen.guards.backtest_history import MatchedCall
    from wisen.guards.backtest_totals import GuardTotal
    from wisen.guards.settings import GuardPolicy
    from wisen.logs.projects import Projects
    from wisen.model.directive import Trigger
    from wisen.model.entry_state import EntryState
    from wisen.model.fix import Fix
    from wisen.model.instruction import Blame
    from wisen.store.home import Home

_REFUSAL_CAUSES = (TriggerCause.REJECTED, TriggerCause.INTERRUPTED)
VIOLATION_WINDOW = timedelta(days=90)
"""How far back violations of rules count."""


class _FixGuard(NamedTuple):
    """A guard that would make a fix unnecessary."""

    fix: Fix
    guard: WatchedGuard
    better: str


class _Refusal(NamedTuple):
    """A lesson about a call that the user refused or stopped and that cannot be undone."""

    state: EntryState
    trigger: Trigger
    guard: WatchedGuard


class CandidateSearch:
    """Finds the guards that their backtest supports, in one run of the cycle."""

    def __init__(
        self,
        home: Home,
        projects: Projects,
        rule_files: RuleFiles,
        settings: GuardPolicy,
        states: Sequence[EntryState],
    ) -> None:
        """`states`: the states of all entries."""
        self._home, self._projects, self._rule_files, self._settings = home, projects, rule_files, settings
        self._states = states
        self._open_totals: dict[WatchedGuard, GuardTotal] = {}

    def ready(
        self,
        fixes: Iterable[Fix],
        judged: Iterable[Blame],
        settled: Mapping[str, str],
        open_guards: Iterable[WatchedGuard] = (),
    ) -> list[GuardCandidate]:
        """Return the most general ready guard of each fix, rule and refusal.

        `settled`: watches by id of the guard; `open_guards`: what `stops_good_calls` is going to be asked about.
        """
        of_fixes = self._guards_of_fixes(fixes, settled)
        rules = [
            (each, WatchedGuard(each.derived.watch, each.context))
            for each in self._delivered_rules(judged)
            if each.since is not None or each.sessions
            if guard_id(each.context, each.derived.watch) not in settled
        ]
        refusals = self._refusals(settled)
        guards = [each.guard for each in of_fixes]
        guards += [each.guard for each in refusals]
        guards += [guard for _, guard in rules]
        guards += (waiting := list(open_guards))
        tested = backtest_guards(self._home.index, guards, self._home.version)
        totals = dict(zip(guards, tested, strict=True))
        self._open_totals = {guard: totals[guard] for guard in waiting}
        return first_ready_candidates(
            {
                **self._candidates_from_fixes(of_fixes, totals),
                **self._candidates_from_rules(rules, totals),
                **self._candidates_from_refusals(refusals, totals),
            },
            self._settings,
        )

    def stops_good_calls(self, guard: WatchedGuard) -> bool:
        """Whether one of the open guards would have stopped more calls that worked than a guard may."""
        total = self._open_totals[guard]
        return total.stopped_by is not None or total.count(CallEnding.GOOD) > self._settings.good

    @cached_property
    def _sessions(self) -> int:
        return self._home.index.recorded_calls.count_sessions()

    @cached_property
    def _rules_in_force(self) -> RulesInForce:
        return RulesInForce(self._home, self._rule_files, self._states)

    def _guards_of_fixes(self, fixes: Iterable[Fix], settled: Mapping[str, str]) -> list[_FixGuard]:
        """Return the guards of each fix that are not settled yet, the most general first."""
        index = self._home.index
        marks = index.fix_marks.all()
        reliable = [
            (fix, mark)
            for fix in fixes
            if fix.is_reliable and (mark := marks.get((fix.id, fix.signature.version))) is not None
            if mark.failing >= self._settings.sessions
        ]
        derived = derive_patterns(index, reliable, self._home.version)
        watches = frozenset(settled.values())
        found: list[_FixGuard] = []
        for fix, _ in reliable:
            seen = derived[fix.id]
            context = seen.worked_in[0] if len(seen.worked_in) == 1 else ""
            # A guard proposed for one project is not proposed again when the same failure is seen in another one.
            known = [
                each.watch
                for each in seen.patterns
                if each.watch in watches and any(guard_id(one, each.watch) in settled for one in ("", *seen.contexts))
            ]
            found += [
                _FixGuard(fix, WatchedGuard(each.watch, context, self._settings.good == 0), each.better)
                for each in seen.patterns
                if not any(f"{each.watch} ".startswith(f"{one} ") for one in known)  # nor a special case of it
            ]
        return found

    def _candidates_from_fixes(
        self, guards: Iterable[_FixGuard], totals: Mapping[WatchedGuard, GuardTotal]
    ) -> dict[str, list[GuardCandidate]]:
        """Return the ready candidates of each fix, the most general first.

        Most guards end early: too few sessions failed in this way, or the guard would stop a good call.
        """
        candidates: dict[str, list[GuardCandidate]] = {}
        calls: dict[WatchedGuard, list[MatchedCall]] = {}
        for fix, guard, better in guards:
            if totals[guard].stopped_by is not None:
                continue
            if guard not in calls:
                calls[guard] = totals[guard].calls()
            candidate = GuardCandidate(
                watch=guard.watch,
                better=better,
                context=guard.context,
                source=GuardSource.FIX,
                source_id=fix.id,
                reason=fix.signature.safe_description,
                backtest=build_backtest(calls[guard], self._sessions, fix.signature),
                reasons=(f"In {fix.sessions} sessions it worked {fix.change.description}.", *_danger_note(fix)),
            )
            # What the user stated takes precedence over what was seen to help.
            if is_ready(candidate, self._settings) and not self._rules_in_force.rule_broken_by(
                guard.context, fix.change.tool, {"command": better}
            ):
                candidates.setdefault(fix.id, []).append(candidate)
        return candidates

    def _candidates_from_rules(
        self, rules: Collection[tuple[DeliveredRule, WatchedGuard]], totals: Mapping[WatchedGuard, GuardTotal]
    ) -> dict[str, list[GuardCandidate]]:
        """Return the candidates of each rule that was recently broken after it was delivered."""
        candidates: dict[str, list[GuardCandidate]] = {}
        since = self._violations_since() if rules else None
        sessions: int | None = None
        for rule, guard in rules:
            matches = totals[guard].calls(since)
            violations = find_violations(rule, matches)
            if violations:
                sessions = self._home.index.recorded_calls.count_sessions(since) if sessions is None else sessions
                candidate = GuardCandidate(
                    watch=guard.watch,
                    better=rule.derived.better,
                    context=rule.context,
                    source=GuardSource.RULE,
                    source_id=rule.source_id,
                    reason=rule.text,
                    backtest=build_backtest(matches, sessions),
                    violations=len(violations),
                    reasons=(
                        f"Your rule “{rule.text}” was delivered and still broken {len(violations)} times:",
                        *map(_describe_violation, violations),
                    ),
                )
                # A file may hold many rules.
                candidates.setdefault(f"{rule.source_id}: {guard.watch}", []).append(candidate)
        return candidates

    def _violations_since(self) -> datetime:
        return (self._home.index.recorded_calls.last_event() or self._home.clock.now()) - VIOLATION_WINDOW

    def _refusals(self, settled: Collection[str]) -> list[_Refusal]:
        return [
            _Refusal(state, state.entry.trigger, WatchedGuard(watch, state.context))
            for state in self._states
            if state.entry.trigger is not None and state.entry.trigger.cause in _REFUSAL_CAUSES and not state.is_over
            if (watch := guard_watch(state.entry.trigger)) and guard_id(state.context, watch) not in settled
        ]

    def _candidates_from_refusals(
        self, refusals: Iterable[_Refusal], totals: Mapping[WatchedGuard, GuardTotal]
    ) -> dict[str, list[GuardCandidate]]:
        """Return the candidates of each lesson about a call that the user refused or stopped and that cannot be undone.

        A hint about such a call is mostly read when it is too late, so the user is asked whether to watch for it.
        """
        return {
            f"{state.entry.id}: {guard.watch}": [
                GuardCandidate(
                    watch=guard.watch,
                    better="",
                    context=guard.context,
                    source=GuardSource.RULE,
                    source_id=state.entry.id,
                    reason=state.text,
                    backtest=build_backtest(totals[guard].calls(), self._sessions),
                    was_refused=True,
                    reasons=(
                        f"On {state.last:%Y-%m-%d} the agent {trigger.did}, you stopped it and said: “{state.text}”",
                    ),
                )
            ]
            for state, trigger, guard in refusals
        }

    def _delivered_rules(self, judged: Iterable[Blame]) -> Iterator[DeliveredRule]:
        """Yield the rules that clearly say what not to do, each with when it was delivered to agents."""
        ledger, machine = self._home.ledger, self._home.machine
        patterns = RulePatterns(self._home.index.folds, self._home.version)
        edits = [
            (each.operation.id, each.at)
            for each in ledger.changes.of(machine=machine)
            if isinstance(each.operation, LineEdit)
        ]
        for state in self._states:
            is_approved = (
                state.entry.origin is EntryOrigin.STATED or state.status is EntryStatus.PROMOTED or state.confirmed
            )
            prohibition = patterns.of(state.text) if is_approved and not state.is_over and not state.conflicts else None
            if prohibition is None:
                continue
            id_ = rule_id(state.entry.id)
            exposures = [each for each in ledger.exposures.of(id_) if each.arm is Arm.GIVEN]
            sessions = {(each.agent, each.session): each.at for each in reversed(exposures)}
            written = [at for edited, at in edits if edited == id_]
            yield DeliveredRule(
                state.entry.id, state.text, state.context, prohibition, min(written, default=None), sessions
            )
        for blame in judged:
            context = self._projects.context_of(Path(blame.file.root)) if blame.file.root else ""
            for effect in blame.effects:
                line = effect.line
                prohibition = patterns.of(line.text) if line.rule and "wisen:R-" not in line.text else None
                if prohibition is not None:
                    yield DeliveredRule(blame.file.path, plain_wording(line.text), context, prohibition, line.born, {})
        patterns.save()


def _danger_note(fix: Fix) -> tuple[str, ...]:
    return (
        ()
        if fix.danger is Danger.NONE
        else (f"Careful: the call that worked is not known to be harmless ({fix.danger.value}).",)
    )


def _describe_violation(match: MatchedCall) -> str:
    return f"{match.at:%Y-%m-%d}, {match.agent} {match.native[:8]}: {match.text}"
