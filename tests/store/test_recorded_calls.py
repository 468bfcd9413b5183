"""Calls are found by the words in their arguments, however those are quoted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.sizes import size
from wisen.store.recorded_calls import CallWords
from wisen.testing.log_writer import Log

from .test_index import open_sound

if TYPE_CHECKING:
    from pathlib import Path

PIECES = st.sampled_from(("npm", "run", "n'p'm", "ru\\n", '"--force"', "--for$X", "{npm,run}", "%s", "`run`", "é", " "))
LINES = st.lists(PIECES, max_size=5).map(" ".join)
WORDS = st.builds(
    CallWords,
    st.lists(st.sampled_from(("npm", "run")), max_size=2).map(tuple),
    st.lists(st.sampled_from(("--force", "run-x")), max_size=2).map(tuple),
)


def contains(text: str, wanted: CallWords) -> bool:
    plain = text.translate(str.maketrans("", "", "'\"\\"))
    expands = any(mark in text[1:] for mark in "$`%{") or "\\\\" in text or "\\u" in text
    return all(word in plain for word in wanted.always) and (expands or all(word in plain for word in wanted.plainly))


@pytest.mark.sized
@settings(max_examples=size(60, 400), deadline=None)
@given(st.lists(LINES, max_size=6), st.lists(WORDS, max_size=14))
def test_every_call_that_contains_the_words_is_found(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], wanted: list[CallWords]
) -> None:
    index = open_sound(tmp_path_factory.mktemp("index") / "index.db")
    log = Log("/a.jsonl")
    for number, line in enumerate(lines):
        log.call(f"c{number}", number, arguments=json.dumps({"command": line}))
    index.events.store([log.batch()])
    found = [each.arguments for each in index.recorded_calls.find(wanted)]
    made = [each.arguments for each in index.recorded_calls.find([CallWords(())])]
    assert made == [json.dumps({"command": line}) for line in lines]
    assert [each for each in made if any(contains(each or "", one) for one in wanted)] == [
        each for each in found if any(contains(each or "", one) for one in wanted)
    ]
    index.close()


def test_few_calls_are_read_for_a_rare_word(tmp_path: Path) -> None:
    index = open_sound(tmp_path / "index.db")
    log = Log("/a.jsonl")
    for number in range(20):
        log.call(f"c{number}", number, arguments=json.dumps({"command": f"npm run {'rare' if number == 7 else 'x'}"}))
    log.call("c20", 20, arguments=None)
    index.events.store([log.batch()])
    (call,) = index.recorded_calls.find([CallWords(("npm", "rare"))])
    assert (call.tool, call.arguments) == ("Bash", '{"command": "npm run rare"}')
    assert list(index.recorded_calls.find([CallWords((), ("--rare",))])) == []
    assert list(index.recorded_calls.find([])) == []
    assert index.recorded_calls.sessions_of([("claude-code", "c7"), ("codex", "c7")]) == {call.session}
    assert index.recorded_calls.sessions_of([("claude-code", "c99")]) == frozenset()
    index.close()
