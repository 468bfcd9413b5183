"""Does what users typed to their agents, where the agent's own log shows that they typed it."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Literal, NamedTuple

from wisen.delivery.snapshot_store import ChatReply
from wisen.errors import PlaceNeeded, StoreError, UsageError, WisenError
from wisen.model.entry import Actor, Answer
from wisen.model.error_boundaries import describe_error
from wisen.model.guard_text import describe_proposal
from wisen.model.presence import Person
from wisen.model.report import Selection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from wisen.decisions.proposal_kinds import Answered
    from wisen.decisions.service import Decisions
    from wisen.delivery.chat_requests import RequestTable
    from wisen.delivery.snapshot_store import SnapshotStore
    from wisen.delivery.spool import ForgetRequest, SpooledRequest
    from wisen.model.entry import Proposal
    from wisen.model.history import History
    from wisen.store.home import Home

_PATIENCE = timedelta(days=1)
"""How long a wish waits for the log to show it."""
_ANSWERS = {"approve": Answer.APPROVED, "skip": Answer.SKIPPED}
_OVERRULE = "overrule"


class Granted(NamedTuple):
    """What was done of what the user typed."""

    done: str
    says: str
    """The same for the user, where they typed it; empty where they know it."""


def _gone(told: str) -> Granted:
    """That something was forgotten, without a word of it."""
    return Granted(told, told)


def describe_approval(answered: Answered, *, said: bool) -> str:
    """What an approval changed, in a sentence for the user; `said`: they named the place."""
    text, place = answered.asked.proposal.text, answered.place
    if place is None:
        return f"Approved: “{text}”"
    if answered.edit is None:
        told = f"Agents are told from now on: “{text}” No file was changed."
    else:
        told = f"{answered.edit.change.path} now says: “{text}”"
    if said and place.applies_everywhere:
        return f"{told} It holds in all projects."
    return f"{told} The next rules of this project go there too (wisen proposals place)." if said else told


def describe_error_in_chat(wish: SpooledRequest, error: WisenError) -> str:
    """Why something was not done, with what the user can type instead."""
    if not isinstance(error, PlaceNeeded) or not error.places:
        return str(error)
    number = wish.argument.partition(" ")[0]
    ways = "; ".join(f"approve {number} to {word} ({says})" for word, says in error.places)
    return f"{error.why} It still waits. Type, alone: {ways}."


class Chat:
    """What users type to their agents, and what comes of it."""

    def __init__(  # noqa: PLR0913 - what it is composed of, each by its name
        self,
        home: Home,
        shelf: SnapshotStore,
        decisions: Decisions,
        *,
        answer: Callable[..., Answered],
        overrule: Callable[[str], str],
        forget: Callable[[ForgetRequest], str],
        requests: Callable[[], RequestTable],
    ) -> None:
        """Begin.

        `answer` answers a proposal, `overrule` notes that the user overruled a guard, `forget` forgets what was typed.
        `requests`: by which forms the log is read.
        """
        self._home, self._shelf, self._decisions = home, shelf, decisions
        self._answer, self._overrule, self._forget, self._requests = answer, overrule, forget, requests

    def carry_out(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Do what the user typed to their agent, where its own log shows it. Returns what was done and what not.

        What the log does not show yet waits for a day.
        """
        from wisen.delivery.spool import read_requests

        done, troubles = list[str](), list[str]()
        now = self._home.clock.now
        # What is forgotten may be what proves the next wish: all are held against the log before one is carried out.
        proven = [(wish, *self._proof(wish)) for wish in read_requests(self._shelf.read_spool())]
        for wish, proof, histories in proven:
            if proof is not None:
                person = Person(f"typed in the chat with {wish.agent}, session {wish.session}")
                try:
                    with self._decisions.on_word_of(person):
                        granted = self._grant(wish) if proof is True else _gone(self._forget(proof))
                    done.append(granted.done)
                    says = granted.says
                except WisenError as error:
                    troubles.append(f"“{wish.shown_text}”: {error}")
                    says = f"Not done, what you typed as “{wish.shown_text}”: {describe_error_in_chat(wish, error)}"
                except Exception as error:  # noqa: BLE001 - a fence: what cannot be done keeps no other wish waiting
                    troubles.append(f"“{wish.shown_text}”: {describe_error(error)}")
                    if now() - wish.at < _PATIENCE:
                        continue  # it was typed, so it is tried again
                    says = f"Not done, what you typed as “{wish.shown_text}”: {describe_error(error)}"
            elif now() - wish.at < _PATIENCE:
                continue
            else:
                says = f"“{wish.shown_text}” is not in the log of session {wish.session}, and was not done."
                troubles.append(says)
            if says:
                self._reply(wish, histories, says)
            self._shelf.remove_records([wish.name])
        return tuple(done), tuple(troubles)

    def proven_requests(self) -> tuple[tuple[Proposal, Person], ...]:
        """The decisions that wait and that the user took, as the log of their agent shows: they ran the command."""
        from wisen.delivery.spool import find_typed_command

        home, found = self._home, list[tuple["Proposal", Person]]()
        requests = self._decisions.requests()
        waiting = [each.proposal for each in requests if each.proposal.typed and each.proposal.agent]
        used = " ".join(move.why for move in home.ledger.moves.all() if move.by is Actor.USER) if waiting else ""
        for request in waiting:
            histories = home.index.events.histories(Selection(agent=request.agent, since=request.at - _PATIENCE))
            shown = find_typed_command(request, histories, used)
            if shown is not None:
                used += f" {shown[1]}"
                line = f"typed in {request.agent}, session {shown[0]}, line {shown[1]}"
                found.append((request, Person(line)))
        return tuple(found)

    def _proof(self, wish: SpooledRequest) -> tuple[Literal[True] | ForgetRequest | None, tuple[History, ...]]:
        """What the agent's own log shows of a wish: that it was typed, or what is to be forgotten; None for nothing.

        With its session, as far as the log shows it.
        """
        from wisen.delivery.spool import find_forget_request, is_confirmed_by_log
        from wisen.kernel.request_reading import FORGET_KINDS

        found = self._home.index.events.histories(Selection(agent=wish.agent, since=wish.earliest))
        histories = tuple(each for each in found if each.native == wish.session)
        if wish.kind in FORGET_KINDS:
            return find_forget_request(wish, histories, self._home.salt(), self._requests()), histories
        return True if is_confirmed_by_log(wish, histories, self._requests()) else None, histories

    def _reply(self, wish: SpooledRequest, histories: Iterable[History], says: str) -> None:
        """Have the user told what came of what they typed, where they typed it; it is done or not, all the same."""
        of = (each for each in histories if (each.agent, each.native) == (wish.agent, wish.session))
        context = next((turn.context for each in of for turn in reversed(each.turns) if turn.context), "")
        with suppress(StoreError):
            self._shelf.add_reply(ChatReply(wish.agent, wish.session, context, says))

    def _grant(self, wish: SpooledRequest) -> Granted:
        if wish.kind == _OVERRULE:
            return Granted(self._overrule(wish.id), says="")  # the session knows it since it was typed
        given = _ANSWERS.get(wish.kind)
        if given is None:
            raise UsageError("wisen cannot do that.")
        answered = self._answer(wish.id, given, to=wish.to)
        text = describe_proposal(answered.asked.proposal)
        if given is not Answer.APPROVED:
            return Granted(f"{given.value}: {text}", f"Skipped until it comes up again: “{text}”")
        return Granted(f"{given.value}: {text}", describe_approval(answered, said=wish.to is not None))
