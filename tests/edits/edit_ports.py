"""Shared helpers for tests of edits: edit ports on the real disk with everything else in memory, and plans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.edits.fake_checkouts import MemoryCheckouts
from wisen.edits.edit_history import EditPorts
from wisen.edits.editor import LinePlan
from wisen.edits.user_files import UserFiles
from wisen.model.change import content_digest
from wisen.testing.fake_ledger import MemoryLedger
from wisen.testing.fakes import CountingIds, FixedClock
from wisen.testing.log_writer import NOON

if TYPE_CHECKING:
    from pathlib import Path


def make_edit_ports(ledger: MemoryLedger | None = None, checkouts: MemoryCheckouts | None = None) -> EditPorts:
    return EditPorts(
        UserFiles(), checkouts or MemoryCheckouts(), ledger or MemoryLedger(), FixedClock(NOON), CountingIds(), "desk"
    )


def plan(path: Path, number: int = 0, text: str = "Use pnpm, not npm.", heading: str = "Rules") -> LinePlan:
    saw = content_digest(path.read_bytes()) if path.exists() else ""
    return LinePlan(
        path=str(path), heading=heading, text=text, id=f"R-{number:04x}", reason="you said so", seen_digest=saw
    )
