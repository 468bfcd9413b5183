"""Finds real sessions and lays them out as agents store them, with their projects in folders that exist.

A session is a file of Claude Code named by an id, or a rollout of Codex. What it says is kept, but for the paths of
the projects that most sessions are of: these are made, so that commands run inside them.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

_CLAUDE = re.compile(r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\.jsonl$")
_CODEX = re.compile(r"^rollout-.*\.jsonl$")
_PLACE = re.compile(rb'"cwd": ?"((?:[^"\\]|\\.)+)"')
_STAMP = re.compile(rb'"timestamp": ?"(\d{4}-\d\d-\d\dT[0-9:.]+Z)"')
_HEAD, _TAIL = 1 << 16, 1 << 17
_MADE = 3
"""How many projects are made."""


@dataclass(frozen=True, kw_only=True)
class Session:
    """One file of an agent."""

    path: Path
    agent: str
    place: str
    """The folder it began in; empty where it does not say."""
    ended: float


def find_sessions(folders: list[Path], few: int | None) -> list[Session]:
    """The sessions below some folders, by name; of a few, those of the projects that most are of."""
    names = {path.name: path for folder in folders for path in sorted(folder.rglob("*.jsonl"))}
    found = [_session(path) for name, path in sorted(names.items()) if _CLAUDE.match(name) or _CODEX.match(name)]
    if not found:
        raise SystemExit(
            f"No session of Claude Code or Codex below {', '.join(map(str, folders))}. Name another folder."
        )
    if few is None or few >= len(found):
        return found
    agents = {"claude-code": few - few // 4, "codex": few // 4}
    chosen: list[Session] = []
    for agent, most in agents.items():
        of_agent = [each for each in found if each.agent == agent]
        chosen += _from_each(of_agent, common_places(of_agent), most)
    return sorted(chosen, key=lambda each: each.path.name)


def _from_each(sessions: list[Session], places: list[str], most: int) -> list[Session]:
    """As many of each place, as far as there are."""
    rows = [[each for each in sessions if each.place == place] for place in places]
    mixed = [row[number] for number in range(max(map(len, rows), default=0)) for row in rows if number < len(row)]
    return mixed[:most]


def common_places(sessions: list[Session]) -> list[str]:
    """The folders that most sessions began in."""
    many = Counter(each.place for each in sessions if each.place)
    return [place for place, _ in sorted(many.items(), key=lambda each: (-each[1], each[0]))[:_MADE]]


def lay_out(sessions: list[Session], user_home: Path, moved: dict[str, Path]) -> None:
    """Write the sessions where their agents keep them; `moved`: folders of theirs, and where these are here."""
    for each in sessions:
        raw = each.path.read_bytes()
        for place, here in moved.items():
            raw = re.sub(re.escape(place.encode()) + rb"(?![\w.-])", str(here).encode(), raw)
        folder = user_home / ".codex" / "sessions" / "2026" / "01" / "01"
        if each.agent == "claude-code":
            here_now = str(moved.get(each.place, each.place or "/"))
            folder = user_home / ".claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", here_now)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / each.path.name).write_bytes(raw)
        os.utime(folder / each.path.name, (each.ended, each.ended))


def instruction_versions(folders: list[Path], sessions: list[Session], place: str) -> list[tuple[str, str]]:
    """Dates and texts of the CLAUDE.md of a project, where its history lies beside the sessions."""
    around = {each for folder in folders for each in (folder, folder.parent)}
    names = {each.path.stem for each in sessions if each.place == place}
    for folder in sorted(around):
        if (folder / "sessions.jsonl").is_file() and (folder / "instruction_history.jsonl").is_file():
            records = [json.loads(line) for line in (folder / "sessions.jsonl").read_text("utf-8").splitlines()]
            repository = next((each.get("repo") for each in records if each.get("session") in names), None)
            lines = (folder / "instruction_history.jsonl").read_text("utf-8").splitlines()
            versions = [each for each in map(json.loads, lines) if each["repo"] == repository]
            return sorted((each["date"], each["text"]) for each in versions if each["path"] == "CLAUDE.md")
    return []


def _session(path: Path) -> Session:
    with path.open("rb") as file:
        head = file.read(_HEAD)
        file.seek(max(0, path.stat().st_size - _TAIL))
        tail = file.read()
    place = _PLACE.search(head)
    stamps = sorted(_STAMP.findall(tail) or _STAMP.findall(head))
    ended = datetime.fromisoformat(stamps[-1].decode()).timestamp() if stamps else 1_750_000_000.0
    agent = "codex" if _CODEX.match(path.name) else "claude-code"
    return Session(path=path, agent=agent, place=place[1].decode() if place else "", ended=ended)
