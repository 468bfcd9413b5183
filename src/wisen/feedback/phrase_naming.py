"""Has models name phrases of the user: the small model labels turns, the large one names what they have in common.

A model can invent nothing: a phrase is accepted only if it appears in turns of the user, in at least two sessions, and
in labelled turns more often than in others. Only typed text is sent.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING, Literal, TypeVar

from msgspec import Struct

from wisen.errors import ModelAbsent, ModelError
from wisen.feedback.phrase_statistics import PhraseCandidate, is_storable
from wisen.feedback.turn_signs import is_detected
from wisen.feedback.user_detector import find_phrase, fold_turn
from wisen.language_models.model_ports import MaterialItem, Question
from wisen.model.model_use import Tier
from wisen.model.phrase import PHRASE_KINDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from wisen.feedback.detector import DetectorModel
    from wisen.feedback.turn_signs import ObservedTurn
    from wisen.language_models.model_ports import Model
    from wisen.model.signal import SignalKind

PURPOSE = "phrases"
_LABEL_BATCH, _NAME_BATCH = 25, 60
"""How many turns one question labels, or names phrases of."""
_MAX_LABELLED = 1_000
"""How many turns are labelled in one search, the newest."""
_TOKENS_LABEL, _TOKENS_NAMES = 25, 1_500
_MIN_SESSIONS, _MIN_RATE = 2, 0.5
_MIN_LENGTH, _MAX_LENGTH, _MAX_WORDS = 2, 60, 6
_LABEL = """
Each text is one message that a person typed to an AI coding agent, in any language. Label each of them.
correction: the person is not satisfied: the work, a claim or an approach is wrong or to be done otherwise.
praise: the person is satisfied with the work.
neither: anything else. Orders, questions, facts and doubtful messages are neither.
Give one label for each id.
"""
_NAME = """
Each text is one message by which a person told an AI coding agent that its work was {what}.
Name the phrases by which this person says so: idioms, interjections, words used in a way of their own. Copy them as
they stand there, at most six words each. Leave out what everybody says so, and whatever only tells what the
work is about. An empty list is a good answer.
"""
_VERDICTS = {"correction": "wrong", "praise": "good"}

T = TypeVar("T")


class Label(Struct, frozen=True, forbid_unknown_fields=True):
    """What a model says about one turn."""

    id: str
    label: Literal["correction", "praise", "neither"]


class Labels(Struct, frozen=True, forbid_unknown_fields=True):
    """What a model says about the turns it was asked about."""

    labels: list[Label]


class Names(Struct, frozen=True, forbid_unknown_fields=True):
    """The phrases that a model found."""

    phrases: list[str]


class PhraseNamer:
    """Asks models to name phrases, as long as they answer."""

    def __init__(self, model: Model, detector: DetectorModel | None = None) -> None:
        self._model = model
        self._detector = detector
        self.notes: list[str] = []
        """Why there are not more."""

    def candidates(
        self, turns: Sequence[ObservedTurn], new: Sequence[ObservedTurn], without: Collection[str]
    ) -> list[PhraseCandidate]:
        """The phrases that models name in `new` turns, with the evidence of all `turns`; none of `without`.

        Raises:
            ModelAbsent: no model is configured.
            MissingExtra: asking it needs something that is not installed.
        """
        plain = [turn for turn in turns if not turn.detected]
        fresh = {turn.message for turn in new if not turn.local}  # what was typed to a local model is never sent
        labelled = self._label([turn for turn in plain if turn.message in fresh][-_MAX_LABELLED:])
        found: dict[str, PhraseCandidate] = {}
        for kind in PHRASE_KINDS:
            for text in sorted(self._name(labelled[kind], kind)):
                candidate = _check_candidate(text, kind, plain, {turn.message for turn in labelled[kind]})
                if candidate is None or is_detected(text, self._detector):
                    continue
                if text not in without:
                    found.setdefault(text, candidate)
        # Of nested phrases the shorter one is enough.
        return [
            each
            for text, each in found.items()
            if not any(find_phrase(o, text) is not None for o in found if o != text)
        ]

    def _label(self, turns: Sequence[ObservedTurn]) -> dict[SignalKind, list[ObservedTurn]]:
        labelled: dict[SignalKind, list[ObservedTurn]] = defaultdict(list)
        for batch in _batches(turns, _LABEL_BATCH):
            answer = self._ask(Tier.NANO, _LABEL, batch, Labels, _TOKENS_LABEL * (len(batch) + 1))
            labels = {each.id: each.label for each in reversed(answer.labels)} if answer else {}
            for number, turn in enumerate(batch, 1):
                label = labels.get(str(number), "neither")
                if label != "neither":
                    labelled[next(kind for kind in PHRASE_KINDS if kind.value == label)].append(turn)
            if answer is None:
                break
        return labelled

    def _name(self, turns: Sequence[ObservedTurn], kind: SignalKind) -> set[str]:
        names: set[str] = set()
        for batch in _batches(turns, _NAME_BATCH):
            answer = self._ask(Tier.HEAVY, _NAME.format(what=_VERDICTS[kind.value]), batch, Names, _TOKENS_NAMES)
            if answer is None:
                break
            names |= {" ".join(fold_turn(each).split()) for each in answer.phrases}
        return names

    def _ask(
        self, tier: Tier, instructions: str, turns: Sequence[ObservedTurn], answer: type[T], tokens: int
    ) -> T | None:
        """The answer; None where there is none, which is noted."""
        material = tuple(MaterialItem(str(number), turn.text) for number, turn in enumerate(turns, 1))
        question = Question(
            purpose=PURPOSE,
            tier=tier,
            instructions=instructions,
            answer=answer,
            material=material,
            max_tokens=tokens,
        )
        try:
            return self._model.ask(question).value
        except ModelAbsent:
            raise
        except ModelError as error:
            note = f"{error} The result of counting stands."
            if note not in self.notes:
                self.notes.append(note)
            return None


def _check_candidate(
    text: str, kind: SignalKind, turns: Sequence[ObservedTurn], labelled: Collection[str]
) -> PhraseCandidate | None:
    """A phrase with its counts; None where the evidence is too weak, or it may not be stored."""
    if not _MIN_LENGTH <= len(text) <= _MAX_LENGTH or len(text.split()) > _MAX_WORDS or "\0" in text:
        return None
    places = tuple(place for place, turn in enumerate(turns) if find_phrase(text, fold_turn(turn.text)) is not None)
    held = tuple(turns[place] for place in places)
    hits = tuple(turn for turn in held if turn.message in labelled)
    if len({turn.number for turn in hits}) < _MIN_SESSIONS or len(hits) < _MIN_RATE * len(held):
        return None
    if not is_storable(text):
        return None
    others = len(turns) - len(held)
    return PhraseCandidate(text, kind, places, held, hits, len(labelled) - len(hits), others, 1.0)


def _batches(turns: Iterable[ObservedTurn], size: int) -> Iterator[list[ObservedTurn]]:
    waiting = iter(turns)
    while batch := list(islice(waiting, size)):
        yield batch
