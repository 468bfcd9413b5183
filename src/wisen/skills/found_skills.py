"""Reads the skills on disk that agents load: ours, the user's own and other people's."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from wisen.agents.skill_file import MAX_BYTES, SOURCE, SkillFile, parse_skill
from wisen.agents.skill_folders import skill_paths
from wisen.model.change import content_digest
from wisen.safety.regular_files import read_regular_file
from wisen.skills.skill_text import SOURCE_PREFIX

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wisen.agents.agent_ports import Agent


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


def find_skills(agents: Iterable[Agent], places: Sequence[tuple[str, str]]) -> tuple[FoundSkill, ...]:
    """Return every readable skill of the user and of these projects, each once, by path.

    `places`: directories with the context that each belongs to.
    """
    contexts = {"": "", **dict(places)}
    found = []
    for path, names, root in skill_paths(agents, [root for root, _ in places]):
        try:
            content = read_regular_file(path, MAX_BYTES)
            skill = parse_skill(content.decode("utf-8"))
        except (OSError, ValueError):
            continue
        if skill is not None:
            found.append(FoundSkill(str(path), names, contexts[root], skill, content_digest(content)))
    return tuple(found)
