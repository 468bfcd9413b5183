"""A preference stated in an OpenClaw workspace with a preferences.json goes there, and can be undone."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec import structs

import wisen
from tests.commands import run
from wisen.edits.preferences import insertion_keys
from wisen.model.context import Alias
from wisen.model.entry import Category
from wisen.testing.entries_contract import an_entry, an_occurrence

pytestmark = pytest.mark.requirement("S5")


@pytest.mark.parametrize(
    ("held", "keys"),
    [
        (b"[]", ("-",)),
        (b'["a"]', ("-",)),
        (b"{}", ("preferences", "-")),
        (b'{"language": "en", "preferences": ["a"]}', ("preferences", "-")),
        (b'{"preferences": {"tone": "short"}}', ("preferences", "R-1")),
        (b'[{"text": "a"}]', None),
        (b'{"preferences": {"tone": {"text": "short"}}}', None),
        (b'{"preferences": "none"}', None),
        (b"{ // mine", None),
        (b"7", None),
        (b"", None),
        (None, None),
    ],
)
def test_the_place_is_decided_by_what_the_file_contains(held: bytes | None, keys: tuple[str, ...] | None) -> None:
    assert insertion_keys(held, "R-1") == keys


def prefer(workspace: Path) -> None:
    """A preference that was stated in an OpenClaw session."""
    with wisen.open_learner() as learner:
        home = learner.home
        context = learner.projects.resolver.context(str(workspace), str(workspace))
        assert context is not None
        at = datetime(2026, 3, 1, tzinfo=UTC)
        home.ledger.contexts.add(
            context, Alias(context=context.key, machine=home.machine, path=str(workspace), since=at)
        )
        entry = an_entry(
            context=context.key,
            category=Category.PREFERENCE,
            about=None,
            summary="Answer in short sentences.",
            standing=True,
        )
        seen = structs.replace(an_occurrence("o1"), agent="openclaw", context=context.key)
        home.ledger.entries.record([entry, seen])


def test_it_is_set_through_the_editor_and_undoing_it_rejects_it(home: Path) -> None:
    workspace = home / ".openclaw" / "workspace"
    file = workspace / "memory" / "preferences.json"
    file.parent.mkdir(parents=True)
    before = '{\n  "language": "en",\n  "preferences": ["Use metric units."]\n}\n'
    file.write_text(before)
    prefer(workspace)
    run("learn", expect=3)
    (proposal,) = json.loads(run("proposals", "--json").stdout)["proposals"]
    assert proposal["path"] == str(file)
    assert "Answer in short sentences." in run("proposals", "approve", "1", "--dry-run").stdout
    assert file.read_text() == before
    run("proposals", "approve", "1")
    settings = json.loads(file.read_text())
    assert settings == {"language": "en", "preferences": ["Use metric units.", "Answer in short sentences."]}
    assert "Answer in short sentences." in run("rules", "--all").stdout
    run("undo", "--yes")
    assert file.read_text() == before
    assert "no rules" in run("rules", "--all").stdout
    run("learn", expect=3)
    (again,) = json.loads(run("proposals", "--json").stdout)["proposals"]
    assert again["text"] == "Answer in short sentences.", "to undo is not to refuse: it waits again"


def test_what_the_user_takes_out_himself_is_rejected(home: Path) -> None:
    workspace = home / ".openclaw" / "workspace"
    file = workspace / "memory" / "preferences.json"
    file.parent.mkdir(parents=True)
    file.write_text("[]\n")
    prefer(workspace)
    run("learn", expect=3)
    run("proposals", "approve", "1", "--text", "Be brief.")
    assert json.loads(file.read_text()) == ["Be brief."]
    file.write_text("[]\n")
    run("learn", expect=3)
    assert "no rules" in run("rules", "--all").stdout


def test_without_such_a_file_it_goes_to_the_users_own(home: Path) -> None:
    workspace = home / ".openclaw" / "workspace"
    (workspace / "memory").mkdir(parents=True)
    (workspace / "memory" / "preferences.json").write_text('[{"text": "Use metric units."}]')
    prefer(workspace)
    run("learn", expect=3)
    (proposal,) = json.loads(run("proposals", "--json").stdout)["proposals"]
    assert proposal["path"] == str(workspace / "USER.md")
