"""What became of entries and proposals, folded from rows that never change."""

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
    """A trigger as the value of a decision; empty where nothing calls a lesson up."""
    return "" if trigger is None else msgspec.json.encode(trigger).decode()


def decode_trigger(value: str) -> Trigger | None:
    """What such a value says; nothing where it cannot be read, as when a later version wrote it."""
    try:
        return msgspec.json.decode(value, type=Trigger) if value else None
    except msgspec.DecodeError:
        return None


_MOVED: dict[MoveKind, Callable[[Move], dict[str, Any]]] = {
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
"""What a decision changes."""


class EntryState(Struct, frozen=True, kw_only=True):
    """An entry with all that was seen of it and decided about it."""

    entry: Entry
    text: str
    """Its wording now."""
    status: EntryStatus
    priority: Priority
    context: str
    """Where it holds; empty for everywhere."""
    times: int
    sessions: int
    first: datetime
    last: datetime
    confirmed: bool = False
    """Whether a person said that it is right."""
    everywhere: bool = False
    """Whether the user said that it holds in all projects; it does when he approves that."""
    lasting: bool = False
    """Whether the user said again, more strongly, that it holds from now on."""
    local: bool = False
    """Whether it was typed to models on the user's own machine, and to no hosted one."""
    trigger: Trigger | None = None
    """What calls it up again, where that can be told."""
    merged_into: str = ""
    conflicts: tuple[str, ...] = ()
    """The ids of entries that say the opposite."""
    superseded_by: str = ""
    """The id of the entry in which the user said the opposite later."""
    used: datetime | None = None
    """When it was last named as used, or at work when the user praised."""
    praises: tuple[Reinforcement, ...] = ()
    """The praises that count for it, oldest first. They make nothing a rule, and say nothing about a trial."""

    @property
    def is_over(self) -> bool:
        """Whether nothing more comes of it."""
        return self.is_closed or bool(self.superseded_by)

    @property
    def is_closed(self) -> bool:
        """Whether it was merged or decided about; what a newer word superseded may be said again."""
        return bool(self.merged_into) or self.status in (EntryStatus.RESOLVED, EntryStatus.WONT_FIX)

    @property
    def durable(self) -> float:
        """How likely it is meant to last, by the strongest words in which it was said."""
        return 1.0 if self.lasting else self.entry.durable

    @property
    def is_standing(self) -> bool:
        """Whether the user said in so many words that it lasts; what an earlier version recorded does not tell."""
        return self.lasting or bool(self.entry.standing)

    @property
    def is_private(self) -> bool:
        """Whether hosted agents are not told of it: typed to local models only, and no person made it a rule since."""
        return self.local and not (self.confirmed and self.status is EntryStatus.PROMOTED)

    @property
    def is_rule(self) -> bool:
        """Whether it was approved, and no newer word took its place."""
        return self.status is EntryStatus.PROMOTED and not self.superseded_by

    def weight(self, now: datetime) -> int:
        """How much speaks for it where things compete: the sessions it came up in, and a little for praise."""
        return self.sessions + praise_level(self.praises, now)


def fold_entry_states(
    entries: Iterable[Entry],
    tallies: Iterable[Tally],
    moves: Iterable[Move],
    praises: Iterable[Reinforcement] = (),
) -> tuple[EntryState, ...]:
    """What became of entries, in their order. One that was merged into another adds to what is counted there."""
    seen = {tally.entry: tally for tally in tallies}
    found: dict[str, EntryState] = {}
    for entry in entries:
        tally = seen.get(entry.id)
        found[entry.id] = EntryState(
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
        if move.subject in found:
            state = found[move.subject]
            if move.kind is MoveKind.CONFLICT:
                if move.value in state.conflicts:
                    continue
                found[move.subject] = structs.replace(state, conflicts=(*state.conflicts, move.value))
            elif move.kind in _MOVED:
                found[move.subject] = structs.replace(state, **_MOVED[move.kind](move))
    _praised(found, praises)
    for state in [*found.values()]:
        into = found.get(state.merged_into)
        if into is not None:
            found[into.entry.id] = structs.replace(
                into,
                times=into.times + state.times,
                sessions=into.sessions + state.sessions,
                first=min(into.first, state.first),
                last=max(into.last, state.last),
                used=max(filter(None, (into.used, state.used)), default=None),
                praises=_of_one(into.entry.id, (*into.praises, *state.praises)),
                local=into.local and state.local,
            )
    return tuple(found.values())


def _praised(found: dict[str, EntryState], praises: Iterable[Reinforcement]) -> None:
    """Praise is the entry's own, and that of the fixes an error is about."""
    of: dict[str, list[Reinforcement]] = defaultdict(list)
    for row in praises:
        of[row.subject].append(row)
    for state in [*found.values()] if of else ():
        entry = state.entry
        names = (entry.id, *(entry.tags if entry.type is EntryType.ERROR else ()))
        rows = _of_one(entry.id, [row for name in names for row in of.get(name, ())])
        if rows:
            last = max(row.at for row in rows)
            used = last if state.used is None else max(state.used, last)
            found[entry.id] = structs.replace(state, praises=rows, used=used)


def _of_one(entry: str, rows: Iterable[Reinforcement]) -> tuple[Reinforcement, ...]:
    """Rows as those of one entry, each session once."""
    return counted_praises(structs.replace(row, subject=entry) for row in rows)


class ProposalState(NamedTuple):
    """A proposal and what became of it."""

    proposal: Proposal
    answer: Answer | None
    """None while it waits."""
    at: datetime
    """When it was answered, or made."""

    @property
    def is_waiting(self) -> bool:
        """Whether a person has still to say something."""
        return self.answer in (None, Answer.LATER)


def fold_proposal_states(proposals: Iterable[Proposal], moves: Iterable[Move]) -> tuple[ProposalState, ...]:
    """Every proposal with its last answer, oldest first."""
    answers = {move.subject: move for move in moves if move.kind is MoveKind.ANSWER}
    found = []
    for proposal in proposals:
        move = answers.get(proposal.id)
        found.append(
            ProposalState(proposal, Answer(move.value), move.at) if move else ProposalState(proposal, None, proposal.at)
        )
    return tuple(found)


def entries_on_trial(proposals: Iterable[ProposalState]) -> frozenset[str]:
    """The entries that the user wants to be tried before they become rules."""
    return frozenset(each.proposal.entry for each in proposals if each.answer is Answer.TRIED)


def conflicting_pairs(states: Sequence[EntryState]) -> list[tuple[EntryState, EntryState]]:
    """Pairs of entries that nobody stated and that say the opposite of each other; the older of the two first."""
    by_id = {state.entry.id: state for state in states}
    found: dict[tuple[str, str], tuple[EntryState, EntryState]] = {}
    for state in states:
        for other in map(by_id.get, state.conflicts):
            if other is None or not all(is_inferred(each) and not each.is_over for each in (state, other)):
                continue
            older, newer = sorted((state, other), key=lambda each: (each.last, each.entry.id))
            found[older.entry.id, newer.entry.id] = older, newer
    return list(found.values())


def unsettled_entry_ids(states: Sequence[EntryState]) -> set[str]:
    """The entries in conflicts between what nobody stated and that weigh the same: a person has to decide first."""
    return {each.entry.id for pair in conflicting_pairs(states) for each in pair}


def is_inferred(state: EntryState) -> bool:
    """Whether nobody stated, confirmed or approved it."""
    pending = state.status is EntryStatus.PENDING and not state.confirmed
    return pending and state.entry.origin is not EntryOrigin.STATED


def undecided_fixes(every: Iterable[EntryState]) -> dict[str, str]:
    """By the id of a fix, the name of its entry, where the user has said nothing to it yet; the one seen most."""
    open_ = [each for each in every if each.entry.type is EntryType.ERROR and not each.is_over]
    said = {tag for each in open_ if each.confirmed or each.status is EntryStatus.PROMOTED for tag in each.entry.tags}
    most = sorted(open_, key=lambda each: each.sessions)
    return {tag: each.entry.name for each in most for tag in each.entry.tags if tag not in said}
