"""What is read instead of the shipped TOML files has their content."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec
import pytest
from benchmarks.stored_tables import SOURCES, build_file, stored_file

from wisen.feedback.language import english_languages, shipped_languages
from wisen.text.directive_words import SHIPPED, DirectiveWords, shipped_words


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: f"{source.parent.name}/{source.stem}")
def test_a_stored_table_is_that_of_its_file(source: Path) -> None:
    stored = stored_file(source).read_text(encoding="utf-8")
    assert stored == build_file(source), "run: python -m benchmarks.stored_tables"
    assert msgspec.json.decode(stored) == tomllib.loads(source.read_text(encoding="utf-8"))


@pytest.mark.parametrize("code", SHIPPED)
def test_the_words_of_a_language_are_those_of_its_file(code: str) -> None:
    (file,) = (each for each in SOURCES if each.parts[-3:] == ("text", "languages", f"{code}.toml"))
    assert shipped_words(code) == msgspec.convert(tomllib.loads(file.read_text(encoding="utf-8")), DirectiveWords)


def test_the_phrases_for_english_texts_are_those_of_the_checked_files() -> None:
    checked = {language.code: language for language in shipped_languages()}
    assert [checked[language.code] for language in english_languages()] == [*english_languages()]
