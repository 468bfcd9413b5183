"""Builds the hooks' snapshots from the ledger: what is delivered in each context, its fixes, guards and reminders."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.delivery.agent_instructions import OTHER_AGENTS
from wisen.delivery.context_contents import AgentReader, ContextContents
from wisen.delivery.deliverable_fixes import approved_fixes, deliverable_fixes, last_learnt_at
from wisen.delivery.guard_sheets import encode_guards
from wisen.delivery.hook_snapshot import ClientTables, build_snapshots
from wisen.delivery.judgements import Judgements
from wisen.delivery.private_words import PrivateWords
from wisen.delivery.proposal_questions import ProposalQuestions
from wisen.delivery.reminders import build_reminders, encode_reminders
from wisen.delivery.rules_in_force import RulesInForce, guards_in_force
from wisen.delivery.trial_selection import TrialSelection
from wisen.delivery.workflow_hints import encode_hints
from wisen.mining.error_pattern_export import export_patterns
from wisen.model.context import EVERY_PROJECT
from wisen.model.entry import Priority
from wisen.model.entry_state import entries_on_trial, fold_proposal_states
from wisen.model.error_boundaries import BoundaryKind
from wisen.model.guard import Mode, guard_states
from wisen.model.report import Selection
from wisen.store.known_entries import KnownEntries

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from wisen.delivery.block import BlockContent, DeliveredLine
    from wisen.delivery.candidate_sources import CandidateSources
    from wisen.delivery.hook_snapshot import SnapshotSet
    from wisen.delivery.reminders import Reminder
    from wisen.delivery.settings import DeliverPolicy
    from wisen.edits.rule_files import RuleFiles
    from wisen.logs.settings import EventFilterPolicy
    from wisen.model.entry_state import EntryState, ProposalState
    from wisen.model.error_boundaries import ErrorBoundaries
    from wisen.model.fix import Fix
    from wisen.model.guard import GuardState
    from wisen.store.home import Home

_RANKS = {each: rank for rank, each in enumerate(Priority)}


class SnapshotBuilder:
    """Decides what is delivered to agents: features contribute candidates, and one budget applies to all of them."""

    def __init__(
        self,
        home: Home,
        rule_files: RuleFiles,
        candidates: CandidateSources,
        *,
        door: EventFilterPolicy,
        deliver: DeliverPolicy,
    ) -> None:
        """Create the builder. `door`: how much of a failure's text is kept, and so how much a hook compares."""
        self._home, self._rule_files, self._candidates = home, rule_files, candidates
        self._door, self._deliver = door, deliver
        self._private = PrivateWords(deliver, ())

    def build(self, boundaries: ErrorBoundaries) -> SnapshotSet:
        """Build everything that hooks may need from the current ledger and index."""
        ledger = self._home.ledger
        known, guards = KnownEntries(ledger), ledger.guards.all()
        as_of = last_learnt_at(known.states)
        every = [each for each in known.states if not each.is_over]
        self._private = PrivateWords(self._deliver, known.states, guards)
        every.sort(key=lambda each: (_RANKS[each.priority], -each.weight(as_of), -each.durable, each.entry.id))
        answers = fold_proposal_states(ledger.proposals.all(), known.moves)
        trials = TrialSelection(self._home, known, answers, self._candidates.trial_standings(known))
        fixes = self._home.index.findings.fixes(Selection())
        asked = ProposalQuestions(
            answers,
            self._candidates,
            self._private,
            ledger.exposures,
            states=known.states,
            guards=guards,
            fixes=fixes,
        )
        judgements = Judgements(self._home.index.folds, self._home.version)
        contents_by_context = ContextContents(every, entries_on_trial(answers), self._private, judgements)
        places = self._rule_files.places()
        folders: dict[str, list[Path]] = defaultdict(list)
        for path, context in places:
            folders[context].append(Path(path))
        told_once = {
            context: [line for line in lines if not trials.was_delivered(line)]
            for context, lines in self._candidates.questions().items()
            if context
        }
        contents, *other_contents = (
            self._contents(
                AgentReader(self._rule_files, agent, folders), contents_by_context, trials, asked, told_once, boundaries
            )
            for agent in ("", *OTHER_AGENTS)
        )
        lengths = (self._door.failure_head, self._door.failure_tail, self._door.longest_argument)
        approved = approved_fixes(known.states)
        modes = guard_states(guards, known.moves)
        rules = RulesInForce(self._home, self._rule_files, known.states, modes)
        reliable, _ = deliverable_fixes(
            self._home,
            self._rule_files,
            known.states,
            self._deliver,
            self._candidates.praise_counts,
            known=fixes,
            rules=rules,
            judgements=judgements,
        )
        delivered_fixes = trials.without_ended(reliable)
        reminders = self._reminders([*contents], every, trials)
        assignments = trials.assignments([*contents], delivered_fixes, {fix for _, fix in approved}, reminders)
        tables = ClientTables(export_patterns(), lengths, self._candidates.requests())
        snapshots = build_snapshots(contents, delivered_fixes, tables, places, self._deliver, assignments)
        for agent, agent_contents in zip(OTHER_AGENTS, other_contents, strict=True):
            if agent_contents != contents:
                snapshots = snapshots.with_agent(
                    agent, build_snapshots(agent_contents, delivered_fixes, tables, places, self._deliver, assignments)
                )
        sheets = _guard_sheets([*contents], modes, rules, fixes)
        turn_questions = {context: self._candidates.turn_questions(context) for context in contents if context}
        reminder_sheets = {
            context: encode_reminders(some, context, self._deliver) for context, some in reminders.items() if some
        }
        hints = {context: self._candidates.workflow_hints(context) for context in contents if context}
        hint_sheets = {context: encode_hints(some, self._deliver) for context, some in hints.items() if some}
        snapshots = snapshots.with_guards(sheets).with_reminders(reminder_sheets).with_questions(turn_questions)
        snapshots = snapshots.with_workflow_hints(hint_sheets)
        snapshots = snapshots._replace(local=self._deliver.local_words)
        snapshots = snapshots.with_counts(self._counts(contents_by_context, answers, modes, [*contents]))
        judgements.save()
        return snapshots

    def _reminders(
        self, contexts: Sequence[str], every: Sequence[EntryState], trials: TrialSelection
    ) -> dict[str, list[Reminder]]:
        """Return the reminders of each context; empty unless the user enabled them."""
        if not self._deliver.moments:
            return {}
        occurrences, deliverable = self._home.ledger.occurrences, self._private.deliverable(every)

        def sessions_of(entry: str) -> list[str]:
            return [each.session for each in occurrences.of(entry)]

        return {
            context: trials.select_reminders(build_reminders(deliverable, context, sessions_of), context)
            for context in contexts
        }

    def _counts(
        self,
        entries: ContextContents,
        proposals: Sequence[ProposalState],
        guards: Sequence[GuardState],
        contexts: Iterable[str],
    ) -> dict[str, dict[str, int]]:
        """Count rules, guards etc. in each context, for users who ask in the chat."""
        memories = self._home.index.memories.contexts()
        waiting = Counter(each.proposal.context for each in proposals if each.is_waiting)
        active_guards = Counter(each.guard.context for each in guards if each.mode is not Mode.REMOVED)
        return {
            context: {
                "rules": entries.count_rules(context),
                "said": entries.count_stated(context),
                "waiting": waiting[context],
                "guards": active_guards[context],
                "memories": memories.get(context, 0),
            }
            for context in contexts
        }

    def _contents(
        self,
        reader: AgentReader,
        entries: ContextContents,
        trials: TrialSelection,
        asked: ProposalQuestions,
        told_once: Mapping[str, Sequence[DeliveredLine]],
        boundaries: ErrorBoundaries,
    ) -> dict[str, BlockContent]:
        """Return what can be delivered to an agent, by context; "" for the global content."""
        contents = {}
        for context in reader.contexts:
            with boundaries.isolate(BoundaryKind.PROJECT, context or EVERY_PROJECT):
                content = entries.of(context, reader.instructions(context))._replace(waiting=asked.of(context))
                content = trials.separate_hints(content, entries.candidates(context), context)
                contents[context] = content._replace(news=[*content.news, *told_once.get(context, ())])
        return contents


def _guard_sheets(
    contexts: Sequence[str], guards: Sequence[GuardState], rules: RulesInForce, fixes: Sequence[Fix]
) -> dict[str, bytes]:
    """Return the guard sheet of each context that has guards of its own, and the global one."""
    states = guards_in_force(guards, rules)
    reasons = {each.id: each.signature.safe_description for each in fixes} if states else {}
    everywhere = encode_guards(states, "", reasons)
    own = {state.guard.context for state in states}
    found = {context: encode_guards(states, context, reasons) for context in contexts if context in own}
    return {context: sheet for context, sheet in ({"": everywhere} | found).items() if sheet}
