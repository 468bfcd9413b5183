"""Who decides: what only a person may say is done when one shows, and else waits for them as a suggestion."""

from __future__ import annotations

import shlex
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from wisen.decisions.proposal_rows import command_proposal
from wisen.errors import PersonNeeded, UsageError, WisenError
from wisen.model.context import NOWHERE
from wisen.model.entry import Actor, Answer, MoveKind, Proposal
from wisen.model.entry_state import fold_proposal_states
from wisen.model.presence import Person

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wisen.decisions.decision_ledger import DecisionLedger
    from wisen.model.entry_state import ProposalState
    from wisen.model.presence import NotAPerson
    from wisen.store.home import Home
    from wisen.system.person import Presence

MOST_REQUESTS = 20
"""How many decisions that others asked for wait at once: nobody can bury what else waits."""
_LONGEST = 1000


class Decisions:
    """What is asked before anything is taken for a person's decision."""

    def __init__(
        self,
        home: Home,
        ledger: DecisionLedger,
        presence: Presence,
        context_of: Callable[[Path], str],
        *,
        typed: str = "",
    ) -> None:
        """Begin with what tells whether a person decides; `ledger` is the home's.

        `typed`: the words that this command line was called with; empty in any other program.
        """
        self._home, self._ledger, self._presence = home, ledger, presence
        self._context_of, self._typed = context_of, typed

    def is_person(self) -> bool:
        """Whether a person is there to see and decide."""
        return isinstance(self._presence.detect(), Person)

    def require_person(self, *words: str, chat: str = "", dry_run: bool = False) -> None:
        """Go on only where a person decides; `words` are the command that takes the decision, without wisen's name.

        `chat`: what they can type to their agent instead, where that is not the command.

        Decisions that are written down from then on carry the evidence. What waits because others asked for the same
        is answered by it. A dry run decides nothing and asks nobody.

        Raises:
            PersonNeeded: nothing shows that a person decides. It waits for them as a suggestion, once.
        """
        if dry_run:
            return
        voice = self._presence.detect()
        if not isinstance(voice, Person):
            raise self._needed(words, chat, voice)
        self._home.evidence = voice.evidence
        self._settle(words)

    def refuse_agent(self, *words: str, dry_run: bool = False) -> None:
        """Go on where a person decides, or a script of a person's: a terminal is not needed, but no agent may do it.

        Raises:
            PersonNeeded: an agent asks for it. It waits as a suggestion, once.
        """
        if dry_run:
            return
        voice = self._presence.detect()
        if not isinstance(voice, Person) and voice.agent:
            raise self._needed(words, "", voice)

    def requests(self) -> tuple[ProposalState, ...]:
        """The decisions that wait because nothing showed that a person took them, oldest first."""
        every = fold_proposal_states(self._home.ledger.proposals.all(), self._home.ledger.moves.all())
        return tuple(each for each in every if each.is_waiting and each.proposal.words)

    @contextmanager
    def on_word_of(self, person: Person) -> Iterator[None]:
        """Take the decisions within the block for a person's, whose word was proven without a terminal."""
        presence, evidence = self._presence, self._home.evidence
        self._presence = _Proven(person)
        try:
            yield
        finally:
            self._presence, self._home.evidence = presence, evidence

    @contextmanager
    def as_decision(
        self, did: str, subject: str = "", *, dry_run: bool = False, by: Actor = Actor.USER
    ) -> Iterator[None]:
        """Note whatever is entered and changed within the block as one decision, which `undo` takes back whole.

        `subject`: what it is about; else what its first move is about. Within another decision it is a part of that.
        """
        if dry_run or self._ledger.is_open:
            yield
            return
        new = self._ledger.begin()
        try:
            yield
        finally:
            # Also where it failed half-way: what was done of it can be undone.
            self._ledger.end()
            if new.moves or new.changes:
                about = subject or (new.moves[0].subject if new.moves else "")
                self._ledger.entries.record(
                    [self._home.row_factory.build_move(about, MoveKind.DECISION, new.value(did), by=by)]
                )

    def _needed(self, words: tuple[str, ...], chat: str, voice: NotAPerson) -> PersonNeeded:
        command = shlex.join(("wisen", *words)) if words else ""
        typed = f"wisen {self._typed}" if self._typed else command
        kept = False
        with suppress(WisenError):  # what cannot be noted down is refused all the same
            kept = bool(words) and self._keep_request(words, voice)
        waits = " It waits as a suggestion: wisen review shows it." if kept else ""
        said = chat or (f"!{typed}" if kept else "")
        ways = f"Run it in a terminal of your own{f', or type in the chat of your agent: {said}' if said else '.'}"
        says = f"Not done: {voice.reason}, and only a person decides this.{waits} {ways}"
        return PersonNeeded(says, reason=voice.reason, command=command, kept=kept)

    def _keep_request(self, words: tuple[str, ...], voice: NotAPerson) -> bool:
        """Note down what was asked for; what waits already is not noted again."""
        from wisen.safety.withhold import rule_against

        waiting = self.requests()
        if any(each.proposal.words == words for each in waiting):
            return True
        told = " ".join((*words, self._typed))
        if len(waiting) >= MOST_REQUESTS or len(told) > _LONGEST or rule_against(told) is not None:
            return False
        self._home.ledger.entries.record([self._request(words, voice)])
        return True

    def _request(self, words: tuple[str, ...], voice: NotAPerson) -> Proposal:
        place = str(Path.cwd())
        who = voice.agent or "a script"
        why = f"{who[:1].upper()}{who[1:]} asked for this, and you did not: {voice.reason}."
        asked = command_proposal(words, shlex.join(("wisen", *words)), why, self._home.row_factory, risk="high")
        context = self._context_of(Path(place)) or NOWHERE
        return structs.replace(asked, context=context, agent=who, typed=self._typed, place=place)

    def answer_request(self, request: str, given: Answer) -> None:
        """Note what the user says to a decision that others asked for; whoever approves one runs its command first.

        Raises:
            UsageError: no such request waits.
            PersonNeeded: nothing shows that a person says so.
        """
        if request not in {each.proposal.id for each in self.requests()}:
            raise UsageError(f"No request {request!r} waits. What does: wisen proposals")
        self.require_person("proposals", _VERBS[given], request)
        move = self._home.row_factory.build_move(request, MoveKind.ANSWER, given, by=Actor.USER)
        if given is Answer.APPROVED:  # its command is the decision
            self._home.ledger.entries.record([move])
            return
        with self.as_decision(given.value, request):
            self._home.ledger.entries.record([move])

    def _settle(self, words: tuple[str, ...]) -> None:
        """A person decides now what others had asked for: that waits no longer."""
        same = [each.proposal.id for each in self.requests() if words and each.proposal.words == words]
        if same:
            move = self._home.row_factory.build_move
            self._home.ledger.entries.record(
                [move(each, MoveKind.ANSWER, Answer.APPROVED, by=Actor.USER) for each in same]
            )


_VERBS = {
    Answer.APPROVED: "approve",
    Answer.REJECTED: "reject",
    Answer.SKIPPED: "skip",
    Answer.LATER: "later",
}


class _Proven:
    """A person whose word is proven already."""

    def __init__(self, person: Person) -> None:
        self._person = person

    def detect(self) -> Person:
        """The person."""
        return self._person


def answer_words(proposal: str, given: Answer, text: str | None, to: str | None = None) -> tuple[str, ...]:
    """The command that answers a proposal."""
    options = (*(("--text", text) if text is not None else ()), *(("--to", to) if to is not None else ()))
    return ("proposals", _VERBS.get(given, given.value), proposal, *options)


def decision_words(name: str, kind: MoveKind, value: str) -> tuple[str, ...]:
    """The command that says something about an entry."""
    if kind in (MoveKind.CONFIRM, MoveKind.EVERYWHERE):
        return ("entries", "confirm", name, *(("--global",) if kind is MoveKind.EVERYWHERE else ()))
    if kind is MoveKind.MERGE:
        return ("entries", "merge", name, value) if value else ("entries", "split", name)
    if kind is MoveKind.SUPERSEDE:
        return ("entries", "supersede", name, value)
    return ("entries", "set", name, kind.value, value)


def rule_words(text: str) -> str:
    """Other words for an entry, in one line. Raises: UsageError."""
    from wisen.safety.withhold import rule_against

    words = " ".join(text.split())
    if not words:
        raise UsageError("There are no words. Give the rule in yours.")
    if (rule := rule_against(words)) is not None:
        raise UsageError(f"The text holds what may not be stored ({rule}). Word it without that.")
    return words
