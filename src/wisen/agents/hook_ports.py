"""Protocols for the hooks that make an agent call wisen, and for checking that they work."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from pathlib import Path

    from wisen.model.hook import Caller, Hook, HookHealth, HookSettings


class Hooks(Protocol):
    """The hooks of one agent, described as values: implementations write no files."""

    @property
    def name(self) -> str:
        """The agent's name as users write it, such as `claude-code`."""
        ...

    def file(self, project: Path | None = None) -> Path:
        """Return the settings file for our hooks, whether or not it exists: the user's or that of a project.

        Raises: UsageError if the agent has no project settings.
        """
        ...

    def files(self, project: Path | None = None) -> tuple[Path, ...]:
        """Return every user and project settings file that may contain hooks, including that of `file`."""
        ...

    def required_hooks(self, caller: Caller) -> tuple[Hook, ...]:
        """Return the hooks to install, independent of what was learned: settings change only at a person's request."""
        ...

    def rejection_reason(self, path: Path, content: bytes) -> str:
        """Explain to the user why the agent would not accept a settings file with this content; empty if it would."""
        ...

    def parse(self, settings: object) -> HookSettings:
        """Return the hooks in decoded settings, which may have any shape."""
        ...

    @property
    def trust_instructions(self) -> str:
        """How users make the agent trust our hooks, which only they can do; empty if the agent requires no trust."""
        ...

    def untrusted_events(self, path: Path, settings: object) -> tuple[str, ...]:
        """Return the events whose hooks of ours, in a file with these settings, are not trusted yet, if known."""
        ...

    def newest_session(self, settings: Path) -> datetime | None:
        """Return when the newest session began that should have called the hooks of a settings file, if any."""
        ...


@runtime_checkable
class HasCompanionFiles(Protocol):
    """Hooks that need whole files of ours next to the settings that name them."""

    def companion_files(self, settings: Path) -> Mapping[Path, bytes]:
        """Return the content of these files by path; empty for settings of another kind."""
        ...


@runtime_checkable
class HasPermissionNotice(Protocol):
    """Hooks that grant us more access than the events alone; the user is informed of it at installation."""

    @property
    def permission_notice(self) -> str:
        """What the access is, why it is needed, and what happens without it."""
        ...


@runtime_checkable
class HasShippedFiles(Protocol):
    """Hooks of an agent that loads files of ours, which are stored only below our home."""

    def shipped_files(self, caller: Caller) -> Mapping[Path, bytes]:
        """Return those files by path; they must exist before the settings name them."""
        ...


class HookHealthCheck(Protocol):
    """Checks whether installed hooks work."""

    def read_health(self) -> HookHealth:
        """Read the health state from the files of the home. Never fails: unreadable files are part of the state."""
        ...

    def find_fault(self, caller: Caller) -> str:
        """Explain to the user why an agent cannot run this caller; empty if it can."""
        ...
