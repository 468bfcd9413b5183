"""Only entries and days that changed are indexed again, and the index is as if all of them were."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import wisen
from wisen.model.entry import EntryStatus, MoveKind
from wisen.store.folds import Fold
from wisen.store.known_entries import KnownEntries
from wisen.testing.transcripts import ClaudeTranscript

if TYPE_CHECKING:
    from pathlib import Path

    from wisen.learner import Learner

pytestmark = pytest.mark.requirement("X1")
SAID = ("always use pnpm, never npm", "from now on run the tests with bun test", "no, never push to main \U0001f332")


def write_log(home: Path, number: int) -> None:
    session = ClaudeTranscript(number, cwd=str(home / "shop"))
    for said in (*SAID, f"always name test {number} after what it proves"):
        session.prompt(said)
        session.bash("bun test", "5 pass")
    session.write(home / ".claude" / "projects" / "shop")


def open_learner(home: Path) -> Learner:
    return wisen.open_learner(home / "wisen", environment={"HOME": str(home), "PATH": os.environ["PATH"]})


def indexed(learner: Learner) -> list[str]:
    return sorted(map(repr, learner.home.index.memories.every()))


def indexed_from_scratch(learner: Learner) -> list[str]:
    learner.home.index.folds.clear()
    learner.home.index.memories.replace(
        {name: [] for prefix in ("entry:", "day:", "notebook:") for name in learner.home.index.memories.origins(prefix)}
    )
    refresh(learner)
    return indexed(learner)


def refresh(learner: Learner) -> None:
    learner.memory.refresh(KnownEntries(learner.home.ledger).states)


def change(learner: Learner, home: Path, kind: str, number: int) -> None:
    states = KnownEntries(learner.home.ledger).states
    state = states[number % len(states)]
    move = learner.home.row_factory.build_move
    moves = {
        "close": (MoveKind.STATUS, EntryStatus.WONT_FIX),
        "open": (MoveKind.STATUS, EntryStatus.PENDING),
        "confirm": (MoveKind.CONFIRM, ""),
        "reword": (MoveKind.TEXT, f"use tool{number} and \udcff"),
    }
    day = home / "wisen" / "contexts"
    if kind in moves:
        learner.home.ledger.entries.record([move(state.entry.id, *moves[kind])])
    elif kind == "session":
        write_log(home, 10 + number)
        learner.learn()
    elif kind == "note":
        learner.memory.add_note(f"note {number}", home / "shop")
    elif kind == "edit":
        for file in sorted(day.rglob("2*.md"))[:1]:
            file.write_text(file.read_text().replace("note", f"edited {number}"))
    elif kind == "delete":
        for file in sorted(day.rglob("2*.md"))[:1]:
            file.unlink()
    else:
        learner.home.index.memories.replace({f"entry:{state.entry.id}": []})  # as if it had been lost


KINDS = st.sampled_from(["close", "open", "confirm", "reword", "session", "note", "edit", "delete", "lose"])


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(changes=st.lists(st.tuples(KINDS, st.integers(0, 9)), max_size=6))
def test_indexing_what_changed_is_indexing_everything(
    changes: list[tuple[Any, ...]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = tmp_path_factory.mktemp("user")
    (home / "shop").mkdir()
    for number in (1, 2):
        write_log(home, number)
    with open_learner(home) as learner:
        learner.learn()
        for kind, number in changes:
            change(learner, home, kind, number)
            refresh(learner)
            learner.memory.refresh_notes()
        found = indexed(learner)
        assert found == indexed_from_scratch(learner)
        assert any("pnpm" in str(each) for each in found)


def test_what_was_forgotten_is_left_out_of_days_that_did_not_change(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    with open_learner(tmp_path) as learner:
        learner.memory.add_note("the apples are sour", tmp_path / "shop")
        refresh(learner)
        refresh(learner)
        assert any("apples" in str(each) for each in indexed(learner))
        learner.forgetting.forget("apples", scope="*")
        refresh(learner)
        assert not any("apples" in str(each) for each in indexed(learner))


@pytest.mark.parametrize("value", ["", "[]", '{"entry:1": 2}', "{"])
def test_marks_that_are_damaged_are_made_again(tmp_path: Path, value: str) -> None:
    (tmp_path / "shop").mkdir()
    write_log(tmp_path, 1)
    with open_learner(tmp_path) as learner:
        learner.learn()
        before = indexed(learner)
        for name in ("entry memories", "day memories"):
            learner.home.index.folds.save(name, f"1 {learner.home.version}", Fold(0, value))
        refresh(learner)
        assert indexed(learner) == before
