"""Phrase matching for `wisen forget`: whole words in order, ignoring case, whitespace and escapes."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from wisen.forgetting.page_cleaning import clean_page
from wisen.model.tombstone import TombstoneKeyKind
from wisen.safety.forgotten_phrases import ForgottenPhrases, PhraseDigests, phrase_of

pytestmark = pytest.mark.requirement("N8")

SALT = b"a salt of this test"
words = st.text("abcdefgxyzäößéñ0123456789_", min_size=1, max_size=8)
phrases = st.lists(words, min_size=1, max_size=4).map(" ".join)
blanks = st.text(" \t\n\r\u00a0\u2003", min_size=1, max_size=3)
around = st.sampled_from(["", ".", " ,", "\n", "“", " - ", "`", "(", "**", ">", "\t"])


def stands(phrase: str, text: str) -> bool:
    """Return whether it matches by its words and by their remaining digest, which must agree."""
    found = phrase_of(phrase)
    assert found is not None
    by_words = ForgottenPhrases([found]).holds(text)
    among_many = ForgottenPhrases([found, *(p for n in range(20) if (p := phrase_of(f"qqq{n}qqq")) is not None)]).holds(
        text
    )
    by_digest = PhraseDigests([found.key(SALT)], SALT).holds(text)
    assert by_words == among_many == by_digest
    assert not PhraseDigests([found.key(SALT)], b"another salt").holds(text)
    return by_words


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("use uv", "Please USE\n  uv, always."),
        ("use uv", "use `uv` here"),
        ("use uv.", "we use uv here"),
        ("“use uv”", "we use uv here"),
        ("`use uv`", "we use uv here"),
        ("«use uv»", "we use uv here"),
        ("„use uv“", "we use uv here"),
        ("C++", "write it in C++, please"),
        ("foo-bar", "the Foo-Bar thing"),
        ("foo_bar", r"the foo\_bar thing"),
        ("straße", "die STRASSE"),
        ("café", "the cafe\u0301 opens"),
        ("café", r'{"a":"the caf\u00e9 opens"}'),
        ("two lines", '{"command":"two\\nlines"}'),
        ("two lines", json.dumps({"a": json.dumps({"b": "x\ntwo\tlines"})})),
        ("ﬁne", "fine"),
        ("迁移", "数据库迁移必须在部署之前运行"),
        ("हिन्दी", "यह हिन्दी है"),
        ("👍", "ok 👍 then"),
        ("a@b.example", "mail a@b.example now"),
    ],
)
def test_it_stands_where_a_person_would_say_so(phrase: str, text: str) -> None:
    assert stands(phrase, text)


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("use uv", "reuse uv"),
        ("use uv", "use uvx"),
        ("use uv", "uv use"),
        ("use uv", "use the uv"),
        ("C++", "C is fine"),
        ("C++", "C+"),
        ("foo-bar", "foo bar"),
        ("foo", "foo_bar"),
        ("हिन्द", "हिन्दी"),
        ("1", "12"),
    ],
)
def test_it_does_not_stand_where_other_words_do(phrase: str, text: str) -> None:
    assert not stands(phrase, text)


def test_a_text_without_words_and_marks_is_no_phrase() -> None:
    assert phrase_of(" \n ") is None
    assert phrase_of("!") is not None


@given(phrases, st.data())
def test_blanks_case_and_what_stands_around_do_not_count(phrase: str, data: st.DataObject) -> None:
    spaced = "".join(word + data.draw(blanks) for word in phrase.split()).rstrip()
    shouted = data.draw(st.sampled_from([spaced, spaced.upper(), spaced.title() if "ß" not in spaced else spaced]))
    text = f"{data.draw(around)} {data.draw(around)}{shouted}{data.draw(around)} rest"
    assert stands(phrase, text)
    assert stands(phrase, json.dumps({"text": text}))


@given(phrases, words)
def test_a_part_of_a_word_is_not_the_word(phrase: str, more: str) -> None:
    assert not stands(phrase, f"{phrase}{more}q")
    assert not stands(f"{phrase}q", phrase)


@given(phrases, st.lists(phrases, max_size=6))
def test_a_page_is_cleared_of_it_and_keeps_the_other_lines(phrase: str, others: list[str]) -> None:
    found = phrase_of(phrase)
    assert found is not None
    needle = ForgottenPhrases([found])
    lines = [f"- {line}" for line in others if not needle.holds(line)]
    assume(not needle.holds("\n".join(lines)))  # over several lines: the next test
    page = "\n".join(["# Title " + phrase, "", *lines[:3], f"- about {phrase}, and more", *lines[3:], ""])
    left = clean_page(page, needle)
    if left is not None:
        assert left.splitlines() == ["# Title " + phrase, "", *lines]


def test_what_goes_over_several_lines_takes_its_paragraph_along() -> None:
    found = phrase_of("red herring")
    assert found is not None
    needle = ForgottenPhrases([found])
    assert clean_page("one\n\na red\nherring is here\n\ntwo\n", needle) == "one\n\n\n\ntwo\n"
    assert clean_page("a red\nherring\n", needle) is None
    assert clean_page("nothing\n", needle) == "nothing\n"


def test_a_digest_says_how_many_words_and_nothing_else() -> None:
    found = phrase_of("Use UV")
    assert found is not None
    key = found.key(SALT)
    assert (key.kind, key.size, key.agent, key.session) == (TombstoneKeyKind.WORDS, 2, "", "")
    assert "uv" not in key.value
    assert key == phrase_of(" use  uv. ").key(SALT)  # type: ignore[union-attr]
