"""The step of a turn in which a model decides about turns that the detector is not sure of; off by default.

Only typed text goes out. Where there is no answer, for whatever reason, what the detector heard stands.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from wisen.errors import MissingExtra, ModelError, ModelFailed, Reason
from wisen.feedback.doubt import is_doubtful, signals_of_kinds
from wisen.feedback.turns import turns_of
from wisen.model.model_use import Tier
from wisen.model.signal import RecordedSignal, SignalKind
from wisen.models.model_ports import MaterialItem, Question

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from wisen.feedback.user_detector import UserDetector
    from wisen.model.failure import SessionFindings
    from wisen.model.history import History, Turn
    from wisen.model.signal import TypedTurn
    from wisen.models.model_ports import Model

PURPOSE = "adjudicate"
BATCH_SIZE = 20
"""How many turns are asked about in one question."""
_MAX_FAILURES = 3
"""After so many questions without a usable answer no more are asked in this turn: each of them costs."""
_TOKENS_PER_TURN = 40
"""How long the ruling about one turn may be."""
_INSTRUCTIONS = """
Each text is one message that a person typed to an AI coding agent. Tell two things about each of them.
correction: the person says that the agent's work, claim or approach is wrong, incomplete as it was asked for, or to
be done otherwise. A new task, a question, an answer or an error message alone is none.
preference: the person states a rule that is meant to last beyond this task.
Both, one or none may hold. Give one ruling for each id.
"""


class Ruling(Struct, frozen=True, forbid_unknown_fields=True):
    """What a model says of one turn."""

    id: str
    correction: bool
    preference: bool

    @property
    def kinds(self) -> set[SignalKind]:
        """The kinds that hold."""
        said = {SignalKind.CORRECTION: self.correction, SignalKind.PREFERENCE: self.preference}
        return {kind for kind, held in said.items() if held}


class Rulings(Struct, frozen=True, forbid_unknown_fields=True):
    """What a model says of the turns it was asked about."""

    rulings: list[Ruling]


class _DoubtfulMessage(NamedTuple):
    session: int
    """Of its session among those of this batch."""
    turn: Turn
    message: TypedTurn


class Adjudicator:
    """Has the nano model decide, as long as it answers."""

    def __init__(
        self, detector: UserDetector, model: Callable[[], Model], *, enabled: bool, local: bool = False
    ) -> None:
        """`asks`: whether the user wants that at all; `local`: also of what was typed to local models."""
        self._detector = detector
        self._model = model
        self._is_enabled, self._local = enabled, local
        self._failures = 0
        self.problems: list[str] = []
        """Why the detector's word stands, where a model should have decided."""

    def adjudicate(self, sessions: Sequence[History], mined: Sequence[SessionFindings]) -> Sequence[SessionFindings]:
        """What sessions taught, with the signals of doubtful turns as a model decided them."""
        changed = list(mined)
        doubts = self._find_doubts(sessions) if self._is_enabled else iter(())
        while self._is_enabled and (batch := list(islice(doubts, BATCH_SIZE))):
            rulings = self._ask(batch)
            for number, doubt in enumerate(batch, 1):
                if (ruling := rulings.get(str(number))) is not None:
                    changed[doubt.session] = self._apply(changed[doubt.session], doubt, ruling)
        return changed

    def _ask(self, batch: Sequence[_DoubtfulMessage]) -> dict[str, Ruling]:
        """The rulings by id; none where there is no answer."""
        question = Question(
            purpose=PURPOSE,
            tier=Tier.NANO,
            instructions=_INSTRUCTIONS,
            answer=Rulings,
            material=tuple(MaterialItem(str(number), doubt.message.text) for number, doubt in enumerate(batch, 1)),
            most_tokens=_TOKENS_PER_TURN * (len(batch) + 1),
        )
        try:
            answer = self._model().ask(question)
        except (ModelError, MissingExtra) as error:
            # One that could not read these may read the next; all else would fail again.
            passing = isinstance(error, ModelFailed) and error.reason in (Reason.MALFORMED, Reason.REFUSED)
            withheld = isinstance(error, ModelFailed) and error.reason is Reason.WITHHELD
            self._failures += not withheld
            self._is_enabled = withheld or (passing and self._failures < _MAX_FAILURES)
            told = f"{error} What wisen's own detector heard stands."
            if not withheld and told not in self.problems:
                self.problems.append(told)
            return {}
        rulings: dict[str, Ruling] = {}
        for ruling in answer.value.rulings:
            rulings.setdefault(ruling.id, ruling)
        for id_ in answer.withheld:
            rulings.pop(id_, None)  # of what it was not shown it can say nothing
        return rulings

    def _find_doubts(self, sessions: Sequence[History]) -> Iterator[_DoubtfulMessage]:
        for place, session in enumerate(sessions):
            for turn, heard in turns_of(session):
                if (self._local or not turn.local) and is_doubtful(heard, self._detector.model):
                    yield _DoubtfulMessage(place, turn, heard)

    def _apply(self, mined: SessionFindings, doubt: _DoubtfulMessage, ruling: Ruling) -> SessionFindings:
        """What a session taught, with the signals of one turn as they were decided, in their place."""
        turn = doubt.turn
        signals = signals_of_kinds(doubt.message, ruling.kinds, self._detector.model)
        new = tuple(RecordedSignal(message=turn.id, at=turn.at, signal=signal) for signal in signals)
        before = tuple(each for each in mined.said if each.at <= turn.at and each.message != turn.id)
        behind = tuple(each for each in mined.said if each.at > turn.at and each.message != turn.id)
        return replace(mined, said=(*before, *new, *behind))
