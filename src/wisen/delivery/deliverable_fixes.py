"""Which fixes may be told after a failure, by context: what is sure, allowed and speaks against no rule in force."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from wisen.delivery.remedies import build_remedies, failing_form, is_reliable
from wisen.delivery.rules_in_force import RulesInForce, withhold_fixes
from wisen.mining.error_pattern_export import near
from wisen.model.entry import EntryStatus, EntryType
from wisen.model.fix import Danger
from wisen.model.report import Selection
from wisen.text.command_lines import command_of, fields_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from wisen.delivery.remedies import Remedy
    from wisen.delivery.rules_in_force import WithheldFix
    from wisen.delivery.settings import DeliverPolicy
    from wisen.edits.rule_files import RuleFiles
    from wisen.model.entry_state import EntryState
    from wisen.model.fix import Evidence, Fix
    from wisen.store.home import Home
    from wisen.store.index import Index

_TYPED_IS_ENOUGH = (Danger.UNKNOWN, Danger.PROGRAM, Danger.PACKAGE, Danger.OUTSIDE)
"""What may be told unasked where the user typed the whole command; the rest waits for their yes."""
_ASKS = re.compile(
    r"(?:(?:please|just|now|ok|then) )*(?:(?:run|use|try|do|execute|call):? )?(?:\$ |! ?)?", re.IGNORECASE
)


def approved_fixes(states: Sequence[EntryState]) -> set[tuple[str, str]]:
    """The contexts and ids of fixes that the user confirmed or approved."""
    return {
        (state.context, tag)
        for state in states
        for tag in state.entry.tags
        if state.entry.type is EntryType.ERROR
        and not state.is_over
        and (state.confirmed or state.status is EntryStatus.PROMOTED)
    }


def last_learnt_at(states: Sequence[EntryState]) -> datetime:
    """When the ledger last learnt something: praise counts as of then, so that the same ledger gives the same bytes."""
    long_ago = datetime.min.replace(tzinfo=UTC)
    return max((at for each in states for at in (each.last, *(row.at for row in each.praises))), default=long_ago)


def deliverable_fixes(
    home: Home,
    rule_files: RuleFiles,
    states: Sequence[EntryState],
    policy: DeliverPolicy,
    praised: Callable[[datetime], Mapping[str, int]],
) -> tuple[dict[str, list[Remedy]], list[WithheldFix]]:
    """By context, what may be told after a failure, and what is held back because a rule in force speaks against it.

    `praised` tells how much praise speaks for a fix as of a moment, by id.
    """
    index = home.index
    approved, liked = approved_fixes(states), praised(last_learnt_at(states))
    refused = _rejected_fixes(states)
    typed = _TypedCommands(index)

    def is_allowed(fix: Fix, example: Evidence) -> bool:
        """Whether the user said yes to what is not known to be harmless: they approved it, or typed all of it."""
        if (example.context, fix.id) in approved:
            return True
        line = command_of(fields_of(example.after))
        mild = fix.danger in _TYPED_IS_ENOUGH and not fix.change.first
        return mild and line is not None and " ".join(line.split()) in typed.lines(example)

    fixes = _without_passing(index, [fix for fix in index.findings.fixes(Selection()) if is_reliable(fix, policy)])
    evidence = {
        fix.id: [one for one in index.findings.evidence(fix.id) if (one.context, fix.id) not in refused]
        for fix in fixes
    }
    found = build_remedies(fixes, lambda id_: evidence[id_], is_allowed, near(), policy, liked)
    by_id, contexts = {fix.id: fix for fix in fixes}, {context for _, context in rule_files.places()}
    return withhold_fixes(found, by_id, evidence, RulesInForce(home, rule_files, states), contexts)


def _rejected_fixes(states: Sequence[EntryState]) -> set[tuple[str, str]]:
    """The contexts and ids of fixes that the user said no to."""
    return {
        (state.context, tag)
        for state in states
        for tag in state.entry.tags
        if state.entry.type is EntryType.ERROR and state.status is EntryStatus.WONT_FIX
    }


def _without_passing(index: Index, fixes: Sequence[Fix]) -> list[Fix]:
    """Fixes without those of a call that is also seen to succeed as it was, unless its complaint names the change."""
    doubtful = {fix.id: form for fix in fixes if (form := failing_form(fix)) is not None}
    passing = {
        id_
        for history in (index.events.histories(Selection()) if doubtful else ())
        for step in history.steps
        for id_, form in doubtful.items()
        if form.has_succeeded(step)
    }
    return [fix for fix in fixes if fix.id not in passing]


class _TypedCommands:
    """What users typed, by session; looked up at the first question, for most turns ask none."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._lines: dict[tuple[str, str], frozenset[str]] | None = None

    def lines(self, example: Evidence) -> frozenset[str]:
        """What the user typed in the session of an example as a command: a line of its own, and nothing beside it."""
        if self._lines is None:
            self._lines = {}
            for each in self._index.events.histories(Selection()):
                key = each.agent, each.native
                here = frozenset(typed_commands(turn.text for turn in each.turns if turn.text))
                self._lines[key] = self._lines.get(key, frozenset()) | here
        return self._lines.get((example.agent, example.session), frozenset())


def typed_commands(texts: Iterable[str]) -> Iterator[str]:
    """Lines that are a command and nothing else, whatever asks for it: `run make` is, `never run make` is not."""
    for text in texts:
        for line in text.splitlines():
            yield " ".join(_ASKS.sub("", line.strip()).strip(" `").split())
