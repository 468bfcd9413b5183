"""Makes proposals from entries that are ready, each with the evidence a person needs to judge it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from msgspec import structs

from wisen.decisions.proposal_rows import describe_evidence, rule_proposal
from wisen.model.context import EVERYWHERE
from wisen.model.entry import Answer, Category, EntryOrigin, EntryStatus, EntryType, Proposal, ProposalType
from wisen.model.entry_state import unsettled_entry_ids
from wisen.proposals.global_candidates import find_global_candidates
from wisen.text.entry_standing import EntryStanding, is_standing, needs_wording, standing_of
from wisen.text.sameness import LessonIndex

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
    """Whether an entry may become a rule: it was stated to last, or came up often enough; durability does not count."""
    entry = state.entry
    if state.confirmed:
        return True
    if entry.type is not EntryType.LEARNING:
        return False  # a feature request is no rule, and a fix is delivered when the call fails
    if entry.origin is EntryOrigin.MEASURED:
        return False  # what was only observed is a hint
    if is_standing(state):
        return True
    recent = [each for each in seen if each.at > state.last - timedelta(days=policy.days)]
    sessions = len({(each.agent, each.session) for each in recent})
    corrected = entry.origin is EntryOrigin.STATED and entry.category is Category.CORRECTION
    if sessions < policy.sessions or not (corrected or len(recent) >= policy.occurrences):
        return False
    return standing_of(state) not in (EntryStanding.PASSING, EntryStanding.REMARK)


def make_proposals(  # noqa: PLR0913 - the inputs of a proposal, each by its name
    states: Sequence[EntryState],
    seen: Callable[[str], Sequence[Occurrence]],
    before: Sequence[ProposalState],
    target: Callable[[Entry, Sequence[Occurrence], str], Target | None],
    policy: PromotePolicy,
    factory: RowFactory,
    *,
    is_concerned: Callable[[str], bool] = lambda _context: True,
) -> list[Proposal]:
    """Propose what is ready and was not asked before; what was rejected does not come back in other words.

    `is_concerned`: whether entries of a context have to be looked at; the others are as they were.
    Two inferred entries that contradict each other need a person's decision first: neither is proposed.
    """
    rejected = LessonIndex()
    for each in before:
        if each.answer is Answer.REJECTED and each.proposal.type not in (
            ProposalType.GUARD,
            ProposalType.FIX,
            ProposalType.SKILL,
            _SUGGESTED,
        ):
            rejected.add(each.proposal.id, each.proposal.text)
    last = {
        (each.proposal.entry, each.proposal.context): each for each in before if each.proposal.type is not _SUGGESTED
    }
    global_candidates = find_global_candidates(states)
    unsettled = unsettled_entry_ids(states)
    ready = []
    for state in states:
        many = global_candidates.get(state.entry.id)
        if many is None and not is_concerned(state.context):
            continue  # one that may become global is ready because of another project
        promoted = state.status is EntryStatus.PROMOTED and many is not None
        if state.is_over or not (promoted or state.status is EntryStatus.PENDING) or state.entry.id in unsettled:
            continue
        scope = state.context if many is None else EVERYWHERE
        asked_last = last.get((state.entry.id, scope))
        if not _may_ask(state, asked_last, rejected):
            continue
        evidence = seen(state.entry.id)
        if promoted or is_ready(state, evidence, policy):
            ready.append((state, evidence, scope, many or 0))
    ready.sort(key=lambda each: (-_rank(each[0]), each[0].entry.id))
    # Agents' suggestions must not crowd out what the user said.
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


def find_expired(
    before: Iterable[ProposalState], states: Iterable[EntryState], now: datetime, policy: PromotePolicy
) -> list[tuple[Proposal, Answer]]:
    """Return the proposals to close: they waited too long, or a person decided about the entry elsewhere."""
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


def _may_ask(state: EntryState, last: ProposalState | None, rejected: LessonIndex) -> bool:
    """Whether it was not asked before; a skipped or expired one waits for new evidence."""
    if last is not None and last.answer is Answer.REJECTED:
        return state.status is EntryStatus.PENDING and state.last > last.at  # it was stated again and is open again
    if last is not None:
        return last.answer in (Answer.SKIPPED, Answer.EXPIRED) and state.sessions > last.proposal.sessions
    return rejected.find(state.text) is None


def _rank(state: EntryState) -> float:
    """Rank proposals: first by the number of sessions, then lasting statements, then by durability."""
    return 10.0 * state.sessions + 5.0 * is_standing(state) + state.durable
