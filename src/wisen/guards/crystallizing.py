"""The step of a turn that makes guards: of fixes that helped, and of rules that were told and not kept."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.delivery.derive import derived
from wisen.delivery.holding_back import RulesInForce
from wisen.delivery.stated import stated, wording
from wisen.edits.permission import Profile
from wisen.guards.adopt import Candidate, expired, first_ready, offered, outgrown, taken_back, unclear, waiting_for_more
from wisen.guards.backtest_history import Watched, backtested, is_regretted, meetings, shown
from wisen.guards.escalate import Told, violations
from wisen.guards.live import AROUND, calls_in, fared
from wisen.mining.signatures import about
from wisen.model import event
from wisen.model.change import Line
from wisen.model.entry import Answer, MoveKind, Origin, Proposal, Status, rule_id
from wisen.model.entry_state import asked
from wisen.model.exposure import Arm
from wisen.model.fix import Danger
from wisen.model.guard import ACTIONS, GuardSource, guard_id, guard_states
from wisen.model.report import Selection
from wisen.model.signal import SignalKind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from wisen.guards.backtest_history import Met
    from wisen.model.backtest import Backtest
    from wisen.model.entry_state import EntryState
    from wisen.model.failure import Signature
    from wisen.model.fix import Fix
    from wisen.model.guard import Fared, Guard, GuardState
    from wisen.model.history import Step
    from wisen.model.instruction import Blame
    from wisen.parts import Parts

LATELY = timedelta(days=90)
"""How far back violations of rules count."""


def crystallize(parts: Parts, fixes: Iterable[Fix], states: Sequence[EntryState], judged: Iterable[Blame]) -> int:
    """Propose guards that the recorded past speaks for, and take back those that the user overrules.

    Returns by how many more proposals wait.
    """
    ledger, scribe = parts.ledger, parts.scribe
    moves = ledger.moves()
    known = guard_states(ledger.guards(), moves)
    before = asked(ledger.proposals(), moves)
    over = expired(before, known, parts.clock.now(), parts.promote.expires_days)
    may_grow = waiting_for_more(before)
    if parts.promote.profile == Profile.AUTONOMOUS:
        may_grow |= {each.entry for each in unclear(before, parts.guards)}
    settled = {state.guard.id for state in known} - may_grow
    ready = first_ready(
        {**_of_fixes(parts, fixes, states, settled), **_of_rules(parts, states, judged, settled)}, parts.guards
    )
    over += [(each, Answer.EXPIRED) for each in outgrown(ready, before, parts.guards)]
    ended = [scribe.move(proposal.id, MoveKind.ANSWER, given) for proposal, given in over]
    rows = offered(ready, known, asked(ledger.proposals(), [*moves, *ended]), scribe)
    back = taken_back(known, lambda state: live(parts, state), parts.guards, scribe)
    if rows or back or ended:
        ledger.enter([*ended, *rows, *back])
    return sum(isinstance(row, Proposal) for row in (*rows, *back)) - len(ended)


def live(parts: Parts, state: GuardState) -> Fared:
    """How a guard has fared live."""
    exposures = parts.ledger.exposures(state.guard.id)
    if not exposures and state.mode not in ACTIONS:
        return fared((), {}, (), state.since)
    began = min((each.at for each in exposures), default=state.since)
    calls = calls_in(parts.index.histories(Selection(since=began - AROUND))) if exposures else {}
    return fared(exposures, calls, parts.ledger.moves(state.guard.id), state.since)


def backtest(parts: Parts, watched: Watched) -> Backtest:
    """A guard, run over everything that was recorded."""
    (met,), sessions = meetings([watched], parts.index.histories(Selection()))
    return backtested(watched, met, sessions, _sign, _corrected(parts))


def signature_of(parts: Parts, guard: Guard) -> Signature | None:
    """The failures that a guard is about; None where it is about no failure."""
    if guard.source is not GuardSource.FIX:
        return None
    return next((fix.signature for fix in parts.index.fixes(Selection()) if fix.id == guard.of), None)


def _of_fixes(
    parts: Parts, fixes: Iterable[Fix], states: Sequence[EntryState], settled: Collection[str]
) -> dict[str, list[Candidate]]:
    """By fix, what could be watched for, the most general first; only what is not settled yet is tried on the past.

    Most of it ends early: too few sessions failed so, or a good call is in the way.
    """
    failing = {each.signature: each.sessions for each in parts.index.failures(Selection())}
    wanted: list[tuple[Fix, Watched, str]] = []
    rules = RulesInForce(parts, states)
    for fix in fixes:
        if not fix.is_known or failing.get(fix.signature, 0) < parts.guards.sessions:
            continue
        evidence = parts.index.evidence(fix.id)
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
                wanted.append((fix, Watched(each.watch, context, fix.signature), each.better))
    if not wanted:
        return {}
    corrected = _corrected(parts)

    def is_out(met: Met) -> bool:
        went_well = met.step.status is event.Status.OK and not is_regretted(met.history, met.at, corrected)
        return went_well and parts.guards.good == 0

    met, sessions = meetings([watched for _, watched, _ in wanted], parts.index.histories(Selection()), is_out)
    found: dict[str, list[Candidate]] = {}
    for (fix, watched, better), here in zip(wanted, met, strict=True):
        found.setdefault(fix.id, []).append(
            Candidate(
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


def _careful(fix: Fix) -> tuple[str, ...]:
    return (
        ()
        if fix.danger is Danger.NONE
        else (f"Careful: what worked is not known to be harmless ({fix.danger.value}).",)
    )


def _of_rules(
    parts: Parts, states: Sequence[EntryState], judged: Iterable[Blame], settled: Collection[str]
) -> dict[str, list[Candidate]]:
    """By rule, what it says not to do, where that was lately done after the rule was told."""
    every = _told(parts, states, judged)
    rules = [each for each in every if guard_id(each.context, each.derived.watch) not in settled]
    rules = [each for each in rules if each.since is not None or each.sessions]
    if not rules:
        return {}
    lately = (parts.index.counts(Selection()).last or parts.clock.now()) - LATELY
    watched = [Watched(each.derived.watch, each.context, None) for each in rules]
    met, sessions = meetings(watched, parts.index.histories(Selection(since=lately)))
    corrected = _corrected(parts)
    found: dict[str, list[Candidate]] = {}
    for rule, what, here in zip(rules, watched, met, strict=True):
        broken = violations(rule, here)
        if broken:
            candidate = Candidate(
                watch=what.watch,
                better=rule.derived.better,
                context=rule.context,
                source=GuardSource.RULE,
                of=rule.of,
                reason=rule.text,
                backtest=backtested(what, here, sessions, _sign, corrected),
                violated=len(broken),
                why=(f"Your rule “{rule.text}” was told and not kept {len(broken)} times:", *map(_violation, broken)),
            )
            found.setdefault(f"{rule.of}: {what.watch}", []).append(candidate)  # a file may hold many rules
    return found


def _told(parts: Parts, states: Sequence[EntryState], judged: Iterable[Blame]) -> Iterator[Told]:
    """The rules that say plainly what not to do, each with when agents were told it."""
    for state in states:
        said = state.entry.origin is Origin.STATED or state.status is Status.PROMOTED or state.confirmed
        what = stated(state.text) if said and not state.is_over and not state.conflicts else None
        if what is None:
            continue
        id_ = rule_id(state.entry.id)
        given = [each for each in parts.ledger.exposures(id_) if each.arm is Arm.GIVEN]
        sessions = {(each.agent, each.session): each.at for each in reversed(given)}
        lines = [each.at for each in parts.ledger.changes(machine=parts.machine) if _is_line(each.deed, id_)]
        yield Told(state.entry.id, state.text, state.context, what, min(lines, default=None), sessions)
    for blame in judged:
        context = parts.context_of(Path(blame.file.root)) if blame.file.root else ""
        for effect in blame.effects:
            line = effect.line
            what = stated(line.text) if line.rule and "wisen:R-" not in line.text else None
            if what is not None:
                yield Told(blame.file.path, wording(line.text), context, what, line.born, {})


def _is_line(deed: object, id_: str) -> bool:
    return isinstance(deed, Line) and deed.id == id_


def _violation(met: Met) -> str:
    return f"{met.step.at:%Y-%m-%d}, {met.history.agent} {met.history.native[:8]}: {shown([met])[0]}"


def _sign(step: Step) -> Signature:
    return about(tool=step.tool, arguments=step.arguments, text=step.text).signature


def _corrected(parts: Parts) -> frozenset[tuple[str, str]]:
    """What the user said to correct the agent, by session and message."""
    return frozenset(
        (each.native, each.said.message)
        for each in parts.index.signals(Selection())
        if each.said.signal.kind is SignalKind.CORRECTION
    )
