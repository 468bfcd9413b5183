"""The rules service: lists rules, adds them, imports and writes context files, decides which file a rule goes to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wisen.decisions.service import clean_wording
from wisen.errors import UsageError
from wisen.model.context import EVERYWHERE
from wisen.model.entry import (
    REMOVED_PREFIX,
    Actor,
    Category,
    Entry,
    EntryOrigin,
    EntrySource,
    EntryStatus,
    EntryType,
    MoveKind,
    rule_id,
)
from wisen.rules.rule_places import RulePlaces
from wisen.rules.rule_proposals import RuleProposals
from wisen.rules.rule_writing import RuleWriter
from wisen.store.known_entries import entry_states

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from wisen.decisions.refresh import Refresh
    from wisen.decisions.service import Decisions
    from wisen.edits.edit_history import EditPorts
    from wisen.edits.editor import Edit
    from wisen.edits.permission import PromotePolicy
    from wisen.edits.rule_files import RuleFiles
    from wisen.logs.projects import Projects
    from wisen.model.entry import Move, Proposal
    from wisen.model.entry_state import EntryState, ProposalState
    from wisen.model.error_boundaries import ErrorBoundaries
    from wisen.model.place import RulePlace
    from wisen.rules.context_files import HandEdit
    from wisen.rules.outdated_lines import OutdatedRule
    from wisen.rules.rule_writing import ChosenPlace
    from wisen.store.home import Home
    from wisen.store.known_entries import KnownEntries

RULES = "rules.md"

_PROMOTED = (MoveKind.STATUS, EntryStatus.PROMOTED.value)


class RuleService:
    """Rules: lessons in force, in instruction files and context files."""

    def __init__(  # noqa: PLR0913 - a service is made of what it works with
        self,
        home: Home,
        projects: Projects,
        edit_ports: EditPorts,
        decisions: Decisions,
        refresh: Refresh,
        *,
        rule_files: RuleFiles,
        hook_agents: Collection[str],
        settings: PromotePolicy,
    ) -> None:
        """Create the service; `hook_agents` have hooks, so their rules need no file."""
        self._home, self._projects, self._edit_ports = home, projects, edit_ports
        self._decisions, self._refresh = decisions, refresh
        self._places = RulePlaces(home, rule_files, hook_agents)
        self._writer = RuleWriter(home, edit_ports, decisions, self._places)
        self.proposals = RuleProposals(home, edit_ports, decisions, refresh, self._writer, settings)
        """Answers proposals that become rules."""

    def in_context(self, context: str) -> tuple[EntryState, ...]:
        """Return the rules in force in a context: its own, and the global ones that it does not contradict."""
        from wisen.text.superseded import find_overruled

        rules = [each for each in entry_states(self._home.ledger) if each.is_rule and not each.merged_into]
        local = [each for each in rules if context and each.context == context]
        global_rules = [each for each in rules if not each.context]
        overruled_ids = find_overruled(global_rules, local) if local else set[str]()
        return tuple(each for each in rules if each.context in ("", context) and each.entry.id not in overruled_ids)

    def count(self) -> int:
        """Return how many rules are in force, in all contexts together."""
        last = {(move.subject, move.kind): move.value for move in self._home.ledger.moves.all()}
        promoted = (id_ for (id_, kind), value in last.items() if (kind, value) == _PROMOTED)
        over = (MoveKind.SUPERSEDE, MoveKind.MERGE)
        return sum(not any(last.get((id_, kind)) for kind in over) for id_ in promoted)

    def former_rules(self, context: str | None = None) -> tuple[tuple[EntryState, str], ...]:
        """Return what was stated or approved and is no longer in force, and why, newest first."""
        ledger = self._home.ledger
        every = entry_states(ledger)
        by_id = {each.entry.id: each for each in every}
        last = {(move.subject, move.kind): move for move in ledger.moves.all()}
        rows = []
        for each in every:
            if each.merged_into or (context is not None and each.context not in ("", context)):
                continue
            over, by = last.get((each.entry.id, MoveKind.SUPERSEDE)), by_id.get(each.superseded_by)
            status = last.get((each.entry.id, MoveKind.STATUS))
            if over is not None and by is not None and not each.is_closed:
                rows.append((over.at, each, f"superseded by {by.entry.name}, “{by.text}”"))
            elif status is not None and status.why.startswith(REMOVED_PREFIX) and status.value == EntryStatus.WONT_FIX:
                rows.append((status.at, each, status.why.partition("; ")[0]))
        rows.sort(key=lambda row: (row[0], row[1].entry.id), reverse=True)
        return tuple((each, why) for _, each, why in rows)

    def add(self, text: str, context: str = EVERYWHERE, *, pending: bool = False, dry_run: bool = False) -> Entry:
        """Add a rule in the user's own words, for a context or everywhere; an equivalent rule is reused.

        With `pending` it is recorded as stated, but not approved. A contradicting rule is a conflict.

        Raises:
            UsageError: the text is empty or may not be stored, or there is no such context.
            PersonNeeded: nothing shows that a person decided this.
        """
        from wisen.model.entry_names import entry_name
        from wisen.text.sameness import LessonIndex

        words, home = clean_wording(text), self._home
        self._require_context(context, dry_run=dry_run)
        where = ("--context", context) if context else ("--global",)
        self._decisions.require_person(
            "rules", "add", words, *where, *(("--pending",) if pending else ()), dry_run=dry_run
        )
        factory = home.row_factory
        every = entry_states(home.ledger)
        lessons = LessonIndex()
        for state in every:
            if state.context == context:
                lessons.add(state.entry.id, state.text)
        known = lessons.find(words)
        id_ = known or home.ids.new()
        entry = next((each.entry for each in every if each.entry.id == known), None) or Entry(
            id=id_,
            name=entry_name(EntryType.LEARNING, home.clock.now(), id_, {each.entry.name for each in every}),
            machine=home.machine,
            context=context,
            at=home.clock.now(),
            type=EntryType.LEARNING,
            category=Category.PREFERENCE,
            summary=words,
            source=EntrySource.USER_FEEDBACK,
            origin=EntryOrigin.STATED,
            durable=1.0,
        )
        rows: list[Entry | Move] = [] if known else [entry]
        if not known:
            rows += [factory.build_move(id_, MoveKind.CONFLICT, other) for other in lessons.find_opposites(words)]
        if not pending:
            rows.append(factory.build_move(id_, MoveKind.CONFIRM, by=Actor.USER, why="you wrote it"))
            rows.append(
                factory.build_move(id_, MoveKind.STATUS, EntryStatus.PROMOTED, by=Actor.USER, why="you wrote it")
            )
        if not dry_run:
            with self._decisions.as_decision("rule", entry.id):
                home.ledger.entries.record(rows)
            self._refresh.context_files()
        return entry

    def _require_context(self, context: str, *, dry_run: bool) -> None:
        """Raise UsageError if there is no such context; a project without any session yet becomes known now."""
        from wisen.logs.ownership_rows import record_places

        if context == EVERYWHERE or context in {each.key for each in self._home.ledger.contexts.all()}:
            return
        if not self._projects.resolver.locations.has_new(context):
            raise UsageError(f"No context has the key {context!r}. List them with: wisen contexts")
        if not dry_run:
            record_places(self._projects)

    def page(self, context: str = EVERYWHERE) -> str:
        """Return the rules page of a context, or the global one, as Markdown. Raises: FileError."""
        from wisen.rules.context_files import context_files, read_rules_page

        return read_rules_page(self._edit_ports.files, context_files(self._home.path, context, ""))

    def commands_for_page_edits(self, before: str, after: str, context: str = EVERYWHERE) -> tuple[HandEdit, ...]:
        """Translate edits of a rules page into the commands that say the same."""
        from wisen.rules.context_files import commands_for_edits, context_files

        by_rule_id = {
            rule_id(each.entry.id): each for each in entry_states(self._home.ledger) if each.context == context
        }
        return tuple(
            commands_for_edits(context_files(self._home.path, context, ""), {RULES: (before, after)}, by_rule_id)
        )

    def places(self, proposal: Proposal) -> tuple[RulePlace, ...]:
        """Return every place where the rule of a proposal may go, its own file first."""
        return self._places.places_for(proposal)

    def place_of(self, proposal: Proposal, to: str | None = None) -> RulePlace | None:
        """Return where the rule of a proposal goes; None where it goes into no file. Raises: UsageError."""
        return self._writer.place_of(proposal, to)

    def question_about(self, proposal: Proposal) -> tuple[str, tuple[RulePlace, ...]]:
        """Return what prevents approving a proposal as it is, and where it may go instead; empty if nothing does."""
        return self._places.question_about(proposal)

    def chosen_places(self) -> tuple[ChosenPlace, ...]:
        """Return the places that the user chose, by project and file."""
        return self._writer.chosen_places()

    def choose_place(self, context: str, file: str, to: str, *, dry_run: bool = False) -> ChosenPlace:
        """Record the user's choice of where rules go that would go into one of a project's files; `ask` asks again.

        Raises:
            UsageError: there is no such place.
            PersonNeeded: nothing shows that a person decided this.
        """
        return self._writer.choose_place(context, file, to, dry_run=dry_run)

    def write_learnings(self, path: Path, *, dry_run: bool = False) -> list[Edit]:
        """Write the entries of a project into its `.learnings` folder, which is created if missing.

        Raises:
            UsageError: the directory belongs to no project.
            FileError: a file cannot be read or written.
        """
        from wisen.rules.learnings_folder import write_learnings
        from wisen.safety.entry_texts import is_worth_showing

        context = self._projects.context_of(path)
        if not context:
            raise UsageError(f"{path} belongs to no project. Go to a project's folder, or give one.")
        ledger = self._home.ledger
        every = entry_states(ledger)
        shown = [each for each in every if each.context == context and not each.is_over and is_worth_showing(each)]
        return write_learnings(self._edit_ports, path, shown, ledger.occurrences.of, dry_run=dry_run)

    def import_context_files(self, known: KnownEntries, boundaries: ErrorBoundaries) -> None:
        """Import hand edits of context files as questions, and entries of other tools that the user adopted."""
        if self.are_context_files_written() and not self._has_learnings():
            return  # most runs: neither pages nor entries need to be read
        from wisen.rules.context_file_sync import import_context_files

        with self._home.one_publisher():  # between a page and the copy of it, a page looks as if a person edited it
            import_context_files(self._home, self._projects, self._edit_ports.files, known, boundaries)

    def _has_learnings(self) -> bool:
        """Return whether a project has entries that other tools wrote."""
        from wisen.logs.learnings_files import FOLDER

        aliases = self._home.ledger.contexts.aliases(self._home.machine)
        return any((Path(place) / FOLDER).is_dir() for place in {each.path for each in aliases})

    def are_context_files_written(self) -> bool:
        """Return whether all context files are there and as they were written."""
        from wisen.rules.written_pages import WrittenPages

        keys = (EVERYWHERE, *(each.key for each in self._home.ledger.contexts.all()))
        return WrittenPages(self._home.index.folds, self._home.version).are_unchanged(self._home.path, keys)

    def write_context_files(self, load_states: Callable[[], Sequence[EntryState]], boundaries: ErrorBoundaries) -> None:
        """Write the rules in force and the open proposals into the context files, for people to read."""
        from wisen.rules.context_file_sync import write_all_context_files

        with self._home.one_publisher():
            write_all_context_files(self._home, self._projects, self._edit_ports.files, load_states(), boundaries)

    def import_line_edits(self) -> None:
        """Import the user's edits of our lines in their files, or ask once where git may have made the change."""
        from wisen.edits.user_edits import detect_user_edits
        from wisen.rules.line_edits import apply_line_edits

        apply_line_edits(self._home, detect_user_edits(self._edit_ports))

    def find_outdated_lines(self, every: Sequence[EntryState]) -> list[OutdatedRule]:
        """Return our lines in files that no longer match their rule."""
        from wisen.rules.outdated_lines import find_outdated_lines

        return find_outdated_lines(self._edit_ports, every)

    def propose_replacements(self, outdated: Sequence[OutdatedRule], before: Sequence[ProposalState]) -> list[Proposal]:
        """Propose to change these lines; what was asked `before` waits for new evidence or another wording."""
        from wisen.rules.outdated_lines import propose_replacements

        return propose_replacements(self._home, outdated, before)
