"""Words that are stored, sent or shown and that classes have lent their names to: they stay when those are renamed."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from wisen.feedback.adjudication import Rulings
from wisen.feedback.language import Language, LessonWords, Negations, Opening
from wisen.feedback.phrase_naming import Labels, Names
from wisen.forgetting import find
from wisen.model.change import Deed, Line, Passage, Removal, Value
from wisen.model.event import Event
from wisen.model.memory import MemoryKind
from wisen.models.answer_format import schema_of as answer_schema
from wisen.models.service import Pong
from wisen.surfaces.mcp.tool_arguments import TOOLS, schema_of


@pytest.mark.parametrize(
    ("deed", "stored"),
    [
        (Line(id="W-abcd", heading="Rules", text="x"), b'{"type":"line","id":"W-abcd","heading":"Rules","text":"x",'),
        (Value(format="json", keys=("a",), new="1"), b'{"type":"value","format":"json","keys":["a"],"new":"1",'),
        (Passage(new=b"x"), b'{"type":"passage","new":"eA==",'),
        (Removal(lines=()), b'{"type":"removal","lines":[]'),
    ],
)
def test_deeds_are_told_apart_by_the_word_they_were_always_stored_with(deed: Deed, stored: bytes) -> None:
    written = msgspec.json.encode(deed)
    assert written.startswith(stored)
    assert msgspec.json.decode(written, type=Deed) == deed


def test_events_are_stored_by_these_kinds() -> None:
    kinds = {kind.__name__.lower() for kind in get_args(Event)}
    assert kinds == {"message", "call", "outcome", "interrupt", "rejection", "concession", "citation"}


def test_rows_are_forgotten_by_these_words() -> None:
    assert " ".join(sorted(find._KINDS.values())) == (
        "alias change context entry exposure guard look move occurrence outcome ownership ownphrase proof proposal "
        "record reinforcement run search"
    )
    assert {kind.__name__.lower() for kind in find._KINDS} - {"trialoutcome"} < set(find._KINDS.values())


def test_agents_and_models_are_asked_by_these_names() -> None:
    defined = {name: sorted(schema_of(call).get("$defs", {})) for name, call in TOOLS.items()}
    assert {name: found for name, found in defined.items() if found} == {}
    assert [answer_schema(each)["title"] for each in (Rulings, Labels, Names, Pong)] == [
        "Rulings",
        "Labels",
        "Names",
        "Pong",
    ]
    assert [*answer_schema(Rulings)["$defs"], *answer_schema(Labels)["$defs"]] == ["Ruling", "Label"]


def test_digests_are_made_of_these_names() -> None:
    """`feedback/added_languages.py` and `store/memories.py` digest how values are written out."""
    assert [each.__name__ for each in (Language, Negations, Opening, LessonWords)] == [
        "Language",
        "Negations",
        "Opening",
        "LessonWords",
    ]
    assert repr(MemoryKind.RULE).startswith("<MemoryKind.RULE: ")
