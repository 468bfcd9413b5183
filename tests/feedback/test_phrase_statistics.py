"""The user's own phrases: candidates in each script, the evidence for them, and how they are detected."""

from __future__ import annotations

from datetime import UTC, datetime
from math import comb

import pytest
from benchmarks.phrase_worlds import make_world
from benchmarks.phrases import find_in_world, measure_worlds
from hypothesis import example, given
from hypothesis import strategies as st

from wisen.feedback.ngrams import clauses, ngrams_in, opening_ngrams
from wisen.feedback.phrase_statistics import chance_limit, find_phrases, tail_probability
from wisen.feedback.signal_detection import detect_in_session
from wisen.feedback.turn_signs import ObservedTurn, Sign, observe_turns
from wisen.feedback.user_detector import UserDetector, find_phrase, fold_turn
from wisen.model.event import Status
from wisen.model.history import History, Step, Turn, UserAction
from wisen.model.phrase import PhraseSource, UserPhrase, active_phrases, removed_phrases
from wisen.model.signal import Polarity, Signal, SignalKind, TypedTurn

pytestmark = pytest.mark.requirement("C4")

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
CORRECTION, PRAISE = SignalKind.CORRECTION, SignalKind.PRAISE


def phrase(
    text: str, kind: SignalKind = CORRECTION, id_: str = "1", way: PhraseSource = PhraseSource.COUNTED
) -> UserPhrase:
    return UserPhrase(
        id=id_, machine="desk", at=NOON, text=text, kind=kind, way=way, hits=9, turns=10, sessions=6, signs=9, others=90
    )


def turn(text: str, session: int, *signs: Sign, context: str = "shop", is_detected: bool = False) -> ObservedTurn:
    name = f"{session}-{abs(hash(text))}-{len(signs)}"
    return ObservedTurn(
        "a",
        f"s{session}",
        session,
        name,
        NOON,
        context,
        text,
        ngrams_in(text),
        opening_ngrams(text),
        frozenset(signs),
        is_detected,
    )


def background(sessions: int = 40, context: str = "shop") -> list[ObservedTurn]:
    things = ("header", "button", "list", "index", "parser", "footer")
    return [
        turn(f"make the {thing} of page {'abcdefghij'[number % 10]} wider", number, context=context)
        for number in range(sessions)
        for thing in things
    ]


def test_words_that_follow_each_other_may_be_a_phrase_up_to_four_and_not_beyond_a_comma() -> None:
    found = ngrams_in("Tss, back to the drawing board!")
    assert {"tss", "back", "drawing board", "back to the drawing", "to the drawing board"} <= found
    assert not {"tss back", "back to the drawing board", "drawing board!"} & found


@pytest.mark.parametrize(
    "text",
    ["src/app/main.py", "getUserName", "user_name", "--force", "v2.1", "12345", "`rm -rf`", '"quoted words"', "a@b.io"],
)
def test_code_names_numbers_and_quotes_are_no_phrases(text: str) -> None:
    assert ngrams_in(f"tss {text} please") == {"tss", "please"}


def test_a_script_without_spaces_is_read_by_characters_and_others_by_words() -> None:
    assert {"不行", "不行啊", "行啊"} <= ngrams_in("不行啊，改一下 header")
    assert "啊改" not in ngrams_in("不行啊，改一下")
    assert "header" in ngrams_in("不行啊，改一下 header")
    assert "だめじゃん" in ngrams_in("だめじゃん、それ")
    assert {"아니 그게", "아니"} <= ngrams_in("아니 그게 아니라")
    assert "नहीं यार" in ngrams_in("नहीं यार, दूसरा")
    thai = ngrams_in("ไม่ใช่แบบนี้")
    assert "ไม่ใช่" in thai
    assert not any(each.startswith("\u0e48") for each in thai)  # a mark does not begin a word


@given(st.text(max_size=80))
def test_every_gram_stands_in_the_text_as_the_detector_reads_it(text: str) -> None:
    read = " ".join(fold_turn(text).split())
    for gram in ngrams_in(text):
        assert gram in read
        assert gram == gram.strip()
    assert opening_ngrams(text) <= ngrams_in(text)
    assert all(words for words in clauses(text))


def test_what_happened_around_a_turn_is_seen() -> None:
    def step(number: int, path: str) -> Step:
        arguments = f'{{"file_path":"{path}"}}'
        return Step(call=f"c{number}", tool="Edit", arguments=arguments, status=Status.OK, text=None, at=NOON)

    def typed_turn(name: str, text: str, before: int, **more: object) -> Turn:
        return Turn(id=name, action=UserAction.SAID, at=NOON, text=text, before=before, origin="prompt", **more)  # type: ignore[arg-type]

    history = History(
        session=1,
        steps=(step(1, "a.py"), step(2, "a.py"), step(3, "b.py")),
        turns=(
            typed_turn("t1", "sort the invoice table by customer name", 0),
            typed_turn("t2", "tss", 1, conceded=True),
            Turn(id="x", action=UserAction.INTERRUPTED, at=NOON, text=None, before=2),
            typed_turn("t3", "sort that invoice table by customer please", 2),
            typed_turn("t4", "sahne", 3),
        ),
    )
    seen = {each.message: each.signs for each in observe_turns(history)}
    assert seen["t1"] == frozenset()
    assert seen["t2"] == {Sign.UNDONE, Sign.CONCEDED, Sign.RESTATED}
    assert seen["t3"] == {Sign.STOPPED, Sign.RESTATED}
    assert seen["t4"] == {Sign.ENDED}


def test_a_turn_that_is_detected_by_its_words_is_marked() -> None:
    history = History(
        session=1,
        steps=(),
        turns=(Turn(id="t", action=UserAction.SAID, at=NOON, text="no, that is wrong", before=0, origin="prompt"),),
    )
    assert [each.detected for each in observe_turns(history)] == [True]


@given(st.integers(1, 12), st.floats(0.02, 0.9), st.data())
def test_how_likely_a_sum_is_by_chance_is_exact(many: int, share: float, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, many))
    expected = sum(comb(many, k) * share**k * (1 - share) ** (many - k) for k in range(hits, many + 1))
    assert tail_probability(hits, [[1 - share, share, 0.0, 0.0, 0.0]] * many) == pytest.approx(expected, abs=1e-9)


def test_false_finds_are_held_down_over_all_that_were_asked_about() -> None:
    assert chance_limit([0.001, 0.02, 0.9, 0.9], 0.05) == 0.02
    assert chance_limit([0.001, *[0.9] * 99], 0.05) == 0.0
    assert chance_limit([], 0.05) == 0.0


def test_a_phrase_around_which_work_is_conceded_is_found_and_its_neighbors_are_not() -> None:
    turns = background()
    for number in range(12):
        turns.append(turn(f"tss, {'abcdefghijkl'[number]} wider", number, Sign.CONCEDED))
        turns.append(turn("wider", number + 12))
    found = find_phrases(turns)
    assert [(each.text, each.kind) for each in found] == [("tss", CORRECTION)]
    assert (len(found[0].hits), found[0].sessions, found[0].signs) == (12, 12, 0)


def test_three_sessions_are_needed() -> None:
    turns = background() + [
        turn(f"tss {name}", 1 + number % 2, Sign.CONCEDED) for number, name in enumerate("abcdefgh")
    ]
    assert find_phrases(turns) == []


def test_of_runs_of_words_in_the_very_same_turns_the_whole_is_named() -> None:
    turns = background() + [
        turn(f"das ist käse, {name}", number, Sign.REFUSED) for number, name in enumerate("abcdefgh")
    ]
    assert [each.text for each in find_phrases(turns)] == ["das ist käse"]


def test_of_runs_of_words_in_the_very_same_turns_what_the_turns_begin_with_is_named() -> None:
    turns = background() + [
        turn(f"tss, the order page is {name}", number, Sign.REFUSED) for number, name in enumerate("abcdefgh")
    ]
    assert [each.text for each in find_phrases(turns)] == ["tss"]


def test_what_is_general_wins_over_what_only_sometimes_follows_it() -> None:
    behind = ("no", "no", "no", "again", "again", "again", "", "", "", "")
    turns = background() + [turn(f"tss {each}", number, Sign.CONCEDED) for number, each in enumerate(behind)]
    assert [each.text for each in find_phrases(turns)] == ["tss"]


def test_a_word_of_one_project_is_none_of_the_users_own() -> None:
    elsewhere = [turn(f"wider {number}", 100 + number, context="blog") for number in range(200)]
    bound = background() + elsewhere + [turn("kubefrob", number, Sign.CONCEDED) for number in range(10)]
    assert find_phrases(bound) == []
    free = bound + [turn("kubefrob", 100 + number, Sign.CONCEDED, context="blog") for number in range(10)]
    assert [each.text for each in find_phrases(free)] == ["kubefrob"]


def test_turns_that_are_detected_already_do_not_count() -> None:
    turns = background() + [turn("tss", number, Sign.CONCEDED, is_detected=True) for number in range(12)]
    assert find_phrases(turns) == []


def test_who_asks_for_a_commit_does_not_praise_by_it() -> None:
    asked = background() + [turn("einchecken bitte", number, Sign.COMMITTED) for number in range(12)]
    assert find_phrases(asked) == []
    signs = (Sign.COMMITTED, Sign.ENDED, Sign.THANKED)
    praised = background() + [turn("erste sahne", number, signs[number % 3]) for number in range(12)]
    assert [(each.text, each.kind) for each in find_phrases(praised)] == [("erste sahne", PRAISE)]


def test_what_is_known_or_was_removed_is_not_named_again_nor_a_part_of_it() -> None:
    turns = background() + [turn("das ist käse", number, Sign.CONCEDED) for number in range(12)]
    for known in ("das ist käse", "käse", "das ist käse mit soße"):
        assert find_phrases(turns, without=[known]) == []
    assert find_phrases(turns, without=["kä"]) != []


def test_made_up_users_are_understood_and_nothing_is_made_up() -> None:
    figures = measure_worlds(40)
    assert figures["recall"] >= 0.8, figures  # type: ignore[operator]
    assert figures["precision"] >= 0.9, figures  # type: ignore[operator]
    assert figures["nothing_planted"]["found"] <= 6, figures  # type: ignore[index]


def test_the_same_number_is_the_same_user() -> None:
    assert make_world(3) == make_world(3)
    assert [each.text for each in find_in_world(make_world(3))] == [each.text for each in find_in_world(make_world(3))]


def test_an_own_phrase_that_is_part_of_an_order_stays_in_the_lesson() -> None:
    (signal,) = UserDetector([phrase("lay off")]).add_phrase_signals(
        TypedTurn(text="lay off the emojis in commits"), ()
    )
    assert signal.lesson is not None
    assert signal.lesson.text.casefold() == "lay off the emojis in commits"


def test_an_own_phrase_is_detected_in_whole_words_with_the_rest_as_lesson() -> None:
    own = UserDetector([phrase("tss"), phrase("erste sahne", PRAISE)])
    (signal,) = own.add_phrase_signals(TypedTurn(text="Tss! Use the blue one, not the red one"), ())
    assert (signal.kind, signal.polarity, signal.start, signal.end) == (CORRECTION, Polarity.AGAINST, 0, 3)
    assert signal.probability == phrase("tss").probability < 0.9
    assert signal.lesson is not None
    assert signal.lesson.text == "Use the blue one, not the red one"
    (praised,) = own.add_phrase_signals(TypedTurn(text="Das ist erste Sahne"), ())
    assert (praised.kind, praised.polarity, praised.lesson) == (PRAISE, Polarity.FOR, None)
    for text in ("tssx", "potss", "tss-tss2", "run `tss`", "src/tss", "nothing"):
        assert own.add_phrase_signals(TypedTurn(text=text), ()) == ()


def test_what_is_detected_already_stays_as_it_is() -> None:
    signal = Signal(kind=CORRECTION, probability=0.9, start=0, end=2, polarity=Polarity.AGAINST)
    assert UserDetector([phrase("tss")]).add_phrase_signals(TypedTurn(text="tss no"), (signal,)) == (signal,)
    assert UserDetector().add_phrase_signals(TypedTurn(text="tss"), ()) == ()


def test_a_phrase_in_a_script_without_spaces_is_detected_within_a_sentence() -> None:
    assert [
        each.kind
        for each in UserDetector([phrase("不行啊")]).add_phrase_signals(TypedTurn(text="这个不行啊改一下"), ())
    ] == [CORRECTION]


def test_listening_takes_the_users_phrases_along() -> None:
    history = History(
        session=1,
        steps=(),
        turns=(Turn(id="t", action=UserAction.SAID, at=NOON, text="tss", before=0, origin="prompt"),),
    )
    assert detect_in_session(history) == ()
    assert [each.message for each in detect_in_session(history, UserDetector([phrase("tss")]))] == ["t"]


@example("㐀𑘰")
@example("㐀㐀𑘰 a")
@given(st.text(min_size=1, max_size=60))
def test_what_may_be_a_phrase_is_found_again_where_it_stood(text: str) -> None:
    read = fold_turn(text)
    for gram in ngrams_in(text):
        if "  " not in read:
            assert find_phrase(gram, read) is not None, gram


def test_the_newest_word_on_a_phrase_holds() -> None:
    rows = [phrase("tss", id_="1"), phrase("tss", id_="3", way=PhraseSource.REMOVED), phrase("meh", id_="2")]
    assert [each.text for each in active_phrases(rows)] == ["meh"]
    assert removed_phrases(rows) == {("tss", CORRECTION)}
    assert [each.id for each in active_phrases([*rows, phrase("tss", id_="4", way=PhraseSource.FILE)])] == ["2", "4"]
