"""The file of feedback phrases: parsed strictly, and written back with everything that was in it."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wisen.errors import UsageError
from wisen.feedback.phrase_file import FeedbackPhrases, changed_fields, read_phrases
from wisen.model.signal import SignalKind

pytestmark = pytest.mark.requirement("C4")

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
WORDS = st.text("abcdef", min_size=1, max_size=4)


def test_a_file_is_read() -> None:
    held = read_phrases(
        '{"reinforcement": ["boom"], "correction": ["tss"], "updatedAt": "2026-03-02T12:00:00Z", '
        '"initialRunDone": true, "more": []}'
    )
    assert held == FeedbackPhrases(reinforcement=("boom",), correction=("tss",), updated=NOON, done=True)
    assert held.phrases == (("boom", SignalKind.PRAISE), ("tss", SignalKind.CORRECTION))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "not valid JSON"),
        ("[1]", r"it contains \[1\]"),
        ("{}", "neither reinforcement nor correction, only nothing"),
        ('{"x": 1}', "only x"),
        ('{"correction": "tss"}', 'correction is "tss"'),
        ('{"correction": ["a", 7]}', "correction number 2 is 7"),
        ('{"reinforcement": [" "]}', 'reinforcement number 1 is " "'),
        ('{"correction": ["%s"]}' % ("x" * 200), "has 200 characters"),
        ('{"correction": ["a"], "reinforcement": ["a"]}', '"a" is in both reinforcement and correction'),
        ('{"correction": [], "initialRunDone": 1}', "initialRunDone is 1"),
        ('{"correction": [], "updatedAt": "soon"}', 'updatedAt is "soon"'),
        ('{"correction": [], "updatedAt": 7}', "updatedAt is 7"),
    ],
)
def test_what_is_wrong_is_named_with_its_value(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        read_phrases(text)


@given(
    st.lists(WORDS, unique=True), st.dictionaries(WORDS, st.sampled_from([SignalKind.CORRECTION, SignalKind.PRAISE]))
)
def test_what_is_set_holds_all_of_both_and_setting_it_again_changes_nothing(
    there: list[str], own: dict[str, SignalKind]
) -> None:
    held = FeedbackPhrases(correction=tuple(there))
    data = {"correction": there, "reinforcement": [], **changed_fields(held, own.items(), NOON)}
    again = read_phrases(json.dumps(data))
    assert again.correction[: len(there)] == tuple(there)
    assert {text for text, _ in again.phrases} == {*there, *own}
    assert changed_fields(again, own.items(), NOON) == {}
