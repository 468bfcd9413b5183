"""Decides which guards to propose, given their backtests, and which to move back to shadow mode."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from wisen.model.change import estimate_tokens
from wisen.model.entry import Answer, MoveKind, Proposal, ProposalType
from wisen.model.guard import ACTIONS, Guard, GuardSource, Mode, guard_id, guard_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from wisen.guards.settings import GuardPolicy
    from wisen.model.backtest import Backtest
    from wisen.model.entry import Move
    from wisen.model.entry_state import ProposalState
    from wisen.model.guard import GuardState, GuardStats
    from wisen.store.row_factory import RowFactory

_HYPOTHESES = {
    GuardSource.FIX: "If the agent is warned before the call, it will not fail in this way again.",
    GuardSource.RULE: "If the agent is warned before the call, it will follow your rule.",
}


_MAX_GOOD_CALLS = 5
"""How many calls of a kind that the user refused may have succeeded; with more, a guard would get in the way."""


class GuardCandidate(NamedTuple):
    """A guard that could be proposed, with its backtest."""

    watch: str
    better: str
    context: str
    source: GuardSource
    source_id: str
    reason: str
    backtest: Backtest
    violations: int = 0
    """How often a rule was broken after it was delivered; for guards made from rules."""
    reasons: tuple[str, ...] = ()
    """Further reasons for the guard, shown in the proposal."""
    was_refused: bool = False
    """Whether the user refused or stopped such a call, and it cannot be undone."""

    @property
    def id(self) -> str:
        """The id that the guard would have."""
        return guard_id(self.context, self.watch)


def is_ready(candidate: GuardCandidate, policy: GuardPolicy) -> bool:
    """Whether the backtest supports a guard: it would have helped often enough and was never in the way."""
    tested = candidate.backtest
    if candidate.source is GuardSource.RULE:
        return candidate.violations >= policy.violations or (candidate.was_refused and tested.good <= _MAX_GOOD_CALLS)
    return tested.helped >= policy.sessions and tested.good <= policy.good


def is_convincing(tested: Backtest | None, policy: GuardPolicy) -> bool:
    """Whether a backtest is good enough to adopt a guard without asking, in the autonomous profile."""
    return tested is not None and tested.low >= policy.precision and tested.good == 0


def unconvincing_proposals(before: Iterable[ProposalState], policy: GuardPolicy) -> list[Proposal]:
    """Return the unanswered guard proposals whose backtest was not convincing."""
    waiting = [each.proposal for each in before if each.answer is None]
    return [each for each in waiting if each.backtest is not None and not is_convincing(each.backtest, policy)]


def proposals_to_replace(
    candidates: Iterable[GuardCandidate], before: Iterable[ProposalState], policy: GuardPolicy
) -> list[Proposal]:
    """Return the unconvincing open proposals whose backtest is convincing by now: they are made again."""
    convincing = {each.id for each in candidates if is_convincing(each.backtest, policy)}
    return [each for each in unconvincing_proposals(before, policy) if each.entry in convincing]


def propose_candidates(
    candidates: Iterable[GuardCandidate],
    states: Sequence[GuardState],
    before: Sequence[ProposalState],
    factory: RowFactory,
) -> list[Guard | Proposal]:
    """Build new guards in shadow, each with a proposal; rejected or active guards are not proposed again."""
    known = {state.guard.id: state for state in states}
    last = {each.proposal.entry: each for each in before if each.proposal.type is ProposalType.GUARD}
    rows: list[Guard | Proposal] = []
    unique: dict[str, GuardCandidate] = {}
    for each in candidates:
        unique.setdefault(each.id, each)  # two lessons may lead to the same guard: the first one counts
    for each in unique.values():
        previous = last.get(each.id)
        if each.id in known and not (previous is not None and _may_ask_again(each, known[each.id], previous)):
            continue
        guard = _build_guard(each, factory)
        if each.id not in known:
            rows.append(guard)
        follows = "" if previous is None else previous.proposal.id
        rows.append(structs.replace(_build_candidate_proposal(guard, each, factory), follows=follows))
    return rows


def guards_awaiting_evidence(before: Iterable[ProposalState]) -> frozenset[str]:
    """Return the ids of guards whose last proposal was skipped or expired: new evidence may bring them back."""
    last = {each.proposal.entry: each.answer for each in before if each.proposal.type is ProposalType.GUARD}
    return frozenset(id_ for id_, answer in last.items() if answer in (Answer.SKIPPED, Answer.EXPIRED))


def find_closed_proposals(
    before: Iterable[ProposalState], states: Iterable[GuardState], now: datetime, days: int
) -> list[tuple[Proposal, Answer]]:
    """Return the guard proposals to close: the user decided elsewhere, or they waited too long."""
    modes = {state.guard.id: state.mode for state in states}
    closed = []
    for each in before:
        mode = modes.get(each.proposal.entry)
        if each.proposal.type is not ProposalType.GUARD or not each.is_waiting or mode is None:
            continue
        if mode in ACTIONS:
            closed.append((each.proposal, Answer.APPROVED))
        elif mode in (Mode.OFF, Mode.REMOVED):
            closed.append((each.proposal, Answer.REJECTED))
        elif now - each.at > timedelta(days=days):
            closed.append((each.proposal, Answer.EXPIRED))
    return closed


def demote_overruled(
    states: Iterable[GuardState],
    outcomes_of: Callable[[GuardState], GuardStats],
    policy: GuardPolicy,
    factory: RowFactory,
) -> list[Move | Proposal]:
    """Move guards that the user overruled too often back to shadow, and ask the user what to do with them."""
    rows: list[Move | Proposal] = []
    for state in states:
        if state.mode not in ACTIONS:
            continue
        outcomes = outcomes_of(state)
        if outcomes.overruled < policy.overruled:
            continue
        reason = f"you overruled it {outcomes.overruled} times"
        rows.append(factory.build_move(state.guard.id, MoveKind.GUARD, Mode.SHADOW, why=reason))
        rows.append(
            _build_proposal(
                state.guard,
                f"You overruled this guard {outcomes.overruled} times, so it is back in shadow and does nothing.\n"
                f"Approve it to have it {state.guard.action.value} again; reject it to disable it.",
                "It was right after all.",
                outcomes.overruled,
                None,
                factory,
            )
        )
    return rows


def describe_backtest(backtest: Backtest, source: GuardSource) -> tuple[str, ...]:
    """Describe a backtest in sentences. A call that breaks a rule need not have failed."""
    if not backtest.sessions:
        return ("There is no recorded session yet to test it on.",)
    if not backtest.calls:
        return (f"Over {backtest.sessions} recorded sessions it would have matched no call.",)
    if source is not GuardSource.FIX:
        wrong = backtest.met + backtest.bad
        matched = f"{_count_of(backtest.calls, 'call')}: {backtest.good} that went well, {wrong} that did not"
        lines = [f"Over {backtest.sessions} recorded sessions it would have matched {matched}."]
        return (*lines, *(f"It would have matched: {each}" for each in (*backtest.examples, *backtest.hit)))
    hidden = f" ({backtest.masked} of them hidden from the agent)" if backtest.masked else ""
    matched = (
        f"{_count_of(backtest.met, 'call')} that failed in this way{hidden}, in {_count_of(backtest.helped, 'session')}"
    )
    good = _count_of(backtest.good, "good call")
    lines = [f"Over {backtest.sessions} recorded sessions it would have matched {matched}, and {good}."]
    if backtest.bad or backtest.open:
        lines.append(
            f"Also {_count_of(backtest.bad, 'call')} that went wrong in other ways, and {backtest.open} that never ran."
        )
    if backtest.met:
        lines.append(f"When it fires, it is right at least {backtest.low:.0%} of the time (95 % confidence).")
    lines += [f"It would have matched: {each}" for each in backtest.examples]
    lines += [f"It would have been in the way of: {each}" for each in backtest.hit]
    return tuple(lines)


def _may_ask_again(candidate: GuardCandidate, state: GuardState, previous: ProposalState) -> bool:
    """Whether there is new evidence for a skipped or expired guard; one that was overruled waits for the user."""
    evidence = max(candidate.backtest.helped, candidate.violations)
    was_closed = previous.answer in (Answer.SKIPPED, Answer.EXPIRED) and previous.proposal.backtest is not None
    return state.mode is Mode.SHADOW and was_closed and evidence > previous.proposal.sessions


def _build_guard(candidate: GuardCandidate, factory: RowFactory) -> Guard:
    return Guard(
        id=candidate.id,
        version=guard_version(candidate.watch, candidate.better, Mode.WARN),
        machine=factory.machine,
        at=factory.clock.now(),
        context=candidate.context,
        watch=candidate.watch,
        better=candidate.better,
        reason=candidate.reason,
        source=candidate.source,
        of=candidate.source_id,
    )


def _build_candidate_proposal(guard: Guard, candidate: GuardCandidate, factory: RowFactory) -> Proposal:
    why = "\n".join((*candidate.reasons, *describe_backtest(candidate.backtest, candidate.source)))
    sessions = max(candidate.backtest.helped, candidate.violations)
    return _build_proposal(guard, why, _HYPOTHESES[candidate.source], sessions, candidate.backtest, factory)


def _build_proposal(
    guard: Guard, why: str, hypothesis: str, sessions: int, backtest: Backtest | None, factory: RowFactory
) -> Proposal:
    return Proposal(
        id=factory.ids.new(),
        machine=factory.machine,
        at=factory.clock.now(),
        type=ProposalType.GUARD,
        entry=guard.id,
        context=guard.context,
        text=guard.source_text,
        path="",
        heading="",
        why=why,
        hypothesis=hypothesis,
        risk="low",
        effort="low",
        impact="high" if sessions >= 3 else "medium",
        tokens=estimate_tokens(guard.source_text.encode("utf-8", "surrogatepass")),
        sessions=sessions,
        backtest=backtest,
    )


def _count_of(number: int, noun: str) -> str:
    return f"{number or 'no'} {noun}{'' if number == 1 else 's'}"


def first_ready_candidates(ranked: Mapping[str, Sequence[GuardCandidate]], policy: GuardPolicy) -> list[GuardCandidate]:
    """Return the most general candidate of each fix or rule that its backtest supports."""
    firsts = (next((each for each in row if is_ready(each, policy)), None) for row in ranked.values())
    return [each for each in firsts if each is not None]
