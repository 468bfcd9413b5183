"""`wisen rules`: the rules in force, whose words they are, who approved them, and the rules that no longer apply."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wisen import app
from wisen.safety.entry_texts import describe_author, describe_decision
from wisen.surfaces.cli.lesson_lines import quote_lines
from wisen.surfaces.cli.lesson_view import lesson_fields
from wisen.surfaces.cli.render import plural, print_json, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.model.entry_state import EntryState

_SHOWN = 30


def list_rules(*, every: bool, as_json: bool) -> int:
    """List the rules in force, here and everywhere, with whose words they are and who approved them."""
    with app.wire().open_for_queries() as learner:
        here = learner.contexts.key_of(Path.cwd())
        found = [each for each in learner.lessons.all() if each.is_rule] if every else [*learner.rules.in_context(here)]
        over = learner.rules.former_rules(None if every else here)
        quotes = {each.entry.id: quote_lines(each, learner.lessons.occurrences(each)) for each in found}
    if as_json:
        no_longer = [lesson_fields(each) | {"why": why} for each, why in over]
        print_json({"context": here, "rules": [lesson_fields(each) for each in found], "no_longer": no_longer})
        return 0
    if not found:
        rest = "" if every else " Rules of every project: wisen rules --all"
        say(f"There are no rules {'yet' if every else 'here yet'}. Proposals: wisen review.{rest}")
    names = {each.entry.id: each.entry.name for each in found}
    for each in found:
        say(f"{each.entry.name}  {each.text}")
        say(f"    {each.context or 'everywhere'}, {plural(each.sessions, 'session')}", dim=True)
        say(f"    {describe_author(each.entry)}, {describe_decision(each)}", dim=True)
        for line in quotes[each.entry.id]:
            say(f"    {line}", dim=True)
        for other in filter(None, map(names.get, each.conflicts)):
            say(f"    It contradicts {other}: wisen lessons resolve one of them.")
    print_former_rules(over, _SHOWN)
    return 0


def print_former_rules(over: Sequence[tuple[EntryState, str]], most: int) -> None:
    """Print the rules that no longer apply, and why."""
    if over:
        say("No longer in force:")
    for each, why in over[:most]:
        say(f"  {each.entry.name}  {each.text}", dim=True)
        say(f"    {why}", dim=True)
    if len(over) > most:
        say(f"  and {len(over) - most:,} more: wisen rules", dim=True)
