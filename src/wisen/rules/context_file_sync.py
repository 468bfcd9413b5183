"""Imports edits of context files and workspace learnings, as questions to the user, and writes the context files."""

from __future__ import annotations

import shlex
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from wisen.decisions.proposal_rows import command_proposal
from wisen.errors import FileError
from wisen.logs.learnings_files import FOLDER
from wisen.logs.ownership_rows import owned_learnings
from wisen.model.context import EVERY_PROJECT
from wisen.model.entry import Actor, Entry, EntryStatus, Move, MoveKind, Proposal, rule_id
from wisen.model.entry_state import fold_proposal_states
from wisen.model.error_boundaries import BoundaryKind
from wisen.rules.conflict_lines import conflict_lines
from wisen.rules.context_files import (
    HandEdit,
    ImportedRows,
    context_files,
    find_hand_edits,
    is_edited,
    write_context_files,
    write_context_index,
)
from wisen.rules.learnings_folder import read_learnings
from wisen.rules.overview import GLOBAL, IndexRow
from wisen.rules.written_pages import PageCounts, WrittenPages, stamps
from wisen.safety.entry_texts import is_worth_showing
from wisen.text.sameness import LessonIndex

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import date

    from wisen.logs.projects import Projects
    from wisen.model.entry_state import EntryState, ProposalState
    from wisen.model.error_boundaries import ErrorBoundaries
    from wisen.model.guard import LearnedRow
    from wisen.rules.context_files import ContextFiles
    from wisen.safety.forgotten_filter import ForgottenFilter
    from wisen.store.home import Home
    from wisen.store.known_entries import KnownEntries
    from wisen.store.row_factory import RowFactory
    from wisen.system.machine_ports import Files

MAX_QUESTIONS = 50
"""How many questions about edited files may wait at once."""


def import_context_files(
    home: Home, projects: Projects, files: Files, known: KnownEntries, boundaries: ErrorBoundaries
) -> None:
    """Turn edits of context files into questions; import what others wrote into a workspace."""
    if not _may_have_news(home, projects, files):
        return  # most runs: the entries need not be read
    rows: list[LearnedRow] = []
    edits: list[HandEdit] = []
    by_name = {state.entry.name: state for state in known.states}
    for pages, states_here in _context_files(home, projects, known.states):
        by_rule_id = {rule_id(state.entry.id): state for state in states_here}
        with boundaries.isolate(BoundaryKind.PROJECT, pages.key or EVERY_PROJECT):
            edits += find_hand_edits(files, pages, by_rule_id)
            for place in pages.aliases:
                if (Path(place) / FOLDER).is_dir() and not projects.resolver.is_off(place):
                    contents = owned_learnings(projects, files, Path(place))
                    imported = read_learnings(contents, pages.key, by_name, home.row_factory)
                    edits += status_edits(imported, known.states, place)
                    ours = [move for move in imported.moves if move.by is not Actor.USER]
                    rows += _compare_with_known(
                        _without_forgotten(ImportedRows(imported.entries, ours), home.forgotten_filter),
                        states_here,
                        home.row_factory,
                    )
    known.record(
        [
            *rows,
            *questions_about(edits, fold_proposal_states(home.ledger.proposals.all(), known.moves), home.row_factory),
        ]
    )


def _may_have_news(home: Home, projects: Projects, files: Files) -> bool:
    """Whether a context file is not as it was written, or a project has learnings of other tools."""
    folder = home.path / "contexts"
    keys = sorted(each.name for each in folder.iterdir() if each.is_dir()) if folder.is_dir() else []
    try:
        if any(is_edited(files, context_files(home.path, key, "")) for key in ("", *keys)):
            return True
    except FileError:
        return True  # it is read again inside the boundary of its project
    return any((Path(place) / FOLDER).is_dir() for place, _ in projects.places_with_contexts())


def status_edits(imported: ImportedRows, every: Sequence[EntryState], place: str) -> list[HandEdit]:
    """Return the statuses that were changed in a workspace; `pending` is the initial one, and says nothing."""
    names, path = {state.entry.id: state.entry.name for state in every}, str(Path(place) / FOLDER)
    return [
        HandEdit(("entries", "set", names[move.subject], MoveKind.STATUS.value, move.value), path)
        for move in imported.moves
        if move.by is Actor.USER and move.value != EntryStatus.PENDING
    ]


def questions_about(edits: Iterable[HandEdit], before: Sequence[ProposalState], factory: RowFactory) -> list[Proposal]:
    """Turn edits into questions, except those that wait already, or that were answered and remain in a workspace."""
    waiting = {each.proposal.words for each in before if each.is_waiting}
    answered = {(each.proposal.words, each.proposal.path) for each in before if not each.is_waiting}
    room = MAX_QUESTIONS - sum(bool(each.proposal.words and each.proposal.path) and each.is_waiting for each in before)
    questions: dict[tuple[str, ...], Proposal] = {}
    for each in edits:
        is_repeated = each.path.endswith(FOLDER) and (each.words, each.path) in answered
        if each.words not in waiting and not is_repeated and len(questions) < room:
            questions.setdefault(each.words, _question(each, factory))
    return [*questions.values()]


def _question(each: HandEdit, factory: RowFactory) -> Proposal:
    why = f"Found in {each.path}, where any program can write: is it yours? Until you say so, nothing of it holds."
    asked = command_proposal(each.words, shlex.join(("wisen", *each.words)), why, factory, risk="medium")
    return structs.replace(asked, path=each.path)


def _without_forgotten(imported: ImportedRows, forgotten: ForgottenFilter) -> ImportedRows:
    """Drop forgotten texts from what a file contains."""
    forgotten_ids = {
        each.id
        for each in imported.entries
        if any(map(forgotten.contains_forgotten, (each.summary, each.details, each.action, each.error, each.setting)))
    }
    entries = [each for each in imported.entries if each.id not in forgotten_ids]
    return ImportedRows(entries, [move for move in imported.moves if move.subject not in forgotten_ids])


def _compare_with_known(imported: ImportedRows, here: Sequence[EntryState], factory: RowFactory) -> list[Entry | Move]:
    """Compare imported entries with known ones: the same again confirms it, the opposite is a conflict."""
    lessons = LessonIndex()
    for state in here:
        lessons.add(state.entry.id, state.text)
    same: dict[str, str] = {}
    rows: list[Entry | Move] = []
    for entry in imported.entries:
        known = lessons.find(entry.summary)
        if known is not None:
            same[entry.id] = known
            continue
        rows.append(entry)
        rows += [
            factory.build_move(entry.id, MoveKind.CONFLICT, other) for other in lessons.find_opposites(entry.summary)
        ]
        lessons.add(entry.id, entry.summary)
    return [*rows, *(structs.replace(move, subject=same.get(move.subject, move.subject)) for move in imported.moves)]


def write_all_context_files(
    home: Home, projects: Projects, files: Files, every: Sequence[EntryState], boundaries: ErrorBoundaries
) -> None:
    """Write the rules in force and the open proposals into the context files, for people to read."""
    today, delivered, by_id = home.clock.now().date(), _last_delivered(home), {each.entry.id: each for each in every}
    written, rows = WrittenPages(home.index.folds, home.version), list[IndexRow]()
    for pages, states_here in _context_files(
        home, projects, every, [context.key for context in home.ledger.contexts.all()]
    ):
        about = today, pages, states_here, _facts_beside(states_here, by_id, delivered)
        counts = written.find(pages, about)
        if counts is not None:
            rows += _index_rows(pages, counts, today)
            continue
        with boundaries.isolate(BoundaryKind.PROJECT, pages.key or EVERY_PROJECT):
            shown = [(rule_id(state.entry.id), state) for state in states_here if is_worth_showing(state)]
            conflicts = conflict_lines(states_here, by_id)
            before = stamps(pages)
            row = write_context_files(files, pages, shown, today, delivered, conflicts)
            counts = PageCounts(0, 0) if row is None else PageCounts(row.rules, row.corrections)
            rows += _index_rows(pages, counts, today)
            is_settled = stamps(pages) == before  # nothing was left to write; what was just written is looked at again
            if is_settled and (any(before) or not any(counts)):
                written.add(pages, about, counts)
    written.save()
    write_context_index(files, home.path, rows)


def _index_rows(pages: ContextFiles, counts: PageCounts, today: date) -> list[IndexRow]:
    return [IndexRow(pages.key or GLOBAL, pages.name, *counts, today)] if any(counts) else []


def _facts_beside(
    states: Iterable[EntryState], by_id: Mapping[str, EntryState], delivered: Mapping[str, date]
) -> list[tuple[object, ...]]:
    """Return what the pages of a context say besides the state of its entries: of other ones, and of deliveries."""
    rules = [(state.entry.id, delivered.get(rule_id(state.entry.id))) for state in states if state.is_rule]
    others = [
        (state.entry.id, other.entry.id, other.entry.name, other.text, other.is_over)
        for state in states
        if state.superseded_by or state.conflicts
        for other in map(by_id.get, (state.superseded_by, *state.conflicts))
        if other is not None
    ]
    return [*rules, *others]


def _last_delivered(home: Home) -> dict[str, date]:
    """Return, by rule id, the day of its last delivery; a trial's draw alone is not a delivery."""
    return {subject: at.date() for subject, at in home.ledger.exposures.last_given().items()}


def _context_files(
    home: Home, projects: Projects, every: Sequence[EntryState], also: Iterable[str] = ()
) -> list[tuple[ContextFiles, list[EntryState]]]:
    """Return the context files of every context with entries; `also`: further contexts."""
    names = {context.key: context.name for context in home.ledger.contexts.all()}
    places: dict[str, list[str]] = defaultdict(list)
    for path, context in projects.places_with_contexts():
        places[context].append(path)
    by_context: dict[str, list[EntryState]] = {key: [] for key in ("", *also)}
    for state in every:
        by_context.setdefault(state.context, []).append(state)
    return [
        (context_files(home.path, key, names.get(key, key), places[key]), by_context[key]) for key in sorted(by_context)
    ]
