"""Measures which change of an instruction file is blamed for which failure, replayed chronologically on real sessions.

Data: `--data DIR` with transcripts/, sessions.jsonl (session, file, repo) and instruction_history.jsonl (repo, path,
date, text). After each session everything known by then is evaluated again, as for a user who asks daily.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import wisen
from benchmarks import blame_worlds
from benchmarks.data import MissingDataError, json_lines, transcripts
from wisen.blame.effects import measure_effects
from wisen.blame.line_history import trace_lines
from wisen.mining.session_mining import mine_session
from wisen.model.instruction import Effect, Strength, Version

if TYPE_CHECKING:
    import argparse

    from wisen.model.call_summary import CallSummary

_VERDICTS = Path(__file__).parent / "labels" / "blames.jsonl"
_WORLDS = 60


def run(options: argparse.Namespace) -> dict[str, object]:
    """Return the figures of one run. Raises: MissingDataError."""
    folder = transcripts(options.data)
    history, sessions = options.data / "instruction_history.jsonl", options.data / "sessions.jsonl"
    if not history.exists() or not sessions.exists():
        raise MissingDataError(
            "no instruction_history.jsonl or sessions.jsonl; give the folder that holds them as --data DIR"
        )
    versions: dict[tuple[str, str], list[Version]] = defaultdict(list)
    for row in _rows(history):
        at = datetime.fromisoformat(row["date"])
        versions[row["repo"], row["path"]].append(Version(at=at, text=row["text"], origin=row["commit"]))
    files: dict[str, list[Path]] = defaultdict(list)
    for row in _rows(sessions):
        files[row["repo"]].append(folder / Path(row["file"]).name)
    changes: list[dict[str, object]] = []
    looked_at = 0
    for (repo, path), known in versions.items():
        course = _sessions(files[repo])
        looked_at += len(course)
        changes += [{"file": f"{repo}/{path}", **each} for each in _replay(sorted(known, key=lambda v: v.at), course)]
    verdicts = {(row["file"], row["date"], row["signature"]): row["right"] for row in _rows(_VERDICTS)}
    blamed = [change for change in changes if change["strength"] == Strength.BEGAN.value]
    judged = [verdicts.get((each["file"], each.get("date"), each["signature"])) for each in blamed]
    return {
        "changes": changes,
        "named": len(blamed),
        "false_blames": judged.count(False),
        "not_judged": judged.count(None),
        "simulation": blame_worlds.figures(_WORLDS),
        "sessions": looked_at,
        "files": len(versions),
    }


def _rows(path: Path) -> list[dict[str, Any]]:
    return json_lines(path)


def _sessions(files: list[Path]) -> list[CallSummary]:
    with tempfile.TemporaryDirectory() as home:
        logs = Path(home) / "logs"
        logs.mkdir()
        for file in files:
            if file.exists():
                (logs / file.name).symlink_to(file.resolve())
        with wisen.open_learner(Path(home) / "home", environment={"HOME": home}) as learner:
            learner.learn(logs)
            found = [mine_session(history).calls for history in learner.histories()]
    called = [(each.started, number, each) for number, each in enumerate(found) if each and each.started]
    return [each for *_, each in sorted(called, key=lambda each: each[:2])]


def _replay(versions: list[Version], course: list[CallSummary]) -> list[dict[str, object]]:
    """Each finding when it first could be told, with the figures of the end."""
    first: dict[tuple[str, str, str], int] = {}
    for number in range(3, len(course) + 1):
        if not course[number - 1].failures and number < len(course):
            continue
        for effect in _verdicts_now(versions, course[:number]):
            first.setdefault(_key(effect), 0 if effect.after is None else effect.after.sessions)
    effects = {_key(effect): effect for effect in reversed(_verdicts_now(versions, course))}
    return [_format_row(effects[key], named) for key, named in first.items() if key in effects] + [
        {"line": key[0], "signature": key[1], "strength": key[2], "sessions_until_named": named, "withdrawn": True}
        for key, named in first.items()
        if key not in effects
    ]


def _verdicts_now(versions: list[Version], course: list[CallSummary]) -> list[Effect]:
    """Return what is reported at the start of the last of these sessions; each change and failure once."""
    known = [version for version in versions if course and version.at <= (course[-1].started or version.at)]
    if len(known) < 2:
        return []
    found: dict[object, Effect] = {}
    lines = trace_lines(known)
    for effect in measure_effects(lines, blame_worlds.timeline_of(lines, course)):
        if effect.signature is not None:
            found.setdefault((effect.line.born, effect.signature, effect.strength), effect)
    return list(found.values())


def _key(effect: Effect) -> tuple[str, str, str]:
    signature = effect.signature.description if effect.signature else ""
    return f"{effect.line.born:%Y-%m-%d} {effect.line.text.strip()[:80]}", signature, effect.strength.value


def _format_row(effect: Effect, named: int) -> dict[str, object]:
    return {
        "line": effect.line.text.strip()[:120],
        "date": f"{effect.line.born:%Y-%m-%d}",
        "strength": effect.strength.value,
        "signature": effect.signature.description if effect.signature else "",
        "sessions_until_named": named,
        "before": [effect.before.sessions, effect.before.of] if effect.before else None,
        "after": [effect.after.sessions, effect.after.of] if effect.after else None,
        "effect": effect.ratio,
        "interval": list(effect.interval) if effect.interval else None,
        "chance": effect.chance,
    }
