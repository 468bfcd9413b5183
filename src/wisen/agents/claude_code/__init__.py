"""Claude Code: sessions as JSONL files under its configuration directory."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from wisen.agents.claude_code.read import AGENT, ClaudeFormat
from wisen.agents.follow import follow
from wisen.agents.sniff import kind_of
from wisen.domain.sources import Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from wisen.domain.sources import Batch, Mark

__all__ = ["ClaudeCode"]


class ClaudeCode:
    """The transcripts of Claude Code on this machine."""

    name = AGENT

    def __init__(self, home: Path, environment: Mapping[str, str]) -> None:
        configured = environment.get("CLAUDE_CONFIG_DIR")
        self._root = (Path(configured).expanduser() if configured else home / ".claude") / "projects"

    def roots(self) -> tuple[Path, ...]:
        """Where Claude Code keeps its sessions."""
        return (self._root,)

    def sources(self, under: Path | None = None) -> Iterator[Source]:
        """Every transcript below the root or below `under`, in a stable order."""
        base = under or self._root
        if base.is_file():
            if under is None or _may_be_ours(base):
                yield _source(base)
            return
        for folder, folders, files in os.walk(base):
            folders.sort()
            for file in sorted(files):
                path = Path(folder, file)
                if file.endswith(".jsonl") and (under is None or _may_be_ours(path)):
                    yield _source(path)

    def read(self, source: Source, mark: Mark | None = None) -> Iterator[Batch]:
        """The events behind the mark."""
        return follow(source.path, mark, ClaudeFormat)


def _may_be_ours(path: Path) -> bool:
    """Whether a file found elsewhere is a transcript, or garbage that somebody has to report."""
    kind = kind_of(path)
    return kind == AGENT or (kind is None and path.suffix == ".jsonl")


def _source(path: Path) -> Source:
    try:
        status = path.stat()
    except OSError:
        return Source(agent=AGENT, path=path, size=0, modified_ns=0)
    return Source(agent=AGENT, path=path, size=status.st_size, modified_ns=status.st_mtime_ns)
