"""Finds the files of skills in the folders from which agents load them."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wisen.agents.agent_ports import LoadsSkills
from wisen.agents.skill_file import FILE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from wisen.agents.agent_ports import Agent

_MAX_FOLDERS = 1_000
"""How many folders are looked into at most in one place."""


class SkillPath(NamedTuple):
    """The file of a skill, and who loads it for which project."""

    path: Path
    agents: tuple[str, ...]
    root: str
    """The directory of the project; empty if it is for all."""


def agents_with_skills(agents: Iterable[Agent]) -> dict[str, LoadsSkills]:
    """Return the agents that load skills, by name."""
    return {each.name: each for each in agents if isinstance(each, LoadsSkills)}


def skill_paths(agents: Iterable[Agent], roots: Iterable[str]) -> tuple[SkillPath, ...]:
    """Return the skills of the user and of these projects, each file once, sorted by path."""
    loaders = agents_with_skills(agents)
    found: dict[Path, SkillPath] = {}
    for root in ("", *roots):
        for name, agent in loaders.items():
            for folder in agent.skill_folders(Path(root) if root else None):
                for path in _skill_files(folder):
                    known = found.get(path, SkillPath(path, (), root))
                    found[path] = known._replace(agents=tuple(dict.fromkeys((*known.agents, name))))
    return tuple(found[path] for path in sorted(found))


def _skill_files(folder: Path) -> Iterator[Path]:
    """Yield the skill files of a folder, and of its categories."""
    for each in _folders(folder):
        if (each / FILE).is_file():
            yield each / FILE
        else:
            yield from (inner / FILE for inner in _folders(each) if (inner / FILE).is_file())


def _folders(folder: Path) -> list[Path]:
    try:
        return sorted(each for each in islice(folder.iterdir(), _MAX_FOLDERS) if each.is_dir())
    except OSError:
        return []
