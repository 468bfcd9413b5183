"""The changes service: lists edits of files and the decisions behind them, and undoes them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wisen.decisions.reject_rule import reject_rule
from wisen.edits.rule_lines import entry_of_change
from wisen.errors import UsageError
from wisen.model.change import ChangeFate
from wisen.model.entry import REMOVED_PREFIX, Actor, EntryStatus, MoveKind
from wisen.model.guard import Mode
from wisen.model.short_ids import short_id
from wisen.store.known_entries import entry_states
from wisen.store.one_writer import one_writer

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import timedelta

    from wisen.decisions.refresh import Refresh
    from wisen.decisions.service import Decisions
    from wisen.edits.edit_history import EditHistory, EditPorts
    from wisen.edits.undo import UndoResult
    from wisen.model.change import Change
    from wisen.model.decision import RecordedDecision
    from wisen.store.home import Home


class UndoneDecision(NamedTuple):
    """A decision that was undone, or would be."""

    decision: RecordedDecision
    words: str
    """What was decided, in words."""
    files: tuple[UndoResult, ...]
    """What becomes of the files that it changed."""


class ChangeService:
    """Changes of files, and the decisions that made them."""

    def __init__(
        self,
        home: Home,
        edit_ports: EditPorts,
        decisions: Decisions,
        refresh: Refresh,
        *,
        is_prepared: Callable[[], bool],
    ) -> None:
        """Create the service; `is_prepared` tells whether snapshots exist."""
        self._home, self._edit_ports, self._decisions = home, edit_ports, decisions
        self._refresh, self._is_prepared = refresh, is_prepared

    def all(self) -> EditHistory:
        """Return every change of files on this machine, oldest first, and what became of each."""
        from wisen.edits.edit_history import edit_history

        return edit_history(self._edit_ports)

    def register(self, path: Path, what: str, why: str, *, dry_run: bool = False) -> Change:
        """Record a change that somebody else made to a file, to check it later.

        Raises:
            UsageError: there is no such file, or the description is empty.
            FileError: the file cannot be read.
        """
        from wisen.edits.editor import Editor

        return Editor(self._edit_ports).register_change(str(path.absolute()), what, why, dry_run=dry_run)

    def remove_partial_files(self) -> None:
        """Delete what killed processes left half-written beside the files that were edited."""
        from wisen.edits.user_files import remove_partial_files

        paths = {each.path for each in self._home.ledger.changes.of(machine=self._home.machine)}
        folders = {str(Path(self._edit_ports.files.real_path(Path(each))).parent) for each in paths}
        remove_partial_files(sorted(folders), self._home.clock.now())

    def get(self, change: str) -> tuple[Change, ChangeFate]:
        """Return a change by its id or a prefix of it, and what became of it.

        Raises:
            UsageError: there is no such change.
        """
        from wisen.edits.editor import find_change

        known = self.all()
        found = find_change(known.changes, change)
        return found, known.fates[found.id]

    def record_rejection(self, change: str) -> Change:
        """Record that the user removed what a change added because they did not want it.

        Raises:
            UsageError: there is no such change.
        """
        from wisen.edits.editor import find_change
        from wisen.edits.user_edits import record_rejection

        self._decisions.require_person("changes", "refuse", find_change(self.all().changes, change).id)
        refused = record_rejection(self._edit_ports, change)
        with self._decisions.as_decision("refused"):
            entry = entry_of_change(refused, entry_states(self._home.ledger))
            if entry is not None:  # removing a rule from a file rejects it
                reject_rule(self._home, entry, f"{REMOVED_PREFIX}{refused.path}")
        return refused

    def decisions(self) -> tuple[RecordedDecision, ...]:
        """Return every decision, oldest first: the user's, and those of policy."""
        from wisen.model.decision import decisions_of

        past = self.all()
        over = {id_ for id_, fate in past.fates.items() if fate in (ChangeFate.UNDONE, ChangeFate.NOT_MADE)}
        return decisions_of(self._home.ledger.moves.all(include_undone=True), past.changes, over)

    def decision(self, which: str | None = None) -> RecordedDecision:
        """Return a decision by its short id or id, by that of a change or proposal, or a prefix; default: the last one.

        Raises:
            UsageError: there is none, it was undone already, or more than one matches.
        """
        every = self.decisions()
        if which is None:
            found = next((each for each in reversed(every) if not each.is_undone), None)
            if found is None:
                raise UsageError("There is nothing to undo. List the decisions with: wisen undo --list")
            return found
        fits = [each for each in every if self._matches(each, which)]
        standing = [each for each in fits if not each.is_undone]
        if not fits:
            if any(each.id.startswith(which.upper()) for each in self._home.ledger.tombstones.all()):
                raise UsageError("What was forgotten cannot be undone. To learn it again: wisen forget --undo ID")
            others = [each for each in self.all().changes if each.external_description and each.id.startswith(which)]
            if others:
                message = (
                    f"{others[0].id} was made by somebody else, who can take it back: {others[0].external_description}"
                )
                raise UsageError(message)
            raise UsageError(f"No decision has the id {which!r}. List them with: wisen undo --list")
        if not standing:
            raise UsageError(f"{which} was already undone. List what can be undone with: wisen undo --list")
        if len({each.subject or each.id for each in standing}) != 1:
            raise UsageError(f"{len(standing)} decisions begin with {which!r}. List them with: wisen undo --list")
        return standing[-1]

    def _matches(self, decision: RecordedDecision, which: str) -> bool:
        if short_id(decision.id) == which.lower():
            return True
        if decision.subject and short_id(decision.subject) == which.lower():
            return True
        ids = (decision.id, decision.subject, *decision.changes)
        return any(id_ and id_.upper().startswith(which.upper()) for id_ in ids)

    @one_writer("undo")
    def undo(self, which: str | None = None, *, dry_run: bool = False) -> UndoneDecision:
        """Undo a decision, the last one or one by its id: its file edits and everything else that it recorded.

        What others wrote into the files since stays. The decided question is open again. `dry_run` only reports.

        Raises:
            UsageError: there is no such decision, or a person must look at what is left of it.
            FileError: a file cannot be read or written.
        """
        from wisen.edits.dry_run import in_memory_ports
        from wisen.edits.editor import Editor
        from wisen.model.decision import undo_moves

        found = self.decision(which)
        known = {each.id for each in self._home.ledger.changes.of(machine=self._home.machine)}
        changes = [each for each in reversed(found.changes) if each in known]
        editor = Editor(in_memory_ports(self._edit_ports))
        files = tuple(editor.undo(each) for each in changes)  # errors surface before anything is changed
        undone = UndoneDecision(found, self.describe_decision(found), files)
        if dry_run:
            return undone
        self._decisions.require_person("undo", found.id, "--yes")
        home, editor = self._home, Editor(self._edit_ports)
        for each in changes:
            editor.undo(each)
        moves = home.ledger.moves.all(include_undone=True)
        move = partial(home.row_factory.build_move, by=Actor.USER, why="you took the decision back")
        rows = [move(subject, MoveKind.UNDO, ids) for subject, ids in undo_moves(found, moves)]
        rows += [move(each, MoveKind.STATUS, EntryStatus.RESOLVED) for each in found.entries]
        rows += [
            move(each, MoveKind.GUARD, Mode.REMOVED) for each in found.guards if self._is_only_known_from(each, found)
        ]
        home.ledger.entries.record(rows)
        self._refresh.context_files()
        if self._is_prepared():
            self._refresh.snapshots()
        return undone

    def _is_only_known_from(self, guard: str, decision: RecordedDecision) -> bool:
        """Whether only this decision knows of a guard: one that was proposed goes back to shadow mode."""
        return all(each.entry != guard for each in self._home.ledger.proposals.all() if each.id != decision.subject)

    def age_of(self, decision: RecordedDecision) -> timedelta:
        """Return how long ago something was decided."""
        return self._home.clock.now() - decision.at

    def describe_decision(self, decision: RecordedDecision) -> str:
        """Describe a decision: approved “Use pnpm.” into CLAUDE.md."""
        from wisen.model.guard import newest_versions

        ledger = self._home.ledger
        paths = {each.id: each.path for each in ledger.changes.of(machine=self._home.machine)}
        files = list(dict.fromkeys(paths[each] for each in decision.changes if each in paths))
        where = f" into {', '.join(Path(each).name for each in files)}" if files else ""
        proposal = next((each for each in ledger.proposals.all() if each.id == decision.subject), None)
        guard = next((each for each in newest_versions(ledger.guards.all()) if each.id == decision.subject), None)
        entry = next((each for each in entry_states(ledger) if each.entry.id == decision.subject), None)
        values = {each.kind: each.value for each in ledger.moves.all(include_undone=True) if each.id in decision.moves}
        who = "" if decision.by is Actor.USER else "by itself: "
        text = f"{who}{decision.did} {', '.join(files) or decision.subject}".strip()
        if decision.did in ("installed", "uninstalled"):
            many = f" ({', '.join(files)})" if files else ""
            text = f"{decision.did} wisen {'into' if decision.did == 'installed' else 'from'} {decision.subject}{many}"
        elif decision.did == "experiments":
            text = f"said whether experiments are welcome{where}"
        elif decision.did == "pointing":
            text = f"said whether your agent may help to sort what you said{where}"
        elif decision.did == "pointed":
            text = f"{who}learned from words of yours that an agent pointed at ({decision.subject[:9]})"
        if proposal is not None:
            return f"{who}{decision.did} “{proposal.text}”{where}"
        if guard is not None:
            return f"{who}set the guard {guard.id} to {values.get(MoveKind.GUARD, decision.did)}: {guard.watch}"
        if entry is not None and decision.did == "rule":
            return f"added the rule “{entry.text}”"
        if entry is not None:
            moves = ", ".join(f"{kind.value} {value}".strip() for kind, value in values.items())
            return f"{who}{moves or decision.did}: “{entry.text}”"
        return text
