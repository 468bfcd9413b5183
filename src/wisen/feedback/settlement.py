"""Settles doubtful turns with the help of the user's own agent: it points at words, and the log verifies them.

Without the user's consent nobody is asked and no answer is accepted. An agent's answer approves nothing, makes nothing
last and adds no words: only sentences that the user typed are recorded. Its own wording waits for the user.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import msgspec

from wisen.errors import UsageError
from wisen.feedback.open_turns import doubtful_turns, sort_by_worth
from wisen.feedback.quote_verification import collapse_whitespace, verify_quote
from wisen.feedback.settled_signals import settled_signals
from wisen.model.entry import Actor, MoveKind
from wisen.model.pointing import (
    PointingOutcome,
    PointingResult,
    SettledTurn,
    TurnClaimKind,
    settled_turns,
)
from wisen.model.signal import RecordedSignal, SignalKind, SourcedSignal, TypedTurn
from wisen.store.one_writer import one_writer
from wisen.text.directives import directives_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from wisen.decisions.service import Decisions
    from wisen.feedback.batch_settlement import BatchSettlement
    from wisen.feedback.open_turns import DoubtfulTurn
    from wisen.feedback.pointing_consent import PointingConsent
    from wisen.feedback.settlement_handlers import SettlementHandlers
    from wisen.feedback.user_detector import UserDetector
    from wisen.language_models.model_ports import Model
    from wisen.logs.projects import Projects
    from wisen.model.entry import Entry
    from wisen.model.pointing import OpenTurn, TurnClaim
    from wisen.store.home import Home

NOT_ALLOWED = (
    "The user has not allowed agents to help sort what they said. They can allow it with: wisen feedback on — or at"
    " `wisen install`."
)
_MAX_ABOUT = 120


class TurnSettlement:
    """Chooses the turns that agents may be asked about, and handles their answers."""

    def __init__(  # noqa: PLR0913 - keyword arguments, one for each dependency
        self,
        home: Home,
        projects: Projects,
        decisions: Decisions,
        consent: PointingConsent,
        *,
        user_detector: Callable[[], UserDetector],
        handlers: SettlementHandlers,
        model_named: Callable[[str], Model],
    ) -> None:
        """`user_detector`: knows how the user writes; `model_named`: an agent's program as a model, by its name."""
        self._home, self._projects, self._decisions, self._consent = home, projects, decisions, consent
        self._user_detector, self._handlers, self._model_named = user_detector, handlers, model_named

    def settled_turns(self) -> tuple[tuple[str, SettledTurn], ...]:
        """Every turn that was settled and not undone, with its id, oldest first."""
        return tuple(settled_turns(self._home.ledger.moves.all()).items())

    def open_turns(self, context: str | None = None, *, recent: bool = True) -> list[OpenTurn]:
        """The turns that an agent may be asked about, those first where an answer changes most."""
        model = self._user_detector().model
        found = self._doubtful_turns(context, recent=recent)
        return [each.open for each in sort_by_worth(found, model)]

    def _doubtful_turns(self, context: str | None = None, *, recent: bool = True) -> Iterator[DoubtfulTurn]:
        home, local = self._home, self._consent.covers_local
        return doubtful_turns(home, self._projects, self._user_detector().model, context, recent=recent, local=local)

    @one_writer("point")
    def accept_answer(self, answer: TurnClaim, context: str, *, agent: str) -> PointingResult:
        """Accept what an agent says about a turn in a context, as far as the log verifies it.

        Raises:
            UsageError: the turn is not open there, or the words are not the user's; nothing is recorded.
        """
        if not self._consent.is_given:
            raise UsageError(NOT_ALLOWED)
        fits = [each for each in self._doubtful_turns(context) if answer.turn and each.open.id.startswith(answer.turn)]
        if len(fits) != 1:
            why = "more than one turn has that id" if fits else "it is not open in this project, or was answered before"
            raise UsageError(f"{answer.turn[:40]!r} was not accepted: {why}. Name turns that wisen asked about.")
        return self.record_answer(answer, fits[0], agent=agent)

    @one_writer("settle")
    def settle(
        self,
        agent: str,
        *,
        limit: int = 100,
        dry_run: bool = False,
        progress: Callable[[int, int], None] = lambda _done, _total: None,
    ) -> BatchSettlement:
        """Have an agent's program point at the words in doubtful turns of all sessions.

        A person starts it, which is the consent that it needs. With `dry_run` nobody is asked; the result shows what
        would be sent.

        Raises:
            UsageError: the agent cannot be asked, or the limit leaves nothing.
            PersonNeeded: nothing shows that a person wants it.
        """
        from wisen.feedback.batch_settlement import PROGRAMS, plan_batch, settle_batch

        if agent not in PROGRAMS:
            raise UsageError(f"{agent!r} cannot be asked. Allowed: {', '.join(PROGRAMS)}.")
        if limit < 1:
            raise UsageError(f"--limit {limit} leaves nothing to ask about. Give 1 or more.")
        self._decisions.require_person("feedback", "settle", "--with", agent, "--limit", str(limit), dry_run=dry_run)
        model = self._user_detector().model
        every = sort_by_worth(self._doubtful_turns(recent=False), model)
        turns = every[:limit]
        plan = plan_batch(agent, turns)
        if dry_run or not turns:
            return plan
        asked = self._model_named(PROGRAMS[agent])
        return settle_batch(plan, turns, asked, partial(self.record_answer, agent=agent), progress)

    def record_answer(self, answer: TurnClaim, doubtful: DoubtfulTurn, *, agent: str) -> PointingResult:
        """Record what an agent says about a turn, as one decision that can be undone. Raises: UsageError."""
        settled = self._verify(answer, doubtful, agent)
        home, subject = self._home, doubtful.open.id
        with self._decisions.as_decision("pointed", subject, by=Actor.WISEN):
            value = msgspec.json.encode(settled).decode()
            move = home.row_factory.build_move(
                subject, MoveKind.POINT, value, why=f"pointed at by {agent}, proven by the log"
            )
            home.ledger.entries.record([move])
            result = self._learn(answer, settled, doubtful, agent)
        home.index.findings.mine_again({doubtful.history.session})
        return result

    def _learn(self, answer: TurnClaim, settled: SettledTurn, doubtful: DoubtfulTurn, agent: str) -> PointingResult:
        if settled.kind is TurnClaimKind.NONE:
            self._handlers.drop(settled)
            return PointingResult(turn=doubtful.open.id, outcome=PointingOutcome.NOTHING)
        entries = self._handlers.record(self._sightings(settled, doubtful))
        lasts = any(each.standing for each in directives_in(settled.words))
        proposal = ""
        if entries and (answer.wording.strip() or (settled.standing and not lasts)):
            proposal = self._suggest(answer, settled, entries[0], agent)
        return PointingResult(
            turn=doubtful.open.id,
            outcome=PointingOutcome.LEARNT,
            entries=tuple(each.name for each in entries),
            proposal=proposal,
        )

    def _suggest(self, answer: TurnClaim, settled: SettledTurn, entry: Entry, agent: str) -> str:
        """Ask the user whether it should last: an agent's opinion on that is only ever a question."""
        why = f"The agent {agent} thinks that it holds from now on; you did not say so yourself."
        if not settled.standing:
            why = f"The agent {agent} worded it this way."
        try:
            return self._handlers.suggest(entry.id, answer.wording.strip() or settled.words, agent, why)
        except UsageError:
            return (
                ""  # a proposal about it is open already, or the user rejected one: the words are learned all the same
            )

    def _verify(self, answer: TurnClaim, doubtful: DoubtfulTurn, agent: str) -> SettledTurn:
        """The verified part of an answer. Raises: UsageError."""
        turn, message = doubtful.open, doubtful.message
        kind, words = answer.kind, ""
        if kind is not TurnClaimKind.NONE:
            words = verify_quote(
                answer.words, message.text, doubtful.turn.whole, self._user_detector().model.directives
            )
            kind = self._checked_kind(kind, words)
            self._check_wording(words, answer.wording)
        elif answer.words.strip() or answer.wording.strip():
            raise UsageError("With the kind `none` give neither words nor wording.")
        return SettledTurn(
            agent=turn.agent,
            session=turn.session,
            message=turn.message,
            context=turn.context,
            kind=kind,
            words=words,
            standing=answer.standing and kind is not TurnClaimKind.NONE,
            about=_verify_about(answer.about, message),
            by=agent,
        )

    def _checked_kind(self, kind: TurnClaimKind, words: str) -> TurnClaimKind:
        """Only what the user asked to remember is of the kind `remember`, because that lasts."""
        if kind is not TurnClaimKind.REMEMBER:
            return kind
        asks = any(each.kind is SignalKind.REMEMBER for each in self._user_detector().detect(TypedTurn(text=words)))
        return kind if asks else TurnClaimKind.PREFERENCE

    @staticmethod
    def _check_wording(words: str, wording: str) -> None:
        from wisen.text.wording_check import find_mismatch

        if wording.strip() and (why := find_mismatch(words, wording)):
            raise UsageError(f"The wording does not say what the user said: {why}. Reword it, or leave it out.")

    def _sightings(self, settled: SettledTurn, doubtful: DoubtfulTurn) -> list[SourcedSignal]:
        history, turn, message = doubtful.history, doubtful.turn, doubtful.message
        detector = self._user_detector()
        return [
            SourcedSignal(
                agent=history.agent,
                native=history.native,
                session=history.session,
                said=RecordedSignal(message=turn.id, at=turn.at, signal=signal),
                text=message.text,
                context=turn.context,
                local=turn.local,
            )
            for signal in settled_signals(settled, message, detector.detect(message), detector.model)
        ]


def _verify_about(about: str, message: TypedTurn) -> str:
    """A name that appears in the turn or in a call before it; an agent adds no words. Raises: UsageError."""
    named = collapse_whitespace(about)
    if not named:
        return ""
    known = (collapse_whitespace(each) for each in (message.text, *message.calls))
    if len(named) > _MAX_ABOUT or not any(named in each for each in known):
        raise UsageError("`about` is neither in the turn nor in a call before it. Copy it, or leave it out.")
    return named
