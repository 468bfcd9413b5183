"""T21: what breaks without a sound is said by the next command, and is healthy after the step that it names."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.battery.check import Check, Tally
from tests.battery.odd_worlds import working_in, write_intact_sessions
from tests.hooks import fire
from tests.surfaces.test_terminal import run_in_process

SETTINGS = {"claude-code": ".claude/settings.json", "codex": ".codex/hooks.json", "gemini-cli": ".gemini/settings.json"}


class Scene(NamedTuple):
    """An installation that works."""

    folder: Path
    home: Path
    settings: Path
    agent: str


class Breakage(NamedTuple):
    """One thing that breaks."""

    name: str
    damage: Callable[[Scene], object]
    says: str
    """What the report must contain."""
    repair: tuple[str, ...] = ("install", "{agent}")
    """The command that it names."""
    shown_by: str = "doctor"
    by_hand: Callable[[Scene], object] | None = None
    """What a person does where no command can."""


def _note(scene: Scene, name: str, text: str) -> None:
    (scene.home / name).parent.mkdir(parents=True, exist_ok=True)
    (scene.home / name).write_text(text)


def _remove_hooks(scene: Scene, how_many: int | None) -> None:
    data = json.loads(scene.settings.read_text())
    for event in list(data["hooks"])[:how_many]:
        del data["hooks"][event]
    scene.settings.write_text(json.dumps(data))


def _age_spool(scene: Scene) -> None:
    _note(scene, "spool/claude-code-one-77.jsonl", '{"ids":["R-1"]}\n')
    os.utime(scene.home / "spool/claude-code-one-77.jsonl", (1_700_000_000,) * 2)


def _launcher_with(scene: Scene, name: str) -> None:
    text = (scene.home / "hook").read_text()
    line = next(each for each in text.splitlines() if each.startswith(f"{name}="))
    (scene.home / "hook").write_text(text.replace(line, f"{name}=/gone/{name}"))


def _alter_ledger(scene: Scene) -> None:
    database = sqlite3.connect(scene.home / "ledger.db")
    database.execute("UPDATE entries SET name = 'LRN-other'")
    database.commit()
    database.close()


BREAKAGES = (
    Breakage("settings gone", lambda scene: scene.settings.unlink(), "hooks are gone"),
    Breakage("all hooks gone", lambda scene: _remove_hooks(scene, None), "hooks are gone"),
    Breakage("one hook gone", lambda scene: _remove_hooks(scene, 1), "missing in"),
    Breakage("launcher gone", lambda scene: (scene.home / "hook").unlink(), "is not there"),
    Breakage("launcher edited", lambda scene: _note(scene, "hook", "exit 2\n"), "not as wisen wrote it"),
    Breakage("interpreter gone", lambda scene: _launcher_with(scene, "python"), "/gone/python"),
    Breakage("package gone", lambda scene: _launcher_with(scene, "client"), "/gone/client"),
    Breakage("settings garbled", lambda scene: scene.settings.write_text('{"hooks": '), "{settings}",
             by_hand=lambda scene: scene.settings.unlink()),
    Breakage("spool not emptied", _age_spool, "bytes wait", ("cycle",)),
    Breakage("snapshot garbled", lambda scene: _note(scene, "snapshots/current.json", "{"), "cannot be read",
             ("cycle",)),
    Breakage("snapshot gone", lambda scene: (scene.home / "snapshots/current.json").unlink(), "there is none",
             ("cycle",)),
    Breakage("snapshot of another version", lambda scene: _note(scene, "snapshots/current.json",
             '{"version": 99, "contexts": {}, "global": ""}'), "another version", ("cycle",)),
    Breakage("client failed", lambda scene: _note(scene, "spool/beats/failed",
             '{"kind": "OSError", "event": "stop", "at": 1700000000}'), "OSError at stop", ("cycle",)),
    Breakage("index garbled", lambda scene: (scene.home / "index.db").write_bytes(b"x" * 9000), "index",
             ("doctor", "--repair")),
    Breakage("ledger altered", _alter_ledger, "doctor --repair", ("doctor", "--repair")),
    Breakage("ledger gone", lambda scene: (scene.home / "ledger.db").unlink(), "ledger", ("doctor", "--repair")),
    Breakage("open to others", lambda scene: scene.home.chmod(0o755), "can access", ("doctor", "--repair")),
    Breakage("settings of wisen misspelled", lambda scene: _note(scene, "config.toml", "[delivr]\n"), "'deliver'",
             ("status",), "status", lambda scene: (scene.home / "config.toml").unlink()),
    Breakage("settings of wisen nested", lambda scene: _note(scene, "config.toml", "a = " + "[" * 9000), "config.toml",
             ("status",), "cycle", lambda scene: (scene.home / "config.toml").unlink()),
    Breakage("language file garbled", lambda scene: _note(scene, "languages/xx.toml", "["), "xx.toml", ("status",),
             by_hand=lambda scene: (scene.home / "languages/xx.toml").unlink()),
    Breakage("learning stopped", lambda scene: _note(scene, "spool/stopped", '{"kind": "failed", "since": 1}'),
             "stopped learning", ("cycle",), "hook"),
)  # fmt: skip


def break_silently(seed: int, folder: Path) -> Tally:
    """One breakage in an installation of one agent."""
    agents, tally = sorted(SETTINGS), Tally()
    breakage, agent = BREAKAGES[seed % len(BREAKAGES)], agents[seed // len(BREAKAGES) % len(agents)]
    project = write_intact_sessions(folder)
    scene = Scene(folder, folder / "wisen", folder / SETTINGS[agent], agent)
    scene.settings.parent.mkdir(parents=True, exist_ok=True)
    with working_in(project):
        for words in (("cycle",), ("install", agent)):
            run_in_process(*words)
        _start_session(scene, "first")
        run_in_process("cycle")
        assert not _bad_findings(), f"{agent} was not healthy before: {_bad_findings()}"
        breakage.damage(scene)
        report = _start_session(scene, "second") if breakage.shown_by == "hook" else _output_of(breakage.shown_by)
        wanted = breakage.says.format(settings=scene.settings)
        tally.expect(wanted in report, f"{breakage.name} of {agent} is not said: {report[-900:]}")
        if breakage.by_hand is not None:
            breakage.by_hand(scene)
        run_in_process(*(each.format(agent=agent) for each in breakage.repair))
        run_in_process("install", agent)
        run_in_process("cycle")
        left = _bad_findings()
        tally.expect(not left, f"{breakage.name} of {agent} is not healthy after its step: {left}")
    return tally


def _start_session(scene: Scene, session: str) -> str:
    payload = {"session_id": session, "cwd": str(scene.folder / "shop"), "source": "startup"}
    return fire(scene.home, "session-start", payload, agent="" if scene.agent == "claude-code" else scene.agent)


def _output_of(command: str) -> str:
    out, err, _ = run_in_process(command)
    return " ".join((out + err).split())


def _bad_findings() -> list[str]:
    out, err, _ = run_in_process("doctor")
    return [line for line in (out + err).splitlines() if line.startswith("BAD") or "a bug in wisen" in line]


CHECKS = (
    Check("T21", "breakages", "a breakage is not said, or stays", break_silently, 2, len(BREAKAGES) * len(SETTINGS)),
)
