"""The facade's part for agents that call us while they work: install, uninstall, and how it is with that."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from wisen.agents.hook_ports import Granting, Shipping
from wisen.decisions.decider import Decider
from wisen.errors import FileError, SettingsUnclear, UsageError
from wisen.model.change import EXPERIMENTS_ANSWER, digest
from wisen.model.hook import Cost, Installing
from wisen.model.state import Health

if TYPE_CHECKING:
    from wisen.agents.hook_ports import Hooks
    from wisen.edits.edit import Edit
    from wisen.health.heartbeat import Watched
    from wisen.model.hook import Installed, Rewritten
    from wisen.model.state import Finding
    from wisen.parts import Parts

_SHOWN_RUNS = 10


class Installer(Decider):
    """What a Learner does with the hooks of agents."""

    _parts: Parts

    def install(self, agent: str, project: Path | None = None, *, dry_run: bool = False) -> Installing:
        """Have an agent call us, in every session or in those of a project; where it does already, nothing changes.

        Hooks of ours that stand elsewhere are repaired as well; where a person took them out, they are forgotten.

        Raises:
            PersonNeeded: an agent asks for it; settings change only when a person says so.
            UsageError: there is no such agent, or earlier hooks of ours cannot be told from others'.
            SettingsUnclear: its settings cannot be read, or the change cannot be proven right.
            FileError: they cannot be read or written.
        """
        from wisen.edits.draft import drafted
        from wisen.install.companions import put_beside, renew_beside
        from wisen.install.hook_settings import put_in, renew_in

        hooks = self._hooks(agent)
        where = ("--scope", "project") if project is not None else ()
        self.refuse_agent("install", agent, *where, dry_run=dry_run)
        before = self._installed(hooks, project)
        desk = drafted(self._parts.desk) if dry_run else self._parts.desk
        wanted = hooks.wanted(self._parts.caller)
        file = hooks.file(project)
        self._be_followed(hooks, file)
        for put in (put_beside, partial(put_in, wanted=wanted)):
            put(drafted(desk), file, hooks)  # what is refused must be refused before anything is written
        if not dry_run:
            self._write_launcher(str(file))
            self._ship(hooks)
        with self.as_decision("installed", agent, dry_run=dry_run):
            desk = desk if dry_run else self._parts.desk
            done = [put_in(desk, file, hooks, wanted), *put_beside(desk, file, hooks)]
            others = [Path(path) for path in before.files if path != str(file)]
            done += filter(None, (renew_in(desk, path, hooks, wanted) for path in others))
            done += [each for path in others for each in renew_beside(desk, path, hooks)]
        grants = hooks.grants if isinstance(hooks, Granting) else ""
        return structs.replace(
            self._installing(tuple(done), before, project, dry_run=dry_run), grants=grants, cost=self._cost()
        )

    def repair_launcher(self) -> tuple[str, ...]:
        """Have the launcher start this wisen, where what it started is gone: an agent's settings stay as they are.

        Returns why that could not be done.
        """
        try:
            if not self._parts.launcher.is_whole() and any(each.files for each in self.installed()):
                self._write_launcher()
            for hooks in self._parts.hooks:
                self._ship(hooks, only_there=True)
        except FileError as error:
            return (f"agents may not reach wisen: {error}",)
        return ()

    def uninstall(self, agent: str, project: Path | None = None, *, dry_run: bool = False) -> Installing:
        """Have an agent call us no longer, wherever the ledger, its settings or those of a project say that it does.

        Raises: as `install`.
        """
        from wisen.edits.draft import drafted
        from wisen.install.companions import take_beside
        from wisen.install.hook_settings import take_out

        hooks = self._hooks(agent)
        self.require_person("uninstall", agent, dry_run=dry_run)
        before = self._installed(hooks, project)
        desk = drafted(self._parts.desk) if dry_run else self._parts.desk
        with self.as_decision("uninstalled", agent, dry_run=dry_run):
            desk = desk if dry_run else self._parts.desk
            done = [take_out(desk, Path(path), hooks) for path in before.files]
            done += [each for path in before.files for each in take_beside(desk, Path(path), hooks)]
        if not dry_run:
            self._ship(hooks, back=True)
            if any(each.files for each in self.installed(project)):
                self._write_launcher()
            else:
                self._parts.launcher.remove()
        return self._installing(tuple(done), before, project, dry_run=dry_run)

    def installed(self, project: Path | None = None) -> tuple[Installed, ...]:
        """How it is with the hooks of each agent that can have any."""
        from wisen.health import heartbeat

        return heartbeat.installed(self._watched(project), self._parts.ledger)

    def alarms(self, project: Path | None = None) -> tuple[Finding, ...]:
        """What is wrong with the loop, with hooks and with what they deliver; nothing where all is well."""
        from wisen.health import heartbeat

        parts, runs = self._parts, self._parts.ledger.runs(_SHOWN_RUNS)
        found = heartbeat.findings(self.installed(project), parts.gauge.vitals(), runs, parts.clock.now())
        return tuple(each for each in (*heartbeat.stopped(runs), *found) if each.health is not Health.GOOD)

    def welcome_experiments(self, *, welcome: bool) -> Edit | None:
        """Keep the user's answer whether hints that he did not approve may be tried; None where it is known.

        Raises:
            SettingsUnclear: config.toml cannot be read.
            FileError: it cannot be written.
        """
        from wisen.edits.edit import Editor, ValuePlan

        if self._parts.experiments is welcome:
            return None
        self.require_person("trials", "on" if welcome else "off")
        path = self._parts.home / "config.toml"
        saw = digest(self._parts.files.read(path).content)
        plan = ValuePlan(str(path), ("trials", "experiments"), welcome, EXPERIMENTS_ANSWER, saw)
        with self.as_decision("experiments", "config"):
            return Editor(self._parts.desk).set(plan)

    def _installing(
        self, files: tuple[Rewritten, ...], before: Installed, project: Path | None, *, dry_run: bool
    ) -> Installing:
        """What was done, with a backup of the ledger: it holds what takes that back."""
        if not dry_run and self._parts.backups is not None and any(each.held != each.holds for each in files):
            self._parts.backups.make()
        after = next(each for each in self.installed(project) if each.agent == before.agent)
        return Installing(files, before, after)

    def _ship(self, hooks: Hooks, *, back: bool = False, only_there: bool = False) -> None:
        """Have files stand in the home that an agent loads from there, or no longer. Raises: FileError."""
        for path, content in hooks.shipped(self._parts.caller).items() if isinstance(hooks, Shipping) else ():
            seen = self._parts.files.read(path)
            if seen.content is not None or not only_there:
                self._parts.files.write(seen, None if back else content)

    def _write_launcher(self, *settings: str) -> None:
        """Write it, with the settings files that name it: what takes hooks out without us has to know them."""
        known = [path for each in self.installed() for path in each.files]
        self._parts.launcher.write([*known, *settings])

    def _be_followed(self, hooks: Hooks, file: Path) -> None:
        """See that the agent follows a settings file at all. Raises: SettingsUnclear."""
        why = hooks.rejection(file, self._parts.files.read(file).content or b"")
        if why:
            raise SettingsUnclear(
                f"{file}: {why}. Mend that file, then run `wisen install {hooks.name}` again. Nothing was written."
            )

    def _cost(self) -> Cost:
        """What an agent waits for us, measured here and now."""
        measure = self._parts.launcher.measure
        return Cost(
            prompt=measure("prompt", guarded=True),
            call=measure("before-call", guarded=False),
            guarded_call=measure("before-call", guarded=True),
        )

    def _hooks(self, agent: str) -> Hooks:
        known = {each.name: each for each in self._parts.hooks}
        if agent not in known:
            raise UsageError(f"wisen cannot be installed into {agent!r}. It can be in: {', '.join(known)}.")
        return known[agent]

    def _installed(self, hooks: Hooks, project: Path | None) -> Installed:
        return next(each for each in self.installed(project) if each.agent == hooks.name)

    def _watched(self, project: Path | None) -> Watched:
        from wisen.health.heartbeat import Watched

        parts = self._parts
        return Watched(
            agents=parts.hooks,
            gauge=parts.gauge,
            files=parts.files,
            caller=parts.caller,
            project=project,
            desk=lambda _: parts.desk,
        )
