"""Finds the data of a benchmark, or says plainly that it is not there."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

from wisen.testing.transcripts import ClaudeTranscript

if TYPE_CHECKING:
    from pathlib import Path


class DataAbsent(Exception):
    """The data that a benchmark needs is not at hand."""


def transcripts(data: Path | None) -> Path:
    """The folder of real transcripts below `data`. Raises: DataAbsent."""
    for folder in (data / "transcripts", data) if data else ():
        if folder.is_dir() and next(folder.glob("*.jsonl"), None):
            return folder
    raise DataAbsent(f"no transcripts in {data or 'no folder'}; give a folder with transcripts/*.jsonl as --data DIR")


def json_lines(path: Path) -> list[dict[str, Any]]:
    """The records of a file with one JSON object a line. Raises: DataAbsent: a line is none."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1):
        if line.strip():
            try:
                record = json.loads(line)
            except ValueError:
                record = None
            if not isinstance(record, dict):
                raise DataAbsent(f"line {number} of {path} is no JSON object; unpack the data again")
            found.append(record)
    return found


def made_transcripts(folder: Path, megabytes: int, seed: int = 7) -> Path:
    """Sessions of about the shape of real ones (most bytes are the output of successful calls), made from a seed."""
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
