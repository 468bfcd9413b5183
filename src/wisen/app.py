"""Builds a Learner from the environment: the only place that reads it and opens stores and agents."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from wisen import __version__, settings
from wisen.app_agents import AgentWiring
from wisen.dependencies import Dependencies
from wisen.errors import SettingsError, WisenError
from wisen.learner import Learner
from wisen.logs.settings import with_key
from wisen.model.model_use import ModelsPolicy
from wisen.system.create_once import read_or_create
from wisen.system.home_access import HomeAccess, home_directory, make_private, reject_foreign_home, reject_shared_home

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from concurrent.futures import Executor
    from contextlib import AbstractContextManager

    from wisen.agents.agent_ports import Agent
    from wisen.agents.hook_ports import Hooks
    from wisen.feedback.user_detector import UserDetector
    from wisen.health.doctor import DoctorSubject
    from wisen.language_models.model_ports import Model
    from wisen.model.presence import Person
    from wisen.settings import Settings
    from wisen.store.index import Index
    from wisen.store.ledger import Ledger
    from wisen.system.periodic_runs import PeriodicRuns
    from wisen.system.writer_lock import WriterLock

_CYCLE = "import sys; sys.argv[1:] = ['cycle', '--json']; from wisen.surfaces.cli import main; main()"


def open_learner(
    home: Path | str | None = None,
    *,
    project: str | None = None,
    environment: Mapping[str, str] | None = None,
    executor: Executor | None = None,
    decided_by: str = "",
) -> Learner:
    """Open a Learner on this machine's stores. `home`: their folder; `project`: a suffix to the context's key.

    `executor`: reads large logs in parallel, instead of processes of this machine; it is not closed.
    `decided_by`: who decides, when a person does so in the calling program and not at a terminal (docs/proposals.md).

    Raises:
        SettingsError: config.toml or a WISEN_* variable has a value that is not allowed.
        StoreError: a store cannot be opened.
    """
    return replace(wire(home, environment), executor=executor, decided_by=decided_by).learner(project)


def on_word_of(person: Person) -> AbstractContextManager[None]:
    """Attribute every decision made through what is opened in the block to this person, who was verified elsewhere."""
    from wisen.system.person import acting_as

    return acting_as(person)


def wire(home: Path | str | None = None, environment: Mapping[str, str] | None = None) -> Wiring:
    """Load the settings and return the wiring they select. Raises: SettingsError."""
    env = os.environ if environment is None else environment
    place = Path(home) if home is not None else home_directory(env)
    place = place.expanduser().absolute()
    if place.exists() and not place.is_dir():
        raise SettingsError(f"{place} is not a folder. Set WISEN_HOME to a folder of yours, or one that can be made.")
    reject_foreign_home(place)
    reject_shared_home(place, Path(env.get("HOME") or Path.home()))
    return Wiring(settings.load(place, env), env)


@dataclass(frozen=True)
class Wiring(AgentWiring):
    """Opens the stores, agents and services that the settings select."""

    settings: Settings
    environment: Mapping[str, str]
    real_home: Path | None = None
    """The real home, when a temporary one is used in its place."""
    executor: Executor | None = None
    """Reads large logs; None for processes of this machine."""
    decided_by: str = ""
    """Who decides, according to the program that opens this; empty for whoever is at the terminal."""

    @property
    def ever_used(self) -> bool:
        """Whether anything was ever learned here; asking creates no files."""
        home = self.settings.home
        return self._is_team or (home / "ledger.db").exists() or (home / "backups").exists()

    @property
    def is_off(self) -> bool:
        """Whether the caller wants nothing to be learned now (WISEN_OFF=1)."""
        from wisen.logs.off_switches import is_switched_off

        return is_switched_off(self.environment)

    def with_home(self, home: Path) -> Wiring:
        """Return the same settings on empty stores in another home, to look without leaving a trace."""
        store = replace(self.settings.store, ledger="sqlite")
        # Models are left out: their cost would not be counted.
        chosen = replace(self.settings, home=home, store=store, models=ModelsPolicy())
        return Wiring(chosen, self.environment, self.settings.home)

    def learner(self, project: str | None = None, *, reads: bool = True) -> Learner:
        """Open a Learner. One that reads no logs skips the readers, which take time to load."""
        if reads:
            make_private(self.settings.home)
        ledger = self.ledger()
        try:
            index, warning = self._index()
        except BaseException:
            ledger.close()
            raise
        return self._learner(ledger, index, project, self.agents() if reads else (), warning)

    def open_for_queries(self) -> Learner:
        """Open a Learner for queries to the ledger only; whatever that does not need is neither opened nor checked.

        Raises:
            StoreError: a store cannot be opened; a damaged index is not set aside.
        """
        from wisen.store.lazy_index import LazyIndex

        return self._learner(self.ledger(asked=True), cast("Index", LazyIndex(self._intact_index)), hooks=())

    def user_phrases(self) -> UserDetector:
        """Load how the user of this home phrases feedback; creates no files."""
        from wisen.feedback.added_languages import load_added_languages
        from wisen.feedback.user_detector import UserDetector

        if self.ever_used:
            with self.open_for_queries() as learner:
                return learner.feedback.user_detector()
        added = load_added_languages(self._languages_folder())
        return UserDetector(model=lambda: added.model)

    def _learner(
        self,
        ledger: Ledger,
        index: Index,
        project: str | None = None,
        agents: tuple[Agent, ...] = (),
        warning: str | None = None,
        *,
        hooks: tuple[Hooks, ...] | None = None,
    ) -> Learner:
        from wisen.blame.instruction_files import InstructionFiles
        from wisen.decisions.decision_ledger import DecisionLedger
        from wisen.decisions.service import Decisions
        from wisen.delivery.snapshot_store import HomeSnapshotStore
        from wisen.edits.edit_history import EditPorts
        from wisen.edits.rule_files import RuleFiles
        from wisen.logs.context_resolver import ContextResolver
        from wisen.logs.executors import SharedWorkers, open_pool, reuse_executor
        from wisen.logs.projects import Projects
        from wisen.memory.notebook_files import NotebookFiles
        from wisen.store.home import Home
        from wisen.system.clock import to_local_time
        from wisen.system.git import GitCheckouts
        from wisen.system.home_access import PrivateFiles
        from wisen.system.ids import Ulids
        from wisen.system.person import command_arguments, terminal_session
        from wisen.system.tracking import GitTracking

        clock = self.clock()
        try:
            machine = self._machine()
            resolver = ContextResolver(
                home=self._user_home(),
                machine=machine,
                contexts=ledger.contexts.all(),
                aliases=ledger.contexts.aliases(machine),
                suffix=project,
                switches=self._switches(),
                ownerships=ledger.ownerships.of(machine),
            )
        except BaseException:
            index.close()
            ledger.close()
            raise
        recording = DecisionLedger(ledger)
        home = Home(
            path=self.settings.home,
            ledger=cast("Ledger", recording),
            index=index,
            backups=self.backups(),
            lock=self.lock(),
            clock=clock,
            ids=Ulids(clock),
            machine=machine,
            version=__version__,
            salt=self._salt,
            local=to_local_time,
        )
        projects = Projects(home=home, resolver=resolver, tracking=GitTracking(self.environment), agents=agents)
        files = PrivateFiles(self._files(), self.settings.home)
        checkouts = GitCheckouts(self.environment)
        return Learner(
            Dependencies(
                home=home,
                projects=projects,
                edit_ports=EditPorts(files, checkouts, home.ledger, clock, home.ids, machine),
                decisions=Decisions(home, recording, self.presence(), projects.context_of, typed=command_arguments()),
                rule_files=RuleFiles(
                    files=files,
                    home=home.path,
                    folders=self._agent_folders(),
                    user_home=self._user_home(),
                    places=projects.places_with_contexts,
                ),
                settings=self.settings,
                door=with_key(self.settings.door, self._mark_key()),
                workers=SharedWorkers(reuse_executor(self.executor) if self.executor else open_pool),
                instructions=InstructionFiles(self._user_home(), self.environment),
                notebooks=NotebookFiles(self._user_home(), self.agents),
                snapshots=HomeSnapshotStore(self.settings.home, clock),
                hooks=self.hooks() if hooks is None else hooks,
                skill_agents=self.agents,
                hook_health_check=self.hook_health_check(),
                caller=self.caller(),
                launcher=self.launcher(),
                model=lambda: self._model(ledger, index, machine),
                model_named=lambda name: self._model(ledger, index, machine, name),
                languages_folder=self._languages_folder(),
                viewer=terminal_session(),
                ledger_name=self._ledger_name(),
                warnings=(warning,) if warning else (),
            )
        )

    def _model(self, ledger: Ledger, index: Index, machine: str, name: str = "") -> Model:
        from wisen.language_models.model_factory import meter_context, open_model

        stores = meter_context(index, ledger, self.clock(), machine)
        policy = replace(self.settings.models, nano=name, heavy=name) if name else self.settings.models
        return open_model(policy, self.environment, self.settings.home, stores)

    def record_pointer(self, agent: str) -> None:
        """Record that an agent has our MCP tools, and can be asked to point at the user's words."""
        from wisen.delivery.snapshot_store import HomeSnapshotStore

        HomeSnapshotStore(self.settings.home, self.clock()).record_pointer(agent)

    def lock(self) -> WriterLock:
        """Return the writer lock of this home."""
        from wisen.system.writer_lock import WriterLock

        return WriterLock(self.settings.home)

    def record_when_stopped(self) -> AbstractContextManager[None]:
        """Have the next session report what stops the block from learning."""
        from wisen.health.stop_note import record_stop

        return record_stop(self.settings.home, self.clock())

    def token(self) -> str:
        """Return the token that clients of `wisen serve` must present; created once and kept in the home."""
        return read_or_create(self.settings.home / "token", _random)

    def repeated_cycles(self, minutes: float) -> PeriodicRuns:
        """Return what runs `wisen cycle` periodically, in a separate process."""
        from wisen.system.interpreter import interpreter_path
        from wisen.system.periodic_runs import PeriodicRuns

        environment = {**self.environment, "WISEN_HOME": str(self.settings.home)}
        return PeriodicRuns((interpreter_path(), "-P", "-c", _CYCLE), environment, minutes, self.clock())

    def doctor_input(self) -> DoctorSubject:
        """Collect what the doctor examines."""
        from wisen.feedback.added_languages import load_added_languages
        from wisen.health.doctor import DoctorSubject
        from wisen.install.hook_status import hook_status
        from wisen.store.sqlite_index import replace_damaged_index

        hooks = self._inspected_hooks()
        return DoctorSubject(
            home=str(self.settings.home),
            agents=self.agents(),
            ledger=lambda: closing(self.ledger()),
            index=lambda: closing(self._intact_index()),
            rebuild=lambda error: replace_damaged_index(self.settings.home / "index.db", error, self.clock().now()),
            backups=self.backups(),
            clock=self.clock(),
            ever_used=self.ever_used,
            machine=self._machine,
            installed=lambda ledger: hook_status(hooks, ledger),
            hook_health=hooks.hook_health_check.read_health,
            languages=lambda: load_added_languages(self._languages_folder()).warnings,
            access=HomeAccess(self.settings.home, self.clock()),
            merge_duplicates=self._merge_duplicates,
        )

    def _merge_duplicates(self) -> tuple[int, int, Sequence[str], Sequence[str]]:
        with self.learner(reads=False) as learner:
            return learner.lessons.merge_duplicates()

    def _salt(self) -> bytes:
        """The key for digests of forgotten words and for the random draw of trials."""
        return bytes.fromhex(read_or_create(self.settings.home / "salt", _random))

    def _mark_key(self) -> bytes:
        """The key of our marks; empty before anything was delivered to agents."""
        try:
            return self._salt() if (self.settings.home / "salt").exists() else b""
        except (OSError, ValueError, WisenError):
            return b""  # without the key, stripping removes too much from texts, never too little


def _random() -> str:
    return os.urandom(32).hex()
