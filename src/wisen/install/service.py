"""Install: adds hooks to agents' settings, removes them, and reports their status."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from wisen.agents.hook_ports import HasPermissionNotice, HasShippedFiles
from wisen.errors import FileError, SettingsUnclear, UsageError
from wisen.model.hook import HookInstallation, HookLatency

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.agents.hook_ports import HookHealthCheck, Hooks
    from wisen.decisions.service import Decisions
    from wisen.delivery.launcher import Launcher
    from wisen.edits.edit_history import Desk
    from wisen.model.hook import Caller, HookStatus, RewrittenFile
    from wisen.store.home import Home


class InstallService:
    """Adds, removes and repairs the hooks of agents."""

    def __init__(  # noqa: PLR0913 - what it is composed of, each by name
        self,
        home: Home,
        desk: Desk,
        decisions: Decisions,
        *,
        hooks: Sequence[Hooks],
        gauge: HookHealthCheck,
        caller: Caller,
        launcher: Launcher,
    ) -> None:
        """`hooks`: the agents that can call us; `caller`: the command they run, which `launcher` writes."""
        self._home, self._desk, self._decisions = home, desk, decisions
        self._agents, self._gauge, self._caller, self._launcher = hooks, gauge, caller, launcher

    def add(self, agent: str, project: Path | None = None, *, dry_run: bool = False) -> HookInstallation:
        """Make an agent call us, in every session or in those of a project; if it does already, nothing changes.

        Our hooks in other settings files are repaired as well; if a person removed them there, they are forgotten.

        Raises:
            PersonNeeded: an agent asks for it; settings change only when a person says so.
            UsageError: there is no such agent, or earlier hooks of ours cannot be told from others'.
            SettingsUnclear: its settings cannot be parsed, or the change cannot be verified.
            FileError: they cannot be read or written.
        """
        from wisen.edits.dry_run import in_memory_desk
        from wisen.install.companions import put_beside, renew_beside
        from wisen.install.hook_settings import put_in, renew_in

        hooks = self._hooks(agent)
        where = ("--scope", "project") if project is not None else ()
        self._decisions.refuse_agent("install", agent, *where, dry_run=dry_run)
        before = self._installed(hooks, project)
        desk = in_memory_desk(self._desk) if dry_run else self._desk
        wanted = hooks.required_hooks(self._caller)
        file = hooks.file(project)
        self._be_followed(hooks, file)
        for put in (put_beside, partial(put_in, wanted=wanted)):
            put(in_memory_desk(desk), file, hooks)  # what fails must fail before anything is written
        if not dry_run:
            self._write_launcher(str(file))
            self._ship(hooks)
        with self._decisions.as_decision("installed", agent, dry_run=dry_run):
            done = [put_in(desk, file, hooks, wanted), *put_beside(desk, file, hooks)]
            others = [Path(path) for path in before.files if path != str(file)]
            done += filter(None, (renew_in(desk, path, hooks, wanted) for path in others))
            done += [each for path in others for each in renew_beside(desk, path, hooks)]
        grants = hooks.permission_notice if isinstance(hooks, HasPermissionNotice) else ""
        return structs.replace(
            self._installing(tuple(done), before, project, dry_run=dry_run), grants=grants, cost=self._cost()
        )

    def repair_launcher(self) -> tuple[str, ...]:
        """Rewrite the launcher if the wisen that it started is gone: agents' settings stay as they are.

        Returns why that could not be done.
        """
        try:
            if not self._launcher.is_intact() and any(each.files for each in self.installed()):
                self._write_launcher()
            for hooks in self._agents:
                self._ship(hooks, only_there=True)
        except FileError as error:
            return (f"agents may not reach wisen: {error}",)
        return ()

    def remove(self, agent: str, project: Path | None = None, *, dry_run: bool = False) -> HookInstallation:
        """Make an agent stop calling us, wherever the ledger, its settings or those of a project say that it does.

        Raises: as `add`.
        """
        from wisen.edits.dry_run import in_memory_desk
        from wisen.install.companions import take_beside
        from wisen.install.hook_settings import take_out

        hooks = self._hooks(agent)
        self._decisions.require_person("uninstall", agent, dry_run=dry_run)
        before = self._installed(hooks, project)
        desk = in_memory_desk(self._desk) if dry_run else self._desk
        with self._decisions.as_decision("uninstalled", agent, dry_run=dry_run):
            done = [take_out(desk, Path(path), hooks) for path in before.files]
            done += [each for path in before.files for each in take_beside(desk, Path(path), hooks)]
        if not dry_run:
            self._ship(hooks, back=True)
            if any(each.files for each in self.installed(project)):
                self._write_launcher()
            else:
                self._launcher.remove()
        return self._installing(tuple(done), before, project, dry_run=dry_run)

    def installed(self, project: Path | None = None) -> tuple[HookStatus, ...]:
        """Return the hook status of each agent that can have hooks."""
        from wisen.install.installed import InspectedHooks, installed

        inspected = InspectedHooks(
            agents=self._agents,
            gauge=self._gauge,
            files=self._desk.files,
            caller=self._caller,
            project=project,
            desk=lambda _: self._desk,
        )
        return installed(inspected, self._home.ledger)

    def _installing(
        self, files: tuple[RewrittenFile, ...], before: HookStatus, project: Path | None, *, dry_run: bool
    ) -> HookInstallation:
        """Build the result, after a backup of the ledger, which holds what can revert the change."""
        if not dry_run and self._home.backups is not None and any(each.held != each.holds for each in files):
            self._home.backups.create()
        after = next(each for each in self.installed(project) if each.agent == before.agent)
        return HookInstallation(files, before, after)

    def _ship(self, hooks: Hooks, *, back: bool = False, only_there: bool = False) -> None:
        """Write the files that an agent loads from the home, or remove them. Raises: FileError."""
        for path, content in hooks.shipped_files(self._caller).items() if isinstance(hooks, HasShippedFiles) else ():
            seen = self._desk.files.read(path)
            if seen.content is not None or not only_there:
                self._desk.files.write(seen, None if back else content)

    def _write_launcher(self, *settings: str) -> None:
        """Write the launcher with the settings files that name it: removing hooks without us needs that list."""
        known = [path for each in self.installed() for path in each.files]
        self._launcher.write([*known, *settings])

    def _be_followed(self, hooks: Hooks, file: Path) -> None:
        """Check that the agent loads a settings file at all. Raises: SettingsUnclear."""
        why = hooks.rejection_reason(file, self._desk.files.read(file).content or b"")
        if why:
            raise SettingsUnclear(
                f"{file}: {why}. Fix that file, then run `wisen install {hooks.name}` again. Nothing was written."
            )

    def _cost(self) -> HookLatency:
        """Measure how long an agent waits for us."""
        measure = self._launcher.measure
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

    def _installed(self, hooks: Hooks, project: Path | None) -> HookStatus:
        return next(each for each in self.installed(project) if each.agent == hooks.name)
