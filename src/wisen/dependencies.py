"""What `app.py` opens for a Learner, which makes its services of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from wisen.agents.hook_ports import HookHealthCheck, Hooks
    from wisen.blame.instruction_files import Instructions
    from wisen.decisions.service import Decisions
    from wisen.delivery.launcher import Launcher
    from wisen.delivery.shelf import Shelf
    from wisen.edits.past import Desk
    from wisen.edits.rule_files import RuleFiles
    from wisen.logs.executors import ExecutorFactory
    from wisen.logs.projects import Projects
    from wisen.logs.settings import EventFilterPolicy
    from wisen.memory.notebook_files import Notebooks
    from wisen.model.hook import Caller
    from wisen.models.model_ports import Model
    from wisen.settings import Settings
    from wisen.store.home import Home


@dataclass(frozen=True, kw_only=True)
class Dependencies:
    """Stores, files, agents and settings, each by its name."""

    home: Home
    projects: Projects
    desk: Desk
    """What files are edited with."""
    decisions: Decisions
    rule_files: RuleFiles
    settings: Settings
    door: EventFilterPolicy
    """What of logs may be kept, with the key of our own marks."""
    workers: ExecutorFactory
    """Who helps with the reading."""
    instructions: Instructions
    notebooks: Notebooks
    shelf: Shelf
    hooks: Sequence[Hooks]
    """The agents that can be told to call us."""
    gauge: HookHealthCheck
    caller: Caller
    """What agents run when they call us."""
    launcher: Launcher
    """What writes that."""
    model: Callable[[], Model]
    """The language models, as far as the user has any: nothing is loaded before they are asked."""
    model_named: Callable[[str], Model]
    """The program of an agent as a model, by its name, within the limits that the settings set."""
    languages_folder: Path
    """Where the languages lie that the user added; a home that stands in for another has those of that one."""
    viewer: str = ""
    """By what the terminal is known that lists are shown in: a number means the list that was shown there."""
    ledger_name: str
    """Where the ledger is, in words for a person."""
    warnings: tuple[str, ...] = ()
