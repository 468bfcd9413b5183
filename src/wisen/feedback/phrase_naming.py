"""The step in which models name phrases of the user: the small one labels turns, the large one names what they share.

A model can invent nothing: a phrase counts only where it stands in turns of the user, in two sessions at least, and in
turns that were labelled more often than in others. Only typed text goes out.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING, Literal, TypeVar

from msgspec import Struct

from wisen.errors import ModelAbsent, ModelError
from wisen.feedback.phrase_statistics import PhraseCandidate, storable
from wisen.feedback.turn_signs import is_heard
from wisen.feedback.user_detector import folded, place_of
from wisen.model.model_use import Tier
from wisen.model.phrase import KINDS
from wisen.models.model_ports import MaterialItem, Question

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from wisen.feedback.detector import DetectorModel
    from wisen.feedback.turn_signs import WatchedTurn
    from wisen.model.signal import SignalKind
    from wisen.models.model_ports import Model

PURPOSE = "phrases"
_LABELLED, _NAMED = 25, 60
"""How many turns one question labels, or names phrases of."""
_MOST = 1_000
"""So many turns are labelled in one search, the newest."""
_TOKENS_LABEL, _TOKENS_NAMES = 25, 1_500
_SESSIONS, _RATE = 2, 0.5
_SHORTEST, _LONGEST, _MOST_WORDS = 2, 60, 6
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
_WHAT = {"correction": "wrong", "praise": "good"}

T = TypeVar("T")


class Label(Struct, frozen=True, forbid_unknown_fields=True):
    """What a model says of one turn."""

    id: str
    label: Literal["correction", "praise", "neither"]


class Labels(Struct, frozen=True, forbid_unknown_fields=True):
    """What a model says of the turns it was asked about."""

    labels: list[Label]


class Names(Struct, frozen=True, forbid_unknown_fields=True):
    """The phrases that a model found."""

    phrases: list[str]


class Named:
    """What models name in turns, as long as they answer."""

    def __init__(self, model: Model, detector: DetectorModel | None = None) -> None:
        self._model = model
        self._detector = detector
        self.notes: list[str] = []
        """Why there is not more."""

    def candidates(
        self, turns: Sequence[WatchedTurn], new: Sequence[WatchedTurn], without: Collection[str]
    ) -> list[PhraseCandidate]:
        """The phrases that models name in `new` turns, with what all `turns` tell of them; none of `without`.

        Raises:
            ModelAbsent: no model is configured.
            MissingExtra: asking it needs something that is not installed.
        """
        plain = [turn for turn in turns if not turn.heard]
        fresh = {turn.message for turn in new if not turn.local}  # what was typed to a local model is not sent
        of = self._labelled([turn for turn in plain if turn.message in fresh][-_MOST:])
        found: dict[str, PhraseCandidate] = {}
        for kind in KINDS:
            for text in sorted(self._names(of[kind], kind)):
                candidate = _checked(text, kind, plain, {turn.message for turn in of[kind]})
                if candidate is None or is_heard(text, self._detector):
                    continue
                if text not in without:
                    found.setdefault(text, candidate)
        # Of phrases within each other the shorter says it all.
        return [
            each for text, each in found.items() if not any(place_of(o, text) is not None for o in found if o != text)
        ]

    def _labelled(self, turns: Sequence[WatchedTurn]) -> dict[SignalKind, list[WatchedTurn]]:
        of: dict[SignalKind, list[WatchedTurn]] = defaultdict(list)
        for batch in _batches(turns, _LABELLED):
            answer = self._asked(Tier.NANO, _LABEL, batch, Labels, _TOKENS_LABEL * (len(batch) + 1))
            labels = {each.id: each.label for each in reversed(answer.labels)} if answer else {}
            for number, turn in enumerate(batch, 1):
                label = labels.get(str(number), "neither")
                if label != "neither":
                    of[next(kind for kind in KINDS if kind.value == label)].append(turn)
            if answer is None:
                break
        return of

    def _names(self, turns: Sequence[WatchedTurn], kind: SignalKind) -> set[str]:
        names: set[str] = set()
        for batch in _batches(turns, _NAMED):
            answer = self._asked(Tier.HEAVY, _NAME.format(what=_WHAT[kind.value]), batch, Names, _TOKENS_NAMES)
            if answer is None:
                break
            names |= {" ".join(folded(each).split()) for each in answer.phrases}
        return names

    def _asked(
        self, tier: Tier, instructions: str, turns: Sequence[WatchedTurn], answer: type[T], tokens: int
    ) -> T | None:
        """The answer; None where there is none, which is noted."""
        material = tuple(MaterialItem(str(number), turn.text) for number, turn in enumerate(turns, 1))
        question = Question(
            purpose=PURPOSE,
            tier=tier,
            instructions=instructions,
            answer=answer,
            material=material,
            most_tokens=tokens,
        )
        try:
            return self._model.ask(question).value
        except ModelAbsent:
            raise
        except ModelError as error:
            told = f"{error} What counting tells stands."
            if told not in self.notes:
                self.notes.append(told)
            return None


def _checked(
    text: str, kind: SignalKind, turns: Sequence[WatchedTurn], labelled: Collection[str]
) -> PhraseCandidate | None:
    """A phrase with what is counted of it; None where too little speaks for it, or it may not be kept."""
    if not _SHORTEST <= len(text) <= _LONGEST or len(text.split()) > _MOST_WORDS or "\0" in text:
        return None
    places = tuple(place for place, turn in enumerate(turns) if place_of(text, folded(turn.text)) is not None)
    held = tuple(turns[place] for place in places)
    hits = tuple(turn for turn in held if turn.message in labelled)
    if len({turn.number for turn in hits}) < _SESSIONS or len(hits) < _RATE * len(held):
        return None
    if not storable(text):
        return None
    others = len(turns) - len(held)
    return PhraseCandidate(text, kind, places, held, hits, len(labelled) - len(hits), others, 1.0)


def _batches(turns: Iterable[WatchedTurn], size: int) -> Iterator[list[WatchedTurn]]:
    waiting = iter(turns)
    while batch := list(islice(waiting, size)):
        yield batch
