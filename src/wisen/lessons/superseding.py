"""The step of a turn in which the user's newest word takes the place of what they said before, and of its guards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from wisen.decisions.proposal_rows import command_proposal
from wisen.lessons.conflicts import brought_back
from wisen.lessons.supersede import settle_by_newest
from wisen.model.entry import Actor, Answer, MoveKind, Proposal
from wisen.model.entry_state import conflicting_pairs, fold_proposal_states
from wisen.model.guard import ACTIONS, GuardSource, Mode, guard_states

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from wisen.model.entry import Move
    from wisen.model.entry_state import EntryState, ProposalState
    from wisen.store.home import Home
    from wisen.store.known_entries import KnownEntries
    from wisen.store.row_factory import RowFactory

    Wording = Callable[[EntryState, EntryState], tuple[str, str]]

RETIRED = "its rule was superseded"
"""With what the reason begins where a guard was retired with its rule: it is at work again when the rule is."""


def settle(home: Home, known: KnownEntries, is_word: Callable[[EntryState], bool]) -> None:
    """Let the newest words stand: entries, the guards made of them, and questions that only the user can answer."""

    def said_in(entry: str, context: str) -> datetime | None:
        return max((each.at for each in home.ledger.occurrences.of(entry) if each.context == context), default=None)

    known.record(brought_back(known.states, known.moves, home.row_factory))
    found = settle_by_newest(known.states, known.moves, is_word, said_in, home.row_factory)
    known.record(found.moves)
    known.record(_guards_with_their_rules(home, known))
    before = fold_proposal_states(home.ledger.proposals.all(), known.moves)
    pairs: list[tuple[EntryState, EntryState, Wording]]
    pairs = [(each.of_project, each.of_all, _across_projects) for each in found.questions]
    pairs += [(older, newer, _between_two) for older, newer in conflicting_pairs(known.states)]
    known.record([*_questions(pairs, before, home.row_factory), *_answered(known.states, before, home.row_factory)])


def _guards_with_their_rules(home: Home, known: KnownEntries) -> list[Move]:
    """Guards of superseded rules only look on, and are at work again when their rule stands again."""
    rules = {state.entry.id: state for state in known.states}
    found = []
    for each in guard_states(home.ledger.guards.all(), known.moves):
        rule = rules.get(each.guard.of) if each.guard.source is GuardSource.RULE else None
        if rule is None:
            continue
        retired = each.by is Actor.WISEN and each.why.startswith(RETIRED)
        if rule.superseded_by and each.mode in ACTIONS:
            by = rules.get(rule.superseded_by)
            why = f"{RETIRED}{f' by {by.entry.name}' if by else ''}; it was set to {each.mode.value}"
            found.append(home.row_factory.build_move(each.guard.id, MoveKind.GUARD, Mode.SHADOW, why=why))
        elif retired and each.mode is Mode.SHADOW and not rule.is_over:
            mode = Mode(each.why.rpartition(" ")[2])
            found.append(home.row_factory.build_move(each.guard.id, MoveKind.GUARD, mode, why="its rule stands again"))
    return found


def _questions(
    pairs: Iterable[tuple[EntryState, EntryState, Wording]], before: Sequence[ProposalState], factory: RowFactory
) -> list[Proposal]:
    """What is asked once: whether the newer of two opposites holds in the place of the older one."""
    last = {each.proposal.words: each.proposal.at for each in before if each.proposal.words}
    found = []
    for older, newer, wording in pairs:
        words = ("entries", "supersede", older.entry.name, newer.entry.name)
        if words not in last or last[words] < newer.last:
            text, why = wording(older, newer)
            asked = command_proposal(words, text, why, factory, risk="medium")
            found.append(structs.replace(asked, impact="medium", sessions=newer.sessions))
    return found


def _across_projects(of_project: EntryState, of_all: EntryState) -> tuple[str, str]:
    """The question whether something that was said for all projects holds against a rule of a project."""
    why = (
        f"You said “{of_all.text}” for all your projects, and later than “{of_project.text}”, which is a rule of "
        f"{of_project.context}. Until you say yes, that project keeps its own rule."
    )
    return f"“{of_all.text}” instead of “{of_project.text}” in {of_project.context} too?", why


def _between_two(older: EntryState, newer: EntryState) -> tuple[str, str]:
    """The question which of two holds that were seen as often and that nobody stated."""
    why = (
        f"“{older.text}” ({older.last:%Y-%m-%d}) and “{newer.text}” ({newer.last:%Y-%m-%d}) say the opposite of each "
        "other, and nothing tells which of them holds. Until you answer, neither is proposed."
    )
    return f"“{newer.text}” instead of “{older.text}”?", why


def _answered(states: Sequence[EntryState], before: Sequence[ProposalState], factory: RowFactory) -> list[Move]:
    """Questions that are over, because one of the two is."""
    over = {state.entry.name for state in states if state.is_over}
    return [
        factory.build_move(each.proposal.id, MoveKind.ANSWER, Answer.EXPIRED)
        for each in before
        if each.is_waiting and each.proposal.words[:2] == ("entries", "supersede") and over & {*each.proposal.words[2:]}
    ]
