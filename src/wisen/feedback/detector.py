"""Detects signals: weighs the features of a turn into probabilities for each kind. The weights are in weights.json."""

from __future__ import annotations

import math
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

import msgspec

from wisen.feedback import lesson_extraction
from wisen.feedback.durability_features import TURN_FEATURES, lesson_features
from wisen.feedback.features import build_tables, extract_features
from wisen.feedback.language import merge_languages, shipped_languages
from wisen.feedback.language_directives import directive_words_of
from wisen.feedback.lexicon import Lexicon, shipped_lexicon
from wisen.feedback.packed_weights import WeightRows, lane_marks, pack, threshold_offsets, unpack_lane
from wisen.model.signal import IN_DOUBT, Lesson, Polarity, Signal, SignalKind, TypedTurn
from wisen.text.directives import DirectiveReader, shipped_reader
from wisen.text.outright_words import is_improvement, is_request

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from wisen.feedback.features import TurnFeatures
    from wisen.feedback.language import Language
    from wisen.model.directive import Directive


STATED_LASTING = 0.9
"""The probability that a directive lasts where it says so itself: "never push", "use pnpm. always."."""
_MARKED_PROBABILITY, _UNMARKED_PROBABILITY = 0.9, 0.7
"""The probability of a directive that only the rules found: with words that say that it lasts, or without."""
_TEACHING_KINDS = (SignalKind.CORRECTION, SignalKind.REMEMBER, SignalKind.PREFERENCE)
"""The kinds that a directive may be; the first that holds wins."""
_DEMANDING_KINDS = (SignalKind.CORRECTION, SignalKind.PREFERENCE)
"""Where one of them holds, an order tells how to work; else it is a task."""
_POLARITIES = {SignalKind.CORRECTION: Polarity.AGAINST, SignalKind.PRAISE: Polarity.FOR}


class Weights(msgspec.Struct, frozen=True):
    """The linear model of one kind."""

    bias: float
    threshold: float
    """The minimum probability at which the kind holds."""
    weights: dict[str, float]


class _WeightFile(msgspec.Struct, frozen=True):
    kinds: dict[SignalKind, Weights]
    abroad: dict[SignalKind, Weights]
    """The same for turns in other languages than English."""
    lasting: Weights


class _KindModels:
    """The linear models of all kinds, arranged by feature: one lane each, and a last one for durability."""

    def __init__(self, kinds: dict[SignalKind, Weights], lasting: Weights) -> None:
        models = [kinds[kind] for kind in SignalKind]
        self.thresholds = tuple(each.threshold for each in models)
        # A lower score does not reach the threshold, whatever the rounding.
        self.threshold_offsets = threshold_offsets([_score(each.threshold) - 0.001 for each in models])
        of_turn = {name: lasting.weights[named] for name, named in TURN_FEATURES.items() if named in lasting.weights}
        self.bias = pack([*(each.bias for each in models), lasting.bias])
        self.rows = WeightRows([*(each.weights for each in models), of_turn])
        self.weights = tuple(each.weights for each in models)


class DetectorModel:
    """Weighs turns with one set of models for English and another for other languages."""

    def __init__(
        self,
        kinds: dict[SignalKind, Weights],
        foreign: dict[SignalKind, Weights],
        lasting: Weights,
        lexicon: Lexicon,
        directives: DirectiveReader | None = None,
    ) -> None:
        self.lexicon = lexicon
        self.directives = directives or shipped_reader()
        self._english, self._foreign = _KindModels(kinds, lasting), _KindModels(foreign, lasting)
        self._kinds = tuple(SignalKind)
        self._marks = lane_marks(len(self._kinds))
        self._any_mark = sum(self._marks)
        self._lasting = lasting
        self._tables = build_tables(self._english.rows, self._foreign.rows, self.lexicon)
        self._support = _SupportCache(self)

    def probabilities(self, message: TypedTurn) -> dict[SignalKind, float]:
        """The probability of each kind."""
        features = extract_features(message, self._tables)
        total = self._models_for(features).bias + features.total
        return {kind: _logistic(unpack_lane(total, number)) for number, kind in enumerate(self._kinds)}

    def margins(self, message: TypedTurn) -> dict[SignalKind, float]:
        """By how much the probability of each kind is above its threshold, or below."""
        features = extract_features(message, self._tables)
        models = self._models_for(features)
        total = models.bias + features.total
        return {
            kind: _logistic(unpack_lane(total, number)) - models.thresholds[number]
            for number, kind in enumerate(self._kinds)
        }

    def signals(self, message: TypedTurn, forced: Collection[SignalKind] = ()) -> tuple[Signal, ...]:
        """The kinds that hold, the likeliest first, each with the position of its evidence.

        `forced`: kinds that hold because somebody else decided so; they get at least their threshold as probability.
        """
        if not message.text or message.text.isspace():
            return ()
        forced = (*forced, *_explicit_kinds(message.text))
        features = extract_features(message, self._tables)
        models = self._foreign if features.is_foreign else self._english
        total = models.bias + features.total
        reached = (total + models.threshold_offsets) & self._any_mark
        if forced:
            reached |= sum(mark for mark, kind in zip(self._marks, self._kinds, strict=True) if kind in forced)
        # What holds only for now teaches nothing.
        directives = tuple([each for each in self.directives.possible_directives_in(message.text) if not each.passing])
        if not reached and not directives:
            return ()
        held = []
        for number, mark in enumerate(self._marks):
            if reached & mark:
                probability, least = _logistic(unpack_lane(total, number)), models.thresholds[number]
                if probability >= least:
                    held.append((-probability, number))
                elif forced and self._kinds[number] in forced:
                    held.append((-least, number))
        held.sort()
        sure = tuple([each for each in directives if not each.doubtful])
        if not sure and any(self._kinds[number] in _DEMANDING_KINDS for _, number in held):
            sure = self.directives.demands_in(message.text)
        if not sure and not directives:
            return tuple([self._signal(message.text, features, number, -less) for less, number in held])
        score = unpack_lane(total, len(self._kinds))
        found = [
            *self._directive_signals(message, features, score, held, sure),
            *self._signals_in_doubt(message, features, score, directives),
        ]
        return tuple(sorted(found, key=lambda each: -each.probability))

    def _signals_in_doubt(
        self, message: TypedTurn, features: TurnFeatures, score: float, directives: tuple[Directive, ...]
    ) -> Iterator[Signal]:
        """Possible directives: whatever else the turn says, they have no effect until somebody confirms them."""
        for each in directives:
            if each.doubtful:
                yield Signal(
                    kind=SignalKind.PREFERENCE,
                    probability=IN_DOUBT,
                    start=each.start,
                    end=each.end,
                    polarity=Polarity.AGAINST if each.forbids else Polarity.FOR,
                    lesson=self._lesson(message, features, score, each),
                )

    def _directive_signals(
        self,
        message: TypedTurn,
        features: TurnFeatures,
        score: float,
        held: list[tuple[float, int]],
        directives: tuple[Directive, ...],
    ) -> Iterator[Signal]:
        """The signals of a turn with directives: each directive is one, of the kind of the turn."""
        kinds = {self._kinds[number]: -less for less, number in held}
        teaches = next((kind for kind in _TEACHING_KINDS if kind in kinds), SignalKind.PREFERENCE)
        for each in directives:
            if each.inner and not each.marker and teaches not in kinds:
                continue
            lesson = self._lesson(message, features, score, each)
            by_rule = _MARKED_PROBABILITY if each.marker else _UNMARKED_PROBABILITY
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
            if not directives or self._kinds[number] is not teaches:
                yield self._signal(message.text, features, number, -less)

    def _languages_of(self, features: TurnFeatures) -> tuple[Language, ...]:
        """The languages of a turn that is not English."""
        return self.lexicon.languages_of(features.languages & ~self.lexicon.english_bits) if features.is_foreign else ()

    def _models_for(self, features: TurnFeatures) -> _KindModels:
        return self._foreign if features.is_foreign else self._english

    def _lesson(self, message: TypedTurn, features: TurnFeatures, score: float, directive: Directive) -> Lesson:
        """The lesson of a directive; `score` is the durability score of the turn, which only ranks doubts."""
        abroad = self._languages_of(features)
        groups = lesson_extraction.count_groups(directive.text, abroad, self.lexicon)
        weights = self._lasting.weights
        for name, value in lesson_features(message, directive.text, groups).items():
            if name in weights:
                score += weights[name] * value
        durable = max(_logistic(score), STATED_LASTING if directive.marker else 0.0)
        return Lesson(
            text=directive.text,
            forbids=directive.forbids,
            durable=durable,
            is_durable=durable >= self._lasting.threshold,
            about=lesson_extraction.topic_of(directive.text, groups),
            marker=directive.marker,
            standing=directive.standing,
        )

    def _signal(self, text: str, features: TurnFeatures, number: int, probability: float) -> Signal:
        start, end = self._evidence(text, features, number)
        kind = self._kinds[number]
        polarity = _POLARITIES.get(kind, Polarity.NEITHER)
        return Signal(kind=kind, probability=probability, start=start, end=end, polarity=polarity)

    def support(self, foreign: bool, kind: int, pattern: int, languages: int) -> float:  # noqa: FBT001  # of a key
        """How much a pattern supports a kind in a text with the given languages."""
        phrases = self.lexicon.phrases if foreign else self.lexicon.english
        weights = (self._foreign if foreign else self._english).weights[kind]
        chosen = phrases.claims_in(pattern, languages)
        return sum(weights.get(name, 0.0) for each in chosen for name in (f"= {each.phrase}", *each.groups))

    def _evidence(self, text: str, features: TurnFeatures, number: int) -> tuple[int, int]:
        """The phrase that supports a kind most; the whole text where none does."""
        phrases = self.lexicon.phrases if features.is_foreign else self.lexicon.english
        spoken = features.languages if features.is_foreign else 1
        best, where = 0.0, None
        for match in features.matches:
            speaks = self._support[features.is_foreign, number, match[0], spoken]
            if speaks > best:
                best, where = speaks, match
        if where is None:
            return len(text) - len(text.lstrip()), len(text.rstrip())
        start, end = phrases.span_of(where)
        return features.folded.place(start), features.folded.place(end)


def _explicit_kinds(text: str) -> list[SignalKind]:
    """Kinds that hold because of unambiguous words."""
    asks = [SignalKind.REQUEST] if is_request(text) else []
    return [*asks, SignalKind.GAP] if is_improvement(text) else asks


class _SupportCache(dict[tuple[bool, int, int, int], float]):
    """How much a pattern supports a kind in a text with the given languages; computed once."""

    def __init__(self, model: DetectorModel) -> None:
        super().__init__()
        self._model = model

    def __missing__(self, key: tuple[bool, int, int, int]) -> float:
        return self.setdefault(key, self._model.support(*key))


def detect(message: TypedTurn) -> tuple[Signal, ...]:
    """The signals of a typed turn, the likeliest first."""
    return shipped_detector().signals(message)


@cache
def shipped_detector() -> DetectorModel:
    """The shipped detector model."""
    return build_detector()


def build_detector(added: tuple[Language, ...] = ()) -> DetectorModel:
    """The shipped detector model, with additional languages."""
    read = resources.files(__package__).joinpath("weights.json").read_bytes()
    file = msgspec.json.decode(read, type=_WeightFile)
    lexicon = Lexicon(merge_languages(shipped_languages(), added)) if added else shipped_lexicon()
    words = {language.code: directive_words_of(language) for language in lexicon.languages} if added else {}
    return DetectorModel(file.kinds, file.abroad, file.lasting, lexicon, DirectiveReader(words) if added else None)


def _score(probability: float) -> float:
    """The score that gives a probability; for 0 and 1, which no score gives, one close to it."""
    within = min(max(probability, 1e-9), 1 - 1e-9)
    return math.log(within / (1 - within))


def _logistic(value: float) -> float:
    if value < 0:
        grown = math.exp(max(value, -700.0))
        return grown / (1.0 + grown)
    return 1.0 / (1.0 + math.exp(-min(value, 700.0)))
