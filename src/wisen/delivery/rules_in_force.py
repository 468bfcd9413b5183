"""Withholds fixes and guards that break a rule in force: what the user stated outranks what was observed to help."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wisen.delivery.agent_instructions import OTHER_AGENTS, read_instructions, read_other_instructions
from wisen.delivery.forbidden_calls import find_prohibitions, make_prohibition, rule_broken_by_call
from wisen.model.entry import EntryOrigin, EntryStatus
from wisen.model.guard import ACTIONS, GuardSource, guard_states
from wisen.text.command_lines import command_of, fields_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from wisen.delivery.forbidden_calls import Prohibition
    from wisen.delivery.remedies import Remedy
    from wisen.edits.rule_files import RuleFiles
    from wisen.model.entry_state import EntryState
    from wisen.model.failure import CallChange
    from wisen.model.fix import Evidence, Fix
    from wisen.model.guard import Guard, GuardState
    from wisen.store.home import Home


class WithheldFix(NamedTuple):
    """A fix that is not delivered in a context, and the rule that it would break."""

    fix: str
    context: str
    rule: str


class RulesInForce:
    """What the rules of each context prohibit; looked up on the first query for a context."""

    def __init__(
        self,
        home: Home,
        rule_files: RuleFiles,
        states: Iterable[EntryState],
        guards: Iterable[GuardState] | None = None,
    ) -> None:
        """`guards`: all guards with their modes, if they were read already."""
        self._ledger, self._rule_files, self._modes = home.ledger, rule_files, guards
        self._texts: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for position, each in enumerate(each for each in states if _is_in_force(each)):
            self._texts[each.context].append((position, each.text))
        self._found: dict[str, list[Prohibition]] = {}
        self._folders: dict[str, list[Path]] = {}
        for path, context in rule_files.places():
            self._folders.setdefault(context, []).append(Path(path))
        self._cache: dict[str, list[Prohibition]] = {}

    @property
    def contexts(self) -> frozenset[str]:
        """The contexts that have a place on this machine."""
        return frozenset(self._folders)

    def rule_broken_by(self, context: str, tool: str, fields: dict[str, object]) -> str:
        """Return the rule in force in a context that a call would break; empty if it breaks none."""
        if command_of(fields) is None:
            return ""
        if context not in self._cache:
            self._cache[context] = self._prohibitions(context)
        return rule_broken_by_call(self._cache[context], tool, fields)

    def rule_broken_by_fix(self, context: str, change: CallChange, after: str) -> str:
        """Return the rule in force that applying a fix would break."""
        if change.first:
            tool, _, line = change.first[0].partition(": ")
            return self.rule_broken_by(context, tool, {"command": line}) if line else ""
        return self.rule_broken_by(context, change.tool, fields_of(after))

    def _prohibitions(self, context: str) -> list[Prohibition]:
        files, home = self._rule_files.files, self._rule_files.user_home
        said = [text for _, text in sorted(each for key in {"", context} for each in self._texts.get(key, ()))]
        folders = self._folders.get(context, [])
        texts = [read_instructions(files, [*folders, home / ".claude"])]
        texts += [read_other_instructions(files, agent, folders, home) for agent in OTHER_AGENTS]
        lines = dict.fromkeys(line for text in texts for line in text.splitlines() if line.strip())
        guards = [each for each in self._guards if each.context in ("", context)]
        watched = (make_prohibition(each.reason or each.watch, each.watch) for each in guards)
        return [
            *(each for rule in (*said, *lines) for each in self._prohibitions_of(rule)),
            *(each for each in watched if each is not None),
        ]

    @cached_property
    def _guards(self) -> list[Guard]:
        modes = self._modes
        if modes is None:
            modes = guard_states(self._ledger.guards.all(), self._ledger.moves.all())
        return [each.guard for each in modes if each.mode in ACTIONS]

    def _prohibitions_of(self, rule: str) -> list[Prohibition]:
        if rule not in self._found:  # many apply in every context
            self._found[rule] = find_prohibitions([rule])
        return self._found[rule]


def _is_in_force(state: EntryState) -> bool:
    stated = state.entry.origin is EntryOrigin.STATED or state.status is EntryStatus.PROMOTED or state.confirmed
    return stated and not state.is_over


def withhold_fixes(
    found: Mapping[str, Sequence[Remedy]],
    fixes: Mapping[str, Fix],
    evidence: Mapping[str, Sequence[Evidence]],
    rules: RulesInForce,
) -> tuple[dict[str, list[Remedy]], list[WithheldFix]]:
    """Split remedies by context into those to deliver and those withheld because they break a rule there."""
    delivered: dict[str, list[Remedy]] = {}
    withheld: list[WithheldFix] = []
    for context in sorted({"", *found, *rules.contexts}):
        allowed = []
        for each in found.get(context, found.get("", ())):
            fix = fixes[each.id]
            example = next((one.after for one in evidence[each.id] if one.worked and one.context == context), fix.after)
            rule = rules.rule_broken_by_fix(context, fix.change, example)
            if rule:
                withheld.append(WithheldFix(fix.id, context, rule))
            else:
                allowed.append(each)
        if context in found or allowed != list(found.get("", ())):
            delivered[context] = allowed
    return delivered, withheld


def guards_in_force(states: Sequence[GuardState], rules: RulesInForce) -> list[GuardState]:
    """Drop guards made from a fix whose replacement a rule prohibits."""
    return [
        each
        for each in states
        if each.guard.source is not GuardSource.FIX
        or not each.guard.better
        or not rules.rule_broken_by(each.guard.context, "Bash", {"command": each.guard.better})
    ]
