"""The step of a run in which the user's newest statement replaces what they said before, and retires its guards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from wisen.decisions.proposal_rows import command_proposal
from wisen.lessons.conflicts import restore_outvoted
from wisen.lessons.newest_statement import settle_by_newest
from wisen.model.entry import Actor, Answer, MoveKind, Proposal
from wisen.model.entry_state import conflicting_pairs, fold_proposal_states
from wisen.model.guard import ACTIONS, GuardSource, Mode, guard_states

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from wisen.lessons.run_scope import RunScope
    from wisen.model.entry import Move
    from wisen.model.entry_state import EntryState, ProposalState
    from wisen.store.home import Home
    from wisen.store.known_entries import KnownEntries
    from wisen.store.row_factory import RowFactory

    Wording = Callable[[EntryState, EntryState], tuple[str, str]]

RETIRED = "its rule was superseded"
"""How the reason begins when a guard was retired with its rule: it is active again when the rule is."""


def supersede(home: Home, known: KnownEntries, scope: RunScope, is_lasting: Callable[[EntryState], bool]) -> None:
    """Let the newest statements win: update entries, the guards made from them, and questions for the user."""
    if scope.is_empty:
        return

    def said_in(entry: str, context: str) -> datetime | None:
        return max((each.at for each in home.ledger.occurrences.of(entry) if each.context == context), default=None)

    known.record(restore_outvoted(scope.select(known.states), known.moves, home.row_factory))
    found = settle_by_newest(
        known.states, known.moves, is_lasting, said_in, home.row_factory, is_concerned=scope.covers
    )
    known.record(found.moves)
    known.record(_update_guards(home, known))
    before = fold_proposal_states(home.ledger.proposals.all(), known.moves)
    pairs: list[tuple[EntryState, EntryState, Wording]]
    pairs = [(each.of_project, each.of_all, _word_override_question) for each in found.questions]
    pairs += [(older, newer, _word_tie_question) for older, newer in conflicting_pairs(known.states)]
    known.record(
        [*_questions(pairs, before, home.row_factory), *_expire_questions(known.states, before, home.row_factory)]
    )


def _update_guards(home: Home, known: KnownEntries) -> list[Move]:
    """Set guards of superseded rules to shadow mode, and restore them when their rule is in force again."""
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
    """Return questions, asked once, whether the newer of two opposites replaces the older one."""
    last = {each.proposal.words: each.proposal.at for each in before if each.proposal.words}
    found = []
    for older, newer, wording in pairs:
        words = ("entries", "supersede", older.entry.name, newer.entry.name)
        if words not in last or last[words] < newer.last:
            text, why = wording(older, newer)
            asked = command_proposal(words, text, why, factory, risk="medium")
            found.append(structs.replace(asked, impact="medium", sessions=newer.sessions))
    return found


def _word_override_question(of_project: EntryState, of_all: EntryState) -> tuple[str, str]:
    """Word the question whether a statement for all projects overrides a rule of a project."""
    why = (
        f"You said “{of_all.text}” for all your projects, and later than “{of_project.text}”, which is a rule of "
        f"{of_project.context}. Until you say yes, that project keeps its own rule."
    )
    return f"“{of_all.text}” instead of “{of_project.text}” in {of_project.context} too?", why


def _word_tie_question(older: EntryState, newer: EntryState) -> tuple[str, str]:
    """Word the question which of two equally frequent entries holds that nobody stated."""
    why = (
        f"“{older.text}” ({older.last:%Y-%m-%d}) and “{newer.text}” ({newer.last:%Y-%m-%d}) say the opposite of each "
        "other, and nothing tells which of them holds. Until you answer, neither is proposed."
    )
    return f"“{newer.text}” instead of “{older.text}”?", why


def _expire_questions(states: Sequence[EntryState], before: Sequence[ProposalState], factory: RowFactory) -> list[Move]:
    """Expire questions whose entries are closed."""
    over = {state.entry.name for state in states if state.is_over}
    return [
        factory.build_move(each.proposal.id, MoveKind.ANSWER, Answer.EXPIRED)
        for each in before
        if each.is_waiting and each.proposal.words[:2] == ("entries", "supersede") and over & {*each.proposal.words[2:]}
    ]
