"""The languages a user writes in are detected over all their messages, with no false positives."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from tests.feedback.typed_languages import SHIPPED, USERS
from wisen.feedback.language import shipped_languages
from wisen.feedback.language_detection import SCRIPTS, LanguageCounter, WrittenLanguage, is_in_script, language_profiles

pytestmark = pytest.mark.requirement("C2")


def written(texts: Iterable[str]) -> tuple[WrittenLanguage, ...]:
    """In which languages texts of one user are, as far as it is sure, the most written first."""
    counted = LanguageCounter()
    for text in texts:
        counted.add(text)
    return counted.languages()


@pytest.mark.parametrize("code", USERS)
def test_the_language_of_a_user_is_found(code: str) -> None:
    found = written(USERS[code])
    assert [each.code for each in found] == [code]
    assert 3 <= found[0].turns <= len(USERS[code])
    assert found[0].words


@pytest.mark.parametrize("code", USERS)
def test_it_is_found_among_much_english(code: str) -> None:
    assert {each.code for each in written([*SHIPPED["en"] * 40, *USERS[code]])} == {"en", code}


@pytest.mark.parametrize("code", USERS)
def test_one_turn_or_the_same_words_again_tell_nothing(code: str) -> None:
    assert written(USERS[code][:1]) == ()
    assert written(USERS[code][:2]) == ()


@pytest.mark.parametrize("code", SHIPPED)
def test_a_language_that_is_shipped_is_taken_for_no_other(code: str) -> None:
    assert {each.code for each in written(SHIPPED[code] * 20)} <= {code}


def test_all_shipped_ones_together_are_taken_for_no_other() -> None:
    every = [text for texts in SHIPPED.values() for text in texts]
    assert {each.code for each in written(every * 3)} <= SHIPPED.keys()


def test_what_is_quoted_or_code_does_not_count() -> None:
    assert written([f"translate `{text}` to English please" for text in USERS["nl"]]) == ()


def test_a_hundred_or_so_words_tell_each_language_and_at_least_forty_more_are_known() -> None:
    more = language_profiles().keys() - {each.code for each in shipped_languages()}
    assert len(more) >= 55
    for code, tongue in language_profiles().items():
        words = tongue.words.split()
        assert 12 <= len(words) <= 75, code
        assert all(is_in_script(tongue.script, word) for word in words), code
        assert tongue.script in SCRIPTS


def test_a_script_is_recognized_by_letters() -> None:
    assert is_in_script("Greek", "το parser")
    assert not is_in_script("Greek", "parser")
    assert not is_in_script("Greek", "το это")
