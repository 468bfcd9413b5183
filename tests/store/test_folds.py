"""Totals over sessions: stored with the revision up to which they count, and what changed since then."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from wisen.mining.session_mining import mine_session
from wisen.store.folds import Fold
from wisen.testing.fake_index import MemoryIndex
from wisen.testing.log_writer import Log

from .test_index import open_sound

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from wisen.store.index import Index


@pytest.fixture(params=["file", "memory"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Index]:
    opened: Index = open_sound(tmp_path / "index.db") if request.param == "file" else MemoryIndex()
    yield opened
    opened.close()


def learn(index: Index, native: str, message: str = "m1") -> int:
    log = Log(f"/{native}.jsonl", native)
    log.typed(f"{native} {message}")
    index.events.store([log.batch()])
    (history,) = index.findings.take_unmined(1)
    index.findings.store_findings([mine_session(history)], 1)
    return history.session


def test_only_what_changed_after_a_revision_is_named(index: Index) -> None:
    assert index.folds.revision() == 0
    one = learn(index, "one")
    first = index.folds.revision()
    two = learn(index, "two")
    assert index.folds.changed_sessions(0) == {one, two}
    assert index.folds.changed_sessions(first) == {two}
    assert learn(index, "one", "m2") == one
    assert index.folds.changed_sessions(first) == {one, two}
    assert index.folds.changed_sessions(index.folds.revision()) == frozenset()


def test_a_session_that_is_deleted_has_changed(index: Index) -> None:
    one = learn(index, "one")
    learn(index, "two")
    before = index.folds.revision()
    index.removal.remove_sessions({("claude-code", "one", 0)})
    assert index.folds.changed_sessions(before) == {one}


def test_a_session_that_waits_to_be_mined_again_has_not_changed_yet(index: Index) -> None:
    one = learn(index, "one")
    before = index.folds.revision()
    index.findings.mine_again([one])
    assert index.folds.changed_sessions(before) == frozenset()
    (history,) = index.findings.take_unmined(1)
    index.findings.store_findings([mine_session(history)], 1)
    assert index.folds.changed_sessions(before) == {one}


def test_a_fold_is_only_for_its_own_version(index: Index) -> None:
    index.folds.save("themes", "1", Fold(3, "three \udcff"))
    assert index.folds.load("themes", "1") == Fold(3, "three \udcff")
    assert index.folds.load("themes", "2") is None
    assert index.folds.load("others", "1") is None
    index.folds.save("themes", "2", Fold(4, "four"))
    assert index.folds.load("themes", "1") is None
    assert index.folds.load("themes", "2") == Fold(4, "four")


def test_folds_that_quote_somebody_can_be_cleared_alone(index: Index) -> None:
    index.folds.save("quotes", "1", Fold(1, "always use tabs"), holds_text=True)
    index.folds.save("numbers", "1", Fold(1, "17"))
    index.folds.clear(only_with_text=True)
    assert index.folds.load("quotes", "1") is None
    assert index.folds.load("numbers", "1") == Fold(1, "17")
    index.folds.clear()
    assert index.folds.load("numbers", "1") is None
