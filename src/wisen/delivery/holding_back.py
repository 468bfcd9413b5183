"""Holds back fixes and guards that speak against a rule in force: the user's word goes before what was seen to help."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wisen.delivery.channels import OTHERS, instructions_in, others_instructions_in
from wisen.delivery.contradict import prohibition, prohibitions, rule_against
from wisen.model.entry import EntryOrigin, EntryStatus
from wisen.model.guard import ACTIONS, GuardSource, guard_states
from wisen.text.command_lines import command_of, fields_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from wisen.delivery.contradict import Prohibition
    from wisen.delivery.remedies import Remedy
    from wisen.edits.rule_files import RuleFiles
    from wisen.model.entry_state import EntryState
    from wisen.model.failure import CallChange
    from wisen.model.fix import Evidence, Fix
    from wisen.model.guard import GuardState
    from wisen.store.home import Home


class HeldBack(NamedTuple):
    """A fix that is not told somewhere, and the rule that it speaks against."""

    fix: str
    context: str
    rule: str


class RulesInForce:
    """What the rules of each context say not to do; looked up at the first question about a context."""

    def __init__(self, home: Home, rule_files: RuleFiles, states: Iterable[EntryState]) -> None:
        self._ledger, self._rule_files = home.ledger, rule_files
        self._states = [each for each in states if _is_in_force(each)]
        self._folders: dict[str, list[Path]] = {}
        for path, context in rule_files.places():
            self._folders.setdefault(context, []).append(Path(path))
        self._found: dict[str, list[Prohibition]] = {}

    def against(self, context: str, tool: str, fields: dict[str, object]) -> str:
        """The rule in force in a context that a call would break; empty where it breaks none."""
        if command_of(fields) is None:
            return ""
        if context not in self._found:
            self._found[context] = self._in(context)
        return rule_against(self._found[context], tool, fields)

    def against_fix(self, context: str, change: CallChange, after: str) -> str:
        """The rule in force that doing what helped would break."""
        if change.first:
            tool, _, line = change.first[0].partition(": ")
            return self.against(context, tool, {"command": line}) if line else ""
        return self.against(context, change.tool, fields_of(after))

    def _in(self, context: str) -> list[Prohibition]:
        files, home = self._rule_files.files, self._rule_files.user_home
        said = [each.text for each in self._states if each.context in ("", context)]
        folders = self._folders.get(context, [])
        texts = [instructions_in(files, [*folders, home / ".claude"])]
        texts += [others_instructions_in(files, agent, folders, home) for agent in OTHERS]
        lines = dict.fromkeys(line for text in texts for line in text.splitlines() if line.strip())
        guards = [
            each.guard
            for each in guard_states(self._ledger.guards.all(), self._ledger.moves.all())
            if each.mode in ACTIONS and each.guard.context in ("", context)
        ]
        watched = (prohibition(each.reason or each.watch, each.watch) for each in guards)
        return [*prohibitions([*said, *lines]), *(each for each in watched if each is not None)]


def _is_in_force(state: EntryState) -> bool:
    stated = state.entry.origin is EntryOrigin.STATED or state.status is EntryStatus.PROMOTED or state.confirmed
    return stated and not state.is_over


def without_held_back(
    found: Mapping[str, Sequence[Remedy]],
    fixes: Mapping[str, Fix],
    evidence: Mapping[str, Sequence[Evidence]],
    rules: RulesInForce,
    contexts: Iterable[str],
) -> tuple[dict[str, list[Remedy]], list[HeldBack]]:
    """Remedies by context without those that speak against a rule there, and what was held back."""
    told: dict[str, list[Remedy]] = {}
    held: list[HeldBack] = []
    for context in sorted({"", *found, *contexts}):
        kept = []
        for each in found.get(context, found.get("", ())):
            fix = fixes[each.id]
            example = next((one.after for one in evidence[each.id] if one.worked and one.context == context), fix.after)
            rule = rules.against_fix(context, fix.change, example)
            if rule:
                held.append(HeldBack(fix.id, context, rule))
            else:
                kept.append(each)
        if context in found or kept != list(found.get("", ())):
            told[context] = kept
    return told, held


def guards_in_force(states: Sequence[GuardState], rules: RulesInForce) -> list[GuardState]:
    """Guards without those made of a fix that would have agents do what a rule says not to do."""
    return [
        each
        for each in states
        if each.guard.source is not GuardSource.FIX
        or not each.guard.better
        or not rules.against(each.guard.context, "Bash", {"command": each.guard.better})
    ]
