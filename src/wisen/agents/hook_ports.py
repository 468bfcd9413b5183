"""The ports of hooks: how an agent is told to call us."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

    from wisen.model.hook import Caller, Hook, HookSettings, Vitals


class Hooks(Protocol):
    """The hooks of one kind of agent, as values: nothing is written here."""

    @property
    def name(self) -> str:
        """The agent's name, as users write it: `claude-code`."""
        ...

    def file(self, project: Path | None = None) -> Path:
        """The settings file for our hooks, there or not: the user's, or the one of a project.

        Raises: UsageError where the agent has no settings of a project.
        """
        ...

    def files(self, project: Path | None = None) -> tuple[Path, ...]:
        """Every settings file that may hold hooks, of the user and of a project; that of `file` among them."""
        ...

    def required_hooks(self, caller: Caller) -> tuple[Hook, ...]:
        """The hooks that are to stand in the settings, whatever was learnt: settings change when a person says so."""
        ...

    def rejection_reason(self, path: Path, content: bytes) -> str:
        """Why the agent would not follow a settings file that holds this, for a person; empty where it would."""
        ...

    def parse(self, settings: object) -> HookSettings:
        """What parsed settings say about hooks, whatever they hold."""
        ...

    @property
    def trust_instructions(self) -> str:
        """How the user has the agent trust our hooks, which nobody does for him; empty where it asks for no trust."""
        ...

    def untrusted_events(self, path: Path, settings: object) -> tuple[str, ...]:
        """The events whose hooks of ours, in a file with these settings, wait for trust, as far as can be told."""
        ...

    def newest_session(self, settings: Path) -> datetime | None:
        """When the newest session began for which a settings file holds, whose hooks it was to call; None for none."""
        ...


@runtime_checkable
class HasCompanionFiles(Protocol):
    """Hooks that need whole files of ours beside the settings in which they stand."""

    def companion_files(self, settings: Path) -> Mapping[Path, bytes]:
        """What each of these files holds, by its path; none for settings of another kind."""
        ...


@runtime_checkable
class HasPermissionNotice(Protocol):
    """Hooks that let us see or do more than the events tell, of which the user is told when they are installed."""

    @property
    def permission_notice(self) -> str:
        """What that is, why, and what happens without it."""
        ...


@runtime_checkable
class HasShippedFiles(Protocol):
    """Hooks of an agent that loads files of ours, which stand below our home and nowhere else."""

    def shipped_files(self, caller: Caller) -> Mapping[Path, bytes]:
        """Those files, as they have to be before the settings name them."""
        ...


class HookHealthCheck(Protocol):
    """What tells whether hooks work."""

    def read_health(self) -> Vitals:
        """What the files of the home tell. It never fails: what cannot be read is told."""
        ...

    def find_fault(self, caller: Caller) -> str:
        """Why an agent cannot run this, for a person; empty where it can."""
        ...
