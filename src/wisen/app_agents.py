"""Opens the agents' log readers, hooks and launcher, and the user's files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wisen import __version__
from wisen.app_stores import StoreWiring
from wisen.model.hook import CLIENT, Caller, Program
from wisen.model.model_use import MODEL_WORK_DIR

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wisen.agents.agent_ports import Agent
    from wisen.agents.hook_ports import HookHealthCheck, Hooks
    from wisen.delivery.launcher import Launcher
    from wisen.edits.user_files import UserFiles
    from wisen.install.hook_status import HookInspection
    from wisen.logs.off_switches import OffSwitches
    from wisen.settings import Settings
    from wisen.system.person import Presence


class AgentWiring(StoreWiring):
    """Opens the agents of one installation, and the user's files."""

    settings: Settings
    environment: Mapping[str, str]
    real_home: Path | None
    decided_by: str

    def agents(self) -> tuple[Agent, ...]:
        """Return the log readers of the enabled agents."""
        from wisen.agents.agent_registry import create_reader

        home, by_programs = self._user_home(), self.settings.agents.program_prompts
        names = self.settings.agents.enabled
        return tuple(create_reader(name, home, self.environment, program_prompts=by_programs) for name in names)

    def hooks(self) -> tuple[Hooks, ...]:
        """Return the enabled agents whose hooks can be installed."""
        from wisen.agents.agent_registry import create_hooks

        arguments = self._user_home(), self.environment, self._switches().is_off
        return tuple(filter(None, (create_hooks(name, *arguments) for name in self.settings.agents.enabled)))

    def hook_health_check(self) -> HookHealthCheck:
        """Return the health check of the hooks."""
        from wisen.health.hook_health import HomeHookHealth

        return HomeHookHealth(self.real_home or self.settings.home, __version__)

    def caller(self) -> Caller:
        """Return the command that agents run as their hook: the launcher in the home."""
        return Caller(home=str(self.real_home or self.settings.home))

    def launcher(self) -> Launcher:
        """Return what writes the launcher, which starts this interpreter with this package's hook client."""
        from wisen.delivery.launcher import HomeLauncher
        from wisen.system.interpreter import interpreter_path

        client = Path(__file__).absolute().parent.joinpath(*CLIENT)
        return HomeLauncher(self.settings.home, Program(python=interpreter_path(), client=str(client)))

    def presence(self) -> Presence:
        """Return what decides whether a person is present."""
        from wisen.agents.agent_signs import AGENT_SIGNS
        from wisen.system.person import current_presence

        return current_presence(self.environment, AGENT_SIGNS, self.decided_by)

    def _inspected_hooks(self) -> HookInspection:
        from wisen.edits.edit_history import EditPorts
        from wisen.install.hook_status import HookInspection
        from wisen.system.git import GitCheckouts
        from wisen.system.ids import Ulids

        files, clock, checkouts = self._files(), self.clock(), GitCheckouts(self.environment)

        return HookInspection(
            agents=self.hooks(),
            hook_health_check=self.hook_health_check(),
            files=files,
            caller=self.caller(),
            project=Path.cwd(),
            edit_ports=lambda ledger: EditPorts(files, checkouts, ledger, clock, Ulids(clock), self._machine()),
        )

    def _switches(self) -> OffSwitches:
        from wisen.logs.off_switches import OffSwitches

        ours = str(self.settings.home.joinpath(*MODEL_WORK_DIR))
        return OffSwitches(self._user_home(), (*self.settings.off.directories, ours))

    def _agent_folders(self) -> dict[str, Path]:
        """Where each agent keeps the instruction files that apply in every project."""
        home, chosen = self._user_home(), self.environment.get
        return {
            "claude-code": Path(chosen("CLAUDE_CONFIG_DIR") or home / ".claude").expanduser(),
            "codex": Path(chosen("CODEX_HOME") or home / ".codex").expanduser(),
            "openclaw": home / ".openclaw" / "workspace",
        }

    def _files(self) -> UserFiles:
        from wisen.edits.links import user_links
        from wisen.edits.user_files import UserFiles

        home = self.real_home or self.settings.home
        return UserFiles(user_links(self._user_home(), self._agent_folders(), home), private=home)

    def _languages_folder(self) -> Path:
        from wisen.feedback.added_languages import FOLDER

        return (self.real_home or self.settings.home) / FOLDER

    def _user_home(self) -> Path:
        return Path(self.environment.get("HOME") or Path.home())

    def _machine(self) -> str:
        """Return the id of this machine."""
        from wisen.system.ids import Ulids
        from wisen.system.machine import machine_name

        return machine_name(self.settings.home, self._user_home(), lambda: Ulids(self.clock()).new())
