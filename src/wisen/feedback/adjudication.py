"""Has a model decide about turns that the detector is unsure of; off by default.

Only typed text is sent. Where there is no answer, for whatever reason, the detector's result stands.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from wisen.errors import MissingExtra, ModelError, ModelFailed, Reason
from wisen.feedback.doubt import is_doubtful, signals_of_kinds
from wisen.feedback.turns import turns_of
from wisen.language_models.model_ports import MaterialItem, Question
from wisen.model.model_use import Tier
from wisen.model.signal import RecordedSignal, SignalKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from wisen.feedback.user_detector import UserDetector
    from wisen.language_models.model_ports import Model
    from wisen.model.failure import SessionFindings
    from wisen.model.history import History, Turn
    from wisen.model.signal import TypedTurn

PURPOSE = "adjudicate"
BATCH_SIZE = 20
"""How many turns one question is about."""
_MAX_FAILURES = 3
"""After so many questions without a usable answer no more are asked in this run: each of them costs."""
_TOKENS_PER_TURN = 40
"""The longest ruling about one turn, in tokens."""
_INSTRUCTIONS = """
Each text is one message that a person typed to an AI coding agent. Tell two things about each of them.
correction: the person says that the agent's work, claim or approach is wrong, incomplete as it was asked for, or to
be done otherwise. A new task, a question, an answer or an error message alone is none.
preference: the person states a rule that is meant to last beyond this task.
Both, one or none may hold. Give one ruling for each id.
"""


class Ruling(Struct, frozen=True, forbid_unknown_fields=True):
    """What a model says about one turn."""

    id: str
    correction: bool
    preference: bool

    @property
    def kinds(self) -> set[SignalKind]:
        """The kinds that the ruling confirms."""
        holds = {SignalKind.CORRECTION: self.correction, SignalKind.PREFERENCE: self.preference}
        return {kind for kind, held in holds.items() if held}


class Rulings(Struct, frozen=True, forbid_unknown_fields=True):
    """What a model says about the turns it was asked about."""

    rulings: list[Ruling]


class _DoubtfulMessage(NamedTuple):
    session: int
    """The position of its session in the batch."""
    turn: Turn
    message: TypedTurn


class Adjudicator:
    """Asks the nano model about doubtful turns, as long as it answers."""

    def __init__(
        self, detector: UserDetector, model: Callable[[], Model], *, enabled: bool, local: bool = False
    ) -> None:
        """`enabled`: whether the user wants this at all; `local`: also for what was typed to local models."""
        self._detector = detector
        self._model = model
        self._is_enabled, self._local = enabled, local
        self._failures = 0
        self.problems: list[str] = []
        """Why the detector's result stands where a model should have decided."""

    def adjudicate(self, sessions: Sequence[History], mined: Sequence[SessionFindings]) -> Sequence[SessionFindings]:
        """Return the sessions' findings with the signals of doubtful turns as a model decided them."""
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
            max_tokens=_TOKENS_PER_TURN * (len(batch) + 1),
        )
        try:
            answer = self._model().ask(question)
        except (ModelError, MissingExtra) as error:
            # A model that could not read these may read the next batch; any other failure would happen again.
            passing = isinstance(error, ModelFailed) and error.reason in (Reason.MALFORMED, Reason.REFUSED)
            withheld = isinstance(error, ModelFailed) and error.reason is Reason.WITHHELD
            self._failures += not withheld
            self._is_enabled = withheld or (passing and self._failures < _MAX_FAILURES)
            problem = f"{error} The result of wisen's own detector stands."
            if not withheld and problem not in self.problems:
                self.problems.append(problem)
            return {}
        rulings: dict[str, Ruling] = {}
        for ruling in answer.value.rulings:
            rulings.setdefault(ruling.id, ruling)
        for id_ in answer.withheld:
            rulings.pop(id_, None)  # it cannot rule on what it was not shown
        return rulings

    def _find_doubts(self, sessions: Sequence[History]) -> Iterator[_DoubtfulMessage]:
        for place, session in enumerate(sessions):
            for turn, message in turns_of(session):
                if (self._local or not turn.local) and is_doubtful(message, self._detector.model):
                    yield _DoubtfulMessage(place, turn, message)

    def _apply(self, mined: SessionFindings, doubt: _DoubtfulMessage, ruling: Ruling) -> SessionFindings:
        """The session's findings with the signals of one turn replaced by the ruling, in their place."""
        turn = doubt.turn
        signals = signals_of_kinds(doubt.message, ruling.kinds, self._detector.model)
        new = tuple(RecordedSignal(message=turn.id, at=turn.at, signal=signal) for signal in signals)
        before = tuple(each for each in mined.signals if each.at <= turn.at and each.message != turn.id)
        after = tuple(each for each in mined.signals if each.at > turn.at and each.message != turn.id)
        return replace(mined, signals=(*before, *new, *after))
