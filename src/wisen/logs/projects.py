"""The projects of this machine: which context a directory belongs to, and which of an agent's sources count there."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wisen.agents.agent_ports import Agent
    from wisen.logs.adoption import Adoptions
    from wisen.logs.context_resolver import ContextResolver
    from wisen.model.context import Alias
    from wisen.model.error_boundaries import ErrorBoundaries, IsolatedFailure
    from wisen.model.source import Source
    from wisen.store.home import Home
    from wisen.system.tracking import Tracking

SAMPLE = Path(__file__).absolute().parent.parent / "sample"
"""The sample sessions that ship with this package, wherever it is installed, even inside a project's environment."""


class Projects(Struct, frozen=True, kw_only=True):
    """What is known about directories and the agents that worked in them."""

    home: Home
    resolver: ContextResolver
    tracking: Tracking
    """Finds out where files inside projects come from."""
    agents: Sequence[Agent]

    def context_of(self, path: Path) -> str:
        """Return the key of the context that a directory belongs to; empty if there is none."""
        context = self.resolver.context(str(path), str(path))
        return "" if context is None else context.key

    @property
    def adoptions(self) -> Adoptions:
        """The files that the user adopted, as the ledger knows them now."""
        from wisen.logs.adoption import Adoptions

        return Adoptions(self.home.ledger.ownerships.of(self.home.machine))

    def sources(self, agent: Agent, under: Path | None = None) -> Iterator[Source]:
        """Yield every source of an agent below `under`, or by default in the agent's own places and all known projects.

        A source inside a project is somebody else's until the user adopts it.
        """
        if under is None:
            yield from agent.sources()  # in its own places: none of them is inside a project
        adoptions = self.adoptions
        for source in self.project_sources(agent) if under is None else agent.sources(under):
            if all(
                adoptions.has_only_grown(str(file), partial(self.tracking.facts, file))
                for file in self.files_in_project(agent, source)
            ):
                yield source

    def project_sources(self, agent: Agent) -> Iterator[Source]:
        """Yield the sources that an agent keeps in known projects, whoever owns them."""
        from wisen.agents.agent_ports import KeepsLogsInProjects

        if isinstance(agent, KeepsLogsInProjects):
            tops = {self.resolver.places.top_of(Path(alias.path)) for alias in self.active_aliases()}
            adopted = {Path(word.path).parent for word in self.adoptions.adopted_files()}
            tops |= {folder for folder in adopted if not self.resolver.is_off(str(folder))}
            yield from agent.project_sources(sorted(top for top in tops if top is not None))

    def files_in_project(self, agent: Agent, source: Source) -> tuple[Path, ...]:
        """Return the files of a source that are inside a project; none if it is in one of the agent's own places."""
        from wisen.agents.agent_ports import KeepsLogsInProjects

        path = source.path.absolute()
        if path.is_relative_to(SAMPLE):
            return ()
        if any(path.is_relative_to(root) or path.resolve().is_relative_to(root.resolve()) for root in agent.roots()):
            return ()
        if isinstance(agent, KeepsLogsInProjects):
            return agent.files_of(source)
        return (path,) if self.resolver.places.checkout_of(path.parent) is not None else ()

    def places_with_contexts(self) -> list[tuple[str, str]]:
        """Return the directories of this machine with the context that each belongs to now, sorted by path."""
        ledger = self.home.ledger
        names = {each.key: self.resolver.name_of(each) for each in ledger.contexts.all()}
        by_path: dict[str, list[Alias]] = {}
        for alias in sorted(ledger.contexts.aliases(self.home.machine), key=lambda each: (each.since, each.context)):
            by_path.setdefault(alias.path, []).append(alias)
        places = []
        for path, aliases in sorted(by_path.items()):
            context = self.resolver.context(path, path) if Path(path).is_dir() else None
            if context is None:
                places.append((path, aliases[-1].context))
                continue
            # A part of the project that the user named belongs to it too.
            matches = [each.context for each in aliases if names.get(each.context) == self.resolver.name_of(context)]
            places.append((path, matches[-1] if matches else context.key))
        return places

    def active_aliases(self) -> list[Alias]:
        """Return the directories of this machine with their contexts, except those in which wisen is disabled."""
        return [
            each for each in self.home.ledger.contexts.aliases(self.home.machine) if not self.resolver.is_off(each.path)
        ]

    def places_by_context(self) -> dict[str, list[str]]:
        """Return the directories of this machine, grouped by context."""
        places: dict[str, list[str]] = {}
        for alias in self.active_aliases():
            places.setdefault(alias.context, []).append(alias.path)
        return places

    def breakdowns(self, boundaries: ErrorBoundaries) -> tuple[IsolatedFailure, ...]:
        """Return what failed in a run, with projects named by the paths that users know."""
        if not boundaries.failures:
            return ()
        aliases = self.home.ledger.contexts.aliases(self.home.machine)
        return boundaries.failures_with_project_names({alias.context: alias.path for alias in aliases})
