"""What a folder of agents gives: its sessions, as small Protocols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from wisen.model.source import Batch, Mark, Source


class Agent(Protocol):
    """The sessions that one kind of agent records."""

    @property
    def name(self) -> str:
        """The agent's name, as users write it: `claude-code`."""
        ...

    def roots(self) -> tuple[Path, ...]:
        """Where this agent keeps its sessions on this machine, whether or not anything is there."""
        ...

    def sources(self, under: Path | None = None) -> Iterator[Source]:
        """Every source below the roots, or below `under`."""
        ...

    def read(self, source: Source, mark: Mark | None = None) -> Iterator[Batch]:
        """The events of a source behind the mark, a stretch at a time. Bad input becomes a trouble, never an error."""
        ...


@runtime_checkable
class Versioned(Protocol):
    """An agent whose sources tell which version of it wrote them."""

    def version(self, source: Source) -> str | None:
        """The version that wrote the newest part of a source; None when it does not tell or cannot be read."""
        ...


@runtime_checkable
class KeepsLogsInProjects(Protocol):
    """An agent that keeps its sessions in the projects themselves: whoever asks must know where those are."""

    def project_sources(self, projects: Iterable[Path]) -> Iterator[Source]:
        """Every source at the top of these directories that `sources` does not find."""
        ...

    def files_of(self, source: Source) -> tuple[Path, ...]:
        """The files in a project that a source is read from, itself among them."""
        ...
