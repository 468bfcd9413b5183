"""Checks of changes in files when they are due: what was only inferred and does not help is taken out, by the one door.

What the user stated or approved is only asked about, and in a profile that writes nothing unasked all the rest too.
Each step is told once, and noted.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

from wisen.edits.edit import Editor
from wisen.edits.past import past
from wisen.edits.permission import may_write_unasked
from wisen.edits.rule_lines import rule_of
from wisen.errors import WisenError
from wisen.model.change import Fate, Line
from wisen.model.entry import JUDGED, MoveKind, Status
from wisen.model.instruction import Rate
from wisen.model.report import Selection
from wisen.model.trial import Verdict
from wisen.store.known_entries import Known
from wisen.trials.outcomes import Matters, moments, sessions_of
from wisen.trials.schedule import Check, Watched, check, due
from wisen.trials.unproven import unproven

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from wisen.model.change import Change
    from wisen.model.entry import Move
    from wisen.model.entry_state import EntryState
    from wisen.parts import Parts

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

    def watched(self, relevant: int) -> Watched:
        """The change, as far as its checks are concerned."""
        seen = [move.at for move in self.looks if move.value == Check.CHECK]
        return Watched(
            made=self.change.at,
            origin=self.state.entry.origin,
            approved=self.state.confirmed,
            checked=seen[-1] if seen else None,
            relevant=relevant,
        )


def check_changes(parts: Parts) -> Checked:
    """Check the rules in files that are due, and act on it."""
    now, known = parts.clock.now(), Known(parts.ledger)
    rules = [each for each in _rules(parts, known) if each.inferred or due(each.watched(0)) <= now]
    if not rules:
        return Checked((), ())
    done, troubles, unasked = list[str](), list[str](), may_write_unasked(parts.promote.profile)
    for rule, course in zip(rules, _courses(parts, rules), strict=True):
        since = rule.watched(0).checked or rule.change.at
        before, after = (_rate(hit for at, hit in course if (at >= rule.change.at) is later) for later in (False, True))
        verdict = unproven(before, after) if rule.inferred else Verdict.RUNNING
        what = check(rule.watched(sum(at >= since for at, _ in course)), now)
        told = f"{before.sessions} of {before.of} sessions before it, {after.sessions} of {after.of} after"
        asks, looks = f"wisen undo {rule.change.id} takes it out", [move.value for move in rule.looks]
        if verdict is Verdict.WORSE or (verdict is Verdict.INEFFECTIVE and what is Check.CHECK):
            if unasked:
                text = f"seen in {told}; {verdict.value}, so it is taken out"
                _carry_out(parts, rule, Check.TAKE_OUT, text, done, troubles)
            elif Check.ASK not in looks:
                _carry_out(parts, rule, Check.ASK, f"seen in {told}; {verdict.value}: {asks}", done, troubles)
        elif what is Check.CHECK:
            _noted(parts, rule, what, f"seen in {told}")
        elif what is not Check.NOTHING and what not in looks:
            what = Check.ASK if what is Check.TAKE_OUT and not unasked else what
            if what not in looks:
                _carry_out(parts, rule, what, _SAYS[what].format(asks=asks), done, troubles)
    return Checked(tuple(done), tuple(troubles))


def _rules(parts: Parts, known: Known) -> Iterator[_Rule]:
    """The rules that stand in files as we wrote them; what somebody worded otherwise is his."""
    made = past(parts.desk)
    states = {state.entry.id: state for state in known.states}
    for change in made.standing():
        entry = rule_of(change, known.states) if isinstance(change.deed, Line) else None
        if entry is not None and made.fates[change.id] is Fate.STANDS and not states[entry].superseded_by:
            looks = [move for move in known.moves if move.kind is MoveKind.CHECK and move.subject == change.id]
            yield _Rule(change, states[entry], looks)


def _courses(parts: Parts, rules: Sequence[_Rule]) -> list[list[tuple[datetime, bool]]]:
    """Of each rule: when the sessions were in which it could matter, and whether what it is against happened."""
    since = min(rule.change.at for rule in rules) - BEFORE
    matters = Matters(parts)
    found: list[list[tuple[datetime, bool]]] = [[] for _ in rules]
    for key, histories in sessions_of(parts.index.histories(Selection(since=since))).items():
        at = min((at for history in histories for at in moments(history)), default=None)
        for rule, course in zip(rules, found, strict=True):
            if at is not None and at >= rule.change.at - BEFORE:
                relevant, hit = matters.line(rule.state.entry, key, histories)
                if relevant:
                    course.append((at, hit))
    return found


def _carry_out(parts: Parts, rule: _Rule, what: Check, text: str, done: list[str], troubles: list[str]) -> None:
    """Do what a check says, and note it. What cannot be taken out is told, and tried again."""
    told = f"“{rule.state.text}” in {rule.change.path}: {text}."
    if what is Check.TAKE_OUT:
        try:
            Editor(parts.desk).undo(rule.change.id)
        except WisenError as error:
            troubles.append(f"{told} That could not be done: {error}")
            return
        parts.ledger.enter(
            [parts.scribe.move(rule.state.entry.id, MoveKind.STATUS, Status.WONT_FIX, why=f"{JUDGED}{text}")]
        )
    _noted(parts, rule, what, told)
    done.append(told)


def _noted(parts: Parts, rule: _Rule, what: Check, text: str) -> None:
    parts.ledger.enter([parts.scribe.move(rule.change.id, MoveKind.CHECK, what.value, why=text)])


def _rate(hits: Iterable[bool]) -> Rate:
    seen = list(hits)
    return Rate(sessions=sum(seen), of=len(seen))
