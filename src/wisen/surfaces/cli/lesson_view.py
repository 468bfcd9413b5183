"""`wisen lessons`: lists, shows and counts lessons, and records decisions about them."""

from __future__ import annotations

import sys
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from wisen import app
from wisen.errors import UsageError
from wisen.model.entry import Actor, EntryStatus, ManualEntry, MoveKind
from wisen.model.pointing import turn_id
from wisen.safety.entry_texts import describe_author, describe_decision
from wisen.surfaces.cli.lesson_lines import delivery_fields, delivery_lines
from wisen.surfaces.cli.praise_view import praise_lines
from wisen.surfaces.cli.render import clip, console, plural, print_json, say
from wisen.surfaces.cli.switch_commands import is_off

if TYPE_CHECKING:
    from wisen.model.entry import Entry
    from wisen.model.entry_state import EntryState

_SHOWN = 30
_QUOTES = 10
_ENTRY_FIELDS = "id name type category source origin area tags files key about durable details".split()
_STATE_FIELDS = "text status priority context times sessions first last confirmed conflicts superseded_by".split()


def list_lessons(*, every: bool, context: str | None, limit: int | None, as_json: bool) -> int:
    """List the lessons, the most frequent first."""
    shown = limit or (sys.maxsize if as_json else _SHOWN)
    with app.wire().open_for_queries() as learner:
        entries, total = learner.lessons.top(shown, every=every, context=context)
    if as_json:
        print_json({"entries": [lesson_fields(each) for each in entries]})
        return 0
    if not entries:
        say("No lesson was recorded yet. Start with: wisen learn")
    for each in entries:
        many = f", {plural(each.sessions, 'session')}" if each.sessions > 1 else ""
        state = "" if each.status is EntryStatus.PENDING else f", {each.status.value}"
        say(f"{each.entry.name}  {clip(each.text, 90)}")
        kind = each.entry.category or each.entry.type
        say(f"    {kind}, {each.priority.value}{many}{state}, {each.last:%Y-%m-%d}", dim=True)
    if total > len(entries):
        say(f"and {total - len(entries):,} more: wisen lessons --limit {total}", dim=True)
    return 0


def show_lesson(name: str, *, as_json: bool) -> int:
    """Show one lesson with its evidence."""
    with app.wire().open_for_queries() as learner:
        state, seen = learner.lessons.get(name)
        decided, praises, over = learner.lessons.decisions(state), state.praises, learner.rules.former_rules()
        strength = learner.praise.strength(praises)
        settled, tells_local = dict(learner.feedback.settlement.settled_turns()), learner.delivery.delivers_local_words
    pointed = {each.id: settled.get(turn_id(each.agent, each.session, each.message)) for each in seen}
    if as_json:
        fields = lesson_fields(state) | {"occurrences": seen, "decisions": decided}
        fields |= {"pointed": [each for each in pointed.values() if each is not None]}
        print_json(fields | {"praises": praises, "strength": strength})
        return 0
    out = console()
    entry = state.entry
    out.print(f"{entry.name}: {state.text}", markup=False)
    out.print(
        f"{entry.category or entry.type}, {state.priority.value}, {state.status.value}, area {entry.area}, "
        f"{describe_author(entry)}, {describe_decision(state)}; in {entry.context or 'every context'}",
        markup=False,
    )
    for line in delivery_lines(state, tells_local=tells_local):
        out.print(line, markup=False)
    for other, why in over:
        if other.entry.id == entry.id:
            out.print(f"It no longer applies: {why}.", markup=False)
    if state.conflicts and not state.is_over:
        out.print(f"It contradicts {plural(len(state.conflicts), 'other lesson')}: wisen lessons resolve one of them.")
    if seen:
        out.print(f"Seen {plural(state.times, 'time')} in {plural(state.sessions, 'session')}:")
    for each in [*reversed(seen)][:_QUOTES]:
        out.print(f"  “{clip(each.quote, 160)}”", markup=False)
        out.print(f"    {each.at:%Y-%m-%d %H:%M}, {each.agent} {each.session}", style="dim", markup=False)
        if (by := pointed[each.id]) is not None:
            out.print(f"    quoted by {by.by}, found in your log", style="dim", markup=False)
    for line in praise_lines(praises, strength):
        out.print(line, markup=False)
    if decided:
        out.print("Decisions:")
    for move in decided:
        who = "you" if move.by is Actor.USER else "wisen"
        what = f"{move.kind.value} {move.value}".strip()
        out.print(f"  {move.at:%Y-%m-%d}, {who}: {what}{f' ({move.why})' if move.why else ''}", markup=False)
    return 0


def list_recent(*, days: int, as_json: bool) -> int:
    """List the newest lessons of this project, and count those of all."""
    with app.wire().open_for_queries() as learner:
        here, every = learner.contexts.key_of(Path.cwd()), learner.lessons.all()
        tells_local = learner.delivery.delivers_local_words
    newest = max((each.last for each in every), default=None)
    found = [
        each
        for each in every
        if each.context == here and not each.is_closed and newest and newest - each.last <= timedelta(days=days)
    ]
    found.sort(key=lambda each: each.last, reverse=True)
    if as_json:
        print_json({"context": here, "entries": [lesson_fields(each) for each in found], "everywhere": len(every)})
        return 0
    for each in found[:_SHOWN]:
        say(f"{each.last:%Y-%m-%d}  {clip(each.text, 66)}")
        state = "superseded" if each.superseded_by else each.status.value
        say(f"    {each.entry.name}, {state}", dim=True)
        for line in delivery_lines(each, tells_local=tells_local):
            say(f"    {line}", dim=True)
    if not found:
        say("Nothing was learned here lately." if here else "This directory belongs to no project that wisen knows.")
    rules, entries = sum(each.is_rule for each in every), sum(not each.is_closed for each in every)
    say(f"Everywhere: {plural(entries, 'lesson')}, {plural(rules, 'rule')}. More: wisen lessons")
    return 0


def log_lesson(options: dict[str, str], *, here: bool, dry_run: bool, as_json: bool) -> int:
    """Record a lesson by hand."""
    wires = app.wire()
    if not dry_run and is_off(wires, as_json=as_json):
        return 0
    with wires.learner(reads=False) as learner:
        context = learner.contexts.key_of(Path.cwd()) if here else ""
        entry = learner.lessons.log(ManualEntry(**options, context=context), dry_run=dry_run)
    if as_json:
        print_json({"entry": entry, "dry_run": dry_run})
        return 0
    console().print(f"{'Would log' if dry_run else 'Logged'} {entry.name}: {entry.summary}", markup=False)
    return 0


def record_decision(name: str, kind: MoveKind, value: str, done: str, *, dry_run: bool, as_json: bool) -> int:
    """Record a decision of the user about a lesson."""
    with app.wire().learner(reads=False) as learner:
        state = learner.lessons.decide(name, kind, value, dry_run=dry_run)
    if as_json:
        print_json({"entry": state.entry.name, "kind": kind, "value": value, "dry_run": dry_run})
        return 0
    console().print(f"{state.entry.name} {'would be' if dry_run else 'is'} {done}: {state.text}", markup=False)
    return 0


def set_lesson(name: str, kind: str, value: str, *, dry_run: bool, as_json: bool) -> int:
    """Set the status, priority or wording of a lesson."""
    allowed = (MoveKind.STATUS, MoveKind.PRIORITY, MoveKind.TEXT)
    if kind not in allowed:
        raise UsageError(f"{kind!r} cannot be set. Give one of {', '.join(allowed)}.")
    return record_decision(name, MoveKind(kind), value, f"set to {value}", dry_run=dry_run, as_json=as_json)


def split_lesson(name: str, seen: list[str], text: str, *, dry_run: bool, as_json: bool) -> int:
    """Make some occurrences of a lesson another lesson."""
    with app.wire().learner(reads=False) as learner:
        entry = learner.lessons.split(name, seen, text, dry_run=dry_run)
    if as_json:
        print_json({"entry": entry, "dry_run": dry_run})
        return 0
    console().print(f"{'Would be' if dry_run else 'Is'} {entry.name}: {entry.summary}", markup=False)
    return 0


def write_learnings(*, dry_run: bool, as_json: bool) -> int:
    """Write the lessons of this project into its .learnings folder."""
    with app.wire().learner(reads=False) as learner:
        made = learner.rules.write_learnings(Path.cwd(), dry_run=dry_run)
    paths = Counter(edit.change.path for edit in made)
    if as_json:
        print_json({"files": paths, "changes": [edit.change.id for edit in made if not dry_run], "dry_run": dry_run})
        return 0
    out = console()
    if not made:
        out.print("There is nothing to write: .learnings has all lessons of this project.")
    for path, many in paths.items():
        would = "would be changed" if dry_run else f"{plural(many, 'change')}; to revert: wisen undo"
        out.print(f"{path}: {would}", markup=False)
    return 0


def show_stats(*, as_json: bool) -> int:
    """Count the lessons."""
    with app.wire().open_for_queries() as learner:
        entries, proposals = learner.lessons.all(), learner.proposals.all()
    counted = {
        "by_status": Counter(each.status.value for each in entries),
        "by_kind": Counter(str(each.entry.category or each.entry.type) for each in entries),
        "by_context": Counter(each.context or "everywhere" for each in entries),
    }
    fields = {
        "entries": len(entries),
        **counted,
        "proposals_waiting": sum(each.is_waiting for each in proposals),
        "last": max((each.last for each in entries), default=None),
    }
    if as_json:
        print_json(fields)
        return 0
    out = console()
    waiting = sum(each.is_waiting for each in proposals)
    out.print(f"{plural(len(entries), 'lesson')}, {plural(waiting, 'proposal')} waiting.")
    for counts in counted.values():
        for name, many in counts.most_common(10):
            out.print(f"  {many:>6,}  {name}", markup=False)
        out.print()
    return 0


def lesson_fields(state: EntryState) -> dict[str, object]:
    entry: Entry = state.entry
    fields: dict[str, object] = {name: getattr(entry, name) for name in _ENTRY_FIELDS}
    words = {"author": describe_author(entry), "decision": describe_decision(state)}
    return fields | {name: getattr(state, name) for name in _STATE_FIELDS} | words | delivery_fields(state)
