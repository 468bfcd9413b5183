"""Builds the questions about fixes that need the user's approval, and the rows of the answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.entry import Answer, EntryStatus, MoveKind, Proposal, ProposalType

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wisen.model.entry import Actor, Move
    from wisen.model.entry_state import EntryState, ProposalState
    from wisen.model.fix import Fix
    from wisen.store.row_factory import RowFactory

MAX_OPEN = 5
"""How many questions about fixes are open at once: they must not crowd out what the user said."""

MIN_SESSIONS = 2
"""What helped in one session may have been chance: the user is asked when it helped in another."""


def room_for_questions(before: Iterable[ProposalState]) -> int:
    """Return how many more questions about fixes may be open."""
    return max(0, MAX_OPEN - sum(each.is_waiting and each.proposal.type is ProposalType.FIX for each in before))


def askable_fixes(states: Iterable[EntryState], before: Iterable[ProposalState]) -> dict[tuple[str, str], EntryState]:
    """Return the entries about which nobody was asked or has decided yet, by context and tag: the id of the fix."""
    asked = {(each.proposal.entry, each.proposal.context) for each in before if each.proposal.type is ProposalType.FIX}
    entries = {(state.context, tag): state for state in states for tag in state.entry.tags}
    return {
        (context, tag): state
        for (context, tag), state in entries.items()
        if not state.is_over and not state.confirmed and (state.entry.id, context) not in asked
    }


def build_fix_questions(
    waiting_fixes: Sequence[tuple[Fix, str]],
    states: Iterable[EntryState],
    before: Sequence[ProposalState],
    factory: RowFactory,
) -> list[Proposal]:
    """Build questions about fixes that need the user's approval, each once, for the context where it helped."""
    askable = askable_fixes(states, before)
    questions = []
    for fix, context in waiting_fixes:
        state = askable.get((context, fix.id))
        if state is not None and fix.sessions >= MIN_SESSIONS:
            questions.append(_build_question(fix, state, factory))
    return questions[: room_for_questions(before)]


def _build_question(fix: Fix, state: EntryState, factory: RowFactory) -> Proposal:
    many = "1 session" if fix.sessions == 1 else f"{fix.sessions} sessions"
    return Proposal(
        id=factory.ids.new(),
        machine=factory.machine,
        at=factory.clock.now(),
        type=ProposalType.FIX,
        entry=state.entry.id,
        context=state.context,
        text=f"When this fails again ({fix.signature.safe_description}), may agents be given what helped: "
        f"{fix.change.description}?",
        path="",
        heading="",
        why=f"It helped in {many}, last {fix.last:%Y-%m-%d}. It is not delivered without your approval because it "
        f"{_DANGERS.get(fix.danger.value, fix.danger.value)}. Where it comes from: wisen explain {fix.id}",
        hypothesis="With this hint, the failure costs agents one call and not several.",
        risk="medium",
        effort="low",
        impact="high" if fix.sessions >= 3 else "medium" if fix.sessions == 2 else "low",
        tokens=0,
        sessions=fix.sessions,
        follows="",
    )


_DANGERS = {
    "another program": "calls another program",
    "installs something": "installs software",
    "another host": "reaches another host",
    "more rights": "asks for more rights",
    "runs what it fetched": "runs what it fetched",
    "a place outside the project": "concerns a place outside the project",
    "takes a safety away": "removes a safeguard",
    "deletes something": "deletes something",
}


def answer_moves(proposal: Proposal, given: Answer, by: Actor, factory: RowFactory) -> list[Move]:
    """Return the rows of an answer: approval confirms the fix, which is delivered from then on; rejection ends it."""
    rows = [factory.build_move(proposal.id, MoveKind.ANSWER, given, by=by)]
    if given is Answer.APPROVED:
        rows.append(factory.build_move(proposal.entry, MoveKind.CONFIRM, by=by))
    elif given is Answer.REJECTED:
        rows.append(factory.build_move(proposal.entry, MoveKind.STATUS, EntryStatus.WONT_FIX, by=by, why="you said no"))
    return rows
