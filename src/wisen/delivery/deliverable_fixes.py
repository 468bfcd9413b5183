"""Selects the fixes that may be delivered after a failure, by context: reliable, allowed, and against no rule."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from wisen.delivery.judgements import Judgements
from wisen.delivery.passing_forms import find_passing
from wisen.delivery.remedies import build_remedies, failing_form, is_reliable
from wisen.delivery.rules_in_force import RulesInForce, withhold_fixes
from wisen.delivery.typed_commands import find_typed
from wisen.mining.error_pattern_export import words_by_key
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

    _TypedCommand = tuple[tuple[str, str], str]
    """A session, and a command."""

_TYPED_IS_ENOUGH = (Danger.UNKNOWN, Danger.PROGRAM, Danger.PACKAGE, Danger.OUTSIDE)
"""Delivered without approval if the user typed the whole command; anything else waits for approval."""


def approved_fixes(states: Sequence[EntryState]) -> set[tuple[str, str]]:
    """Return the contexts and ids of fixes that the user confirmed or approved."""
    return {
        (state.context, tag)
        for state in states
        for tag in state.entry.tags
        if state.entry.type is EntryType.ERROR
        and not state.is_over
        and (state.confirmed or state.status is EntryStatus.PROMOTED)
    }


def last_learnt_at(states: Sequence[EntryState]) -> datetime:
    """Return when the ledger last learned something: praise counts as of then, so equal ledgers give equal bytes."""
    long_ago = datetime.min.replace(tzinfo=UTC)
    return max((at for each in states for at in (each.last, *(row.at for row in each.praises))), default=long_ago)


def deliverable_fixes(  # noqa: PLR0913 - what a delivery depends on
    home: Home,
    rule_files: RuleFiles,
    states: Sequence[EntryState],
    policy: DeliverPolicy,
    praise_counts: Callable[[datetime], Mapping[str, int]],
    *,
    known: Sequence[Fix] | None = None,
    rules: RulesInForce | None = None,
    judgements: Judgements | None = None,
) -> tuple[dict[str, list[Remedy]], list[WithheldFix]]:
    """Return, by context, the fixes to deliver after a failure, and those withheld because they break a rule in force.

    `praise_counts` returns how much praise fixes had by a given time, by id. `known` and `rules`: all fixes and what
    the rules prohibit, if they were read already. With `judgements`, what was found out is kept for the next run;
    without, nothing is written.
    """
    index = home.index
    approved, praise = approved_fixes(states), praise_counts(last_learnt_at(states))
    rejected, keeps = _rejected_fixes(states), judgements is not None
    is_named = (judgements or Judgements(index.folds, home.version)).is_named_by_error

    every = index.findings.fixes(Selection()) if known is None else known
    fixes = _without_passing(home, [fix for fix in every if is_reliable(fix, policy, is_named)], is_named, keeps=keeps)
    evidence = {
        id_: [one for one in examples if (one.context, id_) not in rejected]
        for id_, examples in index.fix_examples.newest({fix.id for fix in fixes}).items()
    }
    typed = find_typed(index, _commands_to_find(fixes, evidence), home.version, keeps=keeps)

    def is_allowed(fix: Fix, example: Evidence) -> bool:
        """Whether the user agreed to a fix that is not known to be harmless: they approved it, or typed all of it."""
        return (example.context, fix.id) in approved or _typed_command(fix, example) in typed

    by_context = build_remedies(
        fixes, lambda id_: evidence[id_], is_allowed, words_by_key(), policy, praise, is_named=is_named
    )
    rules = rules or RulesInForce(home, rule_files, states)
    return withhold_fixes(by_context, {fix.id: fix for fix in fixes}, evidence, rules)


def _rejected_fixes(states: Sequence[EntryState]) -> set[tuple[str, str]]:
    """Return the contexts and ids of fixes that the user rejected."""
    return {
        (state.context, tag)
        for state in states
        for tag in state.entry.tags
        if state.entry.type is EntryType.ERROR and state.status is EntryStatus.WONT_FIX
    }


def _without_passing(home: Home, fixes: Sequence[Fix], is_named: Callable[[Fix], bool], *, keeps: bool) -> list[Fix]:
    """Drop fixes of a call that also succeeds unchanged, unless the error message names the change."""
    doubtful = {fix.id: form for fix in fixes if (form := failing_form(fix, is_named)) is not None}
    passing = find_passing(home.index, doubtful, home.version, keeps=keeps)
    return [fix for fix in fixes if fix.id not in passing]


def _commands_to_find(fixes: Iterable[Fix], evidence: Mapping[str, Iterable[Evidence]]) -> Iterator[_TypedCommand]:
    for fix in fixes:
        for example in evidence[fix.id] if fix.danger in _TYPED_IS_ENOUGH else ():
            command = _typed_command(fix, example)
            if command is not None:
                yield command


def _typed_command(fix: Fix, example: Evidence) -> _TypedCommand | None:
    """Return what the user must have typed in the session of an example; None if that would not be enough."""
    line = command_of(fields_of(example.after))
    if line is None or fix.danger not in _TYPED_IS_ENOUGH or fix.change.first:
        return None
    return (example.agent, example.session), " ".join(line.split())
