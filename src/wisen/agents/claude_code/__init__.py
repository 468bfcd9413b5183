"""Claude Code: reads its sessions, which are JSONL files below its configuration directory."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.agents.claude_code.read import AGENT, ClaudeParser
from wisen.agents.log_detection import detect_agent
from wisen.agents.log_files import file_source, files_below, find_json_value, sources_below
from wisen.agents.log_follower import follow_records

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from wisen.model.source import Batch, Source, SourceMark

__all__ = ["ClaudeCode"]


class ClaudeCode:
    """The transcripts of Claude Code on this machine."""

    name = AGENT

    def __init__(self, home: Path, environment: Mapping[str, str], *, program_prompts: bool = False) -> None:
        """`program_prompts`: whether prompts from programs (`claude -p`) count as typed by the user."""
        configured = environment.get("CLAUDE_CONFIG_DIR")
        self._base = Path(configured).expanduser() if configured else home / ".claude"
        self._root = self._base / "projects"
        self._program_prompts = program_prompts

    def roots(self) -> tuple[Path, ...]:
        """Return where Claude Code stores its sessions."""
        return (self._root,)

    def skill_folders(self, project: Path | None) -> tuple[Path, ...]:
        """Return where Claude Code loads skills from (2.1.325 lists those of a project)."""
        return (self._base / "skills",) if project is None else (project / ".claude" / "skills",)

    def sources(self, under: Path | None = None) -> Iterator[Source]:
        """Yield every transcript below the root, or every possible transcript below `under`, in a stable order."""
        if under is None:
            yield from sources_below(AGENT, self._root, ".jsonl")
            return
        for path in files_below(under, ".jsonl"):
            if _may_be_transcript(path):
                yield file_source(AGENT, path)

    def version(self, source: Source) -> str | None:
        """Return the version of Claude Code that wrote the last records."""
        return find_json_value(source.path, b'"version":"')

    def read(self, source: Source, mark: SourceMark | None = None) -> Iterator[Batch]:
        """Yield the events after the mark."""
        return follow_records(source.path, mark, partial(ClaudeParser, program_prompts=self._program_prompts))


def _may_be_transcript(path: Path) -> bool:
    """Whether a file found elsewhere is a transcript, or garbage that some reader has to report."""
    kind = detect_agent(path)
    return kind == AGENT or (kind is None and path.suffix == ".jsonl")
