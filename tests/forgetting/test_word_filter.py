"""The filter in SQL never drops a text that contains the words: what it lets through is judged as before."""

from __future__ import annotations

import json
import sqlite3
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wisen.safety.forgotten_phrases import ForgottenPhrases, phrase_of
from wisen.store import word_filter
from wisen.store.escapes import escape
from wisen.store.sqlite import SqliteDatabase

pytestmark = pytest.mark.requirement("N8")

LETTERS = "abNnuUßſKéÉ09_-.^]%\\\"' \n…ﬁＡ中\x00\x1a\ud800"
words = st.text("abnuß9_-.", min_size=1, max_size=4)


@pytest.fixture(scope="module")
def db() -> SqliteDatabase:
    path = Path(":memory:")
    return SqliteDatabase(sqlite3.connect(path, isolation_level=None), path, 0)


def is_let_through(db: SqliteDatabase, phrases: ForgottenPhrases, text: str) -> bool:
    assert phrases.words is not None
    values: dict[str, str | int | float | None] = {"text": escape(text)}
    return bool(db.query_int(f"SELECT {word_filter.may_contain(db, ':text', phrases.words, values)}", values))


def written(text: str, way: int) -> str:
    """A text as it may be stored: as it is, in JSON, in JSON within JSON, or with every letter escaped."""
    if way == 1:
        return json.dumps({"a": text})
    if way == 2:
        return json.dumps({"b": json.dumps({"a": text}, ensure_ascii=False)})
    if way == 3:
        return "".join(f"\\{letter}" for letter in text)
    if way == 4:
        return "".join(f"\\u{ord(letter):04x}" if ord(letter) < 0x10000 else letter for letter in text)
    return text


@given(
    st.lists(st.lists(words, min_size=1, max_size=3).map(" ".join), min_size=1, max_size=3),
    st.text(LETTERS, max_size=20),
    st.text(LETTERS, max_size=4),
    st.integers(0, 4),
    st.sampled_from([str, str.upper, lambda text: unicodedata.normalize("NFD", text)]),
)
@example(["fine"], "", "", 0, lambda _: "ﬁne")
def test_no_text_that_contains_it_is_dropped(
    db: SqliteDatabase, wanted: list[str], around: str, between: str, way: int, form: object
) -> None:
    found = [phrase for each in wanted if (phrase := phrase_of(each)) is not None]
    phrases = ForgottenPhrases(found)
    assert callable(form)
    text = written(around + form(wanted[0].replace(" ", f" {between}")) + around[::-1], way)
    if phrases.holds(text):
        assert is_let_through(db, phrases, text), (phrases.words, text)


def test_other_texts_are_dropped(db: SqliteDatabase) -> None:
    phrases = ForgottenPhrases([phrase for text in ("blue door", "order-593") if (phrase := phrase_of(text))])
    for text in ("a door", "the … `blue` window → …", '{"command":"echo \\"order\\"\\n"}', "Höhe 593", "order 593"):
        assert not is_let_through(db, phrases, text), text
    for text in ("a DOOR that is blue", "order-593", "Blue dooﬀr"):
        assert is_let_through(db, phrases, text), text
    assert is_let_through(
        db, ForgottenPhrases([phrase for phrase in [phrase_of("x" * 100_000)] if phrase]), "x" * 100_000
    )


def test_every_character_that_is_folded_to_ascii_is_known() -> None:
    for number in range(0x80, sys.maxunicode + 1):
        character = chr(number)
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", character).casefold())
        if any(letter.isascii() and letter not in " ." for letter in folded):
            assert word_filter._FOLDED.search(character), hex(number)
        if "." in folded:
            assert word_filter._is_folded(character, 1), hex(number)
