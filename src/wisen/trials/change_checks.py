"""Checks rules in files when they are due, and reverts inferred ones that do not help.

What the user stated or approved is only asked about; so is everything else in a profile that writes nothing without
asking. Each step is reported once, and recorded.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from wisen.edits.edit_history import edit_history
from wisen.edits.editor import Editor
from wisen.edits.rule_lines import entry_of_change
from wisen.errors import WisenError
from wisen.mining.session_times import event_times
from wisen.model.change import ChangeFate, LineEdit
from wisen.model.entry import JUDGED_PREFIX, EntryStatus, MoveKind
from wisen.model.instruction import Rate
from wisen.model.report import Selection
from wisen.model.trial import CheckAction, Verdict
from wisen.store.known_entries import KnownEntries
from wisen.trials.check_schedule import WatchedChange, due_date, next_check
from wisen.trials.inferred_lines import judge_inferred_line
from wisen.trials.outcomes import SessionRelevance, sessions_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from wisen.edits.edit_history import EditPorts
    from wisen.model.change import Change
    from wisen.model.entry import Move
    from wisen.model.entry_state import EntryState
    from wisen.store.home import Home

LOOKBACK = timedelta(days=30)
"""How far before a change the sessions lie that it is compared with."""
_MESSAGES = {
    CheckAction.REMIND: "no session has shown yet whether it helps",
    CheckAction.EXTEND: "no session has shown yet whether it helps; it gets another week. If it should go: {undo_hint}",
    CheckAction.ASK: "no session has shown whether it helps. It stays; if it is no longer right: {undo_hint}",
    CheckAction.REVERT: "no session has ever shown that it helps, and nobody asked for it, so it is removed",
}


class CheckResults(NamedTuple):
    """The results of checks, as sentences."""

    done: tuple[str, ...]
    problems: tuple[str, ...]


class _FileRule(NamedTuple):
    """A rule that wisen wrote to a file."""

    change: Change
    state: EntryState
    checks: Sequence[Move]
    """The checks so far, oldest first."""

    @property
    def is_inferred(self) -> bool:
        """Whether the user neither stated nor approved it."""
        return not self.as_watched_change(0).is_users_own

    def as_watched_change(self, relevant: int) -> WatchedChange:
        """Return the change as the check schedule sees it."""
        checked = [move.at for move in self.checks if move.value == CheckAction.CHECK]
        return WatchedChange(
            made_at=self.change.at,
            origin=self.state.entry.origin,
            approved=self.state.confirmed,
            checked=checked[-1] if checked else None,
            relevant=relevant,
        )


def check_changes(home: Home, edit_ports: EditPorts, *, may_write: bool) -> CheckResults:
    """Check the rules in files that are due, and act on it; `may_write`: whether files may be edited without asking."""
    now, known = home.clock.now(), KnownEntries(home.ledger)
    rules = [
        each
        for each in _rules_in_files(edit_ports, known)
        if each.is_inferred or due_date(each.as_watched_change(0)) <= now
    ]
    if not rules:
        return CheckResults((), ())
    actions = _CheckActions(home, edit_ports)
    for rule, series in zip(rules, _session_hits(home, rules), strict=True):
        since = rule.as_watched_change(0).checked or rule.change.at
        before, after = (_rate(hit for at, hit in series if (at >= rule.change.at) is later) for later in (False, True))
        verdict = judge_inferred_line(before, after) if rule.is_inferred else Verdict.RUNNING
        step = next_check(rule.as_watched_change(sum(at >= since for at, _ in series)), now)
        counts = f"{before.sessions} of {before.of} sessions before it, {after.sessions} of {after.of} after"
        undo_hint, earlier = f"wisen undo {rule.change.id} removes it", [move.value for move in rule.checks]
        if verdict is Verdict.WORSE or (verdict is Verdict.INEFFECTIVE and step is CheckAction.CHECK):
            if may_write:
                text = f"seen in {counts}; {verdict.value}, so it is removed"
                actions.apply(rule, CheckAction.REVERT, text)
            elif CheckAction.ASK not in earlier:
                actions.apply(rule, CheckAction.ASK, f"seen in {counts}; {verdict.value}: {undo_hint}")
        elif step is CheckAction.CHECK:
            actions.record(rule, step, f"seen in {counts}")
        elif step is not CheckAction.NOTHING and step not in earlier:
            step = CheckAction.ASK if step is CheckAction.REVERT and not may_write else step
            if step not in earlier:
                actions.apply(rule, step, _MESSAGES[step].format(undo_hint=undo_hint))
    return CheckResults(tuple(actions.done), tuple(actions.problems))


def _rules_in_files(edit_ports: EditPorts, known: KnownEntries) -> Iterator[_FileRule]:
    """Yield the rules that are in files as wisen wrote them; a line that somebody reworded is theirs."""
    history = edit_history(edit_ports)
    changes = [*history.effective_changes()]
    states = {state.entry.id: state for state in known.states} if changes else {}
    for change in changes:
        entry = entry_of_change(change, known.states) if isinstance(change.operation, LineEdit) else None
        if entry is not None and history.fates[change.id] is ChangeFate.STANDS and not states[entry].superseded_by:
            checks = [move for move in known.moves if move.kind is MoveKind.CHECK and move.subject == change.id]
            yield _FileRule(change, states[entry], checks)


def _session_hits(home: Home, rules: Sequence[_FileRule]) -> list[list[tuple[datetime, bool]]]:
    """Return for each rule the times of its relevant sessions, and whether what it is against happened."""
    since = min(rule.change.at for rule in rules) - LOOKBACK
    relevance = SessionRelevance(home)
    series: list[list[tuple[datetime, bool]]] = [[] for _ in rules]
    for key, histories in sessions_of(home.index.events.histories(Selection(since=since))).items():
        at = min((at for history in histories for at in event_times(history)), default=None)
        for rule, hits in zip(rules, series, strict=True):
            if at is not None and at >= rule.change.at - LOOKBACK:
                relevant, hit = relevance.line_relevance(rule.state.entry, key, histories)
                if relevant:
                    hits.append((at, hit))
    return series


class _CheckActions:
    """Applies the outcome of checks, and records it."""

    def __init__(self, home: Home, edit_ports: EditPorts) -> None:
        self._home, self._edit_ports = home, edit_ports
        self.done: list[str] = []
        self.problems: list[str] = []

    def apply(self, rule: _FileRule, step: CheckAction, text: str) -> None:
        """Apply the outcome of a check, and record it. A failed removal is reported, and retried next time."""
        message = f"“{rule.state.text}” in {rule.change.path}: {text}."
        if step is CheckAction.REVERT:
            try:
                Editor(self._edit_ports).undo(rule.change.id)
            except WisenError as error:
                self.problems.append(f"{message} That could not be done: {error}")
                return
            move = self._home.row_factory.build_move
            self._home.ledger.entries.record(
                [move(rule.state.entry.id, MoveKind.STATUS, EntryStatus.WONT_FIX, why=f"{JUDGED_PREFIX}{text}")]
            )
        self.record(rule, step, message)
        self.done.append(message)

    def record(self, rule: _FileRule, step: CheckAction, text: str) -> None:
        """Record the outcome of a check."""
        move = self._home.row_factory.build_move
        self._home.ledger.entries.record([move(rule.change.id, MoveKind.CHECK, step.value, why=text)])


def _rate(hits: Iterable[bool]) -> Rate:
    outcomes = list(hits)
    return Rate(sessions=sum(outcomes), of=len(outcomes))
