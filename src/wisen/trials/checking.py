"""Checks of changes in files when they are due: what was only inferred and does not help is taken out.

What the user stated or approved is only asked about, and in a profile that writes nothing unasked all the rest too.
Each step is told once, and noted.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from wisen.edits.edit import Editor
from wisen.edits.past import past
from wisen.edits.rule_lines import rule_of
from wisen.errors import WisenError
from wisen.mining.moments import moments
from wisen.model.change import Fate, Line
from wisen.model.entry import JUDGED, EntryStatus, MoveKind
from wisen.model.instruction import Rate
from wisen.model.report import Selection
from wisen.model.trial import Check, Verdict
from wisen.store.known_entries import KnownEntries
from wisen.trials.outcomes import Matters, sessions_of
from wisen.trials.schedule import WatchedChange, check, due
from wisen.trials.unproven import unproven

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from wisen.edits.past import Desk
    from wisen.model.change import Change
    from wisen.model.entry import Move
    from wisen.model.entry_state import EntryState
    from wisen.store.home import Home

BEFORE = timedelta(days=30)
"""So far back the sessions before a change lie that it is held against."""
_SAYS = {
    Check.REMIND: "no session has shown yet whether it helps",
    Check.EXTEND: "no session has shown yet whether it helps; it gets another week. If you know, say so: {asks}",
    Check.ASK: "no session has shown whether it helps. It stays; if it is no longer right: {asks}",
    Check.TAKE_OUT: "no session has ever shown that it helps, and nobody asked for it, so it is taken out",
}


class Checked(NamedTuple):
    """What checks came to, in words."""

    done: tuple[str, ...]
    troubles: tuple[str, ...]


class _Rule(NamedTuple):
    """A rule of ours in a file."""

    change: Change
    state: EntryState
    looks: Sequence[Move]
    """The checks so far, oldest first."""

    @property
    def inferred(self) -> bool:
        """Whether it is there without anybody having said or approved it."""
        return not self.watched(0).users

    def watched(self, relevant: int) -> WatchedChange:
        """The change, as far as its checks are concerned."""
        seen = [move.at for move in self.looks if move.value == Check.CHECK]
        return WatchedChange(
            made=self.change.at,
            origin=self.state.entry.origin,
            approved=self.state.confirmed,
            checked=seen[-1] if seen else None,
            relevant=relevant,
        )


def check_changes(home: Home, desk: Desk, *, unasked: bool) -> Checked:
    """Check the rules in files that are due, and act on it; `unasked`: whether files may be written without a yes."""
    now, known = home.clock.now(), KnownEntries(home.ledger)
    rules = [each for each in _rules(desk, known) if each.inferred or due(each.watched(0)) <= now]
    if not rules:
        return Checked((), ())
    deeds = _Deeds(home, desk)
    for rule, course in zip(rules, _courses(home, rules), strict=True):
        since = rule.watched(0).checked or rule.change.at
        before, after = (_rate(hit for at, hit in course if (at >= rule.change.at) is later) for later in (False, True))
        verdict = unproven(before, after) if rule.inferred else Verdict.RUNNING
        what = check(rule.watched(sum(at >= since for at, _ in course)), now)
        told = f"{before.sessions} of {before.of} sessions before it, {after.sessions} of {after.of} after"
        asks, looks = f"wisen undo {rule.change.id} takes it out", [move.value for move in rule.looks]
        if verdict is Verdict.WORSE or (verdict is Verdict.INEFFECTIVE and what is Check.CHECK):
            if unasked:
                text = f"seen in {told}; {verdict.value}, so it is taken out"
                deeds.carry_out(rule, Check.TAKE_OUT, text)
            elif Check.ASK not in looks:
                deeds.carry_out(rule, Check.ASK, f"seen in {told}; {verdict.value}: {asks}")
        elif what is Check.CHECK:
            deeds.note(rule, what, f"seen in {told}")
        elif what is not Check.NOTHING and what not in looks:
            what = Check.ASK if what is Check.TAKE_OUT and not unasked else what
            if what not in looks:
                deeds.carry_out(rule, what, _SAYS[what].format(asks=asks))
    return Checked(tuple(deeds.done), tuple(deeds.troubles))


def _rules(desk: Desk, known: KnownEntries) -> Iterator[_Rule]:
    """The rules that stand in files as we wrote them; what somebody worded otherwise is his."""
    made = past(desk)
    states = {state.entry.id: state for state in known.states}
    for change in made.standing():
        entry = rule_of(change, known.states) if isinstance(change.deed, Line) else None
        if entry is not None and made.fates[change.id] is Fate.STANDS and not states[entry].superseded_by:
            looks = [move for move in known.moves if move.kind is MoveKind.CHECK and move.subject == change.id]
            yield _Rule(change, states[entry], looks)


def _courses(home: Home, rules: Sequence[_Rule]) -> list[list[tuple[datetime, bool]]]:
    """Of each rule: when the sessions were in which it could matter, and whether what it is against happened."""
    since = min(rule.change.at for rule in rules) - BEFORE
    matters = Matters(home)
    found: list[list[tuple[datetime, bool]]] = [[] for _ in rules]
    for key, histories in sessions_of(home.index.events.histories(Selection(since=since))).items():
        at = min((at for history in histories for at in moments(history)), default=None)
        for rule, course in zip(rules, found, strict=True):
            if at is not None and at >= rule.change.at - BEFORE:
                relevant, hit = matters.line(rule.state.entry, key, histories)
                if relevant:
                    course.append((at, hit))
    return found


class _Deeds:
    """Does what checks say, and notes it."""

    def __init__(self, home: Home, desk: Desk) -> None:
        self._home, self._desk = home, desk
        self.done: list[str] = []
        self.troubles: list[str] = []

    def carry_out(self, rule: _Rule, what: Check, text: str) -> None:
        """Do what a check says, and note it. What cannot be taken out is told, and tried again."""
        told = f"“{rule.state.text}” in {rule.change.path}: {text}."
        if what is Check.TAKE_OUT:
            try:
                Editor(self._desk).undo(rule.change.id)
            except WisenError as error:
                self.troubles.append(f"{told} That could not be done: {error}")
                return
            move = self._home.scribe.move
            self._home.ledger.entries.enter(
                [move(rule.state.entry.id, MoveKind.STATUS, EntryStatus.WONT_FIX, why=f"{JUDGED}{text}")]
            )
        self.note(rule, what, told)
        self.done.append(told)

    def note(self, rule: _Rule, what: Check, text: str) -> None:
        """Note what a check came to."""
        move = self._home.scribe.move
        self._home.ledger.entries.enter([move(rule.change.id, MoveKind.CHECK, what.value, why=text)])


def _rate(hits: Iterable[bool]) -> Rate:
    seen = list(hits)
    return Rate(sessions=sum(seen), of=len(seen))
