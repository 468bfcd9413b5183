"""Detection in sixteen languages and emoji, however they are written."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

import pytest
from ahocorasick_rs import AhoCorasick, MatchKind
from benchmarks.strange_words import FILE, PHRASES, build_file
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from wisen.errors import LanguageError
from wisen.feedback.detector import build_detector, detect
from wisen.feedback.features import is_foreign_message, named_features
from wisen.feedback.language import (
    ENGLISH,
    GROUPS,
    MARKS,
    english_languages,
    merge_languages,
    read_language,
    read_language_file,
    shipped_languages,
)
from wisen.feedback.lexicon import Lexicon, shipped_lexicon
from wisen.feedback.pattern_search import PatternSearch
from wisen.feedback.phrase_matching import PhraseMatcher
from wisen.feedback.phrase_table import build_phrase_table, encode_phrases, stored_phrases
from wisen.feedback.text_normalization import fold, fold_with_places, mask
from wisen.model.signal import SignalKind, TypedTurn

if TYPE_CHECKING:
    from pathlib import Path

CORRECTION, PRAISE = SignalKind.CORRECTION, SignalKind.PRAISE
SHIPPED = "en zh ja ko de fr es pt it ru sv pl tr vi ar hi".split()
EMOJI_ONLY = {"frown", "smile"}
EMOJI = re.compile("[\u2190-\u21ff\u2300-\u27bf\U0001f000-\U0001faff]")


def kinds(text: str) -> set[SignalKind]:
    return {signal.kind for signal in detect(TypedTurn(text=text)) if not signal.is_doubtful}


def test_sixteen_languages_and_emoji_are_shipped() -> None:
    assert sorted(language.code for language in shipped_languages()) == sorted([*SHIPPED, "emoji"])


@pytest.mark.parametrize("code", SHIPPED)
def test_the_file_of_a_language_is_complete(code: str) -> None:
    (language,) = (each for each in shipped_languages() if each.code == code)
    needed = {group for groups in GROUPS.values() for group in groups} - EMOJI_ONLY - {MARKS}
    assert {group for group, words in language.groups.items() if words} >= needed
    phrases = {phrase for words in language.groups.values() for phrase in words}
    assert set(language.confusable) <= phrases
    assert language.harmless
    assert language.negations.before or language.negations.after
    assert language.lesson.orders
    assert not any(EMOJI.search(phrase) for phrase in phrases), "emoji have a file of their own"
    assert all(len(words) == len(set(words)) for words in language.groups.values())


@pytest.mark.parametrize(
    "text",
    [
        "不对，应该用 pnpm",
        "du missförstod",
        "das war falsch",
        "eso está mal",
        "нет, это неправильно",
        "nein, das stimmt so nicht",
        "non, ce n'est pas ce que j'ai demandé",
        "no, non è quello che ho chiesto",
        "não foi isso que eu pedi",
        "いや、それは違います",
        "아니요, 그게 아니에요",
        "nie, to jest źle",
        "hayır, bu yanlış",
        "không, sai rồi",
        "لا، هذا خطأ",
        "नहीं, यह गलत है",
    ],
)
def test_a_plain_correction_is_detected_in_each_language(text: str) -> None:
    assert CORRECTION in kinds(text)
    assert is_foreign_message(TypedTurn(text=text))


@pytest.mark.parametrize(
    "text",
    [
        "kein Problem, mach weiter",
        "没问题，慢慢来",
        "pas de souci, prends ton temps",
        "sin prisa, cuando puedas",
        "ingen fara, ta det lugnt",
        "без проблем, не торопись",
        "nessun problema, fai con calma",
        "sem pressa",
        "大丈夫です、急ぎません",
    ],
)
def test_politeness_is_no_correction(text: str) -> None:
    assert CORRECTION not in kinds(text)


@pytest.mark.parametrize(
    "text",
    ["super gemacht, danke", "太好了，完美", "parfait, merci", "perfecto, gracias", "отлично, спасибо", "完璧です"],
)
def test_praise_is_detected_in_other_languages(text: str) -> None:
    assert PRAISE in kinds(text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("DAS WAR FALSCH", "das war falsch"),
        ("YANLIŞ OLDU", "yanlış oldu"),
        ("これはＯＫですか？", "これはokですか?"),
        ("هذا خَطَأٌ", "هذا خطا"),
        ("ग़लत", "गलत"),
        (unicodedata.normalize("NFD", "không đúng"), "không đúng"),
        ("👎🏿", "👎"),
        ("🤦🏽‍♀️", "🤦♀"),
        ("l’erreur", "l'erreur"),
    ],
)
def test_what_is_written_otherwise_is_read_alike(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(
    ("with_accents", "without"),
    [
        ("não é isso que eu pedi", "nao e isso que eu pedi"),
        ("no está bien, eso está mal", "no esta bien, eso esta mal"),
        ("không đúng, sai rồi", "khong dung, sai roi"),
        ("das war völlig falsch, mach es rückgängig", "das war voellig falsch, mach es rueckgaengig"),
    ],
)
def test_accents_may_be_missing(with_accents: str, without: str) -> None:
    assert CORRECTION in kinds(with_accents)
    assert CORRECTION in kinds(without)


def test_what_is_glued_to_a_word_does_not_hide_it() -> None:
    def groups(text: str) -> set[str]:
        return set(shipped_lexicon().phrases.count_groups(text))

    assert groups("خطأ") & groups("والخطأ")
    assert groups("c'est l'erreur d'hier") & {"sight", "failing"}


def test_a_language_is_not_guessed_from_one_word_that_others_have_too() -> None:
    assert not is_foreign_message(TypedTurn(text="the comment is fine, die cast models also work fast"))
    assert "asking" not in named_features(TypedTurn(text="the comment is on line nine"))


def test_a_phrase_of_another_language_counts_in_an_english_text() -> None:
    plain, mixed = "the header has the old logo", "das ist falsch, the header has the old logo"
    assert CORRECTION in kinds(mixed)
    assert CORRECTION not in kinds(plain)


def test_what_is_quoted_in_other_quotation_marks_is_not_the_users() -> None:
    assert "\0" in mask("Der Kunde schreibt „das ist falsch“")
    assert "\0" in mask("客户说「不对」")
    assert "\0" in mask("le client dit « c'est faux »")


@pytest.mark.parametrize("text", ["👎", "👎🏽", "❌", "🤦‍♂️", "😡", ":(", ">:(", "😤😤", "💩"])
def test_a_lone_negative_emoji_is_a_correction(text: str) -> None:
    assert kinds(text) == {CORRECTION}


@pytest.mark.parametrize("text", ["👍", "👍🏾", "🎉🎉", "❤️", "💯", ":D", "<3", "👏"])
def test_a_lone_positive_emoji_is_praise(text: str) -> None:
    assert kinds(text) == {PRAISE}


@pytest.mark.parametrize("text", ["🤔", "👀", "📎", "🚀", "🤷", "☕", "add a ❌ icon", "what does 👎 stand for?", "🇸🇪"])
def test_other_emoji_say_nothing(text: str) -> None:
    assert kinds(text) == set()


@pytest.mark.parametrize("message", ["use pnpm, not npm", "nein, bitte nimm pnpm, nicht npm"])
def test_a_lone_negative_emoji_has_no_lesson_and_the_message_behind_it_has_its_own(message: str) -> None:
    (signal,) = detect(TypedTurn(text="👎", later=(message, "and go on")))
    assert (signal.kind, signal.lesson) == (CORRECTION, None)
    assert [each.lesson.text for each in detect(TypedTurn(text=message, earlier=("👎",))) if each.lesson] == [message]


@pytest.mark.parametrize(
    ("text", "lesson"),
    [
        ("nein, das ist falsch. Bitte nimm pnpm, nicht npm", "nimm pnpm, nicht npm"),
        ("不对，应该用 pnpm，不要用 npm", "不对，应该用 pnpm，不要用 npm"),
        ("нет, используй pnpm вместо npm", "нет, используй pnpm вместо npm"),
        ("いや、違います。npmじゃなくてpnpmを使ってください", "npmじゃなくてpnpmを使ってください"),
        ("non, c'est faux. Utilise pnpm, pas npm", "Utilise pnpm, pas npm"),
    ],
)
def test_the_lesson_is_the_sentence_that_says_what_to_do_in_the_users_words(text: str, lesson: str) -> None:
    found = next(signal.lesson for signal in detect(TypedTurn(text=text)) if signal.lesson)
    assert found.text == lesson


def test_the_evidence_stands_where_it_was_written() -> None:
    text = "👎🏽 لا، هذا خَطَأ"
    signal = next(signal for signal in detect(TypedTurn(text=text)) if signal.kind is CORRECTION)
    assert text[signal.start : signal.end]
    read = fold_with_places(text)
    assert read.places is not None
    assert [fold(text[place]) for place in read.places[:-1]] == list(read.text)


DUTCH = """
code = "nl"
name = "Dutch"
own_name = "Nederlands"
[correction]
unmistakable = ["dat klopt niet", "dat is fout"]
[plain]
marks = ["niet", "maar", "gebruik"]
"""


def test_a_language_is_added_by_a_file_alone(tmp_path: Path) -> None:
    (tmp_path / "nl.toml").write_text(DUTCH, encoding="utf-8")
    with_dutch = build_detector((read_language_file(tmp_path / "nl.toml"),))
    turn = TypedTurn(text="dat klopt niet, gebruik pnpm")
    assert CORRECTION not in {signal.kind for signal in detect(turn)}
    assert CORRECTION in {signal.kind for signal in with_dutch.signals(turn)}


def test_an_added_language_takes_the_place_of_a_shipped_one() -> None:
    own = read_language(DUTCH.replace('"nl"', '"de"'), "de.toml")
    assert [each.name for each in merge_languages(shipped_languages(), [own]) if each.code == "de"] == ["Dutch"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("code = ", "not a valid language file"),
        ('code = "x y"\nname = "X"', "'x y'"),
        ('code = "x"\nname = "X"\n[correction]\nwrongs = ["a"]', "'wrongs'"),
        ('code = "x"\nname = "X"\n[correction]\ndeny = ["a", " "]', "'deny'"),
        ('code = "x"\nname = "X"\nextra = 1', "extra"),
    ],
)
def test_a_wrong_file_is_rejected_with_what_is_wrong_in_it(text: str, error: str) -> None:
    with pytest.raises(LanguageError, match=re.escape(error)):
        read_language(text, "x.toml")


@given(text=st.text(max_size=80))
def test_folding_keeps_places_and_folding_twice_changes_nothing(text: str) -> None:
    read = fold_with_places(text)
    assert len(read.text) == (len(text) if read.places is None else len(read.places) - 1)
    assert all(0 <= read.place(at) <= len(text) for at in range(len(read.text) + 1) if read.places is not None)


@given(words=st.lists(st.sampled_from("no eso está mal es bien que la prueba sigue fallando".split()), max_size=8))
def test_words_that_longer_phrases_begin_with_are_not_lost(words: list[str]) -> None:
    text = " ".join(words)
    phrases = shipped_lexicon().phrases
    places = [phrases.span_of(match) for match in phrases.matches(text)]
    assert all(start < end for start, end in places)
    if " está mal" in f" {text} ":
        assert any("está mal" in text[start:end] for start, end in places) or "no está mal" in text


def test_english_alone_speaks_where_no_other_language_is_known() -> None:
    english = Lexicon([each for each in shipped_languages() if each.code == "en"])
    assert english.phrases.count_groups("that was wrong") == {"unmistakable": 1}


def test_english_needs_two_files_and_the_words_of_others_are_those_of_their_files() -> None:
    assert FILE.read_text(encoding="utf-8") == build_file(), "run: python -m benchmarks.strange_words"
    stored = encode_phrases(shipped_languages())
    assert PHRASES.read_text(encoding="utf-8") == stored, "run: python -m benchmarks.strange_words"
    assert not [each.code for each in shipped_languages() if each.emoticons and each.code not in ENGLISH]
    assert [each.code for each in english_languages()] == [*ENGLISH]


def test_the_stored_phrases_are_those_of_the_language_files() -> None:
    built, stored = (
        build_phrase_table((each, each.groups, each.harmless) for each in shipped_languages()),
        stored_phrases(),
    )
    assert [*stored.table.patterns] == built.patterns
    assert [*stored.table.rows] == built.rows
    assert replace(stored.table, patterns=[], rows=[]) == replace(built, patterns=[], rows=[])
    for light, whole in zip(stored.languages, shipped_languages(), strict=True):
        assert (light.code, light.negations, light.opening, light.lesson) == (
            whole.code,
            whole.negations,
            whole.opening,
            whole.lesson,
        )


@given(
    st.lists(st.text("ab ", min_size=1, max_size=6), min_size=1, max_size=30).map(sorted),
    st.text("abc ", max_size=30),
)
def test_comparing_finds_the_same_patterns_as_the_automaton(patterns: list[str], text: str) -> None:
    automaton = AhoCorasick(patterns, matchkind=MatchKind.LeftmostLongest)
    assert PatternSearch([*patterns, *["~"] * 100]).find(text) == automaton.find_matches_as_indexes(text)


@settings(deadline=None, max_examples=60)  # the first example loads the phrases
@given(st.lists(st.sampled_from([*"abc .?,你好é", "no ", "nein", "está mal", "ليس", " wrong", "👍"])).map("".join))
def test_the_first_texts_are_read_like_the_later_ones(text: str) -> None:
    first, later = PhraseMatcher(stored_phrases().table), shipped_lexicon().phrases
    later.matches("a" * len(later))  # from now on by the automaton
    folded = fold(text)
    assert first.matches(folded) == later.matches(folded)
