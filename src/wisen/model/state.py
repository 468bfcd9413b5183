"""The state of one installation, as `status` and `doctor` show it."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from datetime import datetime

    from wisen.model.archive import ArchiveUsage
    from wisen.model.hook import HookStatus
    from wisen.model.model_use import ModelsState
    from wisen.model.report import Counts, OpenDecision
    from wisen.model.run import Run
    from wisen.model.source import ReadProblemCount


class InstallationState(Struct, frozen=True, kw_only=True):
    """Everything that `status` shows."""

    version: str
    home: str
    ledger: str
    """The location of the ledger, without a password."""
    contexts: int
    counts: Counts
    runs: tuple[Run, ...]
    """The newest runs, newest first."""
    warnings: tuple[str, ...] = ()
    waiting: tuple[str, ...] = ()
    """Ownership questions that wait for the user."""
    alarms: tuple[HealthFinding, ...] = ()
    """Problems with hooks and deliveries."""
    archive: ArchiveUsage | None = None
    off: str = ""
    """What disables wisen in the current project: a marker, or a directory in the settings."""
    models: ModelsState | None = None
    """Language models; None if none is configured."""
    findings: tuple[OpenDecision, ...] = ()
    """Lines of instruction files that failures began with, and that are undecided."""
    pointing: bool = False
    """Whether the user's agent may help to classify what they said."""
    private: int = 0
    """How many entries are kept from hosted agents because the user typed them to local models only."""
    requests: int = 0
    """How many decisions wait that a program requested, or that were found in edited files."""
    lessons: int = 0
    """How many lessons there are, except those that are closed."""
    rules: int = 0
    """How many lessons are in force as rules."""
    proposals: int = 0
    """How many proposals wait for the user's answer, requests of programs included."""
    hooks: tuple[str, ...] = ()
    """The agents that our hooks are installed in, working or not."""


class AgentState(Struct, frozen=True, kw_only=True):
    """What is known about one agent."""

    name: str
    roots: tuple[str, ...]
    """Where its sessions are searched for; empty for formats that are only read from given paths."""
    version: str | None
    """The version that wrote the newest source, if known."""
    sources: int
    size: int
    newest: datetime | None
    """When a source was last written."""
    counts: Counts
    """Counts of what was read so far."""
    troubles: tuple[ReadProblemCount, ...]
    hooks: HookStatus | None
    """Its hook status; None for an agent without hooks."""


class Health(StrEnum):
    """The health of one checked thing."""

    GOOD = "good"
    NOTICE = "notice"
    """Worth knowing; nothing is lost and nothing has stopped."""
    BAD = "bad"
    """Learning has stopped or something may be lost."""


class HealthFinding(Struct, frozen=True, kw_only=True):
    """The result of one health check."""

    about: str
    health: Health
    says: str
    next_step: str = ""
