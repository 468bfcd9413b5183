"""The proposals service: lists what awaits a decision, finds it by number or id, and executes the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

from wisen.decisions.proposal_kinds import Answered
from wisen.errors import StoreError, UsageError
from wisen.model.entry import Actor, Answer, MoveKind
from wisen.model.entry_state import fold_proposal_states
from wisen.model.error_boundaries import describe_error
from wisen.model.guard_text import describe_proposal
from wisen.store.one_writer import one_writer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from wisen.decisions.proposal_kinds import ProposalKind
    from wisen.decisions.service import Decisions
    from wisen.delivery.chat_requests import RequestTable
    from wisen.delivery.snapshot_store import SnapshotStore
    from wisen.delivery.spool import ForgetRequest
    from wisen.edits.permission import Permission, PromotePolicy
    from wisen.edits.rule_files import RuleFiles
    from wisen.logs.projects import Projects
    from wisen.model.entry import Proposal, ProposalType
    from wisen.model.entry_state import ProposalState
    from wisen.model.error_boundaries import ErrorBoundaries
    from wisen.model.presence import Person
    from wisen.proposals.chat_executor import ChatExecutor
    from wisen.proposals.conversations import ConversationExcerpt
    from wisen.proposals.proposal_round import OutdatedLine
    from wisen.proposals.suggestion_inbox import SuggestionInbox, UnwordedLesson
    from wisen.store.home import Home
    from wisen.store.known_entries import KnownEntries

Old = TypeVar("Old", bound="OutdatedLine")
_DIGITS = 4
"""A number of at most this many digits is a list number, not a prefix of an id."""


class AnswerHandlers(Struct, frozen=True, kw_only=True):
    """What features do with an answer, and with requests that users type to their agents."""

    rules: ProposalKind
    """Answers rules and agents' suggestions."""
    kinds: Mapping[ProposalType, ProposalKind]
    """Answers the other kinds."""
    overrule: Callable[[str], str]
    """Records that the user overruled a guard, by its id. Returns what was done."""
    requests: Callable[[], RequestTable]
    """The phrases by which users make requests in a chat, including those of languages they added."""
    forget: Callable[[ForgetRequest], str]
    """Forgets what the user named. Returns how much was forgotten, without quoting it."""


class ProposalService:
    """Proposals of all kinds: each kind handles its own answers."""

    def __init__(  # noqa: PLR0913 - a service is made of what it works with
        self,
        home: Home,
        projects: Projects,
        decisions: Decisions,
        *,
        snapshots: SnapshotStore,
        rule_files: RuleFiles,
        answers: AnswerHandlers,
        settings: PromotePolicy,
        viewer: str,
    ) -> None:
        """Create the service.

        `viewer` identifies the terminal in which lists are shown: a number refers to the list that was shown there.
        """
        self._home, self._projects, self._decisions, self._snapshots = home, projects, decisions, snapshots
        self._files, self._rule_files, self._settings, self.viewer = rule_files.files, rule_files, settings, viewer
        self._answers = answers

    def all(self) -> tuple[ProposalState, ...]:
        """Return every proposal with its current state, oldest first."""
        return fold_proposal_states(self._home.ledger.proposals.all(), self._home.ledger.moves.all())

    def get(self, id_: str) -> ProposalState:
        """Return a proposal by its number in the list that was shown last, its short id, its id or a prefix of that.

        Raises:
            UsageError: no proposal, or more than one, matches.
        """
        from wisen.proposals.shown_lists import id_of_number

        every, short = self.all(), self.short_ids()
        fits = [each for each in every if id_ and id_.lower() in (short[each.proposal.id], each.proposal.id.lower())]
        is_number = id_.isdecimal() and id_.isascii() and len(id_) <= _DIGITS
        if not is_number:
            fits = fits or [each for each in every if id_ and each.proposal.id.startswith(id_.upper())]
        elif not fits:
            waiting = [each.proposal.id for each in every if each.is_waiting and not each.proposal.words]
            meant = id_of_number(self._files, self._home.path, self.viewer, int(id_), waiting)
            fits = [each for each in every if each.proposal.id == meant]
        if len(fits) != 1:
            found = f"{len(fits)} proposals begin with" if fits else "No proposal has the number or id"
            raise UsageError(f"{found} {id_!r}. List them with: wisen proposals")
        return fits[0]

    def conversations(self, proposal: Proposal, most: int = 2) -> tuple[ConversationExcerpt, ...]:
        """Return what was said and done around the newest statements behind a proposal."""
        from wisen.proposals.conversations import conversations_around

        seen = () if proposal.words else self._home.ledger.occurrences.of(proposal.entry)
        return conversations_around(self._home.index, seen, most)

    def short_ids(self) -> dict[str, str]:
        """Return the short id of every proposal by its id: the same in every list, and unique."""
        from wisen.model.short_ids import short_ids

        return short_ids(each.id for each in self._home.ledger.proposals.all())

    def remember_shown(self, proposals: Sequence[str]) -> None:
        """Remember the ids of proposals that were shown with numbers: these are what a number refers to."""
        from wisen.proposals.shown_lists import remember_list

        if not self._decisions.is_person():
            return  # a list that only an agent saw was shown to nobody who decides
        remember_list(self._files, self._home.path, self.viewer, proposals)

    def already_answered_error(self, each: ProposalState) -> UsageError:
        """Return the error for answering a proposal again."""
        named = f"{self.short_ids()[each.proposal.id]} (“{each.proposal.text}”)"
        return UsageError(f"{named} was already {each.answer}. List what is waiting with: wisen proposals")

    def permission_for(self, each: ProposalState) -> Permission:
        """Whether policy approves a proposal, proposes it or asks."""
        return self._answers.kinds.get(each.proposal.type, self._answers.rules).permission_for(each)

    def answer(
        self,
        proposal: str,
        given: Answer,
        *,
        text: str | None = None,
        dry_run: bool = False,
        by: Actor = Actor.USER,
        to: str | None = None,
    ) -> Answered:
        """Execute the answer of the user, or of policy, to a proposal: an approved rule goes into its file.

        `to` names another place for it, which is remembered for this file of the project.

        Raises:
            PlaceNeeded: it cannot go into its file; then nothing was answered, and the error names other places.
            UsageError: there is no such proposal, the text cannot be a rule, or there is no such place.
            PersonNeeded: the answer is the user's, and nothing shows that a person gave it.
            FileError: the file cannot be read or written; then nothing was answered.
        """
        each = self.get(proposal)
        kind = self._answers.kinds.get(each.proposal.type)
        if kind is not None:
            return kind.answer(each, given, text=text, to=to, dry_run=dry_run, by=by)
        return self._answer_rule(proposal, given, text=text, to=to, dry_run=dry_run, by=by)

    @one_writer("answer")
    def _answer_rule(
        self, proposal: str, given: Answer, *, text: str | None, to: str | None, dry_run: bool, by: Actor
    ) -> Answered:
        each = self.get(proposal)
        with self._decisions.as_decision(given.value, each.proposal.id, dry_run=dry_run, by=by):
            if not each.is_waiting:
                raise self.already_answered_error(each)
            if each.proposal.words:
                return self._answer_command(each, given, dry_run=dry_run, by=by)
            return self._answers.rules.answer(each, given, text=text, to=to, dry_run=dry_run, by=by)

    def _answer_command(self, each: ProposalState, given: Answer, *, dry_run: bool, by: Actor) -> Answered:
        """Answer a decision that an agent asked for. Approving happens by its command, which checks its arguments."""
        if by is not Actor.USER or given is Answer.APPROVED:
            raise UsageError(f"{each.proposal.id} is a decision that is taken by its command: {each.proposal.text}")
        if not dry_run:
            self._decisions.answer_request(each.proposal.id, given)
        return Answered(each, None)

    def apply_by_policy(self, *, dry_run: bool = False) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Apply the changes that policy allows, as recorded edits. Return what was done and what failed."""
        from wisen.edits.permission import Permission, can_write_unasked

        done, problems = list[str](), list[str]()
        if not can_write_unasked(self._settings.profile):
            return (), ()
        # What the user undid waits for them: applying it again would defeat the undo.
        undone = {
            move.subject for move in self._home.ledger.moves.all(include_undone=True) if move.kind is MoveKind.UNDO
        }
        for each in self.all():
            if each.is_waiting and each.proposal.id not in undone and self.permission_for(each) is Permission.AUTO:
                proposal = each.proposal
                try:
                    self.answer(proposal.id, Answer.APPROVED, dry_run=dry_run, by=Actor.WISEN)
                    done.append(f"{describe_proposal(proposal)} → {proposal.path or proposal.entry}")
                except StoreError:
                    raise
                except Exception as error:  # noqa: BLE001 - an error boundary: the others must not fail
                    problems.append(f"“{describe_proposal(proposal)}”: {describe_error(error)}")
        return tuple(done), tuple(problems)

    def propose(
        self,
        known: KnownEntries,
        is_concerned: Callable[[str], bool],
        outdated: Callable[[], Sequence[Old]],
        replacements: Callable[[Sequence[Old], Sequence[ProposalState]], list[Proposal]],
        boundaries: ErrorBoundaries,
    ) -> int:
        """Close proposals that no longer apply and make new ones. Return how many await a decision.

        `is_concerned`: whether something changed in a context, so that its entries have to be looked at.
        `outdated` finds lines in files that no longer match their rule; `replacements` turns them into proposals.
        """
        from wisen.proposals.proposal_round import ProposalRound

        ready = ProposalRound(self._home, self._projects, self._rule_files, self._settings, boundaries)
        return ready.propose(known, is_concerned, outdated, replacements)

    def execute_requests(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Execute what the user typed to their agent, if its log confirms it. Return what was done and not."""
        return self._chat().execute()

    def proven_requests(self) -> tuple[tuple[Proposal, Person], ...]:
        """Return the pending decisions that the user made, as the agent's log shows: they ran the command."""
        return self._chat().proven_requests()

    def _chat(self) -> ChatExecutor:
        from wisen.proposals.chat_executor import ChatExecutor

        return ChatExecutor(
            self._home,
            self._snapshots,
            self._decisions,
            answer=self.answer,
            overrule=self._answers.overrule,
            forget=self._answers.forget,
            requests=self._answers.requests,
        )

    def suggest(self, text: str, place: Path, *, kind: str = "learning", agent: str = "", note: str = "") -> Proposal:
        """Keep an agent's text as a proposal that only the user can answer; a repeated one returns the waiting one.

        Raises:
            UsageError: the kind is unknown; the text is empty, too long, may not be stored or was forgotten; the user
                rejected it; or too many suggestions wait.
        """
        return self._suggestions().suggest(text, place, kind=kind, agent=agent, note=note)

    def unworded_lessons(self, context: str, *, local: bool = True) -> tuple[UnwordedLesson, ...]:
        """Return the lessons of a context that need a wording of their own before they can become rules.

        `local`: include those that were typed only to models on the user's own machine.
        """
        return tuple(self._suggestions().unworded_lessons(context, local=local))

    @one_writer("word")
    def suggest_wording(
        self, name: str, wording: str, *, agent: str, why: str = "", context: str | None = None
    ) -> Proposal:
        """Keep an agent's wording of a lesson as a proposal that only the user can answer.

        Raises:
            UsageError: there is no such lesson, or the wording may not be kept or does not match what the user said.
        """
        return self._suggestions().suggest_wording(name, wording, agent=agent, why=why, context=context)

    def _suggestions(self) -> SuggestionInbox:
        from wisen.proposals.suggestion_inbox import SuggestionInbox

        return SuggestionInbox(self._home, self._projects, self._rule_files)
