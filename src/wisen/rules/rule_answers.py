"""Builds the rows for an answer to a proposed rule: approval, rejection, wording and scope of its entry."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec import structs

from wisen.model.context import EVERYWHERE
from wisen.model.entry import Actor, Answer, EntryStatus, MoveKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from wisen.model.entry import Entry, Move, Proposal
    from wisen.model.entry_state import EntryState
    from wisen.store.row_factory import RowFactory


def rule_entry(proposal: Proposal, state: EntryState, named: Callable[[str], str], factory: RowFactory) -> Entry:
    """Return the entry that becomes the rule of an approved proposal.

    If the entry is already a rule of its project and the proposal is global, that is a new entry: it gets a line of its
    own, and what else was said in the project stays there.
    """
    if proposal.context != EVERYWHERE or state.context == EVERYWHERE or state.status is not EntryStatus.PROMOTED:
        return state.entry
    id_ = factory.ids.new()
    return structs.replace(
        state.entry,
        id=id_,
        name=named(id_),
        machine=factory.machine,
        context=EVERYWHERE,
        at=factory.clock.now(),
        summary=proposal.text,
        details="",
        setting="",
        tags=(),
        files=(),
    )


class GivenAnswer(NamedTuple):
    """An answer, with the wording of the rule, and who gave it."""

    given: Answer
    text: str
    by: Actor


def answer_rows(
    proposal: Proposal, state: EntryState, rule: Entry, answer: GivenAnswer, factory: RowFactory
) -> list[Entry | Move]:
    """Return the rows of an answer; `rule` is the entry that becomes the rule. Only a person's approval confirms it."""
    given, worded, by = answer
    rows: list[Entry | Move] = [factory.build_move(proposal.id, MoveKind.ANSWER, given, by=by)]
    if given is Answer.APPROVED:
        if rule.id != state.entry.id:
            rows.append(rule)
        elif proposal.context != state.context:
            rows.append(factory.build_move(rule.id, MoveKind.SCOPE, proposal.context, by=by))
        if worded != (state.text if rule.id == state.entry.id else rule.summary):
            rows.append(factory.build_move(rule.id, MoveKind.TEXT, worded, by=by))
        if by is Actor.USER:
            rows.append(factory.build_move(rule.id, MoveKind.CONFIRM, by=by))
        rows.append(factory.build_move(rule.id, MoveKind.STATUS, EntryStatus.PROMOTED, by=by))
    elif given is Answer.REJECTED and state.status is not EntryStatus.PROMOTED:
        # A rule of its project remains one: the user only does not want it everywhere.
        rows.append(factory.build_move(rule.id, MoveKind.STATUS, EntryStatus.WONT_FIX, by=by))
    return rows
