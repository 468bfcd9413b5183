"""Proposes fixes to the user that would be delivered to agents if they were known to be harmless."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.delivery.remedies import is_reliable
from wisen.delivery.rules_in_force import RulesInForce
from wisen.fixes.fix_questions import build_fix_questions
from wisen.mining.error_entries import new_error_rows
from wisen.model.context import NOWHERE
from wisen.model.entry_state import fold_proposal_states
from wisen.model.fix import Danger
from wisen.model.report import Selection
from wisen.store.known_entries import KnownEntries

if TYPE_CHECKING:
    from wisen.delivery.settings import DeliverPolicy
    from wisen.edits.rule_files import RuleFiles
    from wisen.model.fix import Fix
    from wisen.store.home import Home

OMITTED = "…"
"""Placeholder in the text of a fix for a value that belongs to one occasion."""


def ask_about_fixes(home: Home, rule_files: RuleFiles, policy: DeliverPolicy) -> int:
    """Propose fixes that need the user's approval, each once. Returns how many are new."""
    known = KnownEntries(home.ledger)
    waiting = _unasked_fixes(home, rule_files, policy, known)
    if not waiting:
        return 0
    fixes = {fix.id: fix for fix, _ in waiting}
    known.record(
        new_error_rows(
            fixes.values(), home.index.findings.evidence, known.states, home.ledger.occurrences.ids(), home.row_factory
        )
    )
    before = fold_proposal_states(home.ledger.proposals.all(), known.moves)
    rows = build_fix_questions(waiting, known.states, before, home.row_factory)
    known.record(rows)
    return len(rows)


def _unasked_fixes(
    home: Home, rule_files: RuleFiles, policy: DeliverPolicy, known: KnownEntries
) -> list[tuple[Fix, str]]:
    """Return reliable fixes not known to be harmless, with the context where they helped; none that breaks a rule."""
    rules = RulesInForce(home, rule_files, known.states)
    guarded = {each.of for each in home.ledger.guards.all()}  # the user is asked about the guard already
    waiting: list[tuple[Fix, str]] = []
    for fix in home.index.findings.fixes(Selection()):
        if fix.danger is Danger.NONE or fix.id in guarded or not is_reliable(fix, policy):
            continue
        if fix.danger is Danger.OUTSIDE and fix.sessions == 1:
            continue  # a path of one occasion: it may never occur again
        if OMITTED in fix.change.description:
            continue  # nobody can judge a remedy with an omitted part, and no agent could use it
        example_by_context = {
            each.context: each
            for each in reversed(home.index.findings.evidence(fix.id))
            if each.worked and each.context
        }
        waiting += [
            (fix, context)
            for context, example in sorted(example_by_context.items())
            if context != NOWHERE and not rules.rule_broken_by_fix(context, fix.change, example.after)
        ]
    return waiting
