"""Makes proposals of entries that are ready, each with everything by which a person can judge it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from msgspec import structs

from wisen.lessons.conflicts import unsettled_entry_ids
from wisen.lessons.widen import widened
from wisen.model.change import tokens
from wisen.model.context import EVERYWHERE
from wisen.model.entry import Answer, Category, EntryType, Origin, Priority, Proposal, ProposalType, Status
from wisen.text.sameness import Lessons
from wisen.text.standing_alone import is_of_the_moment, stands_alone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from wisen.edits.permission import PromotePolicy
    from wisen.edits.targets import Target
    from wisen.model.entry import Entry, Occurrence
    from wisen.model.entry_state import Asked, EntryState
    from wisen.store.ledger_port import Scribe

_QUOTES = 3
_SUGGESTED = ProposalType.SUGGESTION
_HYPOTHESIS = "Once the agent is told this, you will not have to say it again."


def is_ready(state: EntryState, seen: Sequence[Occurrence], policy: PromotePolicy) -> bool:
    """Whether an entry may become a rule: it was stated as one, came up often enough, or is likely meant to last."""
    entry = state.entry
    if entry.type is not EntryType.LEARNING and not state.confirmed:
        return False  # a wish is no rule, and a fix reaches the agent when the call fails
    if entry.origin is Origin.MEASURED and not state.confirmed:
        return False  # what was only seen is a hint
    stated = entry.origin is Origin.STATED
    if state.confirmed:
        return True
    least = {Category.PREFERENCE: policy.stated, Category.CORRECTION: policy.durable}
    of_the_moment = is_of_the_moment(entry.details) and not state.lasting
    if stated and entry.category in least and state.durable >= least[entry.category] and not of_the_moment:
        return True
    recent = [each for each in seen if each.at > state.last - timedelta(days=policy.days)]
    return len(recent) >= policy.occurrences and len({(each.agent, each.session) for each in recent}) >= policy.sessions


def proposed(
    states: Sequence[EntryState],
    seen: Callable[[str], Sequence[Occurrence]],
    before: Sequence[Asked],
    target: Callable[[Entry, Sequence[Occurrence], str], Target | None],
    policy: PromotePolicy,
    scribe: Scribe,
) -> list[Proposal]:
    """Proposals for what is ready and was not asked before; what was rejected does not come back in other words.

    What was inferred against something else that was inferred is for a person to decide first: neither is proposed.
    """
    refused = Lessons()
    for each in before:
        if each.answer is Answer.REJECTED and each.proposal.type not in (
            ProposalType.GUARD,
            ProposalType.FIX,
            _SUGGESTED,
        ):
            refused.add(each.proposal.id, each.proposal.text)
    last = {
        (each.proposal.entry, each.proposal.context): each for each in before if each.proposal.type is not _SUGGESTED
    }
    wide = widened(states)
    opposed = unsettled_entry_ids(states)
    ready = []
    for state in states:
        many = wide.get(state.entry.id)
        promoted = state.status is Status.PROMOTED and many is not None
        if state.is_over or not (promoted or state.status is Status.PENDING) or state.entry.id in opposed:
            continue
        scope = state.context if many is None else EVERYWHERE
        asked_last = last.get((state.entry.id, scope))
        if not (state.confirmed or stands_alone(state.text)) or not _may_ask(state, asked_last, refused):
            continue
        evidence = seen(state.entry.id)
        if promoted or is_ready(state, evidence, policy):
            ready.append((state, evidence, scope, many or 0))
    ready.sort(key=lambda each: (-_worth(each[0]), each[0].entry.id))
    # What agents suggest must not keep out what the user said.
    room = max(0, policy.most - sum(each.waits and each.proposal.type is not _SUGGESTED for each in before))
    return [
        structs.replace(
            _proposal(state, _why(state, evidence, many), scope, place, scribe),
            follows=before_it.proposal.id if (before_it := last.get((state.entry.id, scope))) else "",
        )
        for state, evidence, scope, many in ready[:room]
        if (place := target(state.entry, evidence, scope)) is not None
    ]


def expired(
    before: Iterable[Asked], states: Iterable[EntryState], now: datetime, policy: PromotePolicy
) -> list[tuple[Proposal, Answer]]:
    """The proposals that are over: they waited too long, or a person decided about the entry elsewhere."""
    by_id = {state.entry.id: state for state in states}
    found = []
    for each in before:
        state = by_id.get(each.proposal.entry)
        late = now - each.at > timedelta(days=policy.expires_days)
        if each.waits and each.proposal.type is _SUGGESTED:
            decided = state is not None and (state.is_over or state.status is Status.PROMOTED)
            found += [(each.proposal, Answer.EXPIRED)] if late or decided else []
            continue
        if not each.waits or state is None:
            continue
        widens = each.proposal.context == EVERYWHERE != state.context
        if state.status is Status.PROMOTED and not widens and not each.proposal.replaces:
            found.append((each.proposal, Answer.APPROVED))
        elif state.status is Status.WONT_FIX:
            found.append((each.proposal, Answer.REJECTED))
        elif state.is_over or late:
            found.append((each.proposal, Answer.EXPIRED))
    return found


def proven(state: EntryState, told: str, target: Target, scribe: Scribe) -> Proposal:
    """The proposal of what a trial confirmed: it proved itself as a hint, and may become a rule."""
    made = _proposal(state, f"A trial showed that it helps: {told}.", state.context, target, scribe)
    return structs.replace(made, type=ProposalType.VERIFICATION, hypothesis="It goes on helping once a file tells it.")


class OldLine(Protocol):
    """A line in a file that says what no longer holds."""

    @property
    def of(self) -> EntryState:
        """The entry that it was put in for."""
        ...

    @property
    def line(self) -> str:
        """Its id."""
        ...

    @property
    def text(self) -> str:
        """What it says."""
        ...

    @property
    def target(self) -> Target:
        """Where it stands."""
        ...


def replacement(
    state: EntryState, evidence: Sequence[Occurrence], old: OldLine, follows: str, scribe: Scribe
) -> Proposal:
    """The proposal to put what holds now in the place of a line that says what no longer holds."""
    name = Path(old.target.path).name
    if old.of.entry.id == state.entry.id:
        why = f"You worded it otherwise; {name} still says “{old.text}”."
    else:
        why = f"You said it later than “{old.text}” ({old.of.entry.name}), which {name} still says."
    made = _proposal(state, "\n".join((why, _why(state, evidence, 0))), state.context, old.target, scribe)
    return structs.replace(made, replaces=old.line, follows=follows)


def _may_ask(state: EntryState, last: Asked | None, refused: Lessons) -> bool:
    """Whether it was not asked before; a skipped or expired one waits for new evidence."""
    if last is not None and last.answer is Answer.REJECTED:
        return state.status is Status.PENDING and state.last > last.at  # it was said again, and stands again
    if last is not None:
        return last.answer in (Answer.SKIPPED, Answer.EXPIRED) and state.sessions > last.proposal.sessions
    return refused.find(state.text) is None


def _worth(state: EntryState) -> float:
    """Which are asked about first: what came up in most sessions, then what he stated as a rule, then what lasts."""
    stated = state.entry.category is Category.PREFERENCE
    return 10.0 * state.sessions + 5.0 * stated + state.durable


def _proposal(state: EntryState, why: str, scope: str, target: Target, scribe: Scribe) -> Proposal:
    critical = state.priority is Priority.CRITICAL
    return Proposal(
        id=scribe.ids.new(),
        machine=scribe.machine,
        at=scribe.clock.now(),
        type=ProposalType.CRITICAL_FIX if critical else ProposalType.PROMOTION,
        entry=state.entry.id,
        context=scope,
        text=state.text,
        path=target.path,
        heading=target.heading,
        why=why,
        hypothesis=_HYPOTHESIS,
        risk="medium" if target.path.endswith(("SOUL.md", "AGENTS.md", "CLAUDE.md")) else "low",
        effort="low",
        impact="high" if critical or state.sessions >= 3 else "medium" if state.sessions == 2 else "low",
        tokens=tokens(f"- {state.text} <!-- wisen:R-00000000 -->\n".encode()),
        sessions=state.sessions,
    )


def _why(state: EntryState, evidence: Sequence[Occurrence], projects: int) -> str:
    """In how many sessions, and in which words; and why it may hold everywhere, where it is proposed so."""
    many = (
        "once" if state.times == 1 else f"{state.times} times in {state.sessions} session{'s' * (state.sessions != 1)}"
    )
    lines = [f"You said it {many}."]
    if state.everywhere:
        lines.append("You said that it holds in all your projects.")
    elif projects:
        lines.append(f"You made it a rule in {projects} projects.")
    for each in [*reversed(evidence)][:_QUOTES]:
        lines.append(f"“{each.quote}” ({each.at:%Y-%m-%d}, {each.agent} {each.session[:8]})")
    return "\n".join(lines)
