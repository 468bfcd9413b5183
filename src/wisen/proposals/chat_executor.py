"""Executes requests that users typed to their agents, if the agent's own log confirms that they typed them."""

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
"""How long a request waits for the log to confirm it."""
_ANSWERS = {"approve": Answer.APPROVED, "skip": Answer.SKIPPED}
_OVERRULE = "overrule"


class RequestResult(NamedTuple):
    """The result of a request."""

    done: str
    reply: str
    """A message for the user, in the session where they typed it; empty if they know it already."""


def _forgotten_result(text: str) -> RequestResult:
    """Report that something was forgotten, without quoting it."""
    return RequestResult(text, text)


def describe_approval(answered: Answered, *, place_was_named: bool) -> str:
    """Describe what an approval changed, for the user; `place_was_named`: they named the place."""
    text, place = answered.asked.proposal.text, answered.place
    if place is None:
        return f"Approved: “{text}”"
    if answered.edit is None:
        summary = f"Agents receive from now on: “{text}” No file was changed."
    else:
        summary = f"{answered.edit.change.path} now says: “{text}”"
    if place_was_named and place.applies_everywhere:
        return f"{summary} It holds in all projects."
    return (
        f"{summary} The next rules of this project go there too (wisen proposals place)."
        if place_was_named
        else summary
    )


def describe_error_in_chat(request: SpooledRequest, error: WisenError) -> str:
    """Describe why a request was not executed, with what the user can type instead."""
    if not isinstance(error, PlaceNeeded) or not error.places:
        return str(error)
    number = request.argument.partition(" ")[0]
    ways = "; ".join(f"approve {number} to {word} ({says})" for word, says in error.places)
    return f"{error.why} It still waits. Type, alone: {ways}."


class ChatExecutor:
    """Executes what users type to their agents."""

    def __init__(  # noqa: PLR0913 - what it is composed of, each by its name
        self,
        home: Home,
        snapshots: SnapshotStore,
        decisions: Decisions,
        *,
        answer: Callable[..., Answered],
        overrule: Callable[[str], str],
        forget: Callable[[ForgetRequest], str],
        requests: Callable[[], RequestTable],
    ) -> None:
        """Create it.

        `answer` answers a proposal, `overrule` records that the user overruled a guard, `forget` forgets a text.
        `requests`: the phrases by which the log is searched.
        """
        self._home, self._snapshots, self._decisions = home, snapshots, decisions
        self._answer, self._overrule, self._forget, self._requests = answer, overrule, forget, requests

    def execute(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Execute what the user typed to their agent, if its own log confirms it. Return what was done and what not.

        A request that the log does not confirm yet waits for a day.
        """
        from wisen.delivery.spool import read_requests

        done, problems = list[str](), list[str]()
        now = self._home.clock.now
        # Forgetting may remove the proof of the next request: all are checked against the log before any is executed.
        proven = [(request, *self._find_proof(request)) for request in read_requests(self._snapshots.read_spool())]
        for wish, proof, histories in proven:
            if proof is not None:
                person = Person(f"typed in the chat with {wish.agent}, session {wish.session}")
                try:
                    with self._decisions.attribute_to(person):
                        result = self._execute_one(wish) if proof is True else _forgotten_result(self._forget(proof))
                    done.append(result.done)
                    reply = result.reply
                except WisenError as error:
                    problems.append(f"“{wish.shown_text}”: {error}")
                    reply = f"Not done, what you typed as “{wish.shown_text}”: {describe_error_in_chat(wish, error)}"
                except Exception as error:  # noqa: BLE001 - an error boundary: one failure must not block other requests
                    problems.append(f"“{wish.shown_text}”: {describe_error(error)}")
                    if now() - wish.at < _PATIENCE:
                        continue  # the user typed it, so retry
                    reply = f"Not done, what you typed as “{wish.shown_text}”: {describe_error(error)}"
            elif now() - wish.at < _PATIENCE:
                continue
            else:
                reply = f"“{wish.shown_text}” is not in the log of session {wish.session}, and was not done."
                problems.append(reply)
            if reply:
                self._reply(wish, histories, reply)
            self._snapshots.remove_records([wish.name])
        return tuple(done), tuple(problems)

    def proven_requests(self) -> tuple[tuple[Proposal, Person], ...]:
        """Return the pending decisions that the user made, as the agent's log shows: they ran the command."""
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

    def _find_proof(self, request: SpooledRequest) -> tuple[Literal[True] | ForgetRequest | None, tuple[History, ...]]:
        """Return what the agent's own log proves: True that a request was typed, or what to forget; None for nothing.

        Also return its session, as far as the log shows it.
        """
        from wisen.delivery.spool import find_forget_request, is_confirmed_by_log
        from wisen.kernel.request_reading import FORGET_KINDS

        sessions = self._home.index.events.histories(Selection(agent=request.agent, since=request.earliest))
        histories = tuple(each for each in sessions if each.native == request.session)
        if request.kind in FORGET_KINDS:
            return find_forget_request(request, histories, self._home.salt(), self._requests()), histories
        return True if is_confirmed_by_log(request, histories, self._requests()) else None, histories

    def _reply(self, request: SpooledRequest, histories: Iterable[History], text: str) -> None:
        """Queue the result for the user, in the session where they typed it; failing to do so changes nothing else."""
        session = (each for each in histories if (each.agent, each.native) == (request.agent, request.session))
        context = next((turn.context for each in session for turn in reversed(each.turns) if turn.context), "")
        with suppress(StoreError):
            self._snapshots.add_reply(ChatReply(request.agent, request.session, context, text))

    def _execute_one(self, request: SpooledRequest) -> RequestResult:
        if request.kind == _OVERRULE:
            return RequestResult(self._overrule(request.id), reply="")  # the session was told when it was typed
        given = _ANSWERS.get(request.kind)
        if given is None:
            raise UsageError("wisen cannot do that.")
        answered = self._answer(request.id, given, to=request.to)
        text = describe_proposal(answered.asked.proposal)
        if given is not Answer.APPROVED:
            return RequestResult(f"{given.value}: {text}", f"Skipped until it comes up again: “{text}”")
        return RequestResult(
            f"{given.value}: {text}", describe_approval(answered, place_was_named=request.to is not None)
        )
