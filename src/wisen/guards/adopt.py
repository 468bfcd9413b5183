"""Decides which guards are proposed, with what they would have done, and which go back to shadow."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from wisen.model.change import tokens
from wisen.model.entry import Answer, MoveKind, Proposal, ProposalType
from wisen.model.guard import ACTIONS, Guard, GuardSource, Mode, guard_id, version_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime

    from wisen.guards.settings import GuardPolicy
    from wisen.model.backtest import Backtest
    from wisen.model.entry import Move
    from wisen.model.entry_state import Asked
    from wisen.model.guard import Fared, GuardState
    from wisen.store.scribe import Scribe

_HYPOTHESES = {
    GuardSource.FIX: "Once the agent is told before the call, it does not fail in this way again.",
    GuardSource.RULE: "Once the agent is told before the call, it keeps to your rule.",
}


_MOST_GOOD = 5
"""So many calls of a kind that the user refused may have gone well; with more of them a guard would be in the way."""


class GuardCandidate(NamedTuple):
    """Something that could be watched for, tried on the past."""

    watch: str
    better: str
    context: str
    source: GuardSource
    of: str
    reason: str
    backtest: Backtest
    violated: int = 0
    """How often a rule was not kept after it was told; for guards that are made of rules."""
    why: tuple[str, ...] = ()
    """What else speaks for it."""
    refused: bool = False
    """Whether the user refused or stopped such a call, and it is one that cannot be taken back."""

    @property
    def id(self) -> str:
        """The id of the guard that it would be."""
        return guard_id(self.context, self.watch)


def is_ready(candidate: GuardCandidate, policy: GuardPolicy) -> bool:
    """Whether the past speaks for a guard: it would have helped often enough and was never in the way."""
    tested = candidate.backtest
    if candidate.source is GuardSource.RULE:
        return candidate.violated >= policy.violations or (candidate.refused and tested.good <= _MOST_GOOD)
    return tested.helped >= policy.sessions and tested.good <= policy.good


def is_clear(tested: Backtest | None, policy: GuardPolicy) -> bool:
    """Whether the past speaks for a guard so clearly that nobody needs to be asked, where everything may happen so."""
    return tested is not None and tested.low >= policy.precision and tested.good == 0


def unclear(before: Iterable[Asked], policy: GuardPolicy) -> list[Proposal]:
    """Proposals of guards that nobody answered yet, and for which the past did not speak clearly."""
    waiting = [each.proposal for each in before if each.answer is None]
    return [each for each in waiting if each.backtest is not None and not is_clear(each.backtest, policy)]


def outgrown(candidates: Iterable[GuardCandidate], before: Iterable[Asked], policy: GuardPolicy) -> list[Proposal]:
    """Proposals that wait with little to show, where the past speaks clearly by now: they are made anew."""
    clear = {each.id for each in candidates if is_clear(each.backtest, policy)}
    return [each for each in unclear(before, policy) if each.entry in clear]


def offered(
    candidates: Iterable[GuardCandidate], states: Sequence[GuardState], before: Sequence[Asked], scribe: Scribe
) -> list[Guard | Proposal]:
    """Guards that are new, in shadow, each with a proposal; one that was refused or is at work does not come again."""
    known = {state.guard.id: state for state in states}
    last = {each.proposal.entry: each for each in before if each.proposal.type is ProposalType.GUARD}
    rows: list[Guard | Proposal] = []
    made: dict[str, GuardCandidate] = {}
    for each in candidates:
        made.setdefault(each.id, each)  # two lessons may come to the same guard: it is made of the first
    for each in made.values():
        asked = last.get(each.id)
        if each.id in known and not (asked is not None and _may_ask_again(each, known[each.id], asked)):
            continue
        guard = _guard(each, scribe)
        if each.id not in known:
            rows.append(guard)
        follows = "" if asked is None else asked.proposal.id
        rows.append(structs.replace(_proposal(guard, each, scribe), follows=follows))
    return rows


def waiting_for_more(before: Iterable[Asked]) -> frozenset[str]:
    """The guards whose last proposal was skipped or expired: new evidence may bring them back."""
    last = {each.proposal.entry: each.answer for each in before if each.proposal.type is ProposalType.GUARD}
    return frozenset(id_ for id_, answer in last.items() if answer in (Answer.SKIPPED, Answer.EXPIRED))


def expired(
    before: Iterable[Asked], states: Iterable[GuardState], now: datetime, days: int
) -> list[tuple[Proposal, Answer]]:
    """The proposals of guards that are over: the user decided elsewhere, or they waited too long."""
    modes = {state.guard.id: state.mode for state in states}
    found = []
    for each in before:
        mode = modes.get(each.proposal.entry)
        if each.proposal.type is not ProposalType.GUARD or not each.waits or mode is None:
            continue
        if mode in ACTIONS:
            found.append((each.proposal, Answer.APPROVED))
        elif mode in (Mode.OFF, Mode.REMOVED):
            found.append((each.proposal, Answer.REJECTED))
        elif now - each.at > timedelta(days=days):
            found.append((each.proposal, Answer.EXPIRED))
    return found


def taken_back(
    states: Iterable[GuardState], fared: Callable[[GuardState], Fared], policy: GuardPolicy, scribe: Scribe
) -> list[Move | Proposal]:
    """Guards that the user overruled too often go back to shadow, and he is asked what shall become of them."""
    rows: list[Move | Proposal] = []
    for state in states:
        if state.mode not in ACTIONS:
            continue
        live = fared(state)
        if live.overruled < policy.overruled:
            continue
        why = f"you overruled it {live.overruled} times"
        rows.append(scribe.move(state.guard.id, MoveKind.GUARD, Mode.SHADOW, why=why))
        rows.append(
            _asked(
                state.guard,
                f"You overruled this guard {live.overruled} times, so it is back in shadow and does nothing.\n"
                f"Approve it to have it {state.guard.action.value} again; reject it to switch it off.",
                "It was right after all.",
                live.overruled,
                None,
                scribe,
            )
        )
    return rows


def told(backtest: Backtest, source: GuardSource) -> tuple[str, ...]:
    """What a backtest came to, in words. What a rule speaks against needs not to fail."""
    if not backtest.sessions:
        return ("No session is recorded yet that it could be tried on.",)
    if not backtest.calls:
        return (f"Over {backtest.sessions} recorded sessions it would have met no call.",)
    if source is not GuardSource.FIX:
        wrong = backtest.met + backtest.bad
        met = f"{_many(backtest.calls, 'call')}: {backtest.good} that went well, {wrong} that did not"
        lines = [f"Over {backtest.sessions} recorded sessions it would have met {met}."]
        return (*lines, *(f"It would have met: {each}" for each in (*backtest.examples, *backtest.hit)))
    hidden = f" ({backtest.masked} of them hidden from the agent)" if backtest.masked else ""
    met = f"{_many(backtest.met, 'call')} that failed in this way{hidden}, in {_many(backtest.helped, 'session')}"
    good = _many(backtest.good, "good call")
    lines = [f"Over {backtest.sessions} recorded sessions it would have met {met}, and {good}."]
    if backtest.bad or backtest.open:
        lines.append(
            f"Besides, {_many(backtest.bad, 'call')} that went wrong otherwise, and {backtest.open} that never ran."
        )
    if backtest.met:
        lines.append(f"When it speaks, it is right at least {backtest.low:.0%} of the time (95 % confidence).")
    lines += [f"It would have met: {each}" for each in backtest.examples]
    lines += [f"It would have been in the way of: {each}" for each in backtest.hit]
    return tuple(lines)


def _may_ask_again(candidate: GuardCandidate, state: GuardState, asked: Asked) -> bool:
    """One that was skipped or expired in shadow waits for new evidence; one that was overruled waits for the user."""
    seen = max(candidate.backtest.helped, candidate.violated)
    over = asked.answer in (Answer.SKIPPED, Answer.EXPIRED) and asked.proposal.backtest is not None
    return state.mode is Mode.SHADOW and over and seen > asked.proposal.sessions


def _guard(candidate: GuardCandidate, scribe: Scribe) -> Guard:
    return Guard(
        id=candidate.id,
        version=version_of(candidate.watch, candidate.better, Mode.WARN),
        machine=scribe.machine,
        at=scribe.clock.now(),
        context=candidate.context,
        watch=candidate.watch,
        better=candidate.better,
        reason=candidate.reason,
        source=candidate.source,
        of=candidate.of,
    )


def _proposal(guard: Guard, candidate: GuardCandidate, scribe: Scribe) -> Proposal:
    why = "\n".join((*candidate.why, *told(candidate.backtest, candidate.source)))
    sessions = max(candidate.backtest.helped, candidate.violated)
    return _asked(guard, why, _HYPOTHESES[candidate.source], sessions, candidate.backtest, scribe)


def _asked(
    guard: Guard, why: str, hypothesis: str, sessions: int, backtest: Backtest | None, scribe: Scribe
) -> Proposal:
    return Proposal(
        id=scribe.ids.new(),
        machine=scribe.machine,
        at=scribe.clock.now(),
        type=ProposalType.GUARD,
        entry=guard.id,
        context=guard.context,
        text=guard.form,
        path="",
        heading="",
        why=why,
        hypothesis=hypothesis,
        risk="low",
        effort="low",
        impact="high" if sessions >= 3 else "medium",
        tokens=tokens(guard.form.encode("utf-8", "surrogatepass")),
        sessions=sessions,
        backtest=backtest,
    )


def _many(number: int, what: str) -> str:
    return f"{number or 'no'} {what}{'' if number == 1 else 's'}"


def first_ready(ranked: Mapping[str, Sequence[GuardCandidate]], policy: GuardPolicy) -> list[GuardCandidate]:
    """Of each fix or rule the most general candidate that the past speaks for."""
    found = (next((each for each in row if is_ready(each, policy)), None) for row in ranked.values())
    return [each for each in found if each is not None]
