"""Directives are detected by their form alone; lookalikes are not taken as lasting."""

from __future__ import annotations

import pytest

from tests.text.test_directives import of_kind
from wisen.text.directives import directives_in


@pytest.mark.requirement("N4")
@pytest.mark.parametrize("sentence", of_kind("by_form"))
def test_a_form_that_tells_how_to_work_is_detected(sentence: str) -> None:
    assert directives_in(sentence)


@pytest.mark.requirement("N4")
@pytest.mark.parametrize("sentence", of_kind("not_lasting"))
def test_what_only_looks_like_such_a_form_is_none(sentence: str) -> None:
    assert not directives_in(sentence)
