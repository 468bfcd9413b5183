"""The state of one installation: what `status` and `doctor` tell."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from wisen.model.archive import ArchiveUsage
    from wisen.model.hook import HookStatus
    from wisen.model.model_use import ModelsState
    from wisen.model.report import Counts, OpenDecision
    from wisen.model.run import Run
    from wisen.model.source import ReadProblemCount


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallationState:
    """Everything on one screen."""

    version: str
    home: str
    ledger: str
    """Where the ledger is, without a password."""
    contexts: int
    counts: Counts
    runs: tuple[Run, ...]
    """The newest runs, newest first."""
    warnings: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    """What waits for the user's word about whose it is."""
    alarms: tuple[HealthFinding, ...] = ()
    """What is wrong with hooks and what they deliver."""
    archive: ArchiveUsage | None = None
    off: str = ""
    """What switches wisen off in the present project: a marker, or a directory of the settings."""
    models: ModelsState | None = None
    """Language models; None where none is configured."""
    findings: tuple[OpenDecision, ...] = ()
    """Lines of instruction files that failures began with, and that nobody has decided about."""
    pointing: bool = False
    """Whether the user's agent may help to sort what they said."""
    private: int = 0
    """How many entries agents are not told, because the user typed them to local models only."""
    requests: int = 0
    """How many decisions wait that a program asked for, or that were found in edited files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentState:
    """What was found of one agent."""

    name: str
    roots: tuple[str, ...]
    """Where its sessions are looked for; empty for formats that are read only where the user points."""
    version: str | None
    """The version that wrote the newest source, where it tells."""
    sources: int
    size: int
    newest: datetime | None
    """When a source was last written."""
    counts: Counts
    """What was read of them so far."""
    troubles: tuple[ReadProblemCount, ...]
    hooks: HookStatus | None
    """Its hook status; None for an agent that cannot be installed into."""


class Health(StrEnum):
    """How one thing is."""

    GOOD = "good"
    NOTICE = "notice"
    """Worth knowing; nothing is lost and nothing has stopped."""
    BAD = "bad"
    """Learning has stopped or something may be lost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthFinding:
    """One thing that was looked at."""

    about: str
    health: Health
    says: str
    next_step: str = ""
