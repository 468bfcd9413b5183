"""Listing what a pattern matches gives the same matches as compiling it."""

from __future__ import annotations

import re

import msgspec
import pytest
from benchmarks.pattern_heads import FILE, build_file
from hypothesis import given
from hypothesis import strategies as st

from wisen.text.directive_grammar import DirectiveGrammar
from wisen.text.directive_words import SHIPPED, shipped_words
from wisen.text.pattern_spellings import spellings_of

_PARTS = st.sampled_from(["a", "b", " ", "(?:a|b c)", "(a|b)?", "[ab]", "a?", "a+", "\\w", "(?!a)", "c|a", "~", "'"])


@pytest.mark.parametrize("code", SHIPPED)
def test_every_shipped_pattern_matches_the_same_words_with_and_without_compiling(code: str) -> None:
    grammar = DirectiveGrammar(code, shipped_words(code))
    kinds = {name: words for name, words in msgspec.structs.asdict(grammar.words).items() if isinstance(words, tuple)}
    entries = [grammar.entry(name, entry) for name, words in kinds.items() for entry in words]
    texts = [
        beginning + end
        for entry in entries[::3]
        for beginning in spellings_of(entry.words).beginnings[:2]
        for end in ("", "s", " it again")
    ]
    for entry in [] if grammar.words.glued or grammar.words.prefix else entries:
        for text in texts[:: max(1, len(texts) // 150)]:
            match = entry.pattern.match(text)
            assert entry.match_word(text, 0) == (None if match is None else match.span()), (entry.words, text)


@given(st.lists(_PARTS, min_size=1, max_size=5).map("".join), st.text("abc ' ", max_size=8))
def test_a_match_begins_with_a_listed_spelling(pattern: str, text: str) -> None:
    listed = spellings_of(pattern)
    compiled = pattern.replace("~", r"(?:\S+ ){0,4}?").replace("'", "'?")
    match = re.match(compiled, text)
    if match is not None:
        assert text.startswith(listed.beginnings)
    if listed.is_complete:
        first = next((each for each in listed.beginnings if text.startswith(each)), None)
        assert first == (None if match is None else match[0])


def test_the_stored_heads_are_those_of_the_shipped_patterns() -> None:
    assert FILE.read_text(encoding="utf-8") == build_file(), "run: python -m benchmarks.pattern_heads"
