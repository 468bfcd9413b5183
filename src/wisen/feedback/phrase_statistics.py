"""Finds the phrases by which one user corrects or praises, by what happened around the turns that contain them.

For each n-gram: do signs of a correction (or of praise) appear around it more often than around the user's other
turns? Signs have scores; the probability of so high a sum by chance is computed exactly, once with the shares of all
other turns and once with those of the same sessions, and the worse result counts. At most two turns of a session
count, so that a long quarrel is not many. Of everything found, at most a twentieth may be chance (Benjamini and
Hochberg, over all tested n-grams).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from wisen.feedback.ngrams import is_unspaced
from wisen.feedback.turn_signs import NEGATIVE_SIGNS, POSITIVE_SIGNS, Sign
from wisen.feedback.user_detector import find_phrase, fold_turn
from wisen.model.signal import SignalKind
from wisen.safety.withhold import rule_against

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from wisen.feedback.turn_signs import ObservedTurn

SIGN_SCORES = {
    Sign.CONCEDED: 3,
    Sign.REFUSED: 3,
    Sign.UNDONE: 2,
    Sign.STOPPED: 1,
    Sign.RESTATED: 1,
    Sign.THANKED: 2,
    Sign.ENDED: 2,
    Sign.COMMITTED: 1,
}
"""The score of each sign: in real sessions they are 9, 8, 4, 3 and 2 times as frequent around corrections as around
other turns."""
_MAX_SCORE = 4
"""Higher sums do not count more."""
_TURNS_PER_SESSION = 2
"""So many turns of a session count."""
_INNER_WEIGHT = 0.2
"""The weight of n-grams that are mostly within a sentence."""
_EVERYDAY_SHARE = 0.03
"""A word that appears in a larger share of other turns is an everyday word."""
_PRIOR = 4.0
"""So many average turns are added to the other turns of the same sessions, which may be few."""
_ONE_PROJECT_CHANCE = 0.05
"""A phrase belongs to one project if it would be absent from all others by chance so seldom."""


class PhraseThresholds(Struct, frozen=True, kw_only=True):
    """What a phrase of a kind has to show."""

    sessions: int = 3
    false: float = 0.05
    """The share of the found phrases that may be chance."""
    rate: float = 0.4
    """The minimum share of its turns that have signs of the kind."""
    lift: float = 1.6
    """The minimum ratio of that share to the share of other turns."""
    second: float = 0.0
    """The minimum share of its hits that have another sign than the most frequent one."""


THRESHOLDS = {
    SignalKind.CORRECTION: PhraseThresholds(),
    # A request for a commit causes one, and a good night ends the session: one of these alone is no praise.
    SignalKind.PRAISE: PhraseThresholds(false=0.02, lift=4.0, second=0.25),
}
_SIGNS = {SignalKind.CORRECTION: NEGATIVE_SIGNS, SignalKind.PRAISE: POSITIVE_SIGNS}


class PhraseCandidate(NamedTuple):
    """An n-gram with its counts."""

    text: str
    kind: SignalKind
    places: tuple[int, ...]
    """The numbers of the turns that contain it."""
    turns: tuple[ObservedTurn, ...]
    hits: tuple[ObservedTurn, ...]
    """Those of them that have signs of the kind."""
    signs: int
    """How many turns without it have signs of the kind."""
    others: int
    chance: float
    """The probability that the result is chance."""

    @property
    def sessions(self) -> int:
        """In how many sessions it has hits."""
        return len({each.number for each in self.hits})


def find_phrases(
    turns: Sequence[ObservedTurn], *, asked: Collection[str] | None = None, without: Collection[str] = ()
) -> list[PhraseCandidate]:
    """The user's own phrases, the most certain first.

    Only n-grams among `asked` count, if it is given; none that overlaps one of `without`.
    """
    plain = [turn for turn in turns if not turn.detected]
    found = [each for kind in _SIGNS for each in _PhraseCounter(plain, kind).find(asked, without)]
    # What indicates both kinds indicates none.
    twice = {each.text for each in found if any(_overlap(each, other) for other in found if other.kind != each.kind)}
    return sorted((each for each in found if each.text not in twice), key=lambda each: (each.chance, each.text))


def is_storable(text: str) -> bool:
    """Whether no safety rule forbids storing a text."""
    return rule_against(text) is None


class _PhraseCounter:
    """The turns of a user with the signs of one kind."""

    def __init__(self, turns: Sequence[ObservedTurn], kind: SignalKind) -> None:
        self._turns, self._kind, self._thresholds = turns, kind, THRESHOLDS[kind]
        self._hit = [not turn.signs.isdisjoint(_SIGNS[kind]) for turn in turns]
        self._hits = sum(self._hit)
        self._score = [min(_MAX_SCORE, sum(SIGN_SCORES[sign] for sign in turn.signs & _SIGNS[kind])) for turn in turns]
        self._usual = Counter(self._score)
        self._of_session: dict[int, list[int]] = defaultdict(list)
        self._shares: dict[str, float] = defaultdict(float)
        self._places: dict[str, list[int]] = defaultdict(list)
        for place, turn in enumerate(turns):
            self._of_session[turn.number].append(place)
            self._shares[turn.context] += 1 / len(turns)
            for gram in turn.ngrams:
                self._places[gram].append(place)

    def find(self, asked: Collection[str] | None, without: Collection[str]) -> list[PhraseCandidate]:
        known = tuple(without)
        texts = {places: text for places, text in self._runs().items() if asked is None or text in asked}
        candidates = [self._candidate(text, places) for places, text in texts.items()]
        candidates = _weigh_by_position(candidates)
        limit = chance_limit([each.chance for each in candidates], self._thresholds.false)
        waiting = sorted(
            (
                each
                for each in candidates
                if self._is_significant(each, limit) and not _overlaps_known(each.text, known)
            ),
            key=lambda each: (each.chance, -len(each.hits) / len(each.turns), -len(each.hits), each.text),
        )
        accepted: list[PhraseCandidate] = []
        explained = {place for place, turn in enumerate(self._turns) if _holds_any(known, turn)}
        for each in waiting:
            rest = tuple(place for place in each.places if place not in explained)
            left = self._candidate(each.text, rest)
            if len(rest) < len(each.places) and not self._is_significant(left, limit):
                continue  # a more certain phrase explains its evidence
            accepted.append(each)
            explained.update(each.places)
        return accepted

    def _runs(self) -> Mapping[tuple[int, ...], str]:
        """N-grams by the turns that contain them, if those are in enough sessions.

        Of those in the very same turns one stays: what the turns begin with, then what clauses begin with, then the
        longest, because there is no evidence for a part of it alone.
        """
        least, alike = self._thresholds.sessions, defaultdict[tuple[int, ...], list[str]](list)
        for gram, at in self._places.items():
            if len(at) >= least and len({self._turns[place].number for place in at}) >= least:
                alike[tuple(at)].append(gram)
        return {places: max(runs, key=lambda run: self._rank(run, places)) for places, runs in alike.items()}

    def _rank(self, ngram: str, places: Sequence[int]) -> tuple[int, int, int, int, str]:
        turns = [self._turns[place] for place in places]
        begins = sum(turn.text[: len(ngram)].casefold() == ngram for turn in turns)
        return begins, sum(ngram in turn.openings for turn in turns), ngram.count(" "), len(ngram), ngram

    def _candidate(self, text: str, places: tuple[int, ...]) -> PhraseCandidate:
        turns = tuple(self._turns[place] for place in places)
        hits = tuple(self._turns[place] for place in places if self._hit[place])
        others, signs = len(self._turns) - len(turns), self._hits - len(hits)
        asked = (
            len(hits) >= self._thresholds.rate * len(turns)
            and len({each.number for each in hits}) >= self._thresholds.sessions
        )
        chance = self._chance(places) if asked else 1.0  # it cannot qualify, so the exact value is not computed
        return PhraseCandidate(text, self._kind, places, turns, hits, signs, others, chance)

    def _chance(self, places: Sequence[int]) -> float:
        """The probability of so much evidence for a phrase that means nothing; 1 where there is none."""
        held, counted = set(places), [*self._limit_per_session(places)]
        total = sum(self._score[place] for place in counted)
        if not total:
            return 1.0
        # Its own turns are included: where nothing else has a sign, one occurrence is not yet certain.
        anywhere = [self._usual[score] / len(self._turns) for score in range(_MAX_SCORE + 1)]
        nearby = []
        for place in counted:
            nearby_scores = [
                self._score[each] for each in self._of_session[self._turns[place].number] if each not in held
            ]
            many = len(nearby_scores) + _PRIOR
            nearby.append(
                [(nearby_scores.count(score) + _PRIOR * share) / many for score, share in enumerate(anywhere)]
            )
        return max(tail_probability(total, [anywhere] * len(counted)), tail_probability(total, nearby))

    def _limit_per_session(self, places: Sequence[int]) -> Iterator[int]:
        """The first turns of each session: a long quarrel is one."""
        seen: Counter[int] = Counter()
        for place in places:
            session = self._turns[place].number
            seen[session] += 1
            if seen[session] <= _TURNS_PER_SESSION:
                yield place

    def _is_significant(self, each: PhraseCandidate, limit: float) -> bool:
        wants = self._thresholds
        if each.chance > limit or each.sessions < wants.sessions:
            return False
        rate, usual = len(each.hits) / len(each.turns), each.signs / max(1, each.others)
        shown = Counter(sign for turn in each.hits for sign in turn.signs & _SIGNS[self._kind])
        return (
            rate >= wants.rate
            and rate >= wants.lift * usual
            and len(each.hits) - max(shown.values()) >= wants.second * len(each.hits)
            and not self._is_of_one_project(each.turns)
            and not self._is_everyday(each)
        )

    def _is_everyday(self, each: PhraseCandidate) -> bool:
        """Whether every word of it appears in many other turns too, so that it is nothing special."""
        held = set(each.places)
        most = _EVERYDAY_SHARE * len(self._turns)
        return not is_unspaced(each.text) and all(
            len(self._places[word]) - len(held.intersection(self._places[word])) > most for word in each.text.split()
        )

    def _is_of_one_project(self, turns: Iterable[ObservedTurn]) -> bool:
        contexts = [turn.context for turn in turns]
        return len(set(contexts)) == 1 and self._shares[contexts[0]] ** len(contexts) <= _ONE_PROJECT_CHANCE


def _weigh_by_position(candidates: Sequence[PhraseCandidate]) -> list[PhraseCandidate]:
    """Favour n-grams that open a sentence, as feedback mostly does; the rest has to be more certain.

    The weights average one, so that no more is found by chance (Genovese, Roeder and Wasserman).
    """
    opens = [sum(each.text in turn.openings for turn in each.turns) * 2 >= len(each.turns) for each in candidates]
    first = sum(opens)
    if not first or first == len(opens):
        return [*candidates]
    low = _INNER_WEIGHT
    high = (len(opens) - low * (len(opens) - first)) / first
    return [
        each._replace(chance=min(1.0, each.chance / (high if leads else low)))
        for each, leads in zip(candidates, opens, strict=True)
    ]


def chance_limit(chances: Sequence[float], false: float) -> float:
    """The largest chance at which the false share stays below `false` (Benjamini and Hochberg)."""
    ordered, limit = sorted(chances), 0.0
    for place, chance in enumerate(ordered, 1):
        if chance <= false * place / len(ordered):
            limit = chance
    return limit


def tail_probability(total: int, shares: Sequence[Sequence[float]]) -> float:
    """The exact probability of at least this sum of scores, given each turn's score distribution."""
    sums = [1.0]
    for each in shares:
        longer = [0.0] * (len(sums) + _MAX_SCORE)
        for sum_, chance in enumerate(sums):
            for score, share in enumerate(each):
                longer[sum_ + score] += chance * share
        sums = longer
    return min(1.0, fsum(sums[total:]))


def _holds_any(known: Iterable[str], turn: ObservedTurn) -> bool:
    text = fold_turn(turn.text)
    return any(find_phrase(each, text) is not None for each in known)


def _overlaps_known(text: str, known: Iterable[str]) -> bool:
    """Whether an n-gram contains a known phrase or is part of one."""
    return any(is_part_of(text, other) or is_part_of(other, text) for other in known)


def _overlap(one: PhraseCandidate, two: PhraseCandidate) -> bool:
    return is_part_of(one.text, two.text) or is_part_of(two.text, one.text)


def is_part_of(part: str, whole: str) -> bool:
    """Whether an n-gram is part of another."""
    return part in whole if is_unspaced(part) else f" {part} " in f" {whole} "
