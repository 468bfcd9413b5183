"""The dependencies of a Learner: what `app.py` opens and the services are built from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from wisen.agents.agent_ports import Agent
    from wisen.agents.hook_ports import HookHealthCheck, Hooks
    from wisen.blame.instruction_files import Instructions
    from wisen.decisions.service import Decisions
    from wisen.delivery.launcher import Launcher
    from wisen.delivery.snapshot_store import SnapshotStore
    from wisen.edits.edit_history import EditPorts
    from wisen.edits.rule_files import RuleFiles
    from wisen.language_models.model_ports import Model
    from wisen.logs.executors import SharedWorkers
    from wisen.logs.projects import Projects
    from wisen.logs.settings import EventFilterPolicy
    from wisen.memory.notebook_files import Notebooks
    from wisen.model.hook import Caller
    from wisen.settings import Settings
    from wisen.store.home import Home


class Dependencies(Struct, frozen=True, kw_only=True):
    """Stores, files, agents and settings."""

    home: Home
    projects: Projects
    edit_ports: EditPorts
    """Edits the user's files."""
    decisions: Decisions
    rule_files: RuleFiles
    settings: Settings
    door: EventFilterPolicy
    """The event filter: which log events may be kept, with the key that recognizes our own marks."""
    workers: SharedWorkers
    """Reads logs and analyzes sessions in parallel."""
    instructions: Instructions
    notebooks: Notebooks
    snapshots: SnapshotStore
    hooks: Sequence[Hooks]
    """The agents whose hooks can be installed."""
    skill_agents: Callable[[], Sequence[Agent]]
    """The enabled agents, some of which load skills: opened only when skills are looked for."""
    hook_health_check: HookHealthCheck
    caller: Caller
    """The command that agents run as their hook."""
    launcher: Launcher
    """Writes that command."""
    model: Callable[[], Model]
    """The configured language models; nothing is loaded before one is asked."""
    model_named: Callable[[str], Model]
    """An agent's program used as a model, by name, within the limits of the settings."""
    languages_folder: Path
    """Where the user's own languages are stored; a temporary home uses the folder of the real one."""
    viewer: str = ""
    """Identifies the terminal in which lists are shown: a number refers to the list that was shown there."""
    ledger_name: str
    """Where the ledger is, for display."""
    warnings: tuple[str, ...] = ()
