"""The stores and files that may contain what is to be forgotten."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from wisen.forgetting.found_matches import FoundMatches
from wisen.forgetting.ledger_rows import LedgerRows

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
    """The stores, the user's files, the hooks' snapshots and spool, and wisen's own setup, which is not memory."""

    home: Home
    projects: Projects
    edit_ports: EditPorts
    """What file edits need."""
    rule_files: RuleFiles
    snapshot_store: SnapshotStore
    hooks: Sequence[Hooks]
    """The agents that can have hooks."""
    languages_folder: Path
    """The folder of languages that the user added."""

    @cached_property
    def ledger_rows(self) -> LedgerRows:
        """The rows of the ledger: a plan and what carries it out need them several times."""
        return LedgerRows(self.home.ledger)

    @cached_property
    def found_matches(self) -> FoundMatches:
        """What was found in the stores: what is planned first is then erased."""
        return FoundMatches(self.home)
