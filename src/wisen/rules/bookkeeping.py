"""The books below the home and the learnings of workspaces: edits of them are asked about, what holds is written."""

from __future__ import annotations

import shlex
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from wisen.decisions.proposal_rows import command_proposal
from wisen.logs.learnings_files import FOLDER
from wisen.logs.ownership_rows import owned_learnings
from wisen.model.context import EVERY_PROJECT
from wisen.model.entry import Actor, Entry, EntryStatus, Move, MoveKind, Proposal, rule_id
from wisen.model.entry_state import fold_proposal_states
from wisen.model.error_boundaries import BoundaryKind
from wisen.model.exposure import Arm
from wisen.rules.books import HandEdit, Taken, book_of, hand_edits, write_contents, written
from wisen.rules.conflict_lines import conflict_lines
from wisen.rules.learnings_folder import read_back
from wisen.safety.entry_texts import is_worth_showing
from wisen.text.sameness import Lessons

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import date

    from wisen.logs.projects import Projects
    from wisen.model.entry_state import EntryState, ProposalState
    from wisen.model.error_boundaries import ErrorBoundaries
    from wisen.model.guard import LearnedRow
    from wisen.rules.books import Book
    from wisen.safety.forgotten_filter import ForgottenFilter
    from wisen.store.home import Home
    from wisen.store.known_entries import KnownEntries
    from wisen.store.row_factory import RowFactory
    from wisen.system.machine_ports import Files

MOST_FOUND = 50
"""How many questions about what was done to files wait at once."""


def take_in(home: Home, projects: Projects, files: Files, known: KnownEntries, boundaries: ErrorBoundaries) -> None:
    """What was done to the books is asked about; what others wrote into a workspace is imported."""
    rows: list[LearnedRow] = []
    edited: list[HandEdit] = []
    by_name = {state.entry.name: state for state in known.states}
    for book, states_here in _books(home, projects, known.states):
        of = {rule_id(state.entry.id): state for state in states_here}
        with boundaries.isolate(BoundaryKind.PROJECT, book.key or EVERY_PROJECT):
            edited += hand_edits(files, book, of)
            for place in book.aliases:
                if (Path(place) / FOLDER).is_dir() and not projects.scope.is_off(place):
                    owned = owned_learnings(projects, files, Path(place))
                    back = read_back(owned, book.key, by_name, home.row_factory)
                    edited += status_edits(back, known.states, place)
                    ours = [move for move in back.moves if move.by is not Actor.USER]
                    rows += _compared(
                        _remembered(Taken(back.entries, ours), home.forgotten_filter), states_here, home.row_factory
                    )
    known.record(
        [*rows, *asked_about(edited, fold_proposal_states(home.ledger.proposals.all(), known.moves), home.row_factory)]
    )


def status_edits(taken: Taken, every: Sequence[EntryState], place: str) -> list[HandEdit]:
    """Statuses that were changed in a workspace; `pending` stands there from the beginning, and says nothing."""
    names, path = {state.entry.id: state.entry.name for state in every}, str(Path(place) / FOLDER)
    return [
        HandEdit(("entries", "set", names[move.subject], MoveKind.STATUS.value, move.value), path)
        for move in taken.moves
        if move.by is Actor.USER and move.value != EntryStatus.PENDING
    ]


def asked_about(edited: Iterable[HandEdit], before: Sequence[ProposalState], factory: RowFactory) -> list[Proposal]:
    """What was done to files, as questions. What waits is not asked again, nor what stands in a workspace for long."""
    waits = {each.proposal.words for each in before if each.is_waiting}
    refused = {(each.proposal.words, each.proposal.path) for each in before if not each.is_waiting}
    room = MOST_FOUND - sum(bool(each.proposal.words and each.proposal.path) and each.is_waiting for each in before)
    found: dict[tuple[str, ...], Proposal] = {}
    for each in edited:
        lasting = each.path.endswith(FOLDER) and (each.words, each.path) in refused
        if each.words not in waits and not lasting and len(found) < room:
            found.setdefault(each.words, _found(each, factory))
    return [*found.values()]


def _found(each: HandEdit, factory: RowFactory) -> Proposal:
    why = f"Found in {each.path}, where any program can write: is it yours? Until you say so, nothing of it holds."
    asked = command_proposal(each.words, shlex.join(("wisen", *each.words)), why, factory, risk="medium")
    return structs.replace(asked, path=each.path)


def _remembered(taken: Taken, forgotten: ForgottenFilter) -> Taken:
    """What a file brought back, without what was forgotten."""
    gone = {
        each.id
        for each in taken.entries
        if any(map(forgotten.contains_forgotten, (each.summary, each.details, each.action, each.error, each.setting)))
    }
    entries = [each for each in taken.entries if each.id not in gone]
    return Taken(entries, [move for move in taken.moves if move.subject not in gone])


def _compared(taken: Taken, here: Sequence[EntryState], factory: RowFactory) -> list[Entry | Move]:
    """What a person wrote, next to what is known: the same again confirms that, and the opposite is a conflict."""
    lessons = Lessons()
    for state in here:
        lessons.add(state.entry.id, state.text)
    same: dict[str, str] = {}
    rows: list[Entry | Move] = []
    for entry in taken.entries:
        known = lessons.find(entry.summary)
        if known is not None:
            same[entry.id] = known
            continue
        rows.append(entry)
        rows += [factory.build_move(entry.id, MoveKind.CONFLICT, other) for other in lessons.opposites(entry.summary)]
        lessons.add(entry.id, entry.summary)
    return [*rows, *(structs.replace(move, subject=same.get(move.subject, move.subject)) for move in taken.moves)]


def write_books(
    home: Home, projects: Projects, files: Files, every: Sequence[EntryState], boundaries: ErrorBoundaries
) -> None:
    """Write what holds and what waits into the books, for people."""
    today, told, by_id = home.clock.now().date(), _last_told(home), {each.entry.id: each for each in every}
    rows = []
    for book, states_here in _books(home, projects, every, [context.key for context in home.ledger.contexts.all()]):
        of = [(rule_id(state.entry.id), state) for state in states_here if is_worth_showing(state)]
        with boundaries.isolate(BoundaryKind.PROJECT, book.key or EVERY_PROJECT):
            rows.append(written(files, book, of, today, told, conflict_lines(states_here, by_id)))
    write_contents(files, home.path, [row for row in rows if row is not None])


def _last_told(home: Home) -> dict[str, date]:
    """By the id of a rule, the day on which a session was last told it; what a coin only said is no delivery."""
    given = (each for each in home.ledger.exposures.all() if each.arm is Arm.GIVEN and each.chance is None)
    return {each.subject: each.at.date() for each in given}


def _books(
    home: Home, projects: Projects, every: Sequence[EntryState], also: Iterable[str] = ()
) -> list[tuple[Book, list[EntryState]]]:
    """The books of every context that something was learnt in, with its entries; `also` those of other contexts."""
    names = {context.key: context.name for context in home.ledger.contexts.all()}
    places: dict[str, list[str]] = defaultdict(list)
    for path, context in projects.places_with_contexts():
        places[context].append(path)
    of: dict[str, list[EntryState]] = {key: [] for key in ("", *also)}
    for state in every:
        of.setdefault(state.context, []).append(state)
    return [(book_of(home.path, key, names.get(key, key), places[key]), of[key]) for key in sorted(of)]
