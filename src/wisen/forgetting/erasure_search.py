"""Finds everything to erase: ledger rows, events and memories, each with its location.

The messages that a lesson was learned from are erased with it, and so are lessons learned only from erased messages.
Rows are immutable, so a row that contains a forgotten word is removed whole.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple, Protocol

from msgspec import Struct, field
from msgspec.json import decode

from wisen.forgetting.row_texts import texts_in, thing_of
from wisen.model.change import Change, ChangeCheck, LineEdit
from wisen.model.context import EVERYWHERE, NOWHERE, Alias, Context
from wisen.model.decision import standing_moves
from wisen.model.entry import Entry, Move, MoveKind, Occurrence, Proposal, rule_id
from wisen.model.entry_state import fold_entry_states
from wisen.model.exposure import Exposure
from wisen.model.guard import Guard
from wisen.model.learning import Record
from wisen.model.ownership import Ownership
from wisen.model.phrase import PhraseProof, PhraseSearch, UserPhrase
from wisen.model.pointing import SettledTurn
from wisen.model.reinforcement import Reinforcement
from wisen.model.run import Run
from wisen.model.tombstone import ALL_CONTEXTS, ForgottenItem, TextSearch, is_in_scope
from wisen.model.trial import TrialOutcome

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wisen.model.entry_state import EntryState
    from wisen.model.memory import Memory
    from wisen.model.tombstone import IndexedText
    from wisen.safety.forgotten_phrases import Needle
    from wisen.store.ledger_removal import Row

EventRef = tuple[str, str, str]
"""An event: agent, the agent's session id, event id."""
_FIX_PREFIX = "fix:"
"""Prefix of a fix among the things to forget; a fix has no row of its own."""

_UNLISTED_ROWS = (
    Move,
    ChangeCheck,
    Exposure,
    TrialOutcome,
    Reinforcement,
    Alias,
    Context,
    Ownership,
    PhraseProof,
    PhraseSearch,
)
"""Rows that are not listed separately: they contain ids and names, or belong to a listed row."""


class ErasureTarget(NamedTuple):
    """What to forget."""

    needle: Needle
    scope: str
    events: frozenset[tuple[str, str]] = frozenset()
    """Agent and id, in any context."""
    things: frozenset[str] = frozenset()
    """Rows as `kind:id`."""
    whole: bool = False
    """Whether to erase everything in the scope."""
    detached: frozenset[str] = frozenset()
    """Rows that are erased without the messages they were learned from."""


class ErasureMatches(Struct):
    """Everything to erase."""

    rows: dict[str, Row] = field(default_factory=dict)
    """By kind and id."""
    events: set[EventRef] = field(default_factory=set)
    origins: set[str] = field(default_factory=set)
    """Of memories."""
    things: list[ForgottenItem] = field(default_factory=list)

    def copy(self) -> ErasureMatches:
        """Return a copy to which more can be added."""
        return ErasureMatches({**self.rows}, {*self.events}, {*self.origins}, [*self.things])

    def changes(self) -> list[Change]:
        """Return the file changes among the rows, newest first."""
        changes = [row for row in self.rows.values() if isinstance(row, Change)]
        return sorted(changes, key=lambda each: each.id, reverse=True)


class IndexTexts(Protocol):
    """The texts of an index. It may return more than what is asked for."""

    def events(self, search: TextSearch) -> Iterable[IndexedText]:
        """Return the texts of events."""
        ...

    def memories(self, search: TextSearch) -> Iterable[Memory]:
        """Return memories."""
        ...


def find_matches(
    rows: Iterable[Row], index: IndexTexts | None, target: ErasureTarget, context_of: Callable[[str], str]
) -> ErasureMatches:
    """Find everything to erase; `context_of` returns the context of a path, empty outside of any.

    Without an index only rows are searched.
    """
    return _ErasureSearch(rows, target, context_of).run(index)


class _ErasureSearch:
    def __init__(self, rows: Iterable[Row], target: ErasureTarget, context_of: Callable[[str], str]) -> None:
        self._target, self._context_of = target, context_of
        self._rows = [*rows]
        self._matches = ErasureMatches()
        self._events, self._counted_events = target.events, 0
        entries = [row for row in self._rows if isinstance(row, Entry)]
        moves = sorted((row for row in self._rows if isinstance(row, Move)), key=lambda each: each.id)
        standing = standing_moves(moves)
        self._states = {state.entry.id: state for state in fold_entry_states(entries, (), standing)}
        self._split_into = {move.subject: move.value for move in standing if move.kind is MoveKind.SPLIT}
        self._moves_by_subject: dict[str, list[Move]] = {}
        for move in moves:
            self._moves_by_subject.setdefault(move.subject, []).append(move)

    def run(self, index: IndexTexts | None) -> ErasureMatches:
        target, matches = self._target, self._matches
        search = TextSearch(target.needle.words, target.scope, target.events)
        texts: dict[EventRef, str] = {}
        for trace in index.events(search) if index is not None else ():
            event = trace.agent, trace.session, trace.event
            named = (trace.agent, trace.event) in target.events
            if named or (is_in_scope(target.scope, trace.context or NOWHERE) and target.needle.holds(trace.text)):
                texts.setdefault(event, trace.text)
        matches.events |= texts.keys()
        self._add_entries()
        self._add_records()
        self._add_phrases()
        handled = Entry | Occurrence | Record | Change | ChangeCheck | UserPhrase | PhraseProof
        rest = [row for row in self._rows if not isinstance(row, handled)]
        # Decisions and proposals are erased with their subject.
        for row in sorted(rest, key=lambda each: (isinstance(each, Move), isinstance(each, Proposal))):
            if self._is_affected(row):
                self._add(row)
        self._add_changes()
        if index is not None:
            self._add_memories(index, search)
        for event in sorted(matches.events):
            matches.things.append(
                ForgottenItem("event", event[2], f"{event[0]} session {event[1]}", texts.get(event, ""))
            )
        return matches

    def _add_entries(self) -> None:
        """Add entries and occurrences, which pull each other in by shared events, until nothing changes."""
        occurrences = {row.id: row for row in self._rows if isinstance(row, Occurrence)}
        by_entry: dict[str, list[Occurrence]] = defaultdict(list)
        for row in occurrences.values():
            by_entry[self._split_into.get(row.id, row.entry)].append(row)
        # What a row says itself is judged once. After that, only what was added can pull in more.
        for id_, state in self._states.items():
            lesson = self._is_lesson(state)
            if lesson or self._mentions(state):
                self._add_entry(state, by_entry[id_], lesson=lesson)
        stated = {
            each.id for each in occurrences.values() if self._is_named(each) or self._contains(each.context, each.quote)
        }
        merged = [state for state in self._states.values() if state.merged_into]
        changed = True
        while changed:
            before = len(self._matches.rows)
            known = self._known_events()
            occurrences = {id_: each for id_, each in occurrences.items() if thing_of(each) not in self._matches.rows}
            for each in occurrences.values():
                if each.id in stated or (each.agent, each.message) in known:
                    self._add(each)
                    self._matches.events.add((each.agent, each.session, each.message))
            for state in merged:
                if thing_of(state.entry) not in self._matches.rows and self._is_lesson(state):
                    self._add_entry(state, by_entry[state.entry.id], lesson=True)
            changed = len(self._matches.rows) > before

    def _add_entry(self, state: EntryState, occurrences: Iterable[Occurrence], *, lesson: bool) -> None:
        self._add(state.entry)
        for each in occurrences:
            self._add(each)
            if lesson or self._contains(each.context, each.quote):
                self._matches.events.add((each.agent, each.session, each.message))

    def _known_events(self) -> frozenset[tuple[str, str]]:
        """Return the events to erase, by agent and id; they only become more."""
        if self._counted_events != len(self._matches.events):
            self._counted_events = len(self._matches.events)
            self._events = self._target.events.union((agent, id_) for agent, _, id_ in self._matches.events)
        return self._events

    def _is_lesson(self, state: EntryState) -> bool:
        """Whether the lesson itself is to be forgotten, so that the messages it was learned from are erased too."""
        if self._is_named(state.entry) or self._contains(state.context, state.text, state.entry.summary):
            return True
        return bool(state.merged_into) and f"entry:{state.merged_into}" in self._matches.rows

    def _mentions(self, state: EntryState) -> bool:
        if self._target.detached and thing_of(state.entry) in self._target.detached:
            return True
        if not is_in_scope(self._target.scope, state.context):
            return False
        moved = (text for move in self._moves_by_subject.get(state.entry.id, ()) for text in texts_in(move))
        return self._contains(state.context, *texts_in(state.entry), *moved)

    def _add_records(self) -> None:
        records = [row for row in self._rows if isinstance(row, Record)]
        for row in records:
            if self._is_affected(row):
                self._add(row)
        for row in records:  # a resolution says what failed
            if row.failure and f"record:{row.failure}" in self._matches.rows:
                self._add(row)

    def _add_phrases(self) -> None:
        """Add the proofs of a phrase with their events, and the phrase with its last proof.

        A phrase applies to all projects: by its words it is erased only in a scope that covers what applies everywhere.
        """
        known = self._known_events()
        proofs = [row for row in self._rows if isinstance(row, PhraseProof)]
        unsupported = {row.phrase for row in proofs}
        for row in proofs:
            if (row.agent, row.message) in known or self._contains(row.context or NOWHERE, row.quote):
                self._add(row)
                self._matches.events.add((row.agent, row.session, row.message))
        unsupported -= {row.phrase for row in proofs if thing_of(row) not in self._matches.rows}
        phrases = [row for row in self._rows if isinstance(row, UserPhrase)]
        removed = {
            (row.machine, row.text)
            for row in phrases
            if row.id in unsupported or self._is_named(row) or self._contains(EVERYWHERE, row.text)
        }
        for phrase in phrases:
            if (phrase.machine, phrase.text) in removed:
                self._add(phrase)
        for row in proofs:
            if f"ownphrase:{row.phrase}" in self._matches.rows:
                self._add(row)

    def _add_changes(self) -> None:
        changes = [row for row in self._rows if isinstance(row, Change)]
        rules = {rule_id(row.id) for row in self._matches.rows.values() if isinstance(row, Entry)}
        for row in changes:
            ours = isinstance(row.operation, LineEdit) and row.operation.id in rules
            if ours or self._is_affected(row):
                self._add(row)
        for row in changes:  # the change that undoes it contains the same words
            if row.undoes and f"change:{row.undoes}" in self._matches.rows:
                self._add(row)
        for look in self._rows:
            if isinstance(look, ChangeCheck) and (
                f"change:{look.change}" in self._matches.rows or self._is_affected(look)
            ):
                self._add(look)

    def _add_memories(self, index: IndexTexts, search: TextSearch) -> None:
        """Add memories. Those of a session are erased with its events, and rebuilt without them."""
        removed = frozenset(f"entry:{row.id}" for row in self._matches.rows.values() if isinstance(row, Entry))
        for memory in index.memories(search._replace(origins=removed)):
            named = memory.origin in removed
            matches = named or self._contains(memory.context, memory.text, memory.who)
            if matches:
                self._matches.things.append(ForgottenItem("memory", memory.id, memory.citation, memory.text))
            kind, _, event = memory.id.partition(f":{memory.agent}:")
            if matches and kind in ("turn", "workflow"):
                self._matches.events.add((memory.agent, memory.session, event))
            elif not memory.session and (matches or self._contains(memory.context, memory.beside)):
                self._matches.origins.add(memory.origin)

    def _is_affected(self, row: Row) -> bool:
        if isinstance(row, Exposure | Alias | Context | Ownership | PhraseSearch):
            return self._is_total  # they contain only ids and names
        if isinstance(row, Reinforcement):
            known = (row.agent, row.message) in self._known_events()
            return known or row.subject in self._removed_subjects() or self._is_total
        if isinstance(row, Move) and row.kind is MoveKind.POINT:
            settled = decode(row.value, type=SettledTurn)
            return (settled.agent, settled.message) in self._known_events() or self._contains(
                settled.context, settled.words, settled.about
            )
        if isinstance(row, Move):
            about = (f"{kind}:{row.subject}" for kind in ("entry", "occurrence", "proposal", "guard"))
            return any(each in self._matches.rows for each in (*about, f"entry:{row.value}"))
        subjects = (f"entry:{row.entry}", f"guard:{row.entry}") if isinstance(row, Proposal) else ()
        if self._is_named(row) or any(each in self._matches.rows for each in subjects):
            return True
        moved = self._moves_by_subject.get(row.id, ()) if isinstance(row, Proposal) else ()
        return self._contains(
            self._context_of_row(row), *texts_in(row), *(text for each in moved for text in texts_in(each))
        )

    def _removed_subjects(self) -> set[str]:
        """Return the ids of erased entries, of their fixes, and of a fix that was named."""
        named = {thing.removeprefix(_FIX_PREFIX) for thing in self._target.things if thing.startswith(_FIX_PREFIX)}
        entries = [row for row in self._matches.rows.values() if isinstance(row, Entry)]
        return named | {name for row in entries for name in (row.id, *row.tags)}

    @property
    def _is_total(self) -> bool:
        return self._target.whole and self._target.scope == ALL_CONTEXTS

    def _context_of_row(self, row: Row) -> str:
        if isinstance(row, Proposal | Guard):
            return row.context
        if isinstance(row, Run):
            return self._target.scope if not self._target.whole else ALL_CONTEXTS
        path = getattr(row, "path", None)
        if path is not None:
            return self._context_of(path) or EVERYWHERE
        place = getattr(row, "place", "")
        return (self._context_of(place) if place else "") or NOWHERE

    def _contains(self, context: str, *texts: str) -> bool:
        if not is_in_scope(self._target.scope, context):
            return False
        return self._target.whole or any(text and self._target.needle.holds(text) for text in texts)

    def _is_named(self, row: Row) -> bool:
        return bool(self._target.things) and thing_of(row) in self._target.things

    def _add(self, row: Row) -> None:
        key = thing_of(row)
        if key in self._matches.rows:
            return
        self._matches.rows[key] = row
        if isinstance(row, Entry):
            state = self._states[row.id]
            self._matches.things.append(ForgottenItem("entry", row.name, state.context or "global", state.text))
        elif isinstance(row, UserPhrase):
            self._matches.things.append(ForgottenItem("phrase", row.id, "your own wording", row.text))
        elif not isinstance(row, _UNLISTED_ROWS):
            kind, _, id_ = key.partition(":")
            where = getattr(row, "path", "") or getattr(row, "context", "") or getattr(row, "place", "") or "ledger"
            self._matches.things.append(ForgottenItem(kind, id_, where, "\n".join(texts_in(row))))
