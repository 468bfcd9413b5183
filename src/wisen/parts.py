"""What a turn of the loop works with."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.model.fences import Fences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from wisen.agents.hook_ports import Gauge, Hooks, Launcher
    from wisen.agents.ports import Agent
    from wisen.blame.instruction_files import Instructions
    from wisen.decisions.service import Decisions
    from wisen.delivery.settings import DeliverPolicy
    from wisen.delivery.shelf_port import Shelf
    from wisen.edits.past import Desk
    from wisen.edits.permission import PromotePolicy
    from wisen.edits.rule_files import RuleFiles
    from wisen.feedback.added_languages import Added
    from wisen.forgetting.settings import ArchivePolicy
    from wisen.guards.settings import GuardPolicy
    from wisen.logs.adoption import Adoptions
    from wisen.logs.crew import Crew
    from wisen.logs.projects import Projects
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
    from wisen.store.home import Home
    from wisen.store.index_port import Index
    from wisen.store.ledger_port import Backups, Ledger, Scribe
    from wisen.store.memories_port import Notebooks
    from wisen.store.ownership_port import Tracking
    from wisen.system.ports import Checkouts, Clock, Files, Ids, Lock


@dataclass(kw_only=True)
class Parts:
    """Ports and policies; `app.py` chooses them."""

    base: Home
    projects: Projects
    desk: Desk
    """What files are edited with."""
    decisions: Decisions
    rule_files: RuleFiles
    door: DoorPolicy
    mine: MinePolicy
    instructions: Instructions
    notebooks: Notebooks
    promote: PromotePolicy
    deliver: DeliverPolicy
    guards: GuardPolicy
    models: ModelsPolicy
    model: Callable[[], Model]
    """The language models, as far as the user has any: nothing is loaded before they are asked."""
    archive: ArchivePolicy
    shelf: Shelf
    languages_folder: Path
    """Where the languages lie that the user added; a home that stands in for another has those of that one."""
    crew: Crew
    """Who helps with the reading."""
    hooks: Sequence[Hooks]
    """The agents that can be told to call us."""
    gauge: Gauge
    caller: Caller
    """What agents run when they call us."""
    launcher: Launcher
    """What writes that."""
    viewer: str = ""
    """By what the terminal is known that lists are shown in: a number means the list that was shown there."""
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
    def user_home(self) -> Path:
        """See `RuleFiles`."""
        return self.rule_files.user_home

    @property
    def folders(self) -> Mapping[str, Path]:
        """See `RuleFiles`."""
        return self.rule_files.folders

    @property
    def agents(self) -> Sequence[Agent]:
        """See `Projects`."""
        return self.projects.agents

    @property
    def index(self) -> Index:
        """See `Home`."""
        return self.base.index

    @property
    def ledger(self) -> Ledger:
        """See `Home`."""
        return self.base.ledger

    @property
    def backups(self) -> Backups | None:
        """See `Home`."""
        return self.base.backups

    @property
    def lock(self) -> Lock:
        """See `Home`."""
        return self.base.lock

    @property
    def scope(self) -> Scope:
        """See `Projects`."""
        return self.projects.scope

    @property
    def clock(self) -> Clock:
        """See `Home`."""
        return self.base.clock

    @property
    def ids(self) -> Ids:
        """See `Home`."""
        return self.base.ids

    @property
    def machine(self) -> str:
        """See `Home`."""
        return self.base.machine

    @property
    def version(self) -> str:
        """See `Home`."""
        return self.base.version

    @property
    def files(self) -> Files:
        """See `Desk`."""
        return self.desk.files

    @property
    def checkouts(self) -> Checkouts:
        """See `Desk`."""
        return self.desk.checkouts

    @property
    def tracking(self) -> Tracking:
        """See `Projects`."""
        return self.projects.tracking

    @property
    def home(self) -> Path:
        """Where our own files are."""
        return self.base.path

    @property
    def salt(self) -> Callable[[], bytes]:
        """See `Home`."""
        return self.base.salt

    @property
    def local(self) -> Callable[[datetime], datetime]:
        """See `Home`."""
        return self.base.local

    @property
    def scribe(self) -> Scribe:
        """See `Home`."""
        return self.base.scribe

    @property
    def ward(self) -> Ward:
        """See `Home`."""
        return self.base.ward

    @property
    def silence(self) -> Silence:
        """See `Home`."""
        return self.base.silence

    def context_of(self, path: Path) -> str:
        """See `Projects`."""
        return self.projects.context_of(path)

    @property
    def adoptions(self) -> Adoptions:
        """See `Projects`."""
        return self.projects.adoptions

    def sources(self, agent: Agent, under: Path | None = None) -> Iterator[Source]:
        """See `Projects`."""
        return self.projects.sources(agent, under)

    def found_sources(self, agent: Agent, under: Path | None = None) -> Iterator[Source]:
        """See `Projects`."""
        return self.projects.found_sources(agent, under)

    def files_in_project(self, agent: Agent, source: Source) -> tuple[Path, ...]:
        """See `Projects`."""
        return self.projects.files_in_project(agent, source)

    def places(self) -> list[tuple[str, str]]:
        """See `Projects`."""
        return self.projects.places()

    def aliases(self) -> list[Alias]:
        """See `Projects`."""
        return self.projects.aliases()

    def places_by_context(self) -> dict[str, list[str]]:
        """See `Projects`."""
        return self.projects.places_by_context()

    def breakdowns(self, fences: Fences | None = None) -> tuple[Breakdown, ...]:
        """See `Projects`."""
        return self.projects.breakdowns(self.fences if fences is None else fences)

    def stamp(self, began: datetime) -> Stamp:
        """See `Home`."""
        return self.base.stamp(began)
