"""Extracts the features of a typed turn: phrases, form and circumstances, each as a named number.

Words of the assistant and of tools are never features: calls only count as edits or commits.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct

from wisen.feedback.feature_tables import (
    NEIGHBOUR_SEPARATOR,
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

if TYPE_CHECKING:
    from wisen.model.signal import TypedTurn

_MAX_CALLS = 8
"""How many calls are counted."""
MAX_READ = 600
"""How much of a text is read: the point of a turn comes early."""
_FIRST_PLACE, _EARLY_PLACE = 2, 14
"""Up to which position a phrase counts as first, or as early."""
_MAX_NEIGHBOURS = 40
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
_BEFORE_WORD = re.compile(r" *\w")
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
    """The features of a turn by name; with pairs for other languages, with words and neighbours for English."""
    seen = extract_features(message, _tables_without_weights())
    counts = seen.is_foreign if paired is None else paired
    named = _pairable(seen.phrases, seen.form) if counts else []
    pairs = {f"{one}{PAIR_SEPARATOR}{other}": 1.0 for at, one in enumerate(named) for other in named[at + 1 :]}
    beside = {} if counts else _word_features(seen.folded.text, shipped_lexicon())
    return seen.phrases | seen.form | seen.circumstances | seen.work | pairs | beside


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
    said: dict[str, float] = {}
    shown: dict[str, float] = {}
    found: list[Match] = []
    spoken, is_abroad = 1, False
    if lexicon.may_be_foreign(plain.text):
        found = lexicon.phrases.matches(plain.text)
        spoken, ahead = lexicon.phrases.languages_of(found)
        is_abroad = ahead > 0 or is_foreign(plain.text)
    if is_abroad:
        table, openings = tables.foreign, lexicon.openings
        words = plain.text.split(None, 2)
        total = _weigh_phrases(plain.text, found, spoken, table, said)
    else:
        table, openings = tables.english, lexicon.english_openings
        guests = lexicon.phrases.guest_matches(found) if found else None
        found = lexicon.english.matches(plain.text)
        total = _weigh_phrases(plain.text, found, 1, table, said)
        if guests:
            total += _weigh_phrases(plain.text, guests, spoken, tables.guests, said)
        words = plain.text.split()
        total += table.weigh_neighbours([_BEGINNING, *words[:_MAX_NEIGHBOURS]]) + table.weigh_words(words)
    _add_form(text, masked, plain.text, shown)
    _add_opening(text, words, openings, said, shown)
    if "frown" in said or "smile" in said:
        _add_faces(plain.text, found, table.phrases, said, shown)
    around, added = table.circumstances[
        "refusal's reason" if message.reason else _BEFORE[message.before],
        message.queued,
        not message.earlier,
        message.later is None,
        message.undone,
        message.conceded,
    ]
    work, added_too = table.work[_count_work(message.calls[:_MAX_CALLS])]
    _add_combinations(said, shown, around, work)
    total += added + added_too + table.rows.weigh(shown)
    if is_abroad:
        total += _weigh_pairs(_pairable(said, shown), table.pairs)
    return TurnFeatures(said, shown, around, work, total, found, spoken, is_abroad, plain)


def _weigh_phrases(  # noqa: C901, PLR0912  # the innermost loop: function calls would cost more than its work
    text: str, found: list[Match], spoken: int, table: FeatureTable, said: dict[str, float]
) -> int:
    told_of, total, questions, stop = table.effects, 0, "?" in text, -1
    for match in found:
        told = told_of[match[0]] or table.effect_of(match[0], spoken)
        if told is None:
            told, start, end = table.shorter_effect(text, match, spoken)
        else:
            _, start, end = match
        if told is None or not told.groups:
            continue
        plain, both, own, own_row, shift, groups, negators = told
        place = start - shift
        if plain and place > _EARLY_PLACE and plain not in said:
            said[plain] = 1.0
            if own:
                said[own] = 1.0
            total += both
            continue
        if own and own not in said:
            said[own] = 1.0
            total += own_row
        for name, row, most, negated, asked, first, early in groups:
            if negated and is_negated(text, place, end - 1, negators):
                told_as, adds = negated
            else:
                told_as, adds = name, row
            many = said.get(told_as, 0.0)
            if many < most:
                said[told_as] = many + 1.0
                total += adds
            if asked and questions:
                if stop < end - 1:
                    stop = sentence_end(text, end - 1)
                if (text[stop] == "?" or text[end - 2] == "?") and asked.name not in said:
                    said[asked.name] = 1.0
                    total += asked.row
            if place <= _EARLY_PLACE:
                near = first if place <= _FIRST_PLACE else early
                if near.name not in said:
                    said[near.name] = 1.0
                    total += near.row
    return total


def _add_form(text: str, masked: str, plain: str, shown: dict[str, float]) -> None:
    shown[_LENGTHS[bisect_left(_LIMITS, alphabetic_length(text))]] = 1.0
    if masked is not text and masked != text:
        shown["quotes"] = 1.0
    stripped = text.rstrip()
    if "?" in plain:
        shown["question"] = 1.0
        if stripped.endswith(_QUESTION_MARKS):
            shown["ends as question"] = 1.0
    elif stripped.endswith(_STOPS):
        shown["ends as sentence"] = 1.0
    if "..." in plain or "…" in plain or "。。" in plain:
        shown["trails off"] = 1.0
    if "!" in masked or "！" in masked or "??" in plain:
        shown["stress"] = 1.0


def _add_opening(
    text: str, words: list[str], openings: Openings, said: dict[str, float], shown: dict[str, float]
) -> None:
    shown[openings.feature_of(words)] = 1.0
    if len(words) > 1 and words[0].rstrip(".:?") in openings.leads and words[1] in openings.commands:
        shown["command later"] = 1.0
    if text[:1].isupper():
        shown["capital"] = 1.0
        if len(text) > 150 and _PERSONS.isdisjoint(said):
            shown["prose of others"] = 1.0


def _add_faces(
    text: str, found: list[Match], phrases: PhraseMatcher, said: dict[str, float], shown: dict[str, float]
) -> None:
    """Whether emoji are alone or within words: within words they are often what is talked about."""
    places = [phrases.span_of(match) for match in found]
    signs = [(start, end) for start, end in places if not text[end - 1 : end].isalnum()]
    led = max((end for start, end in places if start == 0), default=0)
    """How far one phrase at the beginning goes: "hmm" leads to a face, it is not spoken of there."""
    alone = not has_words(text)
    for face in ("frown", "smile"):
        if face not in said:
            continue
        if alone:
            shown[f"{face} alone"] = 1.0
        elif any(_BEFORE_WORD.match(text, end) and has_words(text[led:start]) for start, end in signs):
            shown[f"{face} amid words"] = 1.0


def _pairable(*values: dict[str, float]) -> list[str]:
    """The features that are used in pairs, sorted; none where there are too many to be meaningful."""
    names = [name for of in values for name in of if name in _PAIRABLE]
    if len(names) > _MAX_PAIRED:
        return []
    names.sort()
    return names


def _weigh_pairs(names: list[str], pairs: dict[str, dict[str, int]]) -> int:
    """What pairs of features add to the scores."""
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
    words = [_BEGINNING, *every[:_MAX_NEIGHBOURS]]
    ours = [word == _BEGINNING or word.rstrip(WORD_ENDS) in lexicon.english_words for word in words]
    beside = (
        f"{words[at]}{NEIGHBOUR_SEPARATOR}{words[at + 1]}" for at in range(len(words) - 1) if ours[at] and ours[at + 1]
    )
    alone = {word.rstrip(WORD_ENDS) for word in every} & lexicon.english_words
    return {f"{WORD_PREFIX}{word}": 1.0 for word in alone} | {
        name: float(many) for name, many in Counter(beside).items()
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
    said: dict[str, float], shown: dict[str, float], around: dict[str, float], work: dict[str, float]
) -> None:
    """Add the combinations of features that say more together than each alone."""
    worked = "edited" in work or "committed" in work
    if "question" in shown:
        if "refusal's reason" in around:
            shown["reason asked"] = 1.0
        elif worked:
            shown["question after work"] = 1.0
    if "before start" in around:
        return
    if "prose of others" in shown:
        shown["prose of others within"] = 1.0
    if worked and ("failing" in said or "lacking" in said or "again" in said):
        shown["trouble after work"] = 1.0
    if "before interrupt" in around and ("agree" in said or "length to 12" in shown):
        shown["goes on after interrupt"] = 1.0
