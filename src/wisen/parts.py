"""What a turn of the loop works with."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.model.fences import Fences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from wisen.agents.hook_ports import Gauge, Hooks, Launcher
    from wisen.agents.ports import Agent
    from wisen.blame.instruction_files import Instructions
    from wisen.delivery.settings import DeliverPolicy
    from wisen.delivery.shelf_port import Shelf
    from wisen.edits.past import Desk
    from wisen.edits.permission import PromotePolicy
    from wisen.feedback.added_languages import Added
    from wisen.forgetting.settings import ArchivePolicy
    from wisen.guards.settings import GuardPolicy
    from wisen.logs.adoption import Adoptions
    from wisen.logs.crew import Crew
    from wisen.logs.scope import Scope
    from wisen.logs.settings import DoorPolicy
    from wisen.mining.settings import MinePolicy
    from wisen.model.context import Alias
    from wisen.model.fences import Breakdown
    from wisen.model.hook import Caller
    from wisen.model.model_use import ModelsPolicy
    from wisen.model.run import Stamp
    from wisen.model.source import Source
    from wisen.models.ports import Model
    from wisen.safety.ward import Silence, Ward
    from wisen.store.index_port import Index
    from wisen.store.ledger_port import Backups, Ledger, Scribe
    from wisen.store.memories_port import Notebooks
    from wisen.store.ownership_port import Tracking
    from wisen.system.ports import Checkouts, Clock, Files, Ids, Lock
    from wisen.system.presence_port import Presence


SAMPLE = Path(__file__).absolute().parent / "sample"
"""The sample sessions that come with this package, wherever it lies: also in the environment of a project."""


@dataclass(frozen=True, kw_only=True)
class Parts:
    """Ports and policies; `app.py` chooses them."""

    agents: Sequence[Agent]
    index: Index
    ledger: Ledger
    backups: Backups | None
    lock: Lock
    """Keeps others from writing to the same home meanwhile."""
    scope: Scope
    clock: Clock
    ids: Ids
    machine: str
    version: str
    door: DoorPolicy
    mine: MinePolicy
    instructions: Instructions
    notebooks: Notebooks
    files: Files
    checkouts: Checkouts
    tracking: Tracking
    """What tells where files below projects come from."""
    promote: PromotePolicy
    deliver: DeliverPolicy
    guards: GuardPolicy
    models: ModelsPolicy
    model: Callable[[], Model]
    """The language models, as far as the user has any: nothing is loaded before they are asked."""
    archive: ArchivePolicy
    shelf: Shelf
    home: Path
    """Where our own files are."""
    languages_folder: Path
    """Where the languages lie that the user added; a home that stands in for another has those of that one."""
    user_home: Path
    """The user's own directory, where agents keep what holds in every project."""
    crew: Crew
    """Who helps with the reading."""
    salt: Callable[[], bytes]
    """What digests of forgotten words, and the coins of trials, are keyed with: it is made when first needed."""
    local: Callable[[datetime], datetime]
    """A moment as clocks show it here: days begin at midnight where the user is."""
    folders: Mapping[str, Path] = field(default_factory=dict)
    """Where each agent keeps the files that speak wherever the user works, by the agent's name."""
    hooks: Sequence[Hooks]
    """The agents that can be told to call us."""
    gauge: Gauge
    caller: Caller
    """What agents run when they call us."""
    launcher: Launcher
    """What writes that."""
    presence: Presence
    """What tells whether a person decides."""
    typed: str = ""
    """The words that this command line was called with; empty in any other program."""
    viewer: str = ""
    """By what the terminal is known that lists are shown in: a number means the list that was shown there."""
    evidence: str = ""
    """How it is known that a person decides what is written down now; empty where nobody does."""
    experiments: bool | None = None
    """Whether the user welcomes experiments; None where he was never asked."""
    holdout: float = 0.0
    """The share of sessions that get no hint on trial."""
    warnings: tuple[str, ...] = ()
    jobs: int = 0
    """How many processes read; 0: the crew decides."""
    judges: bool | None = None
    """Whether instruction files are judged; None: when sessions held something new."""
    fences: Fences = field(default_factory=Fences)
    """What keeps a failure at one source, session, project or step from the rest; each run has new ones."""
    asks: bool = False
    """Whether somebody reads the report of this turn: what waits for the user's word is told once."""
    recheck: bool = False
    """Whether every byte is read again and compared, instead of trusting sizes and dates."""

    def judges_after(self, new_events: int) -> bool:
        """Whether instruction files are judged in a turn that found so much that is new."""
        return new_events > 0 if self.judges is None else self.judges

    @cached_property
    def languages(self) -> Added:
        """The languages that the user added. They are read once; each turn of the loop has new parts."""
        from wisen.feedback.added_languages import added_in

        return added_in(self.languages_folder)

    @property
    def scribe(self) -> Scribe:
        """What names, dates and places rows."""
        from wisen.store.ledger_port import Scribe

        return Scribe(self.clock, self.ids, self.machine, self.evidence)

    @property
    def ward(self) -> Ward:
        """What keeps forgotten things from coming back, as the ledger knows them now."""
        from wisen.safety.ward import Ward

        keys = self.ledger.buried()
        return Ward(keys, self.salt() if keys else b"")

    @property
    def silence(self) -> Silence:
        """The sessions that were switched off, as the ledger knows them now."""
        from wisen.safety.ward import Silence

        keys = self.ledger.buried()
        return Silence(keys, self.salt() if keys else b"")

    @property
    def desk(self) -> Desk:
        """What files are edited with."""
        from wisen.edits.past import Desk

        return Desk(self.files, self.checkouts, self.ledger, self.clock, self.ids, self.machine)

    def context_of(self, path: Path) -> str:
        """The key of the context that a directory belongs to; empty outside of any."""
        context = self.scope.context(str(path), str(path))
        return "" if context is None else context.key

    @property
    def adoptions(self) -> Adoptions:
        """The files that the user adopted, as the ledger knows them now."""
        from wisen.logs.adoption import Adoptions

        return Adoptions(self.ledger.ownerships(self.machine))

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
        from wisen.agents.ports import Scattered

        yield from agent.sources(under)
        if under is None and isinstance(agent, Scattered):
            tops = {self.scope.top(Path(alias.path)) for alias in self.aliases()}
            adopted = {Path(word.path).parent for word in self.adoptions.adopted()}
            tops |= {folder for folder in adopted if not self.scope.is_off(str(folder))}
            yield from agent.sources_in(sorted(top for top in tops if top is not None))

    def files_in_project(self, agent: Agent, source: Source) -> tuple[Path, ...]:
        """The files of a source that lie in a project; none where it lies in a place of the agent's own."""
        from wisen.agents.ports import Scattered

        path = source.path.absolute()
        if path.is_relative_to(SAMPLE):
            return ()
        if any(path.is_relative_to(root) or path.resolve().is_relative_to(root.resolve()) for root in agent.roots()):
            return ()
        if isinstance(agent, Scattered):
            return agent.files_of(source)
        return (path,) if self.scope.checkout(path.parent) is not None else ()

    def places(self) -> list[tuple[str, str]]:
        """The directories of this machine with the context that each belongs to now, by path."""
        names = {each.key: self.scope.name_of(each) for each in self.ledger.contexts()}
        found: dict[str, list[Alias]] = {}
        for alias in sorted(self.ledger.aliases(self.machine), key=lambda each: (each.since, each.context)):
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
        return [each for each in self.ledger.aliases(self.machine) if not self.scope.is_off(each.path)]

    def breakdowns(self, fences: Fences | None = None) -> tuple[Breakdown, ...]:
        """What failed in a run, with the places of projects as people know them."""
        fences = self.fences if fences is None else fences
        if not fences.breakdowns:
            return ()
        return fences.with_project_names({alias.context: alias.path for alias in self.ledger.aliases(self.machine)})

    def places_by_context(self) -> dict[str, list[str]]:
        """The directories of this machine by the context that they belong to."""
        found: dict[str, list[str]] = {}
        for alias in self.aliases():
            found.setdefault(alias.context, []).append(alias.path)
        return found

    def stamp(self, began: datetime) -> Stamp:
        """What a run that began then, and ends now, is known by."""
        from wisen.model.run import Stamp

        now = self.clock.now()
        return Stamp(id=self.ids.new(), machine=self.machine, version=self.version, started=began, finished=now)
