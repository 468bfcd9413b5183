"""Finds the skills on disk that agents load: ours, the user's own and other people's."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from wisen.agents.agent_ports import LoadsSkills
from wisen.model.change import content_digest
from wisen.safety.regular_files import read_regular_file
from wisen.skills.skill_file import FILE, MAX_BYTES, SOURCE, SkillFile, parse_skill
from wisen.skills.skill_text import SOURCE_PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from wisen.agents.agent_ports import Agent

_MAX_SKILLS = 1_000
"""How many folders are looked into at most in one place."""


class FoundSkill(NamedTuple):
    """A skill on disk."""

    path: str
    agents: tuple[str, ...]
    """The agents that load it from there."""
    context: str
    """The project that it is for; empty for all."""
    skill: SkillFile
    content_digest: str

    @property
    def workflow(self) -> str:
        """Return the id of the workflow that we made it from; empty if somebody else made it."""
        source = self.skill.metadata.get(SOURCE, "")
        return source.removeprefix(SOURCE_PREFIX) if source.startswith(SOURCE_PREFIX) else ""


def agents_with_skills(agents: Iterable[Agent]) -> dict[str, LoadsSkills]:
    """Return the agents that load skills, by name."""
    return {each.name: each for each in agents if isinstance(each, LoadsSkills)}


def find_skills(agents: Iterable[Agent], places: Sequence[tuple[str, str]]) -> tuple[FoundSkill, ...]:
    """Return every readable skill of the user and of these projects, each once, by path.

    `places`: directories with the context that each belongs to.
    """
    loaders = agents_with_skills(agents)
    by_file: dict[str, FoundSkill] = {}
    for root, context in (("", ""), *places):
        for name, agent in loaders.items():
            for folder in agent.skill_folders(Path(root) if root else None):
                for path in _skill_files(folder):
                    _add(by_file, path, name, context)
    return tuple(by_file[path] for path in sorted(by_file))


def _add(by_file: dict[str, FoundSkill], path: Path, agent: str, context: str) -> None:
    known = by_file.get(str(path))
    if known is not None:
        by_file[str(path)] = known._replace(agents=tuple(dict.fromkeys((*known.agents, agent))))
        return
    try:
        content = read_regular_file(path, MAX_BYTES)
        skill = parse_skill(content.decode("utf-8"))
    except (OSError, ValueError):
        return
    if skill is not None:
        by_file[str(path)] = FoundSkill(str(path), (agent,), context, skill, content_digest(content))


def _skill_files(folder: Path) -> Iterator[Path]:
    """Yield the skill files of a folder, and of its categories."""
    for each in _folders(folder):
        if (each / FILE).is_file():
            yield each / FILE
        else:
            yield from (inner / FILE for inner in _folders(each) if (inner / FILE).is_file())


def _folders(folder: Path) -> list[Path]:
    try:
        return sorted(each for each in islice(folder.iterdir(), _MAX_SKILLS) if each.is_dir())
    except OSError:
        return []
