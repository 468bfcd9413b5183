"""Folds immutable rows into the current state of entries and proposals."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec import Struct, structs

from wisen.model.directive import Trigger
from wisen.model.entry import (
    ONLY_LOCAL,
    Answer,
    Entry,
    EntryOrigin,
    EntryStatus,
    EntryType,
    MoveKind,
    Priority,
    Proposal,
)
from wisen.model.reinforcement import Reinforcement, counted_praises, praise_level

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from wisen.model.entry import Move, Tally


def encode_trigger(trigger: Trigger | None) -> str:
    """Encode a trigger as the value of a move; empty for none."""
    return "" if trigger is None else msgspec.json.encode(trigger).decode()


def decode_trigger(value: str) -> Trigger | None:
    """Decode such a value; None if it cannot be read, for example because a later version wrote it."""
    try:
        return msgspec.json.decode(value, type=Trigger) if value else None
    except msgspec.DecodeError:
        return None


_MOVE_EFFECTS: dict[MoveKind, Callable[[Move], dict[str, Any]]] = {
    MoveKind.STATUS: lambda move: {"status": EntryStatus(move.value)},
    MoveKind.PRIORITY: lambda move: {"priority": Priority(move.value)},
    MoveKind.TEXT: lambda move: {"text": move.value},
    MoveKind.SCOPE: lambda move: {"context": move.value},
    MoveKind.MERGE: lambda move: {"merged_into": move.value},
    MoveKind.SUPERSEDE: lambda move: {"superseded_by": move.value},
    MoveKind.EVERYWHERE: lambda _: {"everywhere": True},
    MoveKind.LASTING: lambda _: {"lasting": True},
    MoveKind.LOCAL: lambda move: {"local": move.value == ONLY_LOCAL},
    MoveKind.TRIGGER: lambda move: {"trigger": decode_trigger(move.value)},
    MoveKind.CONFIRM: lambda _: {"confirmed": True},
    MoveKind.CITE: lambda move: {"used": move.at},
}
"""What each kind of move changes."""


class EntryState(Struct, frozen=True, kw_only=True):
    """The current state of an entry: everything seen of it and decided about it."""

    entry: Entry
    text: str
    """Its current wording."""
    status: EntryStatus
    priority: Priority
    context: str
    """Where it applies; empty for everywhere."""
    times: int
    sessions: int
    first: datetime
    last: datetime
    confirmed: bool = False
    """Whether a person confirmed that it is right."""
    everywhere: bool = False
    """Whether the user said that it applies in all projects; it does once they approve that."""
    lasting: bool = False
    """Whether the user repeated, more strongly, that it applies from now on."""
    local: bool = False
    """Whether it was typed to local models only."""
    trigger: Trigger | None = None
    """What brings it up again, if known."""
    merged_into: str = ""
    conflicts: tuple[str, ...] = ()
    """The ids of entries that contradict it."""
    superseded_by: str = ""
    """The id of the later entry in which the user said the opposite."""
    used: datetime | None = None
    """When it was last cited, or in use when the user praised the work."""
    praises: tuple[Reinforcement, ...] = ()
    """The praises that count for it, oldest first. They make nothing a rule, and do not affect trials."""

    @property
    def is_over(self) -> bool:
        """Return whether it is no longer in use."""
        return self.is_closed or bool(self.superseded_by)

    @property
    def is_closed(self) -> bool:
        """Return whether it was merged or settled; a superseded entry may be stated again."""
        return bool(self.merged_into) or self.status in (EntryStatus.RESOLVED, EntryStatus.WONT_FIX)

    @property
    def durable(self) -> float:
        """Return the probability that it is meant to last, by its strongest wording."""
        return 1.0 if self.lasting else self.entry.durable

    @property
    def is_standing(self) -> bool:
        """Return whether the user said explicitly that it lasts; earlier versions did not record that."""
        return self.lasting or bool(self.entry.standing)

    @property
    def is_private(self) -> bool:
        """Return whether hosted agents must not get it: typed to local models only, not approved by a person since."""
        return self.local and not (self.confirmed and self.status is EntryStatus.PROMOTED)

    @property
    def is_rule(self) -> bool:
        """Return whether it was approved and not superseded."""
        return self.status is EntryStatus.PROMOTED and not self.superseded_by

    def weight(self, now: datetime) -> int:
        """Return its weight in rankings: the sessions it came up in, plus a little for praise."""
        return self.sessions + praise_level(self.praises, now)


def fold_entry_states(
    entries: Iterable[Entry],
    tallies: Iterable[Tally],
    moves: Iterable[Move],
    praises: Iterable[Reinforcement] = (),
) -> tuple[EntryState, ...]:
    """Return the state of each entry, in order. A merged entry adds to the counts of the other one."""
    seen = {tally.entry: tally for tally in tallies}
    states: dict[str, EntryState] = {}
    for entry in entries:
        tally = seen.get(entry.id)
        states[entry.id] = EntryState(
            entry=entry,
            text=entry.summary,
            status=EntryStatus.PENDING,
            priority=entry.priority,
            context=entry.context,
            times=tally.times if tally else 0,
            sessions=tally.sessions if tally else 0,
            first=tally.first if tally else entry.at,
            last=tally.last if tally else entry.at,
            trigger=entry.trigger,
        )
    for move in moves:
        if move.subject in states:
            state = states[move.subject]
            if move.kind is MoveKind.CONFLICT:
                if move.value in state.conflicts:
                    continue
                states[move.subject] = structs.replace(state, conflicts=(*state.conflicts, move.value))
            elif move.kind in _MOVE_EFFECTS:
                states[move.subject] = structs.replace(state, **_MOVE_EFFECTS[move.kind](move))
    _add_praises(states, praises)
    for state in [*states.values()]:
        target = states.get(state.merged_into)
        if target is not None:
            states[target.entry.id] = structs.replace(
                target,
                times=target.times + state.times,
                sessions=target.sessions + state.sessions,
                first=min(target.first, state.first),
                last=max(target.last, state.last),
                used=max(filter(None, (target.used, state.used)), default=None),
                praises=_merge_rows(target.entry.id, (*target.praises, *state.praises)),
                local=target.local and state.local,
            )
    return tuple(states.values())


def _add_praises(states: dict[str, EntryState], praises: Iterable[Reinforcement]) -> None:
    """Assign praise of the entry itself, and of the fixes that an error entry is about."""
    by_subject: dict[str, list[Reinforcement]] = defaultdict(list)
    for row in praises:
        by_subject[row.subject].append(row)
    for state in [*states.values()] if by_subject else ():
        entry = state.entry
        names = (entry.id, *(entry.tags if entry.type is EntryType.ERROR else ()))
        rows = _merge_rows(entry.id, [row for name in names for row in by_subject.get(name, ())])
        if rows:
            last = max(row.at for row in rows)
            used = last if state.used is None else max(state.used, last)
            states[entry.id] = structs.replace(state, praises=rows, used=used)


def _merge_rows(entry: str, rows: Iterable[Reinforcement]) -> tuple[Reinforcement, ...]:
    """Return the rows as rows of one entry, one per session."""
    return counted_praises(structs.replace(row, subject=entry) for row in rows)


class ProposalState(NamedTuple):
    """A proposal and its current answer."""

    proposal: Proposal
    answer: Answer | None
    """None while it is pending."""
    at: datetime
    """When it was answered, or created."""

    @property
    def is_waiting(self) -> bool:
        """Return whether it still needs an answer from a person."""
        return self.answer in (None, Answer.LATER)


def fold_proposal_states(proposals: Iterable[Proposal], moves: Iterable[Move]) -> tuple[ProposalState, ...]:
    """Return every proposal with its last answer, oldest first."""
    answers = {move.subject: move for move in moves if move.kind is MoveKind.ANSWER}
    states = []
    for proposal in proposals:
        move = answers.get(proposal.id)
        states.append(
            ProposalState(proposal, Answer(move.value), move.at) if move else ProposalState(proposal, None, proposal.at)
        )
    return tuple(states)


def entries_on_trial(proposals: Iterable[ProposalState]) -> frozenset[str]:
    """Return the entries that the user wants to be tried before they become rules."""
    return frozenset(each.proposal.entry for each in proposals if each.answer is Answer.TRIED)


def conflicting_pairs(states: Sequence[EntryState]) -> list[tuple[EntryState, EntryState]]:
    """Return pairs of inferred entries that contradict each other; the older of the two first."""
    by_id = {state.entry.id: state for state in states}
    pairs: dict[tuple[str, str], tuple[EntryState, EntryState]] = {}
    for state in states:
        for other in map(by_id.get, state.conflicts):
            if other is None or not all(is_inferred(each) and not each.is_over for each in (state, other)):
                continue
            older, newer = sorted((state, other), key=lambda each: (each.last, each.entry.id))
            pairs[older.entry.id, newer.entry.id] = older, newer
    return list(pairs.values())


def unsettled_entry_ids(states: Sequence[EntryState]) -> set[str]:
    """Return the ids of inferred entries in unresolved conflicts: a person has to decide first."""
    return {each.entry.id for pair in conflicting_pairs(states) for each in pair}


def is_inferred(state: EntryState) -> bool:
    """Return whether nobody stated, confirmed or approved it."""
    pending = state.status is EntryStatus.PENDING and not state.confirmed
    return pending and state.entry.origin is not EntryOrigin.STATED


def undecided_fixes(states: Iterable[EntryState]) -> dict[str, str]:
    """Map fixes that the user has not decided about to the names of their most frequent entries."""
    open_ = [each for each in states if each.entry.type is EntryType.ERROR and not each.is_over]
    decided = {
        tag for each in open_ if each.confirmed or each.status is EntryStatus.PROMOTED for tag in each.entry.tags
    }
    by_sessions = sorted(open_, key=lambda each: each.sessions)
    return {tag: each.entry.name for each in by_sessions for tag in each.entry.tags if tag not in decided}
