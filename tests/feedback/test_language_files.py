"""Language files: written and read back the same, and a file may extend a shipped language."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.errors import LanguageError
from wisen.feedback.detector import build_detector
from wisen.feedback.language import (
    GROUPS,
    Language,
    LessonWords,
    Negations,
    Opening,
    format_language,
    merge_languages,
    read_language,
    shipped_languages,
)
from wisen.feedback.text_normalization import fold
from wisen.model.signal import SignalKind, TypedTurn

pytestmark = pytest.mark.requirement("C2")

PHRASES = st.text(min_size=1, max_size=12).filter(lambda text: bool(fold(text).strip(" *")))
WORDS = st.lists(PHRASES, max_size=4).map(tuple)
NAMED = st.dictionaries(st.text(max_size=6), WORDS, max_size=2)
LANGUAGES = st.builds(
    Language,
    code=st.from_regex(r"[a-z]{2,3}(-[a-z]{2,4})?", fullmatch=True),
    name=st.text(max_size=9),
    own_name=st.text(max_size=9),
    extends=st.booleans(),
    prefixes=WORDS,
    respell=st.dictionaries(PHRASES, st.text(max_size=3), max_size=2),
    confusable=WORDS,
    harmless=WORDS,
    negations=st.builds(Negations, before=WORDS, after=WORDS),
    opening=st.builds(Opening, command=WORDS, thing=WORDS, lead=WORDS),
    lesson=st.builds(LessonWords, orders=WORDS, empty=WORDS, about=NAMED, lasting=NAMED),
    emoticons=st.dictionaries(st.text(max_size=2), st.lists(st.text(min_size=2, max_size=4)).map(tuple), max_size=2),
    **{table: st.dictionaries(st.sampled_from(groups), WORDS) for table, groups in GROUPS.items()},
)


@given(LANGUAGES)
def test_what_is_written_is_read_the_same(language: Language) -> None:
    assert read_language(format_language(language, "A comment.\nAnd more of it."), "x.toml") == language


@pytest.mark.parametrize("language", shipped_languages(), ids=lambda each: each.code)
def test_what_is_shipped_is_written_and_read_the_same(language: Language) -> None:
    text = format_language(language)
    assert read_language(text, "x.toml") == language
    assert max(map(len, text.splitlines())) <= 120 or language.code == "emoji"


@given(LANGUAGES, LANGUAGES)
def test_one_that_extends_another_holds_the_phrases_of_both(one: Language, other: Language) -> None:
    more = msgspec.structs.replace(other, code=one.code, extends=True)
    (both,) = merge_languages([one], [more])
    assert set(both.harmless) == {*one.harmless, *more.harmless}
    for group in {*one.groups, *more.groups}:
        assert set(both.groups[group]) == {*one.groups.get(group, ()), *more.groups.get(group, ())}
    assert merge_languages([one], [msgspec.structs.replace(more, extends=False)])[0].harmless == more.harmless


def test_a_file_that_extends_german_adds_to_it_and_takes_nothing_away() -> None:
    head = 'code = "de"\nname = "German"\nown_name = "Deutsch"\nextends = true\n'
    model = build_detector((read_language(f'{head}[correction]\nunmistakable = ["sapperlot"]\n', "de.toml"),))
    for message in ("sapperlot, der Knopf gehört nach links", "das ist falsch, der Knopf gehört nach links"):
        assert SignalKind.CORRECTION in {each.kind for each in model.signals(TypedTurn(text=message))}


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ('harmless = [""]', "harmless holds ''"),
        ('harmless = ["*"]', "harmless holds '*'"),
        ('respell = {"" = "x"}', "respell holds ''"),
        ('[negations]\nbefore = [" "]', "'before' in [negations] holds ' '"),
        ('[lesson.about]\nstyle = ["!"]', "'style' in [lesson] holds '!'"),
        ('[emoticons]\n"x" = [":"]', "[emoticons] holds ':'"),
    ],
)
def test_words_that_nothing_can_be_made_of_are_refused(more: str, says: str) -> None:
    with pytest.raises(LanguageError) as caught:
        read_language(f'code = "nl"\nname = "Dutch"\n{more}\n', "nl.toml")
    assert says in str(caught.value)
