"""`wisen agents`: the sessions, hooks and read problems of each agent."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from wisen import app
from wisen.surfaces.cli.render import console, format_size, plural, print_json, table

if TYPE_CHECKING:
    from rich.console import Console

    from wisen.model.state import AgentState


def show_agents(*, as_json: bool) -> int:
    """Show every agent, without creating files."""
    wires = app.wire()
    with tempfile.TemporaryDirectory(prefix="wisen-look-") as folder:
        looking = wires if wires.ever_used else wires.with_home(Path(folder))
        with looking.learner() as learner:
            found = learner.health.agent_states(Path.cwd())
    if as_json:
        print_json({"agents": found})
    else:
        _print_agents(found, console())
    return 0


def _print_agents(found: tuple[AgentState, ...], out: Console) -> None:
    numbers = ("files", "size", "sessions read", "turns")
    rows = table("agent", "version", *numbers, "last written", "hooks", "looked in", right=numbers)
    for agent in found:
        cells = (agent.sources, agent.counts.sessions, agent.counts.typed_turns)
        files, sessions, turns = (f"{cell:,}" if cell else "·" for cell in cells)
        rows.add_row(
            agent.name,
            agent.version or "·",
            files,
            format_size(agent.size) if agent.sources else "·",
            sessions,
            turns,
            f"{agent.newest:%Y-%m-%d}" if agent.newest else "·",
            agent.hooks.state.value if agent.hooks else "·",
            ", ".join(agent.roots) or "only where --path points",
        )
    out.print(rows)
    for agent in found:
        for fault in agent.hooks.faults if agent.hooks else ():
            out.print(
                f"{agent.name} hooks: {fault}. Repair: wisen install {agent.name}", style="bold red", markup=False
            )
        if agent.hooks and agent.hooks.untrusted:
            waits = f"{agent.name} hooks are not trusted yet: {', '.join(agent.hooks.untrusted)}."
            out.print(f"{waits} {agent.hooks.trusting}", style="yellow", markup=False)
        for read_problem in agent.troubles[:5]:
            kind = f"{read_problem.kind.value} {read_problem.detail}".strip()
            problem = f"{agent.name}: {plural(read_problem.count, 'record')} not read ({kind}) in {read_problem.path}"
            out.print(f"{problem}, first at byte {read_problem.first_offset:,}", style="yellow", markup=False)
        if len(agent.troubles) > 5:
            more = plural(len(agent.troubles) - 5, "kind")
            out.print(f"{agent.name}: {more} of problems more: wisen agents --json", style="dim")
