"""The lessons service: looks up entries, records the user's decisions about them, and records new lessons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.decisions.service import clean_wording, decision_command
from wisen.errors import UsageError
from wisen.model.entry import LOGGABLE, Actor, Entry, EntryOrigin, EntrySource, EntryStatus, MoveKind, Priority
from wisen.model.entry_state import fold_entry_states
from wisen.store.known_entries import KnownEntries, entry_states, find_entry
from wisen.store.one_writer import one_writer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from wisen.decisions.refresh import Refresh
    from wisen.decisions.service import Decisions
    from wisen.edits.edit_history import EditPorts
    from wisen.lessons.merge_entries import MergeResult
    from wisen.lessons.run_scope import RunScope
    from wisen.logs.projects import Projects
    from wisen.model.entry import ManualEntry, Move, Occurrence
    from wisen.model.entry_state import EntryState
    from wisen.model.error_boundaries import ErrorBoundaries
    from wisen.model.fix import Fix
    from wisen.model.pointing import SettledTurn
    from wisen.model.signal import SourcedSignal
    from wisen.store.home import Home

_MANY = 100
"""From this many entries on, reading all decisions at once is faster."""
_OF_USER = (EntrySource.USER_FEEDBACK, EntrySource.CONVERSATION)
_LOUD = (Priority.CRITICAL, Priority.HIGH)


class LessonService:
    """Entries: each is one lesson, however often it came up."""

    def __init__(  # noqa: PLR0913 - a service is made of what it works with
        self,
        home: Home,
        projects: Projects,
        edit_ports: EditPorts,
        decisions: Decisions,
        refresh: Refresh,
        is_lasting: Callable[[EntryState], bool],
        *,
        settings_mark: str = "",
    ) -> None:
        """Create the service; `is_lasting`: whether the user stated an entry for good.

        `settings_mark` differs when settings changed that decide what is proposed.
        """
        self._settings_mark = settings_mark
        self._home, self._projects, self._edit_ports = home, projects, edit_ports
        self._decisions, self._refresh, self._is_lasting = decisions, refresh, is_lasting

    def all(self) -> tuple[EntryState, ...]:
        """Return every entry with its current state, oldest first."""
        return entry_states(self._home.ledger)

    def load_known(self) -> KnownEntries:
        """Load the entries of the ledger for a run, which adds to them."""
        return KnownEntries(self._home.ledger)

    def top(self, limit: int, *, every: bool = False, context: str | None = None) -> tuple[tuple[EntryState, ...], int]:
        """Return the entries that came up most, and how many there are; only the returned ones are read.

        With `every`, closed entries are included.
        """
        ledger = self._home.ledger
        over = ledger.entries.closed_entries()
        fits = [id_ for id_ in ledger.entries.ranked_ids(context) if every or id_ not in over]
        shown = fits[:limit]
        read = set(shown)
        read |= {id_ for id_, into in over.items() if into in read}
        moves = (
            ledger.moves.all() if len(read) > _MANY else [move for id_ in sorted(read) for move in ledger.moves.of(id_)]
        )
        found = {
            each.entry.id: each
            for each in fold_entry_states(ledger.entries.of(read), ledger.entries.tallies(read), moves)
        }
        return tuple(found[id_] for id_ in shown), len(fits)

    def count(self) -> int:
        """Return how many entries there are, except closed ones."""
        entries = self._home.ledger.entries
        return len(entries.ids() - entries.closed_entries().keys())

    def get(self, name: str) -> tuple[EntryState, tuple[Occurrence, ...]]:
        """Return an entry by its name or id, or a prefix of one, and its occurrences.

        Raises:
            UsageError: no entry, or more than one, has such a name.
        """
        found = find_entry(self.all(), name)
        return found, self._home.ledger.occurrences.of(found.entry.id)

    def occurrences(self, state: EntryState) -> tuple[Occurrence, ...]:
        """Return where an entry was seen, oldest first."""
        return self._home.ledger.occurrences.of(state.entry.id)

    def decisions(self, state: EntryState) -> tuple[Move, ...]:
        """Return the decisions about an entry and its proposals, oldest first."""
        ledger = self._home.ledger
        subjects = {state.entry.id, *(each.id for each in ledger.proposals.all() if each.entry == state.entry.id)}
        return tuple(move for move in ledger.moves.all() if move.subject in subjects)

    def log(self, logged: ManualEntry, *, dry_run: bool = False) -> Entry:
        """Record an entry by hand.

        Raises:
            UsageError: the kind, source or priority is unknown, or the text is empty or contains a secret.
            PersonNeeded: it is logged as the user's statement or as important, and nothing shows that a person does so.
        """
        from wisen.model.entry_names import entry_name
        from wisen.safety.withhold import rule_against

        if logged.kind not in LOGGABLE:
            raise UsageError(f"{logged.kind!r} cannot be logged. Allowed: {', '.join(LOGGABLE)}.")
        for field, value, of in (("source", logged.source, EntrySource), ("priority", logged.priority, Priority)):
            if value not in list(of):
                raise UsageError(f"{value!r} is not a valid {field}. Allowed: {', '.join(of)}.")
        if not logged.text.strip():
            raise UsageError("There is nothing to log. Give a text.")
        rule = rule_against(" ".join((logged.text, logged.area, logged.key)))
        if rule is not None:
            raise UsageError(f"The text contains something that may not be stored ({rule}). Rephrase it without that.")
        if logged.source in _OF_USER or logged.priority in _LOUD:
            # Only a person may log something as the user's statement, or as important enough for every session.
            options = ("--source", logged.source, "--priority", logged.priority)
            self._decisions.require_person("entries", "log", logged.kind, logged.text, *options, dry_run=dry_run)
        home, id_ = self._home, self._home.ids.new()
        type_, category = LOGGABLE[logged.kind]
        now = home.clock.now()
        entry = Entry(
            id=id_,
            name=entry_name(type_, now, id_, {each.name for each in home.ledger.entries.all()}),
            machine=home.machine,
            context=logged.context,
            at=now,
            type=type_,
            category=category,
            summary=" ".join(logged.text.split()),
            source=EntrySource(logged.source),
            origin=EntryOrigin.LOGGED,
            priority=Priority(logged.priority),
            area=logged.area,
            key=logged.key,
        )
        if not dry_run:
            home.ledger.entries.record([entry])
        return entry

    def decide(self, name: str, kind: MoveKind, value: str = "", *, dry_run: bool = False) -> EntryState:
        """Record the user's decision about an entry: its status, wording or scope, or which entry it duplicates.

        Raises:
            UsageError: there is no such entry, or the value is not allowed.
            PersonNeeded: nothing shows that a person decided this.
        """
        found = find_entry(self.all(), name)
        if kind is MoveKind.STATUS and value not in list(EntryStatus):
            raise UsageError(f"{value!r} is not a valid status. Allowed: {', '.join(EntryStatus)}.")
        if kind is MoveKind.PRIORITY and value not in list(Priority):
            raise UsageError(f"{value!r} is not a valid priority. Allowed: {', '.join(Priority)}.")
        if kind is MoveKind.TEXT:
            value = clean_wording(value)
        if kind is MoveKind.MERGE and not value:
            if not found.merged_into:
                raise UsageError(f"{name} is not merged into another lesson. To see it: wisen lessons show {name}")
        elif kind is MoveKind.MERGE:
            into = find_entry(self.all(), value)
            if into.entry.id == found.entry.id or into.merged_into:
                raise UsageError(f"{name} cannot be merged into {value}. Name a lesson that is not merged itself.")
            value = into.entry.id
        if kind is MoveKind.SUPERSEDE:
            by = find_entry(self.all(), value)
            if by.entry.id == found.entry.id or by.is_over:
                raise UsageError(f"{name} cannot be superseded by {value}. Name a lesson that is in force: wisen rules")
            value = by.entry.id
        self._decisions.require_person(*decision_command(found.entry.name, kind, value), dry_run=dry_run)
        if not dry_run:
            # Saying that it holds, here or everywhere, also confirms it.
            holds = kind is MoveKind.EVERYWHERE or (kind, value) == (MoveKind.STATUS, EntryStatus.PROMOTED)
            kinds = (MoveKind.CONFIRM, kind) if holds else (kind,)
            factory = self._home.row_factory
            with self._decisions.as_decision("entry", found.entry.id):
                self._home.ledger.entries.record(
                    [factory.build_move(found.entry.id, each, value, by=Actor.USER) for each in kinds]
                )
        return found

    def split(self, name: str, occurrences: Sequence[str], text: str = "", *, dry_run: bool = False) -> Entry:
        """Move occurrences of an entry, by session or id or a prefix of one, to a new entry, which is returned.

        Raises:
            UsageError: there is no such entry, a name matches none of its occurrences, or the text may not be stored.
        """
        from wisen.lessons.split import split
        from wisen.safety.withhold import rule_against

        home, (state, seen) = self._home, self.get(name)
        if (rule := rule_against(text)) is not None:
            raise UsageError(f"The text contains something that may not be stored ({rule}). Rephrase it without that.")
        options = [word for each in occurrences for word in ("--seen", each)]
        words = ("entries", "split", state.entry.name, *options, *(("--text", text) if text else ()))
        names = {each.name for each in home.ledger.entries.all()}
        split(
            state, seen, occurrences, " ".join(text.split()), names, home.row_factory
        )  # errors come before the question who decides
        self._decisions.require_person(*words, dry_run=dry_run)
        entry, moves = split(state, seen, occurrences, " ".join(text.split()), names, home.row_factory)
        if not dry_run:
            with self._decisions.as_decision("split", state.entry.id):
                home.ledger.entries.record([entry, *moves])
        return entry

    @one_writer("repair")
    def merge_duplicates(self, *, dry_run: bool = False) -> MergeResult:
        """Merge duplicates that two runs recorded at the same time; their second lines leave the user's files."""
        from wisen.lessons.merge_entries import merge_duplicates

        joined, is_changed = merge_duplicates(self._home, self._edit_ports, dry_run=dry_run)
        if is_changed:
            self._refresh.context_files()
        return joined

    def record_pointed(self, said: Sequence[SourcedSignal]) -> tuple[Entry, ...]:
        """Record a turn that an agent pointed at and the log confirmed; return the entries that hold it."""
        from wisen.lessons.pointed_turns import record_pointed

        return record_pointed(self._home, self._projects, said)

    def drop_pointed(self, settled: SettledTurn) -> None:
        """Close the entries that rest on a single turn from which nothing is to be learned."""
        from wisen.lessons.pointed_turns import drop_pointed

        drop_pointed(self._home, settled)

    def find_scope(self, known: KnownEntries) -> RunScope:
        """Return what changed since lessons were last recorded: sessions, and projects."""
        from wisen.lessons.run_scope import find_scope

        return find_scope(self._home, known, self._settings_mark)

    def save_scope(self, known: KnownEntries, scope: RunScope, boundaries: ErrorBoundaries) -> None:
        """Store that this was looked at; after a failure it is not, and is looked at again."""
        from wisen.lessons.run_scope import save_scope

        if not boundaries.failures:
            save_scope(self._home, known, scope, self._settings_mark)

    def record_lessons(
        self, known: KnownEntries, scope: RunScope, fixes: Iterable[Fix], boundaries: ErrorBoundaries
    ) -> None:
        """Record what the user stated, what kept failing and which practices to avoid; the newest statement wins."""
        from wisen.lessons.entry_steps import record_entries
        from wisen.lessons.supersede_step import supersede

        record_entries(self._home, self._projects, known, scope, fixes, boundaries=boundaries)
        with boundaries.isolate_step("let the newest statement win"):
            supersede(self._home, known, scope, self._is_lasting)
