"""Weighs what a turn shows into probabilities, one for each kind of signal. The weights are data: weights.json."""

from __future__ import annotations

import math
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

import msgspec

from wisen.feedback import lesson_extraction
from wisen.feedback.durability_features import OF_TURN, of_lesson
from wisen.feedback.features import glance, tables
from wisen.feedback.language import shipped_languages, together
from wisen.feedback.language_directives import directive_words_of
from wisen.feedback.lexicon import Lexicon, shipped_lexicon
from wisen.feedback.packed_weights import Rows, lane, marks, side_by_side, surplus
from wisen.model.signal import IN_DOUBT, Heard, Lesson, Polarity, Signal, SignalKind
from wisen.text.directives import DirectiveReader, shipped_reader
from wisen.text.outright_words import asks_for_more, tells_better_way

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from wisen.feedback.features import TurnFeatures
    from wisen.feedback.language import Language
    from wisen.model.directive import Directive


DETECTOR = 10
"""The version of the detector: what another one heard is heard again."""
STATED_LASTING = 0.9
"""How likely a directive lasts where it says so itself: "never push", "use pnpm. always."."""
_BY_MARKER, _BY_FORM = 0.9, 0.7
"""How likely a directive that only the rules found is meant as one: with words that say that it lasts, or without."""
_TEACHES = (SignalKind.CORRECTION, SignalKind.REMEMBER, SignalKind.PREFERENCE)
"""The kinds that a directive may be, the first that holds."""
_DEMANDS = (SignalKind.CORRECTION, SignalKind.PREFERENCE)
"""Where one of them holds, an order tells how to work; else it is a piece of work."""
_POLARITIES = {SignalKind.CORRECTION: Polarity.AGAINST, SignalKind.PRAISE: Polarity.FOR}


class Weights(msgspec.Struct, frozen=True):
    """The linear model of one kind."""

    bias: float
    threshold: float
    """From which probability on the kind is said to hold."""
    weights: dict[str, float]


class _File(msgspec.Struct, frozen=True):
    kinds: dict[SignalKind, Weights]
    abroad: dict[SignalKind, Weights]
    """The same for turns in other languages than English."""
    lasting: Weights


class _Kinds:
    """The linear models of all kinds, arranged by feature: one lane each, and behind them what lasts."""

    def __init__(self, kinds: dict[SignalKind, Weights], lasting: Weights) -> None:
        of = [kinds[kind] for kind in SignalKind]
        self.thresholds = tuple(each.threshold for each in of)
        # A lower score does not reach the threshold, however it is rounded.
        self.above_least = surplus([_score(each.threshold) - 0.001 for each in of])
        of_turn = {name: lasting.weights[named] for name, named in OF_TURN.items() if named in lasting.weights}
        self.bias = side_by_side([*(each.bias for each in of), lasting.bias])
        self.rows = Rows([*(each.weights for each in of), of_turn])
        self.weights = tuple(each.weights for each in of)


class DetectorModel:
    """Weighs turns: by one set of models in English, by another where other languages speak."""

    def __init__(
        self,
        kinds: dict[SignalKind, Weights],
        abroad: dict[SignalKind, Weights],
        lasting: Weights,
        lexicon: Lexicon,
        directives: DirectiveReader | None = None,
    ) -> None:
        self.lexicon = lexicon
        self.directives = directives or shipped_reader()
        self._home, self._abroad = _Kinds(kinds, lasting), _Kinds(abroad, lasting)
        self._kinds = tuple(SignalKind)
        self._marks = marks(len(self._kinds))
        self._any_mark = sum(self._marks)
        self._lasting = lasting
        self._tables = tables(self._home.rows, self._abroad.rows, self.lexicon)
        self._speaks = _Speaks(self)

    def probabilities(self, heard: Heard) -> dict[SignalKind, float]:
        """How likely each kind holds."""
        seen = glance(heard, self._tables)
        total = self._of(seen).bias + seen.total
        return {kind: _logistic(lane(total, number)) for number, kind in enumerate(self._kinds)}

    def margins(self, heard: Heard) -> dict[SignalKind, float]:
        """By how much the probability of each kind is above its threshold, or below."""
        seen = glance(heard, self._tables)
        of = self._of(seen)
        total = of.bias + seen.total
        return {kind: _logistic(lane(total, number)) - of.thresholds[number] for number, kind in enumerate(self._kinds)}

    def signals(self, heard: Heard, insisted: Collection[SignalKind] = ()) -> tuple[Signal, ...]:
        """The kinds that hold, the likeliest first, each with where its evidence stands.

        `insisted`: kinds that hold because somebody else has said so; they are as likely as their threshold at least.
        """
        if not heard.text or heard.text.isspace():
            return ()
        insisted = (*insisted, *_said_outright(heard.text))
        seen = glance(heard, self._tables)
        of = self._abroad if seen.is_abroad else self._home
        total = of.bias + seen.total
        reached = (total + of.above_least) & self._any_mark
        if insisted:
            reached |= sum(mark for mark, kind in zip(self._marks, self._kinds, strict=True) if kind in insisted)
        # What holds for now alone teaches nothing.
        told = tuple([each for each in self.directives.possible_directives_in(heard.text) if not each.passing])
        if not reached and not told:
            return ()
        held = []
        for number, mark in enumerate(self._marks):
            if reached & mark:
                probability, least = _logistic(lane(total, number)), of.thresholds[number]
                if probability >= least:
                    held.append((-probability, number))
                elif insisted and self._kinds[number] in insisted:
                    held.append((-least, number))
        held.sort()
        sure = tuple([each for each in told if not each.doubtful])
        if not sure and any(self._kinds[number] in _DEMANDS for _, number in held):
            sure = self.directives.demands_in(heard.text)
        if not sure and not told:
            return tuple([self._signal(heard.text, seen, number, -less) for less, number in held])
        score = lane(total, len(self._kinds))
        found = [*self._teaching(heard, seen, score, held, sure), *self._signals_in_doubt(heard, seen, score, told)]
        return tuple(sorted(found, key=lambda each: -each.probability))

    def _signals_in_doubt(
        self, heard: Heard, seen: TurnFeatures, score: float, told: tuple[Directive, ...]
    ) -> Iterator[Signal]:
        """What only may be a directive: whatever else the turn says, nothing is made of it until somebody says so."""
        for each in told:
            if each.doubtful:
                yield Signal(
                    kind=SignalKind.PREFERENCE,
                    probability=IN_DOUBT,
                    start=each.start,
                    end=each.end,
                    polarity=Polarity.AGAINST if each.forbids else Polarity.FOR,
                    lesson=self._lesson(heard, seen, score, each),
                )

    def _teaching(
        self, heard: Heard, seen: TurnFeatures, score: float, held: list[tuple[float, int]], told: tuple[Directive, ...]
    ) -> Iterator[Signal]:
        """The signals of a turn that holds directives: each directive is one, of the kind that the turn is."""
        kinds = {self._kinds[number]: -less for less, number in held}
        teaches = next((kind for kind in _TEACHES if kind in kinds), SignalKind.PREFERENCE)
        for each in told:
            if each.inner and not each.marker and teaches not in kinds:
                continue
            lesson = self._lesson(heard, seen, score, each)
            by_rule = _BY_MARKER if each.marker else _BY_FORM
            polarity = Polarity.AGAINST if each.forbids or teaches is SignalKind.CORRECTION else Polarity.FOR
            yield Signal(
                kind=teaches,
                probability=kinds.get(teaches, by_rule),
                start=each.start,
                end=each.end,
                polarity=polarity,
                lesson=lesson,
            )
        for less, number in held:
            if not told or self._kinds[number] is not teaches:
                yield self._signal(heard.text, seen, number, -less)

    def _spoken(self, seen: TurnFeatures) -> tuple[Language, ...]:
        """The languages of a turn, where it is not English."""
        return self.lexicon.spoken(seen.spoken & ~self.lexicon.own) if seen.is_abroad else ()

    def _of(self, seen: TurnFeatures) -> _Kinds:
        return self._abroad if seen.is_abroad else self._home

    def _lesson(self, heard: Heard, seen: TurnFeatures, score: float, told: Directive) -> Lesson:
        """The lesson of a directive; `score` is what the turn tells of how long it lasts, which only ranks doubts."""
        abroad = self._spoken(seen)
        groups = lesson_extraction.groups_in(told.text, abroad, self.lexicon)
        weights = self._lasting.weights
        for name, value in of_lesson(heard, told.text, groups).items():
            if name in weights:
                score += weights[name] * value
        durable = max(_logistic(score), STATED_LASTING if told.marker else 0.0)
        return Lesson(
            text=told.text,
            forbids=told.forbids,
            durable=durable,
            is_durable=durable >= self._lasting.threshold,
            about=lesson_extraction.about(told.text, groups),
            marker=told.marker,
            standing=told.standing,
        )

    def _signal(self, text: str, seen: TurnFeatures, number: int, probability: float) -> Signal:
        start, end = self._evidence(text, seen, number)
        kind = self._kinds[number]
        polarity = _POLARITIES.get(kind, Polarity.NEITHER)
        return Signal(kind=kind, probability=probability, start=start, end=end, polarity=polarity)

    def speaks(self, abroad: bool, kind: int, pattern: int, spoken: int) -> float:  # noqa: FBT001  # of a key
        """How much a pattern speaks for a kind in a text with such languages."""
        phrases = self.lexicon.phrases if abroad else self.lexicon.english
        weights = (self._abroad if abroad else self._home).weights[kind]
        chosen = phrases.chosen(pattern, spoken)
        return sum(weights.get(name, 0.0) for each in chosen for name in (f"= {each.phrase}", *each.groups))

    def _evidence(self, text: str, seen: TurnFeatures, number: int) -> tuple[int, int]:
        """The phrase that speaks most for a kind; the whole text when none does."""
        phrases = self.lexicon.phrases if seen.is_abroad else self.lexicon.english
        spoken = seen.spoken if seen.is_abroad else 1
        best, where = 0.0, None
        for match in seen.found:
            speaks = self._speaks[seen.is_abroad, number, match[0], spoken]
            if speaks > best:
                best, where = speaks, match
        if where is None:
            return len(text) - len(text.lstrip()), len(text.rstrip())
        start, end = phrases.place(where)
        return seen.folded.place(start), seen.folded.place(end)


def _said_outright(text: str) -> list[SignalKind]:
    """Kinds that hold by words that mean nothing else."""
    asks = [SignalKind.REQUEST] if asks_for_more(text) else []
    return [*asks, SignalKind.GAP] if tells_better_way(text) else asks


class _Speaks(dict[tuple[bool, int, int, int], float]):
    """How much a pattern speaks for a kind, abroad or not, in a text with such languages; worked out once."""

    def __init__(self, model: DetectorModel) -> None:
        super().__init__()
        self._model = model

    def __missing__(self, key: tuple[bool, int, int, int]) -> float:
        return self.setdefault(key, self._model.speaks(*key))


def detect(heard: Heard) -> tuple[Signal, ...]:
    """What a typed turn says about the work, the likeliest first."""
    return shipped().signals(heard)


@cache
def shipped() -> DetectorModel:
    """The model that comes with the package."""
    return detector()


def detector(added: tuple[Language, ...] = ()) -> DetectorModel:
    """The model that comes with the package, with more languages than those that come with it."""
    read = resources.files(__package__).joinpath("weights.json").read_bytes()
    file = msgspec.json.decode(read, type=_File)
    lexicon = Lexicon(together(shipped_languages(), added)) if added else shipped_lexicon()
    words = {language.code: directive_words_of(language) for language in lexicon.languages} if added else {}
    return DetectorModel(file.kinds, file.abroad, file.lasting, lexicon, DirectiveReader(words) if added else None)


def _score(probability: float) -> float:
    """What makes a probability; for 0 and 1, which no score makes, what comes near."""
    within = min(max(probability, 1e-9), 1 - 1e-9)
    return math.log(within / (1 - within))


def _logistic(value: float) -> float:
    if value < 0:
        grown = math.exp(max(value, -700.0))
        return grown / (1.0 + grown)
    return 1.0 / (1.0 + math.exp(-min(value, 700.0)))
