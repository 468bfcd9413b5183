"""Makes proposals of entries that are ready, each with everything by which a person can judge it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from msgspec import structs

from wisen.decisions.proposal_rows import describe_evidence, rule_proposal
from wisen.model.context import EVERYWHERE
from wisen.model.entry import Answer, Category, EntryOrigin, EntryStatus, EntryType, Proposal, ProposalType
from wisen.model.entry_state import unsettled_entry_ids
from wisen.proposals.widen import widened
from wisen.text.entry_standing import EntryStanding, needs_wording, standing_of
from wisen.text.sameness import Lessons

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from wisen.edits.permission import PromotePolicy
    from wisen.edits.targets import Target
    from wisen.model.entry import Entry, Occurrence
    from wisen.model.entry_state import EntryState, ProposalState
    from wisen.store.row_factory import RowFactory

_SUGGESTED = ProposalType.SUGGESTION


def is_ready(state: EntryState, seen: Sequence[Occurrence], policy: PromotePolicy) -> bool:
    """Whether an entry may become a rule: it stands, or came up often enough. How likely it lasts decides nothing."""
    entry = state.entry
    if state.confirmed:
        return True
    if entry.type is not EntryType.LEARNING:
        return False  # a wish is no rule, and a fix reaches the agent when the call fails
    if entry.origin is EntryOrigin.MEASURED:
        return False  # what was only seen is a hint
    standing = standing_of(state)
    if standing.stands:
        return True
    if standing in (EntryStanding.PASSING, EntryStanding.REMARK):
        return False
    recent = [each for each in seen if each.at > state.last - timedelta(days=policy.days)]
    sessions = len({(each.agent, each.session) for each in recent})
    corrected = entry.origin is EntryOrigin.STATED and entry.category is Category.CORRECTION
    return sessions >= policy.sessions and (corrected or len(recent) >= policy.occurrences)


def proposed(
    states: Sequence[EntryState],
    seen: Callable[[str], Sequence[Occurrence]],
    before: Sequence[ProposalState],
    target: Callable[[Entry, Sequence[Occurrence], str], Target | None],
    policy: PromotePolicy,
    factory: RowFactory,
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
        promoted = state.status is EntryStatus.PROMOTED and many is not None
        if state.is_over or not (promoted or state.status is EntryStatus.PENDING) or state.entry.id in opposed:
            continue
        scope = state.context if many is None else EVERYWHERE
        asked_last = last.get((state.entry.id, scope))
        if not _may_ask(state, asked_last, refused):
            continue
        evidence = seen(state.entry.id)
        if promoted or is_ready(state, evidence, policy):
            ready.append((state, evidence, scope, many or 0))
    ready.sort(key=lambda each: (-_worth(each[0]), each[0].entry.id))
    # What agents suggest must not keep out what the user said.
    room = max(0, policy.most - sum(each.is_waiting and each.proposal.type is not _SUGGESTED for each in before))
    return [
        structs.replace(
            rule_proposal(state, describe_evidence(state, evidence, many), scope, place, factory),
            follows=before_it.proposal.id if (before_it := last.get((state.entry.id, scope))) else "",
            unworded=needs_wording(state),
        )
        for state, evidence, scope, many in ready[:room]
        if (place := target(state.entry, evidence, scope)) is not None
    ]


def expired(
    before: Iterable[ProposalState], states: Iterable[EntryState], now: datetime, policy: PromotePolicy
) -> list[tuple[Proposal, Answer]]:
    """The proposals that are over: they waited too long, or a person decided about the entry elsewhere."""
    by_id = {state.entry.id: state for state in states}
    found = []
    for each in before:
        state = by_id.get(each.proposal.entry)
        late = now - each.at > timedelta(days=policy.expires_days)
        if each.is_waiting and each.proposal.type is _SUGGESTED:
            decided = state is not None and (state.is_over or state.status is EntryStatus.PROMOTED)
            found += [(each.proposal, Answer.EXPIRED)] if late or decided else []
            continue
        if not each.is_waiting or state is None:
            continue
        widens = each.proposal.context == EVERYWHERE != state.context
        if state.status is EntryStatus.PROMOTED and not widens and not each.proposal.replaces:
            found.append((each.proposal, Answer.APPROVED))
        elif state.status is EntryStatus.WONT_FIX:
            found.append((each.proposal, Answer.REJECTED))
        elif state.is_over or late:
            found.append((each.proposal, Answer.EXPIRED))
    return found


def _may_ask(state: EntryState, last: ProposalState | None, refused: Lessons) -> bool:
    """Whether it was not asked before; a skipped or expired one waits for new evidence."""
    if last is not None and last.answer is Answer.REJECTED:
        return state.status is EntryStatus.PENDING and state.last > last.at  # it was said again, and stands again
    if last is not None:
        return last.answer in (Answer.SKIPPED, Answer.EXPIRED) and state.sessions > last.proposal.sessions
    return refused.find(state.text) is None


def _worth(state: EntryState) -> float:
    """Which are asked about first: what came up in most sessions, then what stands, then what is likely to last."""
    return 10.0 * state.sessions + 5.0 * standing_of(state).stands + state.durable
