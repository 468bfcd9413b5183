"""Records two homes: a new one, and one that an older version created and this version upgrades."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.behaviour import decisions
from tests.behaviour.events import make_events
from tests.behaviour.mcp_calls import save_mcp
from tests.behaviour.reads import loaded, save_core, save_once, save_reads, values_of
from tests.behaviour.recording import Recording
from tests.behaviour.sessions import find_sessions
from tests.behaviour.state import save_state
from tests.behaviour.world import World, make_world, put_source, sole_recording

_HARMLESS = ("test_", "__", "comparing", "private_place")
"""Files that change nothing in a recording."""


def record(out: Path, source: Path, folders: list[Path], old: Path | None, few: int | None) -> None:
    """Record what a checkout does with some sessions into a new folder."""
    if out.exists() and any(out.iterdir()):
        if not (out / "recording.txt").exists():
            raise SystemExit(f"{out} holds other things than a recording. Name another folder.")
        shutil.rmtree(out)
    sessions = find_sessions(folders, few)
    out.mkdir(parents=True, exist_ok=True)
    (out / "recording.txt").write_text("not finished\n", "utf-8")
    with sole_recording():
        put_source("source", source)
        names = ["fresh"]
        if old is not None:
            put_source("old", old)
            names.append("upgraded")
        with ThreadPoolExecutor(len(names)) as pool:
            worlds = [make_world(name, sessions, folders) for name in names]
            running = [pool.submit(_record_home, world, Recording(out / world.name), few) for world in worlds]
            for done in running:
                done.result()
    (out / "recording.txt").write_text(f"{len(sessions)} sessions, by recorder {own_digest()}\n", "utf-8")


def own_digest() -> str:
    """By what recordings are known that can be compared: they were made by the same commands in the same order."""
    files = sorted(each for each in Path(__file__).parent.glob("*.py") if not each.name.startswith(_HARMLESS))
    return hashlib.sha256(b"".join(each.read_bytes() for each in files)).hexdigest()[:12]


def _record_home(world: World, recording: Recording, few: int | None) -> None:
    is_old = world.name == "upgraded"
    try:
        if is_old:
            _make_old_home(world)
        world.preload = is_old or few is not None
        world.begin_phase(1)
        for words in (("learn", "--jobs", "1"), ("cycle",)):
            recording.save_run("1-learnt", " ".join(words), ("wisen", *words), world.wisen("source", *words))
        save_state(world, recording, "1-learnt")
        world.begin_phase(2)
        save_reads(world, recording, "1-learnt")
        world.begin_phase(3)
        commands = [] if is_old else save_once(world, recording, "1-learnt")
        _record_deciding(world, recording, is_old=is_old)
        if not is_old:
            left_out = [" ".join(each) for each in commands if each not in world.ran]
            recording.save("0-help", "commands that were not run", "\n".join(left_out) + "\n")
            print(f"Of {len(commands)} commands only the help was recorded of: {', '.join(left_out) or 'none'}.")
    finally:
        world.close()
    work = sorted(world.spent, reverse=True)
    slowest = "; ".join(f"{words} {seconds:.1f}" for seconds, words in work[:5])
    spent = sum(seconds for seconds, _ in work)
    print(f"{world.name}: {len(work)} commands and hooks, {spent:.0f} s of work. Slowest: {slowest}", flush=True)


def _record_deciding(world: World, recording: Recording, *, is_old: bool) -> None:
    """What comes of decisions, of agents that work with them, and of taking them back."""
    world.begin_phase(4)
    decisions.decide_first(world, recording, "2-decided")
    decisions.decide_more(world, recording, "2-decided")
    world.begin_phase(5)
    save_state(world, recording, "2-decided")
    (save_core if is_old else save_reads)(world, recording, "2-decided")
    if not is_old:
        world.begin_phase(6)
        save_mcp(world, recording, "2-decided")
    world.begin_phase(7)
    _save_hooks(world, recording, "3-hooks")
    world.begin_phase(8)
    decisions.decide_last(world, recording, "4-last")
    world.begin_phase(9)
    save_state(world, recording, "4-last")
    save_core(world, recording, "4-last")


def _make_old_home(world: World) -> None:
    """Learn and decide with the older version."""
    for words in (("learn", "--jobs", "1"), ("cycle",)):
        done = world.wisen("old", *words)
        if done.code:
            raise SystemExit(f"The older version could not make a home: wisen {' '.join(words)}: {done.stderr}")
    proposals = loaded(world.wisen("old", "proposals", "--json").stdout)
    for id_, answer in zip(values_of(proposals, "id")[:3], ("approve", "reject", "skip"), strict=False):
        world.wisen("old", "proposals", answer, id_, typed="")
    world.wisen("old", "rules", "add", "Write comments that say why.", typed="")
    world.wisen("old", "guards", "add", "deny rm -rf / # never", typed="")
    world.wisen("old", "install", "claude-code", "--yes", typed="")
    world.wisen("old", "cycle")


def _save_hooks(world: World, recording: Recording, group: str) -> None:
    """Call the hook client as agents do, and keep each answer and what lies in the home afterwards."""
    guards = values_of(loaded(world.wisen("source", "guards", "list", "--json").stdout), "id")
    for number, (agent, event, payload) in enumerate(make_events(world, guards)):
        done = world.hook("source", agent, event, payload)
        if agent == "claude-code" and event == "prompt" and isinstance(payload, dict):
            _log_prompt(world, payload)
        text = json.dumps(payload, ensure_ascii=False)[:600]
        recording.save_run(group, f"{agent} {event} {number:04}", (agent, event, text), done)
    save_state(world, recording, group)


def _log_prompt(world: World, payload: dict[str, Any]) -> None:
    """Write what was typed into the agent's own log, which is asked whether the user typed it."""
    session, place, text = (payload.get(name) for name in ("session_id", "cwd", "prompt"))
    if not isinstance(session, str) or not isinstance(place, str) or not isinstance(text, str):
        return
    log = world.user_home / ".claude" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", place) / f"{session}.jsonl"
    log.parent.mkdir(parents=True, exist_ok=True)
    record = {
        "type": "user",
        "message": {"role": "user", "content": text},
        "uuid": f"{world.number:08}-0000-4000-8000-000000000000",
        "sessionId": session,
        "cwd": place,
        "version": "2.1.4",
        "timestamp": datetime.fromtimestamp(world.now, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z"),
    }
    with log.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")
    os.utime(log, (world.now, world.now))
