"""Looking for letters of other scripts finds what a compiled pattern finds, whatever was looked through before."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.text.letter_ranges import letter_ranges

RANGES = ("\u3040-\u30ff\u3400-\u9fff", "\u0400-\u04ff", "é\uac00-\ud7af")
TEXTS = st.lists(st.text(st.sampled_from("aé’…яあ漢한😀 ") | st.characters(), max_size=6), min_size=1, max_size=4)


@pytest.mark.parametrize("ranges", RANGES)
@given(texts=TEXTS)
def test_it_finds_what_a_pattern_finds(ranges: str, texts: list[str]) -> None:
    letters, pattern = letter_ranges(ranges), re.compile(f"[{ranges}]")
    for text in texts:
        for mine, real in ((letters.search(text), pattern.search(text)), (letters.match(text), pattern.match(text))):
            assert (None if mine is None else mine.span()) == (None if real is None else real.span())
        assert letters.findall(text) == pattern.findall(text)
