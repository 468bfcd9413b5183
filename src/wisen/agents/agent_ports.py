"""Protocols that the log reader of each agent implements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from wisen.model.source import Batch, Source, SourceMark


class Agent(Protocol):
    """The sessions that one kind of agent records."""

    @property
    def name(self) -> str:
        """The agent's name as users write it, such as `claude-code`."""
        ...

    def roots(self) -> tuple[Path, ...]:
        """Return where this agent stores its sessions on this machine, whether or not the paths exist."""
        ...

    def sources(self, under: Path | None = None) -> Iterator[Source]:
        """Yield every source below the roots, or below `under`."""
        ...

    def read(self, source: Source, mark: SourceMark | None = None) -> Iterator[Batch]:
        """Yield the events of a source after the mark, in batches. Bad input is reported in the batch, never raised."""
        ...


@runtime_checkable
class Versioned(Protocol):
    """An agent whose sources record which version of it wrote them."""

    def version(self, source: Source) -> str | None:
        """Return the version that wrote the newest part of a source; None if it is not recorded or not readable."""
        ...


@runtime_checkable
class KeepsLogsInProjects(Protocol):
    """An agent that stores its sessions inside the projects, so callers must know where the projects are."""

    def project_sources(self, projects: Iterable[Path]) -> Iterator[Source]:
        """Yield every source at the top of these directories that `sources` does not find."""
        ...

    def files_of(self, source: Source) -> tuple[Path, ...]:
        """Return the files in a project that a source is read from, including the source itself."""
        ...


@runtime_checkable
class LoadsSkills(Protocol):
    """An agent that loads skills: folders with a SKILL.md."""

    def skill_folders(self, project: Path | None) -> tuple[Path, ...]:
        """Return the folders from which it loads the skills of a project, or those that apply everywhere.

        A new skill goes to the first one. Where skills have categories, their folders may be one level deeper.
        """
        ...
