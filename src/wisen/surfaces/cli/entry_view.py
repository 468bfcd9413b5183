"""`wisen lessons`, `wisen rules` and `wisen stats`: what was learnt, where from, and what became of it."""

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
from wisen.surfaces.cli.praise_view import praise_lines
from wisen.surfaces.cli.render import clipped, console, plural, print_json, say
from wisen.surfaces.cli.standing_view import quote_lines, standing_fields, standing_lines
from wisen.surfaces.cli.switch_commands import is_off

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.model.entry import Entry
    from wisen.model.entry_state import EntryState

_SHOWN = 30
_QUOTES = 10
_OF_ENTRY = "id name type category source origin area tags files key about durable details".split()
_OF_STATE = "text status priority context times sessions first last confirmed conflicts superseded_by".split()


def show(*, every: bool, context: str | None, limit: int | None, as_json: bool) -> int:
    """List entries, what came up most first."""
    shown = limit or (sys.maxsize if as_json else _SHOWN)
    with app.wire().open_for_queries() as learner:
        entries, total = learner.lessons.top(shown, every=every, context=context)
    if as_json:
        print_json({"entries": [_told(each) for each in entries]})
        return 0
    if not entries:
        say("Nothing was recorded yet. wisen learn reads what your agents kept.")
    for each in entries:
        many = f", {plural(each.sessions, 'session')}" if each.sessions > 1 else ""
        state = "" if each.status is EntryStatus.PENDING else f", {each.status.value}"
        say(f"{each.entry.name}  {clipped(each.text, 90)}")
        kind = each.entry.category or each.entry.type
        say(f"    {kind}, {each.priority.value}{many}{state}, {each.last:%Y-%m-%d}", dim=True)
    if total > len(entries):
        say(f"and {total - len(entries):,} more: wisen lessons --limit {total}", dim=True)
    return 0


def explain(name: str, *, as_json: bool) -> int:
    """Show one entry with its evidence."""
    with app.wire().open_for_queries() as learner:
        state, seen = learner.lessons.get(name)
        decided, praises, over = learner.lessons.decisions(state), state.praises, learner.rules.former_rules()
        strength = learner.praise.strength(praises)
        settled, tells_local = dict(learner.feedback.settlement.settled_turns()), learner.delivery.delivers_local_words
    pointed = {each.id: settled.get(turn_id(each.agent, each.session, each.message)) for each in seen}
    if as_json:
        told = _told(state) | {"occurrences": seen, "decisions": decided}
        told |= {"pointed": [each for each in pointed.values() if each is not None]}
        print_json(told | {"praises": praises, "strength": strength})
        return 0
    out = console()
    entry = state.entry
    out.print(f"{entry.name}: {state.text}", markup=False)
    out.print(
        f"{entry.category or entry.type}, {state.priority.value}, {state.status.value}, area {entry.area}, "
        f"{describe_author(entry)}, {describe_decision(state)}; in {entry.context or 'every context'}",
        markup=False,
    )
    for line in standing_lines(state, tells_local=tells_local):
        out.print(line, markup=False)
    for other, why in over:
        if other.entry.id == entry.id:
            out.print(f"It holds no longer: {why}.", markup=False)
    if state.conflicts and not state.is_over:
        out.print(f"It says the opposite of {plural(len(state.conflicts), 'other entry', 'other entries')}: decide.")
    if seen:
        out.print(f"Seen {plural(state.times, 'time')} in {plural(state.sessions, 'session')}:")
    for each in [*reversed(seen)][:_QUOTES]:
        out.print(f"  “{clipped(each.quote, 160)}”", markup=False)
        out.print(f"    {each.at:%Y-%m-%d %H:%M}, {each.agent} {each.session}", style="dim", markup=False)
        if (by := pointed[each.id]) is not None:
            out.print(f"    pointed at by {by.by}, your words proven by the log", style="dim", markup=False)
    for line in praise_lines(praises, strength):
        out.print(line, markup=False)
    if decided:
        out.print("What became of it:")
    for move in decided:
        who = "you" if move.by is Actor.USER else "wisen"
        what = f"{move.kind.value} {move.value}".strip()
        out.print(f"  {move.at:%Y-%m-%d}, {who}: {what}{f' ({move.why})' if move.why else ''}", markup=False)
    return 0


def learned(*, days: int, as_json: bool) -> int:
    """Tell what was learnt lately here, and how much everywhere."""
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
        print_json({"context": here, "entries": [_told(each) for each in found], "everywhere": len(every)})
        return 0
    for each in found[:_SHOWN]:
        say(f"{each.last:%Y-%m-%d}  {clipped(each.text, 66)}")
        state = "superseded" if each.superseded_by else each.status.value
        say(f"    {each.entry.name}, {state}", dim=True)
        for line in standing_lines(each, tells_local=tells_local):
            say(f"    {line}", dim=True)
    if not found:
        say("Nothing was learnt here lately." if here else "This is no project that was learnt from.")
    rules, entries = sum(each.is_rule for each in every), sum(not each.is_closed for each in every)
    say(f"Everywhere: {plural(entries, 'entry', 'entries')}, {plural(rules, 'rule')}. More: wisen lessons")
    return 0


def contexts(*, as_json: bool) -> int:
    """List the contexts."""
    with app.wire().open_for_queries() as learner:
        found, waiting = learner.contexts.all(), learner.contexts.waiting_places()
    if as_json:
        told = [{"key": each.key, "name": each.name, "places": places, "entries": many} for each, places, many in found]
        asked = [{"path": each.root, "context": each.context.key, "name": each.context.name} for each in waiting]
        print_json({"contexts": told, "waiting": asked})
        return 0
    if not found:
        say("No project was seen yet. wisen learn reads what your agents kept.")
    for each, places, many in sorted(found, key=lambda row: -row[2]):
        say(f"{each.name}  {plural(many, 'entry', 'entries')}")
        say(f"    {each.key}", dim=True)
        for place in places:
            if place != each.name:
                say(f"    {place}", dim=True)
    for claim in waiting:
        say(learner.contexts.describe_place(claim))
    return 0


def alias(key: str, path: Path, *, dry_run: bool, as_json: bool) -> int:
    """Say that a directory belongs to a context."""
    with app.wire().learner(reads=False) as learner:
        context = learner.contexts.alias(key, path, dry_run=dry_run)
    if as_json:
        print_json({"context": context.key, "path": str(path), "dry_run": dry_run})
        return 0
    console().print(f"{path} {'would belong' if dry_run else 'belongs'} to {context.name}.", markup=False)
    return 0


def log(options: dict[str, str], *, here: bool, dry_run: bool, as_json: bool) -> int:
    """Record an entry by hand."""
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


def decide(name: str, kind: MoveKind, value: str, done: str, *, dry_run: bool, as_json: bool) -> int:
    """Take the user's word about an entry."""
    with app.wire().learner(reads=False) as learner:
        state = learner.lessons.decide(name, kind, value, dry_run=dry_run)
    if as_json:
        print_json({"entry": state.entry.name, "kind": kind, "value": value, "dry_run": dry_run})
        return 0
    console().print(f"{state.entry.name} {'would be' if dry_run else 'is'} {done}: {state.text}", markup=False)
    return 0


def set_entry(name: str, kind: str, value: str, *, dry_run: bool, as_json: bool) -> int:
    """Set the status, the priority or the wording of an entry."""
    allowed = (MoveKind.STATUS, MoveKind.PRIORITY, MoveKind.TEXT)
    if kind not in allowed:
        raise UsageError(f"{kind!r} cannot be set. It is one of {', '.join(allowed)}.")
    return decide(name, MoveKind(kind), value, f"set to {value}", dry_run=dry_run, as_json=as_json)


def split_off(name: str, seen: list[str], text: str, *, dry_run: bool, as_json: bool) -> int:
    """Take a part out of an entry."""
    with app.wire().learner(reads=False) as learner:
        entry = learner.lessons.split(name, seen, text, dry_run=dry_run)
    if as_json:
        print_json({"entry": entry, "dry_run": dry_run})
        return 0
    console().print(f"{'Would be' if dry_run else 'Is'} {entry.name}: {entry.summary}", markup=False)
    return 0


def write_down(*, dry_run: bool, as_json: bool) -> int:
    """Write the entries of this project into its .learnings."""
    with app.wire().learner(reads=False) as learner:
        made = learner.rules.write_learnings(Path.cwd(), dry_run=dry_run)
    paths = Counter(edit.change.path for edit in made)
    if as_json:
        print_json({"files": paths, "changes": [edit.change.id for edit in made if not dry_run], "dry_run": dry_run})
        return 0
    out = console()
    if not made:
        out.print("There is nothing to write: .learnings holds what was learnt here.")
    for path, many in paths.items():
        would = "would be changed" if dry_run else f"{plural(many, 'change')}; take them back: wisen undo"
        out.print(f"{path}: {would}", markup=False)
    return 0


def rules(*, every: bool, as_json: bool) -> int:
    """List the rules that hold, here and everywhere, with whose words they are and who approved them."""
    with app.wire().open_for_queries() as learner:
        here = learner.contexts.key_of(Path.cwd())
        found = [each for each in learner.lessons.all() if each.is_rule] if every else [*learner.rules.in_context(here)]
        over = learner.rules.former_rules(None if every else here)
        quotes = {each.entry.id: quote_lines(each, learner.lessons.occurrences(each)) for each in found}
    if as_json:
        no_longer = [_told(each) | {"why": why} for each, why in over]
        print_json({"context": here, "rules": [_told(each) for each in found], "no_longer": no_longer})
        return 0
    if not found:
        say("There are no rules here yet. wisen review shows what is proposed; --all looks in every context.")
    names = {each.entry.id: each.entry.name for each in found}
    for each in found:
        say(f"{each.entry.name}  {each.text}")
        say(f"    {each.context or 'everywhere'}, {plural(each.sessions, 'session')}", dim=True)
        say(f"    {describe_author(each.entry)}, {describe_decision(each)}", dim=True)
        for line in quotes[each.entry.id]:
            say(f"    {line}", dim=True)
        for other in filter(None, map(names.get, each.conflicts)):
            say(f"    It says the opposite of {other}: wisen lessons resolve one of them.")
    say_no_longer(over, _SHOWN)
    return 0


def say_no_longer(over: Sequence[tuple[EntryState, str]], most: int) -> None:
    """Tell what holds no longer, and why."""
    if over:
        say("No longer:")
    for each, why in over[:most]:
        say(f"  {each.entry.name}  {each.text}", dim=True)
        say(f"    {why}", dim=True)
    if len(over) > most:
        say(f"  and {len(over) - most:,} more: wisen rules", dim=True)


def stats(*, as_json: bool) -> int:
    """Count what was learnt."""
    with app.wire().open_for_queries() as learner:
        entries, proposals = learner.lessons.all(), learner.proposals.all()
    counted = {
        "by_status": Counter(each.status.value for each in entries),
        "by_kind": Counter(str(each.entry.category or each.entry.type) for each in entries),
        "by_context": Counter(each.context or "everywhere" for each in entries),
    }
    told = {
        "entries": len(entries),
        **counted,
        "proposals_waiting": sum(each.is_waiting for each in proposals),
        "last": max((each.last for each in entries), default=None),
    }
    if as_json:
        print_json(told)
        return 0
    out = console()
    waiting = sum(each.is_waiting for each in proposals)
    out.print(f"{plural(len(entries), 'entry', 'entries')}, {plural(waiting, 'proposal')} waiting.")
    for counts in counted.values():
        for name, many in counts.most_common(10):
            out.print(f"  {many:>6,}  {name}", markup=False)
        out.print()
    return 0


def _told(state: EntryState) -> dict[str, object]:
    entry: Entry = state.entry
    told: dict[str, object] = {name: getattr(entry, name) for name in _OF_ENTRY}
    words = {"author": describe_author(entry), "decision": describe_decision(state)}
    return told | {name: getattr(state, name) for name in _OF_STATE} | words | standing_fields(state)
