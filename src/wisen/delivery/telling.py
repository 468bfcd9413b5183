"""From the ledger to what agents are told: the matter of each context, its fixes, and the snapshots made of them."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.delivery.block import Matter, Waiting
from wisen.delivery.channels import OTHERS, instructions_in, is_in, others_instructions_in
from wisen.delivery.fixes_told import approved_fixes, fixes_to_tell, newest_word
from wisen.delivery.guard_sheets import sheet_of
from wisen.delivery.holding_back import RulesInForce, guards_in_force
from wisen.delivery.hook_snapshot import Signs, published
from wisen.delivery.private_words import PrivateWords
from wisen.delivery.told_lines import line_of, one_line
from wisen.delivery.told_moments import moment_sheet, moments_to_tell
from wisen.delivery.trial_selection import Trials
from wisen.delivery.user_words import is_raised, is_said
from wisen.kernel.request_reading import say
from wisen.mining.error_pattern_export import complaints
from wisen.model.context import EVERY_PROJECT
from wisen.model.entry import EntryOrigin, EntryStatus, Priority, ProposalType, rule_id
from wisen.model.entry_state import asked, put_on_trial
from wisen.model.fences import FenceKind
from wisen.model.fix import Danger
from wisen.model.guard import GuardSource, Mode, guard_states
from wisen.model.guard_words import describe_proposal
from wisen.model.report import Selection
from wisen.safety.entry_words import agent_text, is_told
from wisen.store.known_entries import KnownEntries
from wisen.text.superseded import overruled

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from wisen.delivery.block import TellLine
    from wisen.delivery.candidate_sources import Candidates
    from wisen.delivery.hook_snapshot import Published
    from wisen.delivery.settings import DeliverPolicy
    from wisen.delivery.told_moments import Moment
    from wisen.edits.rule_files import RuleFiles
    from wisen.logs.settings import EventFilterPolicy
    from wisen.model.entry import Proposal
    from wisen.model.entry_state import Asked, EntryState
    from wisen.model.fences import Fences
    from wisen.store.home import Home

_RANKS = {each: rank for rank, each in enumerate(Priority)}


class Telling:
    """Decides what agents are told: features hand in candidates, and one budget holds for all of them."""

    def __init__(
        self,
        home: Home,
        rule_files: RuleFiles,
        candidates: Candidates,
        *,
        door: EventFilterPolicy,
        deliver: DeliverPolicy,
    ) -> None:
        """Begin. `door`: how much of failures is kept, which is how much of one a hook holds against what is known."""
        self._home, self._rule_files, self._candidates = home, rule_files, candidates
        self._door, self._deliver = door, deliver
        self._private = PrivateWords(deliver, ())

    def published(self, fences: Fences) -> Published:
        """Everything that hooks may need, made of the ledger and the index as they are."""
        ledger = self._home.ledger
        known = KnownEntries(ledger)
        as_of = newest_word(known.states)
        every = [each for each in known.states if not each.is_over]
        self._private = PrivateWords(self._deliver, known.states, ledger.guards.all())
        every.sort(key=lambda each: (_RANKS[each.priority], -each.weight(as_of), -each.durable, each.entry.id))
        answers = asked(ledger.proposals.all(), known.moves)
        trials = Trials(self._home, known, answers, self._candidates.trials(known))
        places = self._rule_files.places()
        folders: dict[str, list[Path]] = defaultdict(list)
        for path, context in places:
            folders[context].append(Path(path))
        asks = {
            context: [line for line in lines if not trials.was_told(line)]
            for context, lines in self._candidates.questions().items()
            if context
        }
        matters, *others = (
            self._matters(_Reader(self._rule_files, agent, folders), trials, every, answers, asks, fences)
            for agent in ("", *OTHERS)
        )
        cut = (self._door.failure_head, self._door.failure_tail, self._door.longest_argument)
        approved = approved_fixes(known.states)
        sure, _ = fixes_to_tell(self._home, self._rule_files, known.states, self._deliver, self._candidates.praised)
        fixes = trials.left(sure)
        moments = self._moments([*matters], every, trials)
        lots = trials.lots([*matters], fixes, {fix for _, fix in approved}, moments)
        signs = Signs(complaints(), cut, self._candidates.requests())
        made = published(matters, fixes, signs, places, self._deliver, lots)
        for agent, its in zip(OTHERS, others, strict=True):
            if its != matters:
                made = made.beside(agent, published(its, fixes, signs, places, self._deliver, lots))
        sheets = self._sheets([*matters], RulesInForce(self._home, self._rule_files, known.states))
        turns = {context: self._candidates.turns(context) for context in matters if context}
        reminders = {context: moment_sheet(some, context, self._deliver) for context, some in moments.items() if some}
        made = made.guarded(sheets).reminding(reminders).asking(turns)
        made = made._replace(local=self._deliver.local_words)
        return made.counted(self._figures(every, answers, [*matters]))

    def _moments(self, contexts: Sequence[str], every: Sequence[EntryState], trials: Trials) -> dict[str, list[Moment]]:
        """What is told when its moment comes, by context; nothing where the user did not switch it on."""
        if not self._deliver.moments:
            return {}
        occurrences, told = self._home.ledger.occurrences, self._private.told(every)

        def sessions_of(entry: str) -> list[str]:
            return [each.session for each in occurrences.of(entry)]

        return {
            context: trials.moments_left(moments_to_tell(told, context, sessions_of), context) for context in contexts
        }

    def _figures(
        self, every: Sequence[EntryState], proposals: Sequence[Asked], contexts: Iterable[str]
    ) -> dict[str, dict[str, int]]:
        """How much there is of what in each context, for who asks."""
        ledger = self._home.ledger
        memories = self._home.index.memories.contexts()
        guards = [
            each for each in guard_states(ledger.guards.all(), ledger.moves.all()) if each.mode is not Mode.REMOVED
        ]
        figures = {}
        for context in contexts:
            here = [each for each in every if each.context == context]
            figures[context] = {
                "rules": sum(each.status is EntryStatus.PROMOTED for each in here),
                "said": sum(map(is_said, here)),
                "waiting": sum(each.waits and each.proposal.context == context for each in proposals),
                "guards": sum(each.guard.context == context for each in guards),
                "memories": memories.get(context, 0),
            }
        return figures

    def _sheets(self, contexts: Sequence[str], rules: RulesInForce) -> dict[str, bytes]:
        """The guards of each context; where there are none but those that hold everywhere, those are enough."""
        ledger, index = self._home.ledger, self._home.index
        states = guards_in_force(guard_states(ledger.guards.all(), ledger.moves.all()), rules)
        reasons = {each.id: each.signature.phrase for each in index.findings.fixes(Selection())} if states else {}
        everywhere = sheet_of(states, "", reasons)
        own = {state.guard.context for state in states}
        found = {context: sheet_of(states, context, reasons) for context in contexts if context in own}
        return {context: sheet for context, sheet in ({"": everywhere} | found).items() if sheet}

    def _matters(
        self,
        reader: _Reader,
        trials: Trials,
        every: Sequence[EntryState],
        answers: Sequence[Asked],
        asks: Mapping[str, Sequence[TellLine]],
        fences: Fences,
    ) -> dict[str, Matter]:
        """What there is to tell an agent by context; empty for what holds everywhere."""
        found = {}
        for context in reader.contexts:
            here = [each for each in every if each.context in ("", context)]
            with fences.around(FenceKind.PROJECT, context or EVERY_PROJECT):
                instructions = reader.instructions(context)
                matter = trials.apart(self._matter(instructions, here, answers, context), here, context)
                found[context] = matter._replace(news=[*matter.news, *asks.get(context, ())])
        return found

    def _matter(
        self, instructions: str, states: Sequence[EntryState], answers: Sequence[Asked], context: str
    ) -> Matter:
        """What there is to tell in one context, of states with the most important first."""
        open_ = [each for each in states if not is_in(rule_id(each.entry.id), each.text, instructions)]
        rules = [each for each in open_ if each.status is EntryStatus.PROMOTED]
        filed = [each for each in states if each.status is EntryStatus.PROMOTED and each not in rules]
        said = [each for each in open_ if is_said(each)]
        own = [each for each in (*rules, *filed, *said) if context and each.context == context]
        hidden = overruled([each for each in (*rules, *filed, *said) if not each.context], own) if own else set[str]()
        rules, filed, said = ([each for each in some if each.entry.id not in hidden] for some in (rules, filed, said))
        pending, wanted = [each for each in open_ if each.status is EntryStatus.PENDING], put_on_trial(answers)
        hints = [
            each
            for each in pending
            if each.entry.id in wanted
            or (each.entry.origin is EntryOrigin.MEASURED and is_told(each) and agent_text(each, {}))
        ]
        due = [
            each
            for each in pending
            if each.priority in (Priority.CRITICAL, Priority.HIGH)
            and each.entry.origin is not EntryOrigin.MEASURED
            and each.entry.id not in wanted
            and each not in said
            and is_told(each)
            and is_raised(each)
        ]
        rules, said, hints, due = map(self._private.told, (rules, said, hints, due))
        return Matter(
            rules=list(map(line_of, rules)),
            said=list(map(line_of, said)),
            hints=list(map(line_of, hints)),
            waiting=self._waiting(answers, context),
            due=list(map(line_of, due)),
            filed=list(map(line_of, filed)),
        )

    def _waiting(self, answers: Sequence[Asked], context: str) -> list[Waiting]:
        """What waits for the user's answer in a context."""
        return [
            self._asked(number, each.proposal)
            for number, each in enumerate((each for each in answers if each.waits), 1)
            if each.proposal.context in ("", context)
            and each.proposal.type is not ProposalType.SUGGESTION
            and not each.proposal.unworded  # a yes is not enough for it
            and self._private.asks(each.proposal)
        ]

    def _asked(self, number: int, proposal: Proposal) -> Waiting:
        """A question with what the user types to answer it, in the language of what they said."""
        table, code = self._candidates.requests(), self._language_of(proposal)
        approve, skip = (say(table, code, deed, n=str(number)) for deed in ("approve", "skip"))
        return Waiting(
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
        """The language of the lesson behind a proposal; English for what wisen words itself."""
        if proposal.type in (ProposalType.FIX, ProposalType.GUARD):
            return "en"
        entry = next(iter(self._home.ledger.entries.of([proposal.entry])), None)
        return self._candidates.language_of(proposal.text if entry is None else entry.summary)

    def _places(self, proposal: Proposal) -> tuple[str, tuple[tuple[str, str], ...]]:
        """Why the file of a proposal cannot take it as it is, and where it may go instead."""
        trouble, places = self._candidates.question_about(proposal)
        return trouble, tuple((each.word.value, each.says) for each in places)


class _Reader:
    """An agent that reads some things by itself, which it need not be told."""

    def __init__(self, rule_files: RuleFiles, agent: str, folders: Mapping[str, Sequence[Path]]) -> None:
        self._rule_files, self._agent, self._folders = rule_files, agent, folders

    @property
    def contexts(self) -> tuple[str, ...]:
        """The contexts that it may work in; empty for what holds everywhere."""
        return ("", *sorted(self._folders))

    def instructions(self, context: str) -> str:
        """All that it reads in the folders of a context."""
        home, files = self._rule_files.user_home, self._rule_files.files
        folders = self._folders.get(context, ())
        if self._agent in OTHERS:
            return others_instructions_in(files, self._agent, folders, home)
        return instructions_in(files, [*folders, home / ".claude"])


def question_for_agents(home: Home, proposal: Proposal) -> str:
    """What waits for the user, as an agent may read it: a guard of a fix with a danger is only named."""
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
    """A question about a fix as an agent may read it: what failed and what is in doubt, never what helped."""
    (entry,) = home.ledger.entries.of([proposal.entry])
    fix = next((each for each in home.index.findings.fixes(Selection()) if each.id in entry.tags), None)
    if fix is None:
        return "May agents be told what helped against a failure?"
    seen = "1 session" if fix.sessions == 1 else f"{fix.sessions} sessions"
    return (
        f"May agents be told what helped in {seen} against “{fix.signature.phrase}” ({fix.danger.value}; "
        f"`wisen explain {fix.id}` shows it)?"
    )


def _danger_of_guard(home: Home, id_: str) -> str:
    """What is dangerous about the fix that a guard was made of; empty where nothing is."""
    of = next((each.of for each in home.ledger.guards.all() if each.id == id_ and each.source is GuardSource.FIX), None)
    fix = next((each for each in home.index.findings.fixes(Selection()) if each.id == of), None) if of else None
    return "" if fix is None or fix.danger is Danger.NONE else fix.danger.value
