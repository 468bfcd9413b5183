"""Checks that a person decides: what only a person may decide is done if one is present, else kept as a request."""

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

MAX_REQUESTS = 20
"""How many requested decisions may wait at once: nobody can flood the list of proposals."""
_MAX_REQUEST_LENGTH = 1000


class Decisions:
    """Guards every action that counts as a person's decision."""

    def __init__(
        self,
        home: Home,
        ledger: DecisionLedger,
        presence: Presence,
        context_of: Callable[[Path], str],
        *,
        typed: str = "",
    ) -> None:
        """Create it with what detects a person; `ledger` is the home's.

        `typed`: the arguments of this command line; empty in any other program.
        """
        self._home, self._ledger, self._presence = home, ledger, presence
        self._context_of, self._typed = context_of, typed

    def is_person(self) -> bool:
        """Whether a person is present to see and decide."""
        return isinstance(self._presence.detect(), Person)

    def require_person(self, *words: str, chat: str = "", dry_run: bool = False) -> None:
        """Continue only if a person decides; `words` are the command of the decision, without `wisen`.

        `chat`: what they can type to their agent instead, if that is not the command.

        Decisions recorded afterwards carry the evidence. Pending requests for the same decision are answered. A dry
        run decides nothing and asks nobody.

        Raises:
            PersonNeeded: nothing shows that a person decides. The decision waits for them as a request, once.
        """
        if dry_run:
            return
        voice = self._presence.detect()
        if not isinstance(voice, Person):
            raise self._person_needed(words, chat, voice)
        self._home.evidence = voice.evidence
        self._answer_pending(words)

    def is_person_present(self) -> bool:
        """Return whether a person runs this process, so that a decision would be theirs."""
        return isinstance(self._presence.detect(), Person)

    def reject_agent(self, *words: str, dry_run: bool = False) -> None:
        """Continue if a person or their script decides: no terminal is needed, but no agent may do it.

        Raises:
            PersonNeeded: an agent asks for it. It waits as a request, once.
        """
        if dry_run:
            return
        voice = self._presence.detect()
        if not isinstance(voice, Person) and voice.agent:
            raise self._person_needed(words, "", voice)

    def requests(self) -> tuple[ProposalState, ...]:
        """Return the decisions that wait because nothing showed that a person made them, oldest first."""
        every = fold_proposal_states(self._home.ledger.proposals.all(), self._home.ledger.moves.all())
        return tuple(each for each in every if each.is_waiting and each.proposal.words)

    @contextmanager
    def attribute_to(self, person: Person) -> Iterator[None]:
        """Attribute the decisions in the block to a person who was verified without a terminal."""
        presence, evidence = self._presence, self._home.evidence
        self._presence = _VerifiedPresence(person)
        try:
            yield
        finally:
            self._presence, self._home.evidence = presence, evidence

    @contextmanager
    def as_decision(
        self, did: str, subject: str = "", *, dry_run: bool = False, by: Actor = Actor.USER
    ) -> Iterator[None]:
        """Record whatever is written in the block as one decision, which `undo` reverses as a whole.

        `subject`: what it is about; default: the subject of its first move. Inside another decision it is part of it.
        """
        if dry_run or self._ledger.is_open:
            yield
            return
        new = self._ledger.begin()
        try:
            yield
        finally:
            # Even if it failed half-way: what was done can be undone.
            self._ledger.end()
            if new.moves or new.changes:
                about = subject or (new.moves[0].subject if new.moves else "")
                self._ledger.entries.record(
                    [self._home.row_factory.build_move(about, MoveKind.DECISION, new.value(did), by=by)]
                )

    def _person_needed(self, words: tuple[str, ...], chat: str, voice: NotAPerson) -> PersonNeeded:
        command = shlex.join(("wisen", *words)) if words else ""
        typed = f"wisen {self._typed}" if self._typed else command
        kept = False
        with suppress(WisenError):  # the refusal stands even if the request cannot be recorded
            kept = bool(words) and self._record_request(words, voice)
        waits = " Saved as a suggestion: wisen review." if kept else ""
        in_chat = chat or (f"!{typed}" if kept else "")
        ways = (
            f"Run it in a terminal of your own{f', or type in the chat of your agent: {in_chat}' if in_chat else '.'}"
        )
        message = f"Not done: only a person decides this, and {voice.reason}.{waits} {ways}"
        return PersonNeeded(message, reason=voice.reason, command=command, kept=kept)

    def _record_request(self, words: tuple[str, ...], voice: NotAPerson) -> bool:
        """Record a requested decision; one that waits already is not recorded again."""
        from wisen.safety.withhold import rule_against

        waiting = self.requests()
        if any(each.proposal.words == words for each in waiting):
            return True
        text = " ".join((*words, self._typed))
        if len(waiting) >= MAX_REQUESTS or len(text) > _MAX_REQUEST_LENGTH or rule_against(text) is not None:
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
        """Record the user's answer to a requested decision; whoever approves one runs its command first.

        Raises:
            UsageError: no such request waits.
            PersonNeeded: nothing shows that a person decided this.
        """
        if request not in {each.proposal.id for each in self.requests()}:
            raise UsageError(f"No pending request has the id {request!r}. List them with: wisen proposals")
        self.require_person("proposals", _VERBS[given], request)
        move = self._home.row_factory.build_move(request, MoveKind.ANSWER, given, by=Actor.USER)
        if given is Answer.APPROVED:  # its command is the decision
            self._home.ledger.entries.record([move])
            return
        with self.as_decision(given.value, request):
            self._home.ledger.entries.record([move])

    def _answer_pending(self, words: tuple[str, ...]) -> None:
        """Answer pending requests for a decision that a person makes now."""
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


class _VerifiedPresence:
    """A person who is already verified."""

    def __init__(self, person: Person) -> None:
        self._person = person

    def detect(self) -> Person:
        """Return the person."""
        return self._person


def answer_command(proposal: str, given: Answer, text: str | None, to: str | None = None) -> tuple[str, ...]:
    """Return the command that answers a proposal."""
    options = (*(("--text", text) if text is not None else ()), *(("--to", to) if to is not None else ()))
    return ("proposals", _VERBS.get(given, given.value), proposal, *options)


def decision_command(name: str, kind: MoveKind, value: str) -> tuple[str, ...]:
    """Return the command for a decision about an entry."""
    if kind in (MoveKind.CONFIRM, MoveKind.EVERYWHERE):
        return ("entries", "confirm", name, *(("--global",) if kind is MoveKind.EVERYWHERE else ()))
    if kind is MoveKind.MERGE:
        return ("entries", "merge", name, value) if value else ("entries", "split", name)
    if kind is MoveKind.SUPERSEDE:
        return ("entries", "supersede", name, value)
    return ("entries", "set", name, kind.value, value)


def clean_wording(text: str) -> str:
    """Validate a wording for an entry and return it on one line. Raises: UsageError."""
    from wisen.safety.withhold import rule_against

    words = " ".join(text.split())
    if not words:
        raise UsageError("The rule is empty. Say in one sentence what agents should do.")
    if (rule := rule_against(words)) is not None:
        raise UsageError(f"The text contains something that may not be stored ({rule}). Rephrase it without that.")
    return words
