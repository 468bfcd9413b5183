"""The projects of this machine: which context a directory belongs to, and which sources of agents count there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from wisen.agents.agent_ports import Agent
    from wisen.logs.adoption import Adoptions
    from wisen.logs.scope import Scope
    from wisen.model.context import Alias
    from wisen.model.fences import Breakdown, Fences
    from wisen.model.source import Source
    from wisen.store.home import Home
    from wisen.system.tracking import Tracking

SAMPLE = Path(__file__).absolute().parent.parent / "sample"
"""The sample sessions that come with this package, wherever it lies: also in the environment of a project."""


@dataclass(frozen=True, kw_only=True)
class Projects:
    """What is known of directories and of the agents that worked in them."""

    home: Home
    scope: Scope
    tracking: Tracking
    """What tells where files below projects come from."""
    agents: Sequence[Agent]

    def context_of(self, path: Path) -> str:
        """The key of the context that a directory belongs to; empty outside of any."""
        context = self.scope.context(str(path), str(path))
        return "" if context is None else context.key

    @property
    def adoptions(self) -> Adoptions:
        """The files that the user adopted, as the ledger knows them now."""
        from wisen.logs.adoption import Adoptions

        return Adoptions(self.home.ledger.ownerships.of(self.home.machine))

    def sources(self, agent: Agent, under: Path | None = None) -> Iterator[Source]:
        """Every source of an agent below `under`; without it, in the agent's own places and in all known projects.

        A source inside a project is somebody else's until the user adopts it.
        """
        adoptions = self.adoptions
        for source in self.found_sources(agent, under):
            if all(
                adoptions.continues(str(file), partial(self.tracking.facts, file))
                for file in self.files_in_project(agent, source)
            ):
                yield source

    def found_sources(self, agent: Agent, under: Path | None = None) -> Iterator[Source]:
        """The same, whosever they are."""
        from wisen.agents.agent_ports import Scattered

        yield from agent.sources(under)
        if under is None and isinstance(agent, Scattered):
            tops = {self.scope.places.top(Path(alias.path)) for alias in self.aliases()}
            adopted = {Path(word.path).parent for word in self.adoptions.adopted()}
            tops |= {folder for folder in adopted if not self.scope.is_off(str(folder))}
            yield from agent.sources_in(sorted(top for top in tops if top is not None))

    def files_in_project(self, agent: Agent, source: Source) -> tuple[Path, ...]:
        """The files of a source that lie in a project; none where it lies in a place of the agent's own."""
        from wisen.agents.agent_ports import Scattered

        path = source.path.absolute()
        if path.is_relative_to(SAMPLE):
            return ()
        if any(path.is_relative_to(root) or path.resolve().is_relative_to(root.resolve()) for root in agent.roots()):
            return ()
        if isinstance(agent, Scattered):
            return agent.files_of(source)
        return (path,) if self.scope.places.checkout(path.parent) is not None else ()

    def places(self) -> list[tuple[str, str]]:
        """The directories of this machine with the context that each belongs to now, by path."""
        ledger = self.home.ledger
        names = {each.key: self.scope.name_of(each) for each in ledger.contexts.all()}
        found: dict[str, list[Alias]] = {}
        for alias in sorted(ledger.contexts.aliases(self.home.machine), key=lambda each: (each.since, each.context)):
            found.setdefault(alias.path, []).append(alias)
        places = []
        for path, aliases in sorted(found.items()):
            now = self.scope.context(path, path) if Path(path).is_dir() else None
            if now is None:
                places.append((path, aliases[-1].context))
                continue
            # What the user calls a part of the project belongs to it too.
            fits = [each.context for each in aliases if names.get(each.context) == self.scope.name_of(now)]
            places.append((path, fits[-1] if fits else now.key))
        return places

    def aliases(self) -> list[Alias]:
        """The directories of this machine with their contexts, without those in which we are switched off."""
        return [
            each for each in self.home.ledger.contexts.aliases(self.home.machine) if not self.scope.is_off(each.path)
        ]

    def places_by_context(self) -> dict[str, list[str]]:
        """The directories of this machine by the context that they belong to."""
        found: dict[str, list[str]] = {}
        for alias in self.aliases():
            found.setdefault(alias.context, []).append(alias.path)
        return found

    def breakdowns(self, fences: Fences) -> tuple[Breakdown, ...]:
        """What failed in a run, with the places of projects as people know them."""
        if not fences.breakdowns:
            return ()
        aliases = self.home.ledger.contexts.aliases(self.home.machine)
        return fences.with_project_names({alias.context: alias.path for alias in aliases})
