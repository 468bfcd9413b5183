"""Class names that are stored, sent or shown stay the same when classes are renamed."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import get_args

import msgspec
import pytest

from wisen.feedback.adjudication import Rulings
from wisen.feedback.language import Language, LessonWords, Negations, Opening
from wisen.feedback.phrase_naming import Labels, Names
from wisen.forgetting import row_texts
from wisen.language_models.answer_format import json_schema_of as answer_schema
from wisen.language_models.service import Pong
from wisen.model.change import Change, EditOperation, LineEdit, LineRemoval, PassageEdit, ValueEdit
from wisen.model.event import Event
from wisen.model.memory import MemoryKind
from wisen.model.snapshot import Snapshot
from wisen.store import ledger_removal
from wisen.store.index_numbers import EVENT_KINDS
from wisen.surfaces.mcp.tool_arguments import TOOLS, schema_of


@pytest.mark.parametrize(
    ("deed", "stored"),
    [
        (
            LineEdit(id="W-abcd", heading="Rules", text="x"),
            b'{"type":"line","id":"W-abcd","heading":"Rules","text":"x",',
        ),
        (ValueEdit(format="json", keys=("a",), new="1"), b'{"type":"value","format":"json","keys":["a"],"new":"1",'),
        (PassageEdit(new=b"x"), b'{"type":"passage","new":"eA==",'),
        (LineRemoval(lines=()), b'{"type":"removal","lines":[]'),
    ],
)
def test_edit_operations_are_distinguished_by_the_word_they_were_always_stored_with(
    deed: EditOperation, stored: bytes
) -> None:
    written = msgspec.json.encode(deed)
    assert written.startswith(stored)
    assert msgspec.json.decode(written, type=EditOperation) == deed


def test_changes_are_stored_with_these_field_names() -> None:
    change = Change(
        id="01",
        machine="desk",
        path="/a",
        at=datetime(2026, 1, 1, tzinfo=UTC),
        why="",
        before="",
        after="x",
        splices=(),
        operation=PassageEdit(new=b"x"),
        external_description="tidied",
    )
    written = msgspec.json.encode(change)
    assert b'"deed":{"type":"passage",' in written
    assert b'"told":"tidied"' in written
    assert msgspec.json.decode(written, type=Change) == change


def test_events_are_stored_by_these_kinds() -> None:
    assert set(EVENT_KINDS) == set(get_args(Event))
    assert sorted(EVENT_KINDS.values()) == sorted(
        ("message", "call", "outcome", "interrupt", "rejection", "concession", "citation")
    )


def test_every_row_that_can_be_removed_has_its_table() -> None:
    assert set(ledger_removal.TABLES) - {Snapshot} == set(row_texts.ROW_KINDS)
    assert " ".join(ledger_removal.TABLES.values()) == (
        "entries occurrences moves proposals guards changes looks runs exposures outcomes reinforcements ownership "
        "snapshots aliases contexts records phrase_proofs phrases phrase_searches"
    )


def test_rows_are_forgotten_by_these_words() -> None:
    assert " ".join(sorted(row_texts.ROW_KINDS.values())) == (
        "alias change context entry exposure guard look move occurrence outcome ownership ownphrase proof proposal "
        "record reinforcement run search"
    )


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
