"""Entries are written into `.learnings` although other processes write there at the same moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import wisen
from wisen.rules.learnings_folder import write_learnings
from wisen.store.known_entries import entry_states

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from wisen.learner import Learner
    from wisen.model.entry import Occurrence
    from wisen.model.entry_state import EntryState

pytestmark = pytest.mark.requirement("S3")


@pytest.fixture
def learner(home: Path) -> Learner:
    (home / "shop").mkdir()
    learner = wisen.open_learner()
    for text in ("always rinse plums before use", "never peel the apples by hand", "sort pears by weight"):
        learner.rules.add(text)
    return learner


def test_an_entry_that_another_process_writes_meanwhile_is_there_once(learner: Learner, home: Path) -> None:
    states = entry_states(learner.home.ledger)
    ports = learner.changes._edit_ports
    meanwhile: list[str] = []

    def seen(entry: str) -> Sequence[Occurrence]:
        if entry == states[1].entry.id and not meanwhile:
            meanwhile.append(entry)
            write_learnings(ports, home / "shop", states, lambda _: (), dry_run=False)
        return ()

    with learner:
        write_learnings(ports, home / "shop", states, seen, dry_run=False)
    written = (home / "shop" / ".learnings" / "LEARNINGS.md").read_text()
    assert [written.count(_heading(each)) for each in states] == [1, 1, 1]


def _heading(state: EntryState) -> str:
    return f"[{state.entry.name}]"
