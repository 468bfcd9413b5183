"""Finds the memory files that agents keep by themselves (notebooks), and the skills that they load. Read only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from wisen.agents.skill_file import parse_skill
from wisen.agents.skill_folders import skill_paths
from wisen.model.external_memory import ExternalMemoryFile
from wisen.model.plausible_time import nearest_time
from wisen.safety.regular_files import read_regular_file
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from wisen.agents.agent_ports import Agent

MAX_BYTES = 1 << 20
"""The size above which a file is not read as a notebook."""
_MAX_FILES = 2_000
_PATTERNS = (
    ("claude-code", ".claude/projects/*/memory/*.md"),
    ("openclaw", ".openclaw/workspace*/MEMORY.md"),
    ("openclaw", ".openclaw/workspace*/USER.md"),
    ("openclaw", ".openclaw/workspace*/memory/*.md"),
    ("hermes", ".hermes/memories/*.md"),
)
"""The notebooks of each agent, as patterns below the user's home."""
_NOT_A_LETTER = lazy_regex(r"[^A-Za-z0-9]")


class Notebooks(Protocol):
    """The memory files of other systems. They are read only."""

    def notebooks(self, contexts: Mapping[str, str]) -> Iterator[ExternalMemoryFile]:
        """Yield every readable notebook; `contexts` maps each directory that sessions worked in to its context.

        A notebook whose context is unknown is left out.
        """
        ...


class NotebookFiles:
    """The notebooks of one user."""

    def __init__(self, home: Path, agents: Callable[[], Sequence[Agent]] = tuple) -> None:
        """`agents`: those whose skills can be recalled."""
        self._home, self._agents = home, agents

    def notebooks(self, contexts: Mapping[str, str]) -> Iterator[ExternalMemoryFile]:
        """Yield every readable notebook; `contexts` maps each directory that sessions worked in to its context."""
        # Claude Code names a project's folder after its path, with a dash for everything but letters and digits.
        contexts_by_folder = {_NOT_A_LETTER.sub("-", path): context for path, context in contexts.items()}
        remaining = _MAX_FILES
        for agent, pattern in _PATTERNS:
            for path in sorted(self._home.glob(pattern)):
                project = path.relative_to(self._home).parts[2] if agent == "claude-code" else ""
                context = contexts_by_folder.get(project) if project else ""
                if context is None or remaining == 0:
                    continue  # its project is unknown, so it is shown to nobody
                notebook = _read(agent, path, context)
                if notebook is not None:
                    remaining -= 1
                    yield notebook
        for path, names, root in skill_paths(self._agents(), contexts)[:remaining]:
            notebook = _read(names[0], path, contexts.get(root, ""))
            skill = None if notebook is None else parse_skill(notebook.text)
            if notebook is not None and skill is not None:
                yield notebook._replace(text=f"{skill.name}: {' '.join(skill.description.split())}", is_skill=True)


def _read(agent: str, path: Path, context: str) -> ExternalMemoryFile | None:
    try:
        status = path.stat()
        text = read_regular_file(path, MAX_BYTES).decode("utf-8-sig", "replace").replace("\r\n", "\n")
    except OSError:
        return None
    return ExternalMemoryFile(agent, str(path), text, nearest_time(int(status.st_mtime)), context)
