"""OpenClaw: reads its sessions, which were files until 2026.7 and are database rows since."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from wisen.agents.log_detection import detect_agent
from wisen.agents.log_files import file_source, files_below
from wisen.agents.log_follower import Cursor, follow_records
from wisen.agents.openclaw.archives import read_archive
from wisen.agents.openclaw.database import read_database
from wisen.agents.openclaw.openclaw_paths import state_directories
from wisen.agents.openclaw.read import AGENT
from wisen.agents.openclaw.session_registry import DATABASE, speakers_beside, version_of
from wisen.agents.openclaw.transcript_lines import TranscriptLineParser
from wisen.agents.sqlite_logs import database_source, size_and_mtime
from wisen.text.lazy_regex import lazy_regex

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from wisen.agents.openclaw.openclaw_speakers import OpenclawSpeaker
    from wisen.model.source import Batch, Source, SourceMark

__all__ = ["OpenClaw"]

_ARCHIVE_NAME = lazy_regex(
    r"\.jsonl\.(?:reset|deleted)\.\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d{3})?Z(?:\.[0-9a-f]{32})?(?:\.zst)?\Z"
)
_COLD_NAME = lazy_regex(r"[0-9a-f]{64}\.jsonl\.zst\Z")
_AUXILIARY_NAME = lazy_regex(r"\.trajectory\.jsonl\Z|\.checkpoint\.[0-9a-fA-F-]{36}\.jsonl\Z")


class OpenClaw:
    """The transcripts of OpenClaw on this machine."""

    name = AGENT

    def __init__(self, home: Path, environment: Mapping[str, str], *, program_prompts: bool = False) -> None:
        self._states = state_directories(home, environment)
        self._program_prompts = program_prompts
        self._cached_speakers: tuple[tuple[object, ...], Mapping[str, OpenclawSpeaker]] = ((), {})

    def roots(self) -> tuple[Path, ...]:
        """Return where OpenClaw stores its sessions: one folder, or several after a rename or with profiles."""
        return tuple(state / "agents" for state in self._states)

    def skill_folders(self, project: Path | None) -> tuple[Path, ...]:
        """Return where OpenClaw loads skills from: its workspace, which is the project that it works in."""
        return (project / "skills",) if project is not None else (self._states[0] / "workspace" / "skills",)

    def sources(self, under: Path | None = None) -> Iterator[Source]:
        """Yield every transcript and database below the roots or below `under`, in a stable order."""
        for base in self.roots() if under is None else (under,):
            for path in files_below(base, ""):
                if _is_transcript(path, anywhere=under is not None):
                    yield database_source(AGENT, path) if path.suffix == ".sqlite" else file_source(AGENT, path)

    def read(self, source: Source, mark: SourceMark | None = None) -> Iterator[Batch]:
        """Yield the events after the mark."""
        path = source.path
        is_packed = path.suffix in (".sqlite", ".zst")
        if is_packed and mark is not None and mark.is_suspect:
            mark = None  # the only way to compare these is to read everything again
        if path.suffix == ".sqlite":
            return read_database(path, mark, program_prompts=self._program_prompts)
        parser = partial(
            TranscriptLineParser,
            name=path.name.partition(".jsonl")[0],
            speaker_of=self._speakers_for(path).get,
            program_prompts=self._program_prompts,
        )
        if path.suffix == ".zst":
            return read_archive(source, mark, parser(Cursor()))
        return follow_records(path, mark, parser)

    def version(self, source: Source) -> str | None:
        """Return the version of OpenClaw that last opened a database; files do not record it."""
        return version_of(source.path) if source.path.suffix == ".sqlite" else None

    def _speakers_for(self, path: Path) -> Mapping[str, OpenclawSpeaker]:
        """Return who writes in the sessions of a folder, looked up once for all of its files."""
        versions = (
            path.parent,
            *(size_and_mtime(path.parent / name) for name in ("sessions.json", f"../agent/{DATABASE}")),
        )
        if self._cached_speakers[0] != versions:
            self._cached_speakers = versions, speakers_beside(path)
        return self._cached_speakers[1]


def _is_transcript(path: Path, *, anywhere: bool) -> bool:
    """Whether a file is a transcript: by its name and path, or outside of OpenClaw's folders by its beginning."""
    if path.name == DATABASE or _ARCHIVE_NAME.search(path.name):
        return True
    if path.parent.name == "cold" and _COLD_NAME.match(path.name):
        return True
    if path.suffix not in (".jsonl", ".sqlite") or _AUXILIARY_NAME.search(path.name):
        return False
    return detect_agent(path) == AGENT if anywhere else path.suffix == ".jsonl" and path.parent.name == "sessions"
