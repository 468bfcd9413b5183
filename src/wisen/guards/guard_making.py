"""The step of a turn that makes guards: of fixes that helped, and of rules that were told and not kept."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.delivery.guards_from_fixes import derived
from wisen.delivery.guards_from_rules import stated, wording
from wisen.delivery.holding_back import RulesInForce
from wisen.edits.permission import Profile
from wisen.guards.adopt import (
    GuardCandidate,
    expired,
    first_ready,
    offered,
    outgrown,
    taken_back,
    unclear,
    waiting_for_more,
)
from wisen.guards.backtest_history import WatchedGuard, backtested, is_regretted, meetings, shown
from wisen.guards.escalate import ToldRule, violations
from wisen.guards.live import AROUND, calls_in, fared
from wisen.mining.irreversible_calls import guard_watch
from wisen.mining.signatures import about
from wisen.model import event
from wisen.model.change import Line
from wisen.model.directive import TriggerCause
from wisen.model.entry import Answer, EntryOrigin, EntryStatus, MoveKind, Proposal, rule_id
from wisen.model.entry_state import asked
from wisen.model.exposure import Arm
from wisen.model.fix import Danger
from wisen.model.guard import ACTIONS, GuardSource, guard_id, guard_states
from wisen.model.report import Selection
from wisen.model.signal import SignalKind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from wisen.edits.permission import PromotePolicy
    from wisen.edits.rule_files import RuleFiles
    from wisen.guards.backtest_history import Met
    from wisen.guards.settings import GuardPolicy
    from wisen.logs.projects import Projects
    from wisen.model.backtest import Backtest
    from wisen.model.entry_state import EntryState
    from wisen.model.failure import Signature
    from wisen.model.fix import Fix
    from wisen.model.guard import Fared, Guard, GuardState
    from wisen.model.history import Step
    from wisen.model.instruction import Blame
    from wisen.store.home import Home
    from wisen.store.index import Index

_REFUSED = (TriggerCause.REJECTED, TriggerCause.INTERRUPTED)
LATELY = timedelta(days=90)
"""How far back violations of rules count."""


class GuardMaker:
    """Makes guards of fixes and rules, and takes back those that the user overrules."""

    def __init__(
        self, home: Home, projects: Projects, rule_files: RuleFiles, settings: GuardPolicy, promote: PromotePolicy
    ) -> None:
        self._home, self._projects, self._rule_files = home, projects, rule_files
        self._settings, self._promote = settings, promote

    def crystallize(self, fixes: Iterable[Fix], states: Sequence[EntryState], judged: Iterable[Blame]) -> int:
        """Propose guards that the recorded past speaks for, and take back those that the user overrules.

        Returns by how many more proposals wait.
        """
        ledger, scribe = self._home.ledger, self._home.scribe
        moves = ledger.moves.all()
        known = guard_states(ledger.guards.all(), moves)
        before = asked(ledger.proposals.all(), moves)
        over = expired(before, known, self._home.clock.now(), self._promote.expires_days)
        may_grow = waiting_for_more(before)
        if self._promote.profile == Profile.AUTONOMOUS:
            may_grow |= {each.entry for each in unclear(before, self._settings)}
        settled = {state.guard.id for state in known} - may_grow
        ready = first_ready(
            {
                **self._of_fixes(fixes, states, settled),
                **self._of_rules(states, judged, settled),
                **self._of_refusals(states, settled),
            },
            self._settings,
        )
        over += [(each, Answer.EXPIRED) for each in outgrown(ready, before, self._settings)]
        ended = [scribe.move(proposal.id, MoveKind.ANSWER, given) for proposal, given in over]
        rows = offered(ready, known, asked(ledger.proposals.all(), [*moves, *ended]), scribe)
        back = taken_back(known, lambda state: live(self._home, state), self._settings, scribe)
        if rows or back or ended:
            ledger.entries.enter([*ended, *rows, *back])
        return sum(isinstance(row, Proposal) for row in (*rows, *back)) - len(ended)

    def _of_fixes(
        self, fixes: Iterable[Fix], states: Sequence[EntryState], settled: Collection[str]
    ) -> dict[str, list[GuardCandidate]]:
        """By fix, what could be watched for, the most general first; only what is not settled yet is tried on the past.

        Most of it ends early: too few sessions failed so, or a good call is in the way.
        """
        index = self._home.index
        failing = {each.signature: each.sessions for each in index.findings.failures(Selection())}
        wanted: list[tuple[Fix, WatchedGuard, str]] = []
        rules = RulesInForce(self._home, self._rule_files, states)
        for fix in fixes:
            if not fix.is_known or failing.get(fix.signature, 0) < self._settings.sessions:
                continue
            evidence = index.findings.evidence(fix.id)
            contexts = {each.context for each in evidence if each.worked}
            context = contexts.pop() if len(contexts) == 1 else ""
            every = derived(fix, evidence)
            # What was seen in one project first is not asked about again when it is seen in another one.
            places = {"", *(each.context for each in evidence)}
            known = [each.watch for each in every if any(guard_id(one, each.watch) in settled for one in places)]
            for each in every:
                if rules.against(context, fix.change.tool, {"command": each.better}):
                    continue  # what the user said goes before what was seen to help
                if not any(f"{each.watch} ".startswith(f"{one} ") for one in known):  # nor what is a part of it
                    wanted.append((fix, WatchedGuard(each.watch, context, fix.signature), each.better))
        if not wanted:
            return {}
        corrected = _corrected(index)

        def is_out(met: Met) -> bool:
            went_well = met.step.status is event.Status.OK and not is_regretted(met.history, met.at, corrected)
            return went_well and self._settings.good == 0

        met, sessions = meetings([watched for _, watched, _ in wanted], index.events.histories(Selection()), is_out)
        found: dict[str, list[GuardCandidate]] = {}
        for (fix, watched, better), here in zip(wanted, met, strict=True):
            found.setdefault(fix.id, []).append(
                GuardCandidate(
                    watch=watched.watch,
                    better=better,
                    context=watched.context,
                    source=GuardSource.FIX,
                    of=fix.id,
                    reason=fix.signature.phrase,
                    backtest=backtested(watched, here, sessions, _sign, corrected),
                    why=(f"In {fix.sessions} sessions it worked {fix.change.words}.", *_careful(fix)),
                )
            )
        return found

    def _of_rules(
        self, states: Sequence[EntryState], judged: Iterable[Blame], settled: Collection[str]
    ) -> dict[str, list[GuardCandidate]]:
        """By rule, what it says not to do, where that was lately done after the rule was told."""
        index = self._home.index
        every = self._told(states, judged)
        rules = [each for each in every if guard_id(each.context, each.derived.watch) not in settled]
        rules = [each for each in rules if each.since is not None or each.sessions]
        if not rules:
            return {}
        lately = (index.events.counts(Selection()).last or self._home.clock.now()) - LATELY
        watched = [WatchedGuard(each.derived.watch, each.context, None) for each in rules]
        met, sessions = meetings(watched, index.events.histories(Selection(since=lately)))
        corrected = _corrected(index)
        found: dict[str, list[GuardCandidate]] = {}
        for rule, what, here in zip(rules, watched, met, strict=True):
            broken = violations(rule, here)
            if broken:
                candidate = GuardCandidate(
                    watch=what.watch,
                    better=rule.derived.better,
                    context=rule.context,
                    source=GuardSource.RULE,
                    of=rule.of,
                    reason=rule.text,
                    backtest=backtested(what, here, sessions, _sign, corrected),
                    violated=len(broken),
                    why=(
                        f"Your rule “{rule.text}” was told and not kept {len(broken)} times:",
                        *map(_violation, broken),
                    ),
                )
                found.setdefault(f"{rule.of}: {what.watch}", []).append(candidate)  # a file may hold many rules
        return found

    def _of_refusals(self, states: Sequence[EntryState], settled: Collection[str]) -> dict[str, list[GuardCandidate]]:
        """By lesson, the call that the user refused or stopped, where it is one that cannot be taken back.

        A word before such a call is mostly read when it is done, so the user is asked whether it is to be watched for.
        """
        wanted = [
            (state, state.entry.trigger, WatchedGuard(watch, state.context, None))
            for state in states
            if state.entry.trigger is not None and state.entry.trigger.cause in _REFUSED and not state.is_over
            if (watch := guard_watch(state.entry.trigger)) and guard_id(state.context, watch) not in settled
        ]
        if not wanted:
            return {}
        index = self._home.index
        met, sessions = meetings([each for _, _, each in wanted], index.events.histories(Selection()))
        corrected = _corrected(index)
        return {
            f"{state.entry.id}: {watched.watch}": [
                GuardCandidate(
                    watch=watched.watch,
                    better="",
                    context=watched.context,
                    source=GuardSource.RULE,
                    of=state.entry.id,
                    reason=state.text,
                    backtest=backtested(watched, here, sessions, _sign, corrected),
                    refused=True,
                    why=(f"On {state.last:%Y-%m-%d} the agent {trigger.did}, you stopped it and said: “{state.text}”",),
                )
            ]
            for (state, trigger, watched), here in zip(wanted, met, strict=True)
        }

    def _told(self, states: Sequence[EntryState], judged: Iterable[Blame]) -> Iterator[ToldRule]:
        """The rules that say plainly what not to do, each with when agents were told it."""
        for state in states:
            said = state.entry.origin is EntryOrigin.STATED or state.status is EntryStatus.PROMOTED or state.confirmed
            what = stated(state.text) if said and not state.is_over and not state.conflicts else None
            if what is None:
                continue
            id_ = rule_id(state.entry.id)
            given = [each for each in self._home.ledger.exposures.of(id_) if each.arm is Arm.GIVEN]
            sessions = {(each.agent, each.session): each.at for each in reversed(given)}
            lines = [
                each.at for each in self._home.ledger.changes.of(machine=self._home.machine) if _is_line(each.deed, id_)
            ]
            yield ToldRule(state.entry.id, state.text, state.context, what, min(lines, default=None), sessions)
        for blame in judged:
            context = self._projects.context_of(Path(blame.file.root)) if blame.file.root else ""
            for effect in blame.effects:
                line = effect.line
                what = stated(line.text) if line.rule and "wisen:R-" not in line.text else None
                if what is not None:
                    yield ToldRule(blame.file.path, wording(line.text), context, what, line.born, {})


def live(home: Home, state: GuardState) -> Fared:
    """How a guard has fared live."""
    exposures = home.ledger.exposures.of(state.guard.id)
    if not exposures and state.mode not in ACTIONS:
        return fared((), {}, (), state.since)
    began = min((each.at for each in exposures), default=state.since)
    calls = calls_in(home.index.events.histories(Selection(since=began - AROUND))) if exposures else {}
    return fared(exposures, calls, home.ledger.moves.of(state.guard.id), state.since)


def backtest(home: Home, watched: WatchedGuard) -> Backtest:
    """A guard, run over everything that was recorded."""
    (met,), sessions = meetings([watched], home.index.events.histories(Selection()))
    return backtested(watched, met, sessions, _sign, _corrected(home.index))


def signature_of(home: Home, guard: Guard) -> Signature | None:
    """The failures that a guard is about; None where it is about no failure."""
    if guard.source is not GuardSource.FIX:
        return None
    return next((fix.signature for fix in home.index.findings.fixes(Selection()) if fix.id == guard.of), None)


def _careful(fix: Fix) -> tuple[str, ...]:
    return (
        ()
        if fix.danger is Danger.NONE
        else (f"Careful: what worked is not known to be harmless ({fix.danger.value}).",)
    )


def _is_line(deed: object, id_: str) -> bool:
    return isinstance(deed, Line) and deed.id == id_


def _violation(met: Met) -> str:
    return f"{met.step.at:%Y-%m-%d}, {met.history.agent} {met.history.native[:8]}: {shown([met])[0]}"


def _sign(step: Step) -> Signature:
    return about(tool=step.tool, arguments=step.arguments, text=step.text).signature


def _corrected(index: Index) -> frozenset[tuple[str, str]]:
    """What the user said to correct the agent, by session and message."""
    return frozenset(
        (each.native, each.said.message)
        for each in index.findings.signals(Selection())
        if each.said.signal.kind is SignalKind.CORRECTION
    )
