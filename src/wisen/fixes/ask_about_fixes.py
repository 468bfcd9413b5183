"""Proposes fixes to the user that would be delivered to agents if they were known to be harmless."""

from __future__ import annotations

from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from wisen.delivery.judgements import Judgements
from wisen.delivery.passing_forms import find_passing
from wisen.delivery.remedies import failing_form, is_reliable
from wisen.delivery.rules_in_force import RulesInForce
from wisen.fixes.fix_questions import MIN_SESSIONS, askable_fixes, build_fix_questions, room_for_questions
from wisen.mining.error_entries import new_error_rows, occurrence_id
from wisen.model.context import NOWHERE
from wisen.model.entry import Answer, MoveKind, ProposalType
from wisen.model.entry_state import fold_proposal_states
from wisen.model.fix import Danger

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from wisen.delivery.settings import DeliverPolicy
    from wisen.edits.rule_files import RuleFiles
    from wisen.model.entry_state import ProposalState
    from wisen.model.fix import Fix
    from wisen.store.home import Home
    from wisen.store.known_entries import KnownEntries

_FOLD = "passing-forms-of-questions"
_NOT_INSTALLED = "shell.command-not-found"
OMITTED = "…"
"""Placeholder in the text of a fix for a value that belongs to one occasion."""


def ask_about_fixes(
    home: Home, rule_files: RuleFiles, policy: DeliverPolicy, known: KnownEntries, fixes: Iterable[Fix]
) -> int:
    """Propose fixes that need the user's approval, each once. Returns how many are new.

    `known`: the entries; `fixes`: all that were found. Most were recorded and asked about in earlier runs: only what
    is left is compared with the rules in force.
    """
    waiting = _WaitingFixes(home, rule_files, policy, known, fixes)
    unrecorded = waiting.unrecorded()
    if unrecorded:
        known.record(
            new_error_rows(
                unrecorded, home.index.findings.evidence, known.states, home.ledger.occurrences.ids(), home.row_factory
            )
        )
    before = fold_proposal_states(home.ledger.proposals.all(), known.moves)
    pointless = waiting.pointless(before)
    if pointless:
        known.record([home.row_factory.build_move(each, MoveKind.ANSWER, Answer.EXPIRED) for each in pointless])
        before = fold_proposal_states(home.ledger.proposals.all(), known.moves)
    room = room_for_questions(before)
    if not room:
        return 0
    askable = askable_fixes(known.states, before)
    rows = build_fix_questions(waiting.first(askable, room), known.states, before, home.row_factory)
    known.record(rows)
    return len(rows)


class _WaitingFixes:
    """Reliable fixes not known to be harmless, with the contexts where they helped; none that breaks a rule."""

    def __init__(
        self,
        home: Home,
        rule_files: RuleFiles,
        policy: DeliverPolicy,
        known: KnownEntries,
        fixes: Iterable[Fix],
    ) -> None:
        self._home, self._rule_files, self._policy, self._known = home, rule_files, policy, known
        guarded = {each.of for each in home.ledger.guards.all()}  # the user is asked about the guard already
        self._risky = [fix for fix in fixes if fix.id not in guarded and _needs_approval(fix)]

    def unrecorded(self) -> list[Fix]:
        """Return those with evidence that is not in the ledger yet."""
        reliable = self._reliable(self._risky)
        recorded = self._home.ledger.occurrences.ids()
        new = {
            fix
            for fix, *attempt in self._home.index.fix_marks.attempts({fix.id for fix in reliable})
            if occurrence_id(fix, *attempt) not in recorded
        }
        found = [fix for fix in reliable if fix.id in new]
        return [*{fix.id: fix for fix, _ in self._permitted(found)}.values()]

    def first(self, wanted: Collection[tuple[str, str]], many: int) -> list[tuple[Fix, str]]:
        """Return the first of them that are wanted, by context and id of the fix."""
        ids = {id_ for _, id_ in wanted}
        found = self._reliable(fix for fix in self._risky if fix.id in ids and fix.sessions >= MIN_SESSIONS)
        broken = [fix for fix in found if fix.id not in self._working_again] if found else []
        return [*islice(self._permitted(broken, wanted), many)]

    def pointless(self, before: Iterable[ProposalState]) -> list[str]:
        """Return the open questions about fixes of calls that work again."""
        open_ = [each.proposal for each in before if each.is_waiting and each.proposal.type is ProposalType.FIX]
        if not open_:
            return []
        tags = {state.entry.id: state.entry.tags for state in self._known.states}
        return [each.id for each in open_ if not self._working_again.isdisjoint(tags.get(each.entry, ()))]

    @cached_property
    def _working_again(self) -> set[str]:
        """The ids of fixes of calls that also succeed unchanged: a tool was broken, and works again."""
        askable = [fix for fix in self._risky if fix.sessions >= MIN_SESSIONS]
        forms = {fix.id: form for fix in askable if (form := failing_form(fix, self._is_settled)) is not None}
        return find_passing(self._home.index, forms, self._home.version, name=_FOLD)

    def _reliable(self, fixes: Iterable[Fix]) -> list[Fix]:
        return [fix for fix in fixes if is_reliable(fix, self._policy, self._judgements.is_named_by_error)]

    def _permitted(
        self, fixes: Sequence[Fix], wanted: Collection[tuple[str, str]] | None = None
    ) -> Iterator[tuple[Fix, str]]:
        """Yield the fixes with each context, of all or of those wanted, where they helped and break no rule."""
        examples = self._home.index.fix_examples.newest({fix.id for fix in fixes}) if fixes else {}
        for fix in fixes:
            by_context = {each.context: each for each in reversed(examples[fix.id]) if each.context}
            for context, example in sorted(by_context.items()):
                if wanted is not None and (context, fix.id) not in wanted:
                    continue
                if context != NOWHERE and not self._rules.rule_broken_by_fix(context, fix.change, example.after):
                    yield fix, context

    def _is_settled(self, fix: Fix) -> bool:
        """Whether an error says what was missing. What it says is in the way may be in nobody's way any more."""
        if fix.change.removed or fix.signature.key == _NOT_INSTALLED:
            return False
        return self._judgements.is_named_by_error(fix)

    @cached_property
    def _rules(self) -> RulesInForce:
        return RulesInForce(self._home, self._rule_files, self._known.states)

    @cached_property
    def _judgements(self) -> Judgements:
        return Judgements(self._home.index.folds, self._home.version)


def _needs_approval(fix: Fix) -> bool:
    """Whether the user can be asked about a fix, and has to be."""
    if fix.danger is Danger.NONE:
        return False
    if fix.danger is Danger.OUTSIDE and fix.sessions == 1:
        return False  # a path of one occasion: it may never occur again
    return OMITTED not in fix.change.description  # nobody can judge an omitted part, and no agent could use it
