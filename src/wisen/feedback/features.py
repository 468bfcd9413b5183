"""Extracts the features of a typed turn: phrases, form and circumstances, each as a named number.

Words of the assistant and of tools are never features: calls only count as edits or commits.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct

from wisen.feedback.feature_tables import (
    NEIGHBOR_SEPARATOR,
    PAIR_SEPARATOR,
    WORD_ENDS,
    WORD_PREFIX,
    FeatureTable,
    FeatureTables,
)
from wisen.feedback.language import GROUPS, MARKS
from wisen.feedback.lexicon import Lexicon, Openings, shipped_lexicon
from wisen.feedback.packed_weights import WeightRows
from wisen.feedback.phrase_matching import Match, PhraseMatcher, is_negated
from wisen.feedback.text_normalization import (
    FoldedText,
    alphabetic_length,
    fold_with_places,
    has_words,
    is_foreign,
    mask,
    sentence_end,
)
from wisen.model.signal import PrecedingEvent
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from wisen.model.signal import TypedTurn

_MAX_CALLS = 8
"""How many calls are counted."""
MAX_READ = 600
"""How much of a text is read: the point of a turn comes early."""
_FIRST_PLACE, _EARLY_PLACE = 2, 14
"""Up to which position a phrase counts as first, or as early."""
_MAX_NEIGHBORS = 40
"""How many words are looked at for word pairs."""
_BEGINNING = "^"
_LIMITS = (12, 30, 80, 200, 500)
"""The upper limits of the length classes."""
_LENGTHS = (*(f"length to {limit}" for limit in _LIMITS), "length over 500")
_BEFORE = {before: f"before {before.value}" for before in PrecedingEvent}
_EDITS = ("Edit", "Write", "MultiEdit", "NotebookEdit", "apply_patch", "edit", "write")
_GROUPS = [group for groups in GROUPS.values() for group in groups if group != MARKS]
_PAIRABLE = frozenset(
    [
        *_GROUPS,
        *(f"{group} {where}" for group in _GROUPS for where in ("first", "asked", "negated")),
        *("question", "ends as question", "quotes", "stress", "length to 12", "length to 30"),
        *(f"begins {how}" for how in ("as command", "as question", "with auxiliary", "with person", "with thing")),
    ]
)
_MAX_PAIRED = 20
_BEFORE_WORD = lazy_regex(r" *\w")
_QUESTION_MARKS = ("?", "？", "؟")
_STOPS = (".", "。", "।")
_PERSONS = frozenset("ourselves addressed myself order agree".split())


class TurnFeatures(Struct, frozen=True):
    """The features of one turn."""

    phrases: dict[str, float]
    """The features of its phrases."""
    form: dict[str, float]
    """The features of its form, and of combinations."""
    circumstances: dict[str, float]
    work: dict[str, float]
    """The features of the circumstances and of the work before it; many turns share these two."""
    total: int
    """The sum of all weights, packed in lanes."""
    matches: list[Match]
    languages: int
    """The bits of the languages that its phrases belong to."""
    is_foreign: bool
    """Whether most of its phrases are not English."""
    folded: FoldedText


def build_tables(home: WeightRows, abroad: WeightRows, lexicon: Lexicon) -> FeatureTables:
    """The feature tables of given weights."""
    return FeatureTables(home, abroad, lexicon, _circumstances, _work_features)


def named_features(message: TypedTurn, *, paired: bool | None = None) -> dict[str, float]:
    """The features of a turn by name; with pairs for other languages, with words and neighbors for English."""
    features = extract_features(message, _tables_without_weights())
    counts = features.is_foreign if paired is None else paired
    named = _pairable(features.phrases, features.form) if counts else []
    pairs = {f"{one}{PAIR_SEPARATOR}{other}": 1.0 for at, one in enumerate(named) for other in named[at + 1 :]}
    neighbors = {} if counts else _word_features(features.folded.text, shipped_lexicon())
    return features.phrases | features.form | features.circumstances | features.work | pairs | neighbors


def is_foreign_message(message: TypedTurn) -> bool:
    """Whether a turn is in another language than English, going by its phrases."""
    return extract_features(message, _tables_without_weights()).is_foreign


@cache
def _tables_without_weights() -> FeatureTables:
    return build_tables(WeightRows(()), WeightRows(()), shipped_lexicon())


def extract_features(message: TypedTurn, tables: FeatureTables) -> TurnFeatures:
    """The features of a turn, and what they add to the scores."""
    lexicon = tables.lexicon
    text = lexicon.emoticons.with_emoji(message.text[:MAX_READ])
    masked = mask(text)
    plain = fold_with_places(masked)
    phrases: dict[str, float] = {}
    form: dict[str, float] = {}
    matches: list[Match] = []
    languages, is_abroad = 1, False
    if lexicon.may_be_foreign(plain.text):
        matches = lexicon.phrases.matches(plain.text)
        languages, ahead = lexicon.phrases.languages_of(matches)
        is_abroad = ahead > 0 or is_foreign(plain.text)
    if is_abroad:
        table, openings = tables.foreign, lexicon.openings
        words = plain.text.split(None, 2)
        total = _weigh_phrases(plain.text, matches, languages, table, phrases)
    else:
        table, openings = tables.english, lexicon.english_openings
        guests = lexicon.phrases.guest_matches(matches) if matches else None
        matches = lexicon.english.matches(plain.text)
        total = _weigh_phrases(plain.text, matches, 1, table, phrases)
        if guests:
            total += _weigh_phrases(plain.text, guests, languages, tables.guests, phrases)
        words = plain.text.split()
        total += table.weigh_neighbors([_BEGINNING, *words[:_MAX_NEIGHBORS]]) + table.weigh_words(words)
    _add_form(text, masked, plain.text, form)
    _add_opening(text, words, openings, phrases, form)
    if "frown" in phrases or "smile" in phrases:
        _add_faces(plain.text, matches, table.phrases, phrases, form)
    circumstances, added = table.circumstances[
        "refusal's reason" if message.reason else _BEFORE[message.before],
        message.queued,
        not message.earlier,
        message.later is None,
        message.undone,
        message.conceded,
    ]
    work, added_too = table.work[_count_work(message.calls[:_MAX_CALLS])]
    _add_combinations(phrases, form, circumstances, work)
    total += added + added_too + table.rows.weigh(form)
    if is_abroad:
        total += _weigh_pairs(_pairable(phrases, form), table.pairs)
    return TurnFeatures(phrases, form, circumstances, work, total, matches, languages, is_abroad, plain)


def _weigh_phrases(  # noqa: C901, PLR0912  # the innermost loop: function calls would cost more than its work
    text: str, matches: list[Match], languages: int, table: FeatureTable, features: dict[str, float]
) -> int:
    effects, total, questions, stop = table.effects, 0, "?" in text, -1
    for match in matches:
        effect = effects[match[0]] or table.effect_of(match[0], languages)
        if effect is None:
            effect, start, end = table.shorter_effect(text, match, languages)
        else:
            _, start, end = match
        if effect is None or not effect.groups:
            continue
        plain, both, own_feature, own_row, shift, groups, negators = effect
        place = start - shift
        if plain and place > _EARLY_PLACE and plain not in features:
            features[plain] = 1.0
            if own_feature:
                features[own_feature] = 1.0
            total += both
            continue
        if own_feature and own_feature not in features:
            features[own_feature] = 1.0
            total += own_row
        for name, row, most, negated, asked, first, early in groups:
            if negated and is_negated(text, place, end - 1, negators):
                feature, adds = negated
            else:
                feature, adds = name, row
            many = features.get(feature, 0.0)
            if many < most:
                features[feature] = many + 1.0
                total += adds
            if asked and questions:
                if stop < end - 1:
                    stop = sentence_end(text, end - 1)
                if (text[stop] == "?" or text[end - 2] == "?") and asked.name not in features:
                    features[asked.name] = 1.0
                    total += asked.row
            if place <= _EARLY_PLACE:
                position = first if place <= _FIRST_PLACE else early
                if position.name not in features:
                    features[position.name] = 1.0
                    total += position.row
    return total


def _add_form(text: str, masked: str, plain: str, form: dict[str, float]) -> None:
    form[_LENGTHS[bisect_left(_LIMITS, alphabetic_length(text))]] = 1.0
    if masked is not text and masked != text:
        form["quotes"] = 1.0
    stripped = text.rstrip()
    if "?" in plain:
        form["question"] = 1.0
        if stripped.endswith(_QUESTION_MARKS):
            form["ends as question"] = 1.0
    elif stripped.endswith(_STOPS):
        form["ends as sentence"] = 1.0
    if "..." in plain or "…" in plain or "。。" in plain:
        form["trails off"] = 1.0
    if "!" in masked or "！" in masked or "??" in plain:
        form["stress"] = 1.0


def _add_opening(
    text: str, words: list[str], openings: Openings, phrases: dict[str, float], form: dict[str, float]
) -> None:
    form[openings.feature_of(words)] = 1.0
    if len(words) > 1 and words[0].rstrip(".:?") in openings.leads and words[1] in openings.commands:
        form["command later"] = 1.0
    if text[:1].isupper():
        form["capital"] = 1.0
        if len(text) > 150 and _PERSONS.isdisjoint(phrases):
            form["prose of others"] = 1.0


def _add_faces(
    text: str, matches: list[Match], matcher: PhraseMatcher, phrases: dict[str, float], form: dict[str, float]
) -> None:
    """Whether emoji are alone or within words: within words they are often what is talked about."""
    places = [matcher.span_of(match) for match in matches]
    signs = [(start, end) for start, end in places if not text[end - 1 : end].isalnum()]
    led = max((end for start, end in places if start == 0), default=0)
    """How far one phrase at the beginning goes: "hmm" leads to a face, it is not spoken of there."""
    is_alone = not has_words(text)
    for face in ("frown", "smile"):
        if face not in phrases:
            continue
        if is_alone:
            form[f"{face} alone"] = 1.0
        elif any(_BEFORE_WORD.match(text, end) and has_words(text[led:start]) for start, end in signs):
            form[f"{face} amid words"] = 1.0


def _pairable(*values: dict[str, float]) -> list[str]:
    """The features that are used in pairs, sorted; none where there are too many to be meaningful."""
    names = [name for features in values for name in features if name in _PAIRABLE]
    if len(names) > _MAX_PAIRED:
        return []
    names.sort()
    return names


def _weigh_pairs(names: list[str], pairs: dict[str, dict[str, int]]) -> int:
    """The sum of the weights of all pairs of these features."""
    total = 0
    for at, one in enumerate(names):
        if others := pairs.get(one):
            for other in names[at + 1 :]:
                if other in others:
                    total += others[other]
    return total


def _word_features(plain: str, lexicon: Lexicon) -> dict[str, float]:
    """The known words, and how often one follows another; other words that people write are never features."""
    every = plain.split()
    words = [_BEGINNING, *every[:_MAX_NEIGHBORS]]
    is_known = [word == _BEGINNING or word.rstrip(WORD_ENDS) in lexicon.english_words for word in words]
    neighbors = (
        f"{words[at]}{NEIGHBOR_SEPARATOR}{words[at + 1]}"
        for at in range(len(words) - 1)
        if is_known[at] and is_known[at + 1]
    )
    single = {word.rstrip(WORD_ENDS) for word in every} & lexicon.english_words
    return {f"{WORD_PREFIX}{word}": 1.0 for word in single} | {
        name: float(many) for name, many in Counter(neighbors).items()
    }


def _circumstances(
    before: str,
    queued: bool,  # noqa: FBT001  # the parts of a key
    first: bool,  # noqa: FBT001
    live: bool,  # noqa: FBT001
    undone: bool | None,  # noqa: FBT001
    conceded: bool | None,  # noqa: FBT001
) -> dict[str, float]:
    holds = {
        before: True,
        "queued": queued,
        "nothing earlier": first,
        "later unknown": live,
        "undone unknown": undone is None,
        "undone": undone,
        "answer unknown": conceded is None,
        "conceded": conceded,
    }
    return {name: 1.0 for name, held in holds.items() if held}


def _count_work(calls: tuple[str, ...]) -> tuple[int, int, bool, bool]:
    """The number of calls, the number of edits among them, whether the last was one, and whether one was a commit."""
    edits = [call.startswith(_EDITS) for call in calls]
    return len(calls), edits.count(True), edits[:1] == [True], "git commit" in "\n".join(calls)


def _work_features(calls: int, edits: int, edited_last: bool, committed: bool) -> dict[str, float]:  # noqa: FBT001  # of a key
    values = {"calls": calls / 4.0} if calls else {"no calls": 1.0}
    if edits:
        values["edited"] = min(edits, 4) / 2.0
    if edited_last:
        values["edited last"] = 1.0
    if committed:
        values["committed"] = 1.0
    return values


def _add_combinations(
    phrases: dict[str, float], form: dict[str, float], circumstances: dict[str, float], work: dict[str, float]
) -> None:
    """Add the combinations of features that say more together than each alone."""
    worked = "edited" in work or "committed" in work
    if "question" in form:
        if "refusal's reason" in circumstances:
            form["reason asked"] = 1.0
        elif worked:
            form["question after work"] = 1.0
    if "before start" in circumstances:
        return
    if "prose of others" in form:
        form["prose of others within"] = 1.0
    if worked and ("failing" in phrases or "lacking" in phrases or "again" in phrases):
        form["trouble after work"] = 1.0
    if "before interrupt" in circumstances and ("agree" in phrases or "length to 12" in form):
        form["goes on after interrupt"] = 1.0
