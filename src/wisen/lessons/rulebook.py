"""From what was said to rules: entries are recorded, what is ready is proposed, and the books are kept."""

from __future__ import annotations

import shlex
from collections import defaultdict
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from wisen.decisions.proposal_rows import command_proposal
from wisen.edits.targets import Target
from wisen.lessons.conflicts import settled
from wisen.lessons.error_entries import met
from wisen.lessons.fading import faded
from wisen.lessons.practices import practised
from wisen.lessons.propose import expired, proposed
from wisen.lessons.recording import entered
from wisen.logs.learnings_files import FOLDER
from wisen.logs.owned import confined_agents, owned_learnings
from wisen.mining.goals import goals_of
from wisen.model.context import EVERY_PROJECT, EVERYWHERE
from wisen.model.entry import Answer, Entry, EntryType, Move, MoveKind, Proposal, Status, Who, rule_id
from wisen.model.entry_state import asked
from wisen.model.fences import FenceKind
from wisen.model.report import Selection
from wisen.rules.books import HandEdit, Taken, book_of, hand_edits, write_contents, written
from wisen.rules.learnings_folder import read_back
from wisen.rules.outdated import outdated_lines, proposed_replacements
from wisen.safety.entry_words import is_told
from wisen.store.known_entries import Known
from wisen.text.sameness import Lessons

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from wisen.model.entry import Occurrence
    from wisen.model.entry_state import Asked, EntryState
    from wisen.model.fix import Fix
    from wisen.model.guard import Learnt
    from wisen.model.signal import Sighting
    from wisen.parts import Parts
    from wisen.rules.books import Book
    from wisen.safety.ward import Ward
    from wisen.store.ledger_port import Scribe

MOST_FOUND = 50
"""How many questions about what was done to files wait at once."""
PRACTISED = timedelta(days=90)
"""How far back the sessions lie in which best practices are looked for."""


def record(
    parts: Parts,
    said: Iterable[Sighting],
    fixes: Iterable[Fix],
    *,
    new: bool,
    settle: Callable[[Parts, Known], None],
) -> tuple[int, tuple[EntryState, ...]]:
    """What the user said, what kept failing and what is better left out become entries; what is ready is proposed.

    `new`: whether sessions held something new. `settle` lets the newest words stand. Returns how many proposals wait,
    and what became of every entry.
    """
    ledger, scribe, now = parts.ledger, parts.scribe, parts.clock.now()
    known = Known(ledger)
    step = parts.fences.step
    with step("read books"):
        take_in(parts, known)
    seen = ledger.sights()
    with step("record what was said"):
        split = {move.value for move in known.moves if move.kind is MoveKind.SPLIT}
        apart = [each for entry in sorted(split) for each in ledger.occurrences(entry)]
        known.enter(entered(said, known.states, seen, scribe, apart, confined_agents(parts.projects)))
    with step("record what failed"):
        known.enter(met(fixes, parts.index.evidence, known.states, seen, scribe))
    with step("find practices"):
        if new:
            newest = parts.index.counts(Selection()).last or now
            recent = parts.index.histories(Selection(since=newest - PRACTISED))
            known.enter(practised(((each, goals_of(each)) for each in recent), known.states, seen, scribe))
    with step("settle and fade"):
        known.enter([*settled(known.states, now, scribe), *faded(known.states, known.moves, now, scribe)])
    with step("let the newest word stand"):
        settle(parts, known)
    before = asked(ledger.proposals(), known.moves)
    waiting = sum(each.waits for each in before)
    with step("propose"):
        waiting += _propose(parts, known, before)
    with step("write books"):
        write_books(parts, known.states)
    return waiting, known.states


def _propose(parts: Parts, known: Known, before: Sequence[Asked]) -> int:
    """End what is over and propose what is ready. Returns how many proposals wait more than before, or fewer."""
    places = parts.places()
    over = expired(before, known.states, parts.clock.now(), parts.promote)
    outdated = outdated_lines(parts, known.states)
    lines = {(each.target.path, each.line, each.entry.entry.id) for each in outdated}
    replacing = {each.entry.entry.id for each in outdated}
    gone = {proposal.id for proposal, _ in over}
    over += [
        (each.proposal, Answer.EXPIRED)
        for each in before
        if each.waits and each.proposal.replaces and each.proposal.id not in gone and _line_of(each) not in lines
    ]
    offered = proposed(
        known.states,
        parts.ledger.occurrences,
        before,
        lambda entry, seen, scope: (
            None
            if entry.id in replacing and scope != EVERYWHERE  # it takes the place of a line, and is no line beside it
            else _readable_target(parts, entry, seen, scope, places)
        ),
        parts.promote,
        parts.scribe,
    )
    offered += proposed_replacements(parts, outdated, before)
    ended = (parts.scribe.move(proposal.id, MoveKind.ANSWER, given) for proposal, given in over)
    known.enter([*ended, *offered])
    return len(offered) - len(over)


def _line_of(each: Asked) -> tuple[str, str, str]:
    """Which line a proposal is to change, and for which entry."""
    return each.proposal.path, each.proposal.replaces, each.proposal.entry


def _readable_target(
    parts: Parts, entry: Entry, seen: Sequence[Occurrence], scope: str, places: Sequence[tuple[str, str]]
) -> Target | None:
    """Where a rule would go; None where the files of its project cannot be read, which is told."""
    with parts.fences.around(FenceKind.PROJECT, entry.context or EVERY_PROJECT):
        return parts.rule_files.target(entry, seen, scope, places=places)
    return None


def take_in(parts: Parts, known: Known) -> None:
    """What was done to the books is asked about; what others wrote into a workspace is imported."""
    rows: list[Learnt] = []
    edited: list[HandEdit] = []
    by_name = {state.entry.name: state for state in known.states}
    for book, states_here in _books(parts, known.states):
        of = {rule_id(state.entry.id): state for state in states_here}
        with parts.fences.around(FenceKind.PROJECT, book.key or EVERY_PROJECT):
            edited += hand_edits(parts.files, book, of)
            for place in book.aliases:
                if (Path(place) / FOLDER).is_dir() and not parts.scope.is_off(place):
                    owned = owned_learnings(parts.projects, parts.files, Path(place))
                    back = read_back(owned, book.key, by_name, parts.scribe)
                    edited += status_edits(back, known.states, place)
                    ours = [move for move in back.moves if move.by is not Who.USER]
                    rows += _compared(_remembered(Taken(back.entries, ours), parts.ward), states_here, parts.scribe)
    known.enter([*rows, *asked_about(edited, asked(parts.ledger.proposals(), known.moves), parts.scribe)])


def status_edits(taken: Taken, every: Sequence[EntryState], place: str) -> list[HandEdit]:
    """Statuses that were changed in a workspace; `pending` stands there from the beginning, and says nothing."""
    names, path = {state.entry.id: state.entry.name for state in every}, str(Path(place) / FOLDER)
    return [
        HandEdit(("entries", "set", names[move.subject], MoveKind.STATUS.value, move.value), path)
        for move in taken.moves
        if move.by is Who.USER and move.value != Status.PENDING
    ]


def asked_about(edited: Iterable[HandEdit], before: Sequence[Asked], scribe: Scribe) -> list[Proposal]:
    """What was done to files, as questions. What waits is not asked again, nor what stands in a workspace for long."""
    waits = {each.proposal.words for each in before if each.waits}
    refused = {(each.proposal.words, each.proposal.path) for each in before if not each.waits}
    room = MOST_FOUND - sum(bool(each.proposal.words and each.proposal.path) and each.waits for each in before)
    found: dict[tuple[str, ...], Proposal] = {}
    for each in edited:
        lasting = each.path.endswith(FOLDER) and (each.words, each.path) in refused
        if each.words not in waits and not lasting and len(found) < room:
            found.setdefault(each.words, _found(each, scribe))
    return [*found.values()]


def _found(each: HandEdit, scribe: Scribe) -> Proposal:
    why = f"Found in {each.path}, where any program can write: is it yours? Until you say so, nothing of it holds."
    asked = command_proposal(each.words, shlex.join(("wisen", *each.words)), why, scribe, risk="medium")
    return structs.replace(asked, path=each.path)


def _remembered(taken: Taken, ward: Ward) -> Taken:
    """What a file brought back, without what was forgotten."""
    gone = {
        each.id
        for each in taken.entries
        if any(map(ward.holds, (each.summary, each.details, each.action, each.error, each.setting)))
    }
    entries = [each for each in taken.entries if each.id not in gone]
    return Taken(entries, [move for move in taken.moves if move.subject not in gone])


def _compared(taken: Taken, here: Sequence[EntryState], scribe: Scribe) -> list[Entry | Move]:
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
        rows += [scribe.move(entry.id, MoveKind.CONFLICT, other) for other in lessons.opposites(entry.summary)]
        lessons.add(entry.id, entry.summary)
    return [*rows, *(structs.replace(move, subject=same.get(move.subject, move.subject)) for move in taken.moves)]


def write_books(parts: Parts, every: Sequence[EntryState]) -> None:
    """Write what holds and what waits into the books, for people."""
    today = parts.clock.now().date()
    rows = []
    for book, states_here in _books(parts, every, [context.key for context in parts.ledger.contexts()]):
        of = [(rule_id(state.entry.id), state) for state in states_here if is_told(state)]
        with parts.fences.around(FenceKind.PROJECT, book.key or EVERY_PROJECT):
            rows.append(written(parts.files, book, of, today))
    write_contents(parts.files, parts.home, [row for row in rows if row is not None])


def undecided_fixes(every: Iterable[EntryState]) -> dict[str, str]:
    """By the id of a fix, the name of its entry, where the user has said nothing to it yet; the one seen most."""
    open_ = [each for each in every if each.entry.type is EntryType.ERROR and not each.is_over]
    said = {tag for each in open_ if each.confirmed or each.status is Status.PROMOTED for tag in each.entry.tags}
    most = sorted(open_, key=lambda each: each.sessions)
    return {tag: each.entry.name for each in most for tag in each.entry.tags if tag not in said}


def _books(parts: Parts, every: Sequence[EntryState], also: Iterable[str] = ()) -> list[tuple[Book, list[EntryState]]]:
    """The books of every context that something was learnt in, with its entries; `also` those of other contexts."""
    names = {context.key: context.name for context in parts.ledger.contexts()}
    places: dict[str, list[str]] = defaultdict(list)
    for path, context in parts.places():
        places[context].append(path)
    of: dict[str, list[EntryState]] = {key: [] for key in ("", *also)}
    for state in every:
        of.setdefault(state.context, []).append(state)
    return [(book_of(parts.home, key, names.get(key, key), places[key]), of[key]) for key in sorted(of)]
