"""Install: adds hooks to agents' settings, removes them, and reports their status."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from wisen.agents.hook_ports import HasPermissionNotice, HasShippedFiles
from wisen.errors import FileError, SettingsUnclear, UsageError
from wisen.model.hook import HookInstallation, HookLatency, HookState

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.agents.hook_ports import HookHealthCheck, Hooks
    from wisen.decisions.service import Decisions
    from wisen.delivery.launcher import Launcher
    from wisen.edits.edit_history import EditPorts
    from wisen.model.hook import Caller, HookStatus, RewrittenFile
    from wisen.store.home import Home


class InstallService:
    """Adds, removes and repairs the hooks of agents."""

    def __init__(  # noqa: PLR0913 - what it is composed of, each by name
        self,
        home: Home,
        edit_ports: EditPorts,
        decisions: Decisions,
        *,
        hooks: Sequence[Hooks],
        hook_health_check: HookHealthCheck,
        caller: Caller,
        launcher: Launcher,
    ) -> None:
        """`hooks`: the agents that can call us; `caller`: the command they run, which `launcher` writes."""
        self._home, self._edit_ports, self._decisions = home, edit_ports, decisions
        self._agents, self._hook_health_check, self._caller, self.launcher = hooks, hook_health_check, caller, launcher

    def add(self, agent: str, project: Path | None = None, *, dry_run: bool = False) -> HookInstallation:
        """Make an agent call us, in every session or in those of a project; if it does already, nothing changes.

        Our hooks in other settings files are repaired as well; if a person removed them there, they are forgotten.

        Raises:
            PersonNeeded: an agent asks for it; settings change only when a person says so.
            UsageError: there is no such agent, or earlier hooks of ours cannot be told from others'.
            SettingsUnclear: its settings cannot be parsed, or the change cannot be verified.
            FileError: they cannot be read or written.
        """
        from wisen.edits.dry_run import in_memory_ports
        from wisen.install.companions import install_companions, repair_companions
        from wisen.install.hook_settings import install_hooks, repair_hooks

        hooks = self._hooks(agent)
        scope_option = ("--scope", "project") if project is not None else ()
        self._decisions.reject_agent("install", agent, *scope_option, dry_run=dry_run)
        before = self._status_of(hooks, project)
        edit_ports = in_memory_ports(self._edit_ports) if dry_run else self._edit_ports
        wanted = hooks.required_hooks(self._caller)
        file = hooks.file(project)
        self._require_loadable(hooks, file)
        for put in (install_companions, partial(install_hooks, wanted=wanted)):
            put(in_memory_ports(edit_ports), file, hooks)  # what fails must fail before anything is written
        if not dry_run:
            self._write_launcher(str(file))
            self._ship_files(hooks)
        with self._decisions.as_decision("installed", agent, dry_run=dry_run):
            rewritten = [install_hooks(edit_ports, file, hooks, wanted), *install_companions(edit_ports, file, hooks)]
            other_files = [Path(path) for path in before.files if path != str(file)]
            rewritten += filter(None, (repair_hooks(edit_ports, path, hooks, wanted) for path in other_files))
            rewritten += [each for path in other_files for each in repair_companions(edit_ports, path, hooks)]
        grants = hooks.permission_notice if isinstance(hooks, HasPermissionNotice) else ""
        return structs.replace(
            self._build_result(tuple(rewritten), before, project, dry_run=dry_run),
            grants=grants,
            cost=self._measure_cost(),
        )

    def repair_launcher(self) -> tuple[str, ...]:
        """Rewrite the launcher if the wisen that it started is gone: agents' settings stay as they are.

        Returns why that could not be done.
        """
        try:
            if not self.launcher.is_intact() and any(each.files for each in self.status()):
                self._write_launcher()
            for hooks in self._agents:
                self._ship_files(hooks, only_existing=True)
        except FileError as error:
            return (f"agents may not reach wisen: {error}",)
        return ()

    def remove(self, agent: str, project: Path | None = None, *, dry_run: bool = False) -> HookInstallation:
        """Make an agent stop calling us, wherever the ledger, its settings or those of a project say that it does.

        Raises: as `add`.
        """
        from wisen.edits.dry_run import in_memory_ports
        from wisen.install.companions import remove_companions
        from wisen.install.hook_settings import remove_hooks

        hooks = self._hooks(agent)
        before = self._status_of(hooks, project)
        if before.state is HookState.NOT_INSTALLED and not self._decisions.is_person_present():
            return HookInstallation((), before, before)  # there is nothing that the user could be asked about
        self._decisions.require_person("uninstall", agent, dry_run=dry_run)
        edit_ports = in_memory_ports(self._edit_ports) if dry_run else self._edit_ports
        with self._decisions.as_decision("uninstalled", agent, dry_run=dry_run):
            rewritten = [remove_hooks(edit_ports, Path(path), hooks) for path in before.files]
            rewritten += [each for path in before.files for each in remove_companions(edit_ports, Path(path), hooks)]
        if not dry_run:
            self._ship_files(hooks, remove=True)
            if any(each.files for each in self.status(project)):
                self._write_launcher()
            else:
                self.launcher.remove()
        return self._build_result(tuple(rewritten), before, project, dry_run=dry_run)

    def status(self, project: Path | None = None) -> tuple[HookStatus, ...]:
        """Return the hook status of each agent that can have hooks."""
        from wisen.install.hook_status import HookInspection, hook_status

        inspection = HookInspection(
            agents=self._agents,
            hook_health_check=self._hook_health_check,
            files=self._edit_ports.files,
            caller=self._caller,
            project=project,
            edit_ports=lambda _: self._edit_ports,
        )
        return hook_status(inspection, self._home.ledger)

    def agents_with_hooks(self, project: Path | None = None) -> tuple[str, ...]:
        """Return the agents that our hooks are installed in, working or not."""
        return tuple(each.agent for each in self.status(project) if each.state is not HookState.NOT_INSTALLED)

    def _build_result(
        self, files: tuple[RewrittenFile, ...], before: HookStatus, project: Path | None, *, dry_run: bool
    ) -> HookInstallation:
        """Build the result, after a backup of the ledger, which holds what can revert the change."""
        if not dry_run and self._home.backups is not None and any(each.held != each.holds for each in files):
            self._home.backups.create()
        after = next(each for each in self.status(project) if each.agent == before.agent)
        return HookInstallation(files, before, after)

    def _ship_files(self, hooks: Hooks, *, remove: bool = False, only_existing: bool = False) -> None:
        """Write the files that an agent loads from the home, or remove them. Raises: FileError."""
        for path, content in hooks.shipped_files(self._caller).items() if isinstance(hooks, HasShippedFiles) else ():
            current = self._edit_ports.files.read(path)
            if current.content is not None or not only_existing:
                self._edit_ports.files.write(current, None if remove else content)

    def _write_launcher(self, *settings: str) -> None:
        """Write the launcher with the settings files that name it: removing hooks without us needs that list."""
        known = [path for each in self.status() for path in each.files]
        self.launcher.write([*known, *settings])

    def _require_loadable(self, hooks: Hooks, file: Path) -> None:
        """Check that the agent loads a settings file at all. Raises: SettingsUnclear."""
        reason = hooks.rejection_reason(file, self._edit_ports.files.read(file).content or b"")
        if reason:
            raise SettingsUnclear(
                f"{file}: {reason}. Fix that file, then run `wisen install {hooks.name}` again. Nothing was written."
            )

    def _measure_cost(self) -> HookLatency:
        """Measure how long an agent waits for us."""
        measure = self.launcher.measure
        return HookLatency(
            prompt=measure("prompt", guarded=True),
            call=measure("before-call", guarded=False),
            guarded_call=measure("before-call", guarded=True),
        )

    def _hooks(self, agent: str) -> Hooks:
        known = {each.name: each for each in self._agents}
        if agent not in known:
            raise UsageError(f"wisen cannot be installed into {agent!r}. Supported agents: {', '.join(known)}.")
        return known[agent]

    def _status_of(self, hooks: Hooks, project: Path | None) -> HookStatus:
        return next(each for each in self.status(project) if each.agent == hooks.name)
