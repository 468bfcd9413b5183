"""Locates the data of a benchmark, or reports plainly that it is missing."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

from wisen.testing.transcripts import ClaudeTranscript

if TYPE_CHECKING:
    from pathlib import Path


class MissingDataError(Exception):
    """The data that a benchmark needs is missing."""


def transcripts(data: Path | None) -> Path:
    """Return the folder of real transcripts below `data`. Raises: MissingDataError."""
    for folder in (data / "transcripts", data) if data else ():
        if folder.is_dir() and next(folder.glob("*.jsonl"), None):
            return folder
    raise MissingDataError(
        f"no transcripts in {data or 'no folder'}; give a folder with transcripts/*.jsonl as --data DIR"
    )


def json_lines(path: Path) -> list[dict[str, Any]]:
    """Read a JSON Lines file. Raises: MissingDataError: a line is not a JSON object."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        if line.strip():
            try:
                record = json.loads(line)
            except ValueError:
                record = None
            if not isinstance(record, dict):
                raise MissingDataError(f"line {number} of {path} is no JSON object; unpack the data again")
            found.append(record)
    return found


def generate_transcripts(folder: Path, megabytes: int, seed: int = 7) -> Path:
    """Generate sessions shaped like real ones (most bytes are the output of successful calls) from a seed."""
    chance = random.Random(seed)
    words = ["const", "return", "import", "session", "failed", "value", "path", "index", "\\n", "\t", "{", "}", '"key"']
    text = " ".join(chance.choices(words, k=20_000))
    written, number = 0, 0
    while written < megabytes * 1_000_000:
        number += 1
        written += _session(number, text, chance).write(folder).stat().st_size
    return folder


def _session(number: int, text: str, chance: random.Random) -> ClaudeTranscript:
    session = ClaudeTranscript(number)
    for _ in range(6):
        session.prompt(f"please look at part {chance.random()}")
        for _ in range(9):
            session.say("Let me see.")
            start = chance.randrange(50_000)
            output = text[start : start + int(chance.lognormvariate(8, 1.2))]
            session.bash(f"sed -n {start}p notes", output, exit_code=int(chance.random() < 0.05))
            for _ in range(2):
                session.raw({"parentUuid": None, "isSidechain": False, "type": "progress", "data": {"type": "x"}})
    return session
