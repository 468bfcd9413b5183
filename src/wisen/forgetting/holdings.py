"""Everything that may hold what is to be forgotten."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from wisen.agents.hook_ports import Hooks
    from wisen.delivery.snapshot_store import SnapshotStore
    from wisen.edits.edit_history import EditPorts
    from wisen.edits.rule_files import RuleFiles
    from wisen.logs.projects import Projects
    from wisen.store.home import Home


@dataclass(frozen=True, kw_only=True)
class Holdings:
    """The stores, the user's files, what hooks read and leave, and how wisen is set up, which is no memory."""

    home: Home
    projects: Projects
    edit_ports: EditPorts
    """What files are edited with."""
    rule_files: RuleFiles
    shelf: SnapshotStore
    hooks: Sequence[Hooks]
    """The agents that can be told to call us."""
    languages_folder: Path
    """Where the languages lie that the user added."""
