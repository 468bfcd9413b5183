"""The detector: classifies a typed message by its words, its form and what happened around it."""

from __future__ import annotations

import json
import math
from importlib import resources
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.feedback.detector import STATED_LASTING, detect, shipped_detector
from wisen.feedback.durability_features import durability_features
from wisen.feedback.feature_tables import NEIGHBOR_SEPARATOR, PAIR_SEPARATOR, WORD_PREFIX
from wisen.feedback.features import MAX_READ, is_foreign_message, named_features
from wisen.feedback.lesson_extraction import count_groups
from wisen.feedback.lexicon import shipped_lexicon
from wisen.feedback.text_normalization import fold, mask
from wisen.model.signal import IN_DOUBT, PrecedingEvent, Signal, SignalKind, TypedTurn
from wisen.text.directives import shipped_reader

CORRECTION, PRAISE = SignalKind.CORRECTION, SignalKind.PRAISE


@pytest.fixture(autouse=True, scope="module")
def _languages_are_loaded() -> None:
    """Each language is loaded once in a process: that is no part of what a turn takes."""
    for message in (
        *("never use it", "no lo uses nunca", "ne l'utilise jamais pas", "benutze das nie nicht", "não use isso nunca"),
        *("non usarlo mai", "använd inte det aldrig", "nigdy nie używaj tego", "bunu asla kullanma", "đừng dùng nó"),
        *("никогда не используй", "لا تستخدم هذا أبدا", "कभी मत करो", "永远不要用"),
        *("使わないでください", "쓰지 마세요", "NUL"),
    ):
        detect(TypedTurn(text=message))


def kinds(text: str, before: PrecedingEvent = PrecedingEvent.OK) -> set[SignalKind]:
    return {signal.kind for signal in detect(TypedTurn(text=text, before=before)) if not signal.is_doubtful}


def weights() -> dict[str, Any]:
    read = resources.files("wisen.feedback").joinpath("weights.json").read_text("utf-8")
    return cast("dict[str, Any]", json.loads(read))


def likely(turn: TypedTurn, kind: SignalKind = CORRECTION) -> float:
    return shipped_detector().probabilities(turn)[kind]


def phrases(text: str) -> list[str]:
    english = shipped_lexicon().english
    found = [english.claims[number][0] for number, _, _ in english.matches(fold(mask(text)))]
    return [claim.phrase for claim in found if claim.groups]


@pytest.mark.parametrize(
    "text",
    [
        "👎",
        "that was wrong",
        "you misunderstood",
        "No, that's wrong. Use port 8080 instead of 3000 please",
        "Actually it should be in the EU region, not US",
        "I told you to use pnpm, not npm, for this repository",
        "Please make the layout more compact, that was wrong",
    ],
)
def test_the_corrections_that_a_phrase_list_missed_are_found(text: str) -> None:
    assert CORRECTION in kinds(text)


@pytest.mark.parametrize(
    "text",
    [
        "does this backup run every time the service starts?",
        "Could you just check whether the tests pass on main?",
        "How much do the offshore staff cost us per month?",
        "no problem",
        "no worries",
        "actually looks great",
        "I know another note about the window",
    ],
)
def test_what_only_looks_like_a_correction_says_nothing(text: str) -> None:
    assert kinds(text) == set()


def test_a_lone_thumb_is_praise() -> None:
    assert kinds("👍") == {PRAISE}


def test_a_phrase_matches_whole_words_only() -> None:
    assert phrases("offshore notes about nowhere, undoable") == []
    assert "no" not in phrases("git commit --no-verify no-op no_op")


def test_case_and_curly_apostrophes_make_no_difference() -> None:
    assert phrases("DON’T") == phrases("don't") == ["don't"]


def test_quoted_text_and_code_are_not_the_users_words() -> None:
    assert phrases('rename "that was wrong" and `undo` to\n```\nrevert\n```\n> no') == ["rename"]
    assert CORRECTION not in kinds('translate "that was wrong" into French')


def test_a_negated_word_of_praise_is_distinguished() -> None:
    assert named_features(TypedTurn(text="this is perfect"))["praise"] == 1.0
    negated = named_features(TypedTurn(text="this is not perfect"))
    assert "praise" not in negated
    assert negated["praise negated"] == 1.0
    assert likely(TypedTurn(text="this is not perfect"), PRAISE) < likely(TypedTurn(text="this is perfect"), PRAISE)


@pytest.mark.parametrize(
    ("text", "detected"),
    [
        ("🔙", {"take_back", "take_back first"}),
        ("abcdefghijklm 🔙", {"take_back", "take_back early"}),
        ("abcdefghijklmn 🔙", {"take_back"}),
        ("abcdefghijklm undo", {"take_back", "take_back early"}),
        ("abcdefghijklmn undo", {"take_back"}),
    ],
)
def test_where_a_phrase_stands_is_reported(text: str, detected: set[str]) -> None:
    assert {
        name
        for name in named_features(TypedTurn(text=text))
        if name.startswith("take_back") and PAIR_SEPARATOR not in name
    } == detected


def test_phrases_of_a_group_count_up_to_three_and_everyday_words_once() -> None:
    values = named_features(TypedTurn(text="abcdefghijklmnop undo, revert, restore, undo, rollback we our us"))
    assert (values["take_back"], values["= undo"], values["ourselves"]) == (3.0, 1.0, 1.0)


def test_a_question_is_less_of_a_correction_than_a_statement() -> None:
    assert likely(TypedTurn(text="is that wrong?")) < likely(TypedTurn(text="that is wrong"))


def test_what_happened_before_counts() -> None:
    text = "the label is next to the field"
    refused = TypedTurn(text=text, before=PrecedingEvent.REJECT, reason=True)
    assert likely(TypedTurn(text=text, before=PrecedingEvent.START)) < likely(TypedTurn(text=text)) < likely(refused)


def test_what_is_not_known_yet_is_distinguished_from_what_did_not_happen() -> None:
    assert "undone unknown" in named_features(TypedTurn(text="go"))
    known = named_features(TypedTurn(text="go", later=(), undone=False))
    assert not known.keys() & {"undone unknown", "later unknown", "undone"}


def test_the_evidence_is_where_the_phrase_stands() -> None:
    text = "Well, THAT WAS WRONG"
    signal = next(signal for signal in detect(TypedTurn(text=text)) if signal.kind is CORRECTION)
    assert text[signal.start : signal.end].strip() == "THAT WAS WRONG"


def test_letters_that_grow_in_small_letters_do_not_move_the_evidence() -> None:
    text = "İİİ ßß, that was wrong"
    assert len(fold(text)) == len(text)
    english = shipped_lexicon().english
    start, end = english.span_of(english.matches(fold(text))[0])
    assert text[start:end].strip() == "that was wrong"


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
def test_an_empty_turn_says_nothing(text: str) -> None:
    assert detect(TypedTurn(text=text, before=PrecedingEvent.REJECT, reason=True)) == ()


@given(
    text=st.text(max_size=300),
    before=st.sampled_from(PrecedingEvent),
    reason=st.booleans(),
    earlier=st.lists(st.text(max_size=40), max_size=4).map(tuple),
    calls=st.lists(st.text(max_size=40), max_size=4).map(tuple),
    undone=st.none() | st.booleans(),
)
def test_any_turn_gives_probabilities_and_sorted_signals(
    text: str,
    before: PrecedingEvent,
    reason: bool,
    earlier: tuple[str, ...],
    calls: tuple[str, ...],
    undone: bool | None,
) -> None:
    turn = TypedTurn(text=text, before=before, reason=reason, earlier=earlier, calls=calls, undone=undone)
    assert all(0.0 <= value <= 1.0 for value in shipped_detector().probabilities(turn).values())
    signals: tuple[Signal, ...] = detect(turn)
    assert list(signals) == sorted(signals, key=lambda signal: -signal.probability)
    assert all(0 <= signal.start < signal.end <= len(text) for signal in signals)
    assert detect(turn) == signals


messages = st.lists(
    st.sampled_from("no that was wrong, use the other table. please never again? great thanks still missing".split()),
    max_size=14,
).map(" ".join)


@given(
    text=messages,
    before=st.sampled_from(PrecedingEvent),
    earlier=st.lists(messages, max_size=3).map(tuple),
    calls=st.lists(messages, max_size=3).map(tuple),
    later=st.none() | st.lists(messages, max_size=2).map(tuple),
)
def test_what_holds_is_what_the_probabilities_of_the_whole_turn_say(
    text: str,
    before: PrecedingEvent,
    earlier: tuple[str, ...],
    calls: tuple[str, ...],
    later: tuple[str, ...] | None,
) -> None:
    turn = TypedTurn(text=text, before=before, earlier=earlier, calls=calls, later=later)
    all_kinds = weights()["abroad" if is_foreign_message(turn) else "kinds"]
    held = {
        kind: pytest.approx(probability, abs=1e-12)
        for kind, probability in shipped_detector().probabilities(turn).items()
        if probability >= all_kinds[kind]["threshold"] and text
    }
    found = detect(turn)
    lessons = [signal for signal in found if signal.lesson is not None]
    possible = [each for each in shipped_reader().possible_directives_in(text) if not each.passing]
    certain = tuple(each for each in possible if not each.doubtful)
    if not certain and held.keys() & {CORRECTION, SignalKind.PREFERENCE}:
        certain = shipped_reader().demands_in(text)
    sure = [each for each in lessons if not each.is_doubtful]
    assert [each.lesson.text for each in sure if each.lesson] == [each.text for each in certain]
    in_doubt = [each for each in lessons if each.is_doubtful]
    assert [each.lesson.text for each in in_doubt if each.lesson] == [each.text for each in possible if each.doubtful]
    assert all(each.probability == IN_DOUBT for each in in_doubt)
    if sure and not held.keys() & {CORRECTION, SignalKind.REMEMBER, SignalKind.PREFERENCE}:
        assert sure[0].probability in (0.7, 0.9)  # by its form alone, or by words that say that it lasts
        held[SignalKind.PREFERENCE] = pytest.approx(sure[0].probability)
    assert {signal.kind: signal.probability for signal in found if not signal.is_doubtful} == held


@given(
    text=messages | st.text(max_size=300),
    before=st.sampled_from(PrecedingEvent),
    reason=st.booleans(),
    earlier=st.lists(messages, max_size=3).map(tuple),
    calls=st.lists(messages | st.sampled_from(["Edit a.py", "git commit -m x"]), max_size=9).map(tuple),
    later=st.none() | st.lists(messages, max_size=2).map(tuple),
    known=st.none() | st.booleans(),
)
def test_weighing_side_by_side_gives_what_the_named_features_add_up_to(
    text: str,
    before: PrecedingEvent,
    reason: bool,
    earlier: tuple[str, ...],
    calls: tuple[str, ...],
    later: tuple[str, ...] | None,
    known: bool | None,
) -> None:
    turn = TypedTurn(
        text=text, before=before, reason=reason, earlier=earlier, calls=calls, later=later, undone=known, conceded=known
    )
    file = weights()
    for kind, probability in shipped_detector().probabilities(turn).items():
        of = file["abroad" if is_foreign_message(turn) else "kinds"][kind]
        score = of["bias"] + sum(of["weights"].get(name, 0.0) * value for name, value in named_features(turn).items())
        assert probability == pytest.approx(1 / (1 + math.exp(-score)), abs=1e-9)
    found = next((signal.lesson for signal in detect(turn) if signal.lesson), None)
    if found is not None:
        of = file["lasting"]
        values = durability_features(turn, found.text, count_groups(found.text), named_features(turn))
        score = of["bias"] + sum(of["weights"].get(name, 0.0) * value for name, value in values.items())
        likely = 1 / (1 + math.exp(-score))
        stated = max(likely, STATED_LASTING) if found.marker else likely
        assert found.durable == pytest.approx(stated, abs=1e-9)


def test_words_count_by_the_next_one_only_where_both_are_ours() -> None:
    beside = {
        name: number
        for name, number in named_features(TypedTurn(text="No, not the xylophone. not the")).items()
        if NEIGHBOR_SEPARATOR in name
    }
    assert beside == {"^ > no": 1.0, "no > not": 1.0, "not > the": 2.0}
    names = {name for of in weights()["kinds"].values() for name in of["weights"] if NEIGHBOR_SEPARATOR in name}
    ours = shipped_lexicon().english_words | {"^"}
    assert names
    assert all(word.rstrip(".:?") in ours for name in names for word in name.split(NEIGHBOR_SEPARATOR))


def test_a_word_counts_by_itself_only_where_it_is_ours() -> None:
    alone = {
        name
        for name in named_features(TypedTurn(text="No, not the xylophone. not the"))
        if name.startswith(WORD_PREFIX)
    }
    assert alone == {f"{WORD_PREFIX}{word}" for word in ("no", "not", "the")}
    names = {name for of in weights()["kinds"].values() for name in of["weights"] if name.startswith(WORD_PREFIX)}
    assert names
    assert {name.removeprefix(WORD_PREFIX) for name in names} <= shipped_lexicon().english_words
    assert not any(name.startswith(WORD_PREFIX) for of in weights()["abroad"].values() for name in of["weights"])


@given(text=st.text(st.characters(max_codepoint=127), max_size=60))
def test_a_text_is_folded_alike_whether_or_not_it_is_all_ascii(text: str) -> None:
    assert fold(text) == fold(f"{text} é")[:-2]


def test_the_cost_of_a_long_text_is_bounded() -> None:
    long = "this is wrong, " * 100_000
    assert named_features(TypedTurn(text=long)) == named_features(TypedTurn(text=long[:MAX_READ]))


def test_what_is_in_doubt_is_below_what_any_kind_of_signal_has_to_reach() -> None:
    """Else a signal that was found would be taken for one that is in doubt, and nothing be made of it."""
    file = weights()
    for models in (file["kinds"], file["abroad"]):
        assert all(model["threshold"] > IN_DOUBT for model in models.values())
