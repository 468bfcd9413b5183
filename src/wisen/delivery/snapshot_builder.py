"""Builds the hooks' snapshots from the ledger: what is delivered in each context, its fixes, guards and reminders."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.delivery.agent_instructions import OTHER_AGENTS, contains_rule, read_instructions, read_other_instructions
from wisen.delivery.block import BlockContent, PendingQuestion
from wisen.delivery.deliverable_fixes import approved_fixes, deliverable_fixes, last_learnt_at
from wisen.delivery.delivered_lines import delivered_line, one_line
from wisen.delivery.guard_sheets import encode_guards
from wisen.delivery.hook_snapshot import ClientTables, build_snapshots
from wisen.delivery.private_words import PrivateWords
from wisen.delivery.reminders import build_reminders, encode_reminders
from wisen.delivery.rules_in_force import RulesInForce, guards_in_force
from wisen.delivery.trial_selection import TrialSelection
from wisen.delivery.user_statements import is_lasting_statement, is_raised
from wisen.kernel.request_reading import phrase_request
from wisen.mining.error_pattern_export import export_patterns
from wisen.model.context import EVERY_PROJECT
from wisen.model.entry import EntryOrigin, EntryStatus, Priority, ProposalType, rule_id
from wisen.model.entry_state import entries_on_trial, fold_proposal_states
from wisen.model.error_boundaries import BoundaryKind
from wisen.model.fix import Danger
from wisen.model.guard import GuardSource, Mode, guard_states
from wisen.model.guard_text import describe_proposal
from wisen.model.report import Selection
from wisen.safety.entry_texts import agent_text, is_worth_showing
from wisen.store.known_entries import KnownEntries
from wisen.text.superseded import find_overruled

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from wisen.delivery.block import DeliveredLine
    from wisen.delivery.candidate_sources import CandidateSources
    from wisen.delivery.hook_snapshot import SnapshotSet
    from wisen.delivery.reminders import Reminder
    from wisen.delivery.settings import DeliverPolicy
    from wisen.edits.rule_files import RuleFiles
    from wisen.logs.settings import EventFilterPolicy
    from wisen.model.entry import Proposal
    from wisen.model.entry_state import EntryState, ProposalState
    from wisen.model.error_boundaries import ErrorBoundaries
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
        known = KnownEntries(ledger)
        as_of = last_learnt_at(known.states)
        every = [each for each in known.states if not each.is_over]
        self._private = PrivateWords(self._deliver, known.states, ledger.guards.all())
        every.sort(key=lambda each: (_RANKS[each.priority], -each.weight(as_of), -each.durable, each.entry.id))
        answers = fold_proposal_states(ledger.proposals.all(), known.moves)
        trials = TrialSelection(self._home, known, answers, self._candidates.trial_standings(known))
        places = self._rule_files.places()
        folders: dict[str, list[Path]] = defaultdict(list)
        for path, context in places:
            folders[context].append(Path(path))
        questions = {
            context: [line for line in lines if not trials.was_delivered(line)]
            for context, lines in self._candidates.questions().items()
            if context
        }
        contents, *other_contents = (
            self._contents(
                _AgentReader(self._rule_files, agent, folders), trials, every, answers, questions, boundaries
            )
            for agent in ("", *OTHER_AGENTS)
        )
        lengths = (self._door.failure_head, self._door.failure_tail, self._door.longest_argument)
        approved = approved_fixes(known.states)
        reliable, _ = deliverable_fixes(
            self._home, self._rule_files, known.states, self._deliver, self._candidates.praise_counts
        )
        fixes = trials.without_ended(reliable)
        reminders = self._reminders([*contents], every, trials)
        assignments = trials.assignments([*contents], fixes, {fix for _, fix in approved}, reminders)
        tables = ClientTables(export_patterns(), lengths, self._candidates.requests())
        snapshots = build_snapshots(contents, fixes, tables, places, self._deliver, assignments)
        for agent, agent_contents in zip(OTHER_AGENTS, other_contents, strict=True):
            if agent_contents != contents:
                snapshots = snapshots.with_agent(
                    agent, build_snapshots(agent_contents, fixes, tables, places, self._deliver, assignments)
                )
        sheets = self._guard_sheets([*contents], RulesInForce(self._home, self._rule_files, known.states))
        turn_questions = {context: self._candidates.turn_questions(context) for context in contents if context}
        reminder_sheets = {
            context: encode_reminders(some, context, self._deliver) for context, some in reminders.items() if some
        }
        snapshots = snapshots.with_guards(sheets).with_reminders(reminder_sheets).with_questions(turn_questions)
        snapshots = snapshots._replace(local=self._deliver.local_words)
        return snapshots.with_counts(self._counts(every, answers, [*contents]))

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
        self, every: Sequence[EntryState], proposals: Sequence[ProposalState], contexts: Iterable[str]
    ) -> dict[str, dict[str, int]]:
        """Count rules, guards etc. in each context, for users who ask in the chat."""
        ledger = self._home.ledger
        memories = self._home.index.memories.contexts()
        guards = [
            each for each in guard_states(ledger.guards.all(), ledger.moves.all()) if each.mode is not Mode.REMOVED
        ]
        counts = {}
        for context in contexts:
            here = [each for each in every if each.context == context]
            counts[context] = {
                "rules": sum(each.status is EntryStatus.PROMOTED for each in here),
                "said": sum(map(is_lasting_statement, here)),
                "waiting": sum(each.is_waiting and each.proposal.context == context for each in proposals),
                "guards": sum(each.guard.context == context for each in guards),
                "memories": memories.get(context, 0),
            }
        return counts

    def _guard_sheets(self, contexts: Sequence[str], rules: RulesInForce) -> dict[str, bytes]:
        """Return the guard sheet of each context that has guards of its own, and the global one."""
        ledger, index = self._home.ledger, self._home.index
        states = guards_in_force(guard_states(ledger.guards.all(), ledger.moves.all()), rules)
        reasons = (
            {each.id: each.signature.safe_description for each in index.findings.fixes(Selection())} if states else {}
        )
        everywhere = encode_guards(states, "", reasons)
        own = {state.guard.context for state in states}
        found = {context: encode_guards(states, context, reasons) for context in contexts if context in own}
        return {context: sheet for context, sheet in ({"": everywhere} | found).items() if sheet}

    def _contents(
        self,
        reader: _AgentReader,
        trials: TrialSelection,
        every: Sequence[EntryState],
        answers: Sequence[ProposalState],
        questions: Mapping[str, Sequence[DeliveredLine]],
        boundaries: ErrorBoundaries,
    ) -> dict[str, BlockContent]:
        """Return what can be delivered to an agent, by context; "" for the global content."""
        contents = {}
        for context in reader.contexts:
            here = [each for each in every if each.context in ("", context)]
            with boundaries.isolate(BoundaryKind.PROJECT, context or EVERY_PROJECT):
                instructions = reader.instructions(context)
                content = trials.separate_hints(self._content(instructions, here, answers, context), here, context)
                contents[context] = content._replace(news=[*content.news, *questions.get(context, ())])
        return contents

    def _content(
        self, instructions: str, states: Sequence[EntryState], answers: Sequence[ProposalState], context: str
    ) -> BlockContent:
        """Return what can be delivered in one context, given states with the most important first."""
        unfiled = [each for each in states if not contains_rule(rule_id(each.entry.id), each.text, instructions)]
        rules = [each for each in unfiled if each.status is EntryStatus.PROMOTED]
        filed = [each for each in states if each.status is EntryStatus.PROMOTED and each not in rules]
        stated = [each for each in unfiled if is_lasting_statement(each)]
        local = [each for each in (*rules, *filed, *stated) if context and each.context == context]
        overruled_ids = (
            find_overruled([each for each in (*rules, *filed, *stated) if not each.context], local)
            if local
            else set[str]()
        )
        rules, filed, stated = (
            [each for each in some if each.entry.id not in overruled_ids] for some in (rules, filed, stated)
        )
        pending, trial_ids = [each for each in unfiled if each.status is EntryStatus.PENDING], entries_on_trial(answers)
        hints = [
            each
            for each in pending
            if each.entry.id in trial_ids
            or (each.entry.origin is EntryOrigin.MEASURED and is_worth_showing(each) and agent_text(each, {}))
        ]
        due = [
            each
            for each in pending
            if each.priority in (Priority.CRITICAL, Priority.HIGH)
            and each.entry.origin is not EntryOrigin.MEASURED
            and each.entry.id not in trial_ids
            and each not in stated
            and is_worth_showing(each)
            and is_raised(each)
        ]
        rules, stated, hints, due = map(self._private.deliverable, (rules, stated, hints, due))
        return BlockContent(
            rules=list(map(delivered_line, rules)),
            stated=list(map(delivered_line, stated)),
            hints=list(map(delivered_line, hints)),
            waiting=self._pending_questions(answers, context),
            due=list(map(delivered_line, due)),
            filed=list(map(delivered_line, filed)),
        )

    def _pending_questions(self, answers: Sequence[ProposalState], context: str) -> list[PendingQuestion]:
        """Return the proposals of a context that await the user's answer."""
        return [
            self._question(number, each.proposal)
            for number, each in enumerate((each for each in answers if each.is_waiting), 1)
            if each.proposal.context in ("", context)
            and each.proposal.type is not ProposalType.SUGGESTION
            and not each.proposal.unworded  # approving it also needs a wording
            and self._private.may_show(each.proposal)
        ]

    def _question(self, number: int, proposal: Proposal) -> PendingQuestion:
        """Build a question with what the user types to answer it, in the language of what they said."""
        table, code = self._candidates.requests(), self._language_of(proposal)
        approve, skip = (phrase_request(table, code, deed, n=str(number)) for deed in ("approve", "skip"))
        return PendingQuestion(
            number,
            proposal.id,
            rule_id(proposal.entry),
            question_for_agents(self._home, proposal),
            *self._places(proposal),
            is_new=not self._home.ledger.exposures.of(proposal.id),
            approve=approve,
            skip=skip,
        )

    def _language_of(self, proposal: Proposal) -> str:
        """Return the language of the lesson behind a proposal; English for what wisen words itself."""
        if proposal.type in (ProposalType.FIX, ProposalType.GUARD):
            return "en"
        entry = next(iter(self._home.ledger.entries.of([proposal.entry])), None)
        return self._candidates.language_of(proposal.text if entry is None else entry.summary)

    def _places(self, proposal: Proposal) -> tuple[str, tuple[tuple[str, str], ...]]:
        """Return why the file of a proposal cannot take it as it is, and where it may go instead."""
        problem, places = self._candidates.question_about(proposal)
        return problem, tuple((each.word.value, each.says) for each in places)


class _AgentReader:
    """The instruction files that an agent reads by itself: their rules need not be delivered."""

    def __init__(self, rule_files: RuleFiles, agent: str, folders: Mapping[str, Sequence[Path]]) -> None:
        self._rule_files, self._agent, self._folders = rule_files, agent, folders

    @property
    def contexts(self) -> tuple[str, ...]:
        """The contexts in which it may work; "" for the global one."""
        return ("", *sorted(self._folders))

    def instructions(self, context: str) -> str:
        """Return everything that it reads in the folders of a context."""
        home, files = self._rule_files.user_home, self._rule_files.files
        folders = self._folders.get(context, ())
        if self._agent in OTHER_AGENTS:
            return read_other_instructions(files, self._agent, folders, home)
        return read_instructions(files, [*folders, home / ".claude"])


def question_for_agents(home: Home, proposal: Proposal) -> str:
    """Word a proposal for an agent that asks the user: a guard made from a dangerous fix is only named."""
    if proposal.type is ProposalType.FIX:
        return _question_about_fix(home, proposal)
    if proposal.unworded:
        return f"`wisen review` asks for a rule in the user's words about “{one_line(proposal.text)}”"
    if proposal.type is not ProposalType.GUARD:
        return f"Make it a rule: {one_line(proposal.text)}"
    careful = _danger_of_guard(home, proposal.entry)
    if careful:
        return f"Switch guard {proposal.entry} on (careful: {careful})?"
    return f"{one_line(describe_proposal(proposal, with_reason=False))}?"


def _question_about_fix(home: Home, proposal: Proposal) -> str:
    """Word a question about a fix for an agent: what failed and what is in doubt, never what helped."""
    (entry,) = home.ledger.entries.of([proposal.entry])
    fix = next((each for each in home.index.findings.fixes(Selection()) if each.id in entry.tags), None)
    if fix is None:
        return "May agents be given what helped against a failure?"
    seen = "1 session" if fix.sessions == 1 else f"{fix.sessions} sessions"
    return (
        f"May agents be given what helped in {seen} against “{fix.signature.safe_description}” ({fix.danger.value}; "
        f"`wisen explain {fix.id}` shows it)?"
    )


def _danger_of_guard(home: Home, id_: str) -> str:
    """Return what is dangerous about the fix that a guard was made from; empty if nothing is."""
    of = next((each.of for each in home.ledger.guards.all() if each.id == id_ and each.source is GuardSource.FIX), None)
    fix = next((each for each in home.index.findings.fixes(Selection()) if each.id == of), None) if of else None
    return "" if fix is None or fix.danger is Danger.NONE else fix.danger.value
