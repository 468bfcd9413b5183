"""The health service: problems of learning and of hooks, and the status of each agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.model.plausible_time import nearest_time
from wisen.model.state import AgentState, Health

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from wisen.agents.agent_ports import Agent
    from wisen.agents.hook_ports import HookHealthCheck
    from wisen.health.recompute import Recomputed
    from wisen.logs.projects import Projects
    from wisen.model.hook import HookStatus
    from wisen.model.report import Report
    from wisen.model.state import HealthFinding
    from wisen.store.home import Home

_SHOWN_RUNS = 10
_ABANDONED_SECONDS = 3600.0
"""After this many seconds a run deletes a partial file: however slow a machine is, nobody writes it any more."""


class HealthService:
    """Reports problems, because silence must never look like having nothing to say."""

    def __init__(
        self,
        home: Home,
        projects: Projects,
        *,
        hook_health: HookHealthCheck,
        installed: Callable[[Path | None], tuple[HookStatus, ...]],
    ) -> None:
        """`installed`: returns the hook status of each agent, by the settings of a project and of the user."""
        self._home, self._projects, self._hook_health, self._installed = home, projects, hook_health, installed

    def find_problems(self, project: Path | None = None) -> tuple[HealthFinding, ...]:
        """Return what is wrong with learning, hooks and delivery; empty where all is well."""
        from wisen.health import heartbeat

        runs = self._home.ledger.runs.newest(_SHOWN_RUNS)
        now = self._home.clock.now()
        findings = heartbeat.findings(self._installed(project), self._hook_health.read_health(), runs, now)
        last = heartbeat.last_run_findings(heartbeat.past_runs(runs, now))
        return tuple(each for each in (*last, *findings) if each.health is not Health.GOOD)

    def bad_findings(self) -> list[HealthFinding]:
        """Return the serious problems."""
        return [each for each in self.find_problems() if each.health is Health.BAD]

    def remove_partial_files(self) -> int:
        """Delete what killed processes left half-written in the home; returns how many files."""
        from wisen.system.home_access import remove_leftovers

        return remove_leftovers(self._home.path, self._home.clock.now(), _ABANDONED_SECONDS)

    def recompute(self, learn: Callable[[], Report]) -> Recomputed:
        """Work out every total again from all sessions, and compare it with what was kept from run to run."""
        from wisen.health.recompute import recompute

        return recompute(self._home, learn)

    def agent_states(self, project: Path | None = None) -> tuple[AgentState, ...]:
        """Return for each agent its sessions, what was read, what could not be read, and its hooks.

        The settings of a `project` count in addition to the user's.
        """
        hooks = {each.agent: each for each in self._installed(project)}
        return tuple(self._agent_state(agent, hooks.get(agent.name)) for agent in self._projects.agents)

    def _agent_state(self, agent: Agent, hooks: HookStatus | None) -> AgentState:
        from wisen.agents.agent_ports import Versioned
        from wisen.model.report import Selection

        sources = list(self._projects.sources(agent))
        newest = max(sources, key=lambda source: source.modified_ns, default=None)
        selection = Selection(agent=agent.name)
        return AgentState(
            name=agent.name,
            roots=tuple(str(root) for root in agent.roots()),
            version=agent.version(newest) if newest and isinstance(agent, Versioned) else None,
            sources=len(sources),
            size=sum(source.size for source in sources),
            newest=nearest_time(newest.modified_ns / 1e9) if newest else None,
            counts=self._home.index.events.counts(selection),
            troubles=self._home.index.events.read_problems(selection),
            hooks=hooks,
        )
