"""T21: what breaks without a sound is said by the next command, and is healthy after the step that it names."""

from __future__ import annotations

import fcntl
import json
import os
import re
import sqlite3
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from tests.agents.codex_rollouts import Rollout
from tests.agents.test_codex_hooks import trust
from tests.battery.check import Check, Tally
from tests.battery.odd_worlds import working_in, write_intact_sessions
from tests.health.test_stopped_learning import starts_on_a_mount
from tests.hooks import fire
from tests.surfaces.test_terminal import run_in_process
from wisen.agents.codex.install import trust_digest

HOUR = 3600
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
    agents: tuple[str, ...] = tuple(sorted(SETTINGS))
    """In which it can happen."""


def _note(scene: Scene, name: str, text: str) -> None:
    (scene.home / name).parent.mkdir(parents=True, exist_ok=True)
    (scene.home / name).write_text(text)


def _fail_client(scene: Scene, at: float) -> None:
    _note(scene, "spool/beats/failed", json.dumps({"kind": "OSError", "event": "session-start", "at": at}))
    (scene.home / "spool/beats/failed").chmod(0o600)
    os.utime(scene.home / "spool/beats/failed", (at, at))


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


def _hold_lock(scene: Scene) -> None:
    """A run that began and hangs: it holds the lock, and nothing was published for hours."""
    held = os.open(scene.home / "cycle.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
    fcntl.flock(held, fcntl.LOCK_EX)
    _note(scene, "spool/held", str(held))
    os.utime(scene.home / "snapshots/current.json", (time.time() - 4 * HOUR,) * 2)
    _note(scene, "spool/wake", "")


def _release_lock(scene: Scene) -> None:
    os.close(int((scene.home / "spool/held").read_text()))
    (scene.home / "spool/held").unlink()


def _set_clock_ahead(scene: Scene) -> None:
    """As if everything so far had happened in 2099."""
    for path in (scene.home / "spool/beats").iterdir():
        os.utime(path, (4_090_000_000,) * 2)


def _move_logs(scene: Scene) -> None:
    fire(scene.home, "prompt", {"session_id": "first", "cwd": str(scene.folder / "shop"), "prompt": "run the tests"})
    os.utime(scene.home / "spool/beats/prompt", (time.time() - HOUR,) * 2)
    (scene.folder / ".claude/projects").rename(scene.folder / "moved")


def _change_format(scene: Scene) -> None:
    """An agent writes records that are not understood; a run has seen them."""
    line = json.dumps({"format": 3, "turn": {"by": "user", "words": "use tabs"}, "clock": 1_790_000_000})
    (scene.folder / ".claude/projects/shop/new.jsonl").write_text(f"{line}\n" * 40)
    run_in_process("cycle")


def _set_in_settings(scene: Scene, *, disabled: bool) -> None:
    if scene.agent == "codex":
        scene.settings.with_name("config.toml").write_text("[features]\nhooks = false\n" if disabled else "")
        return
    switch = {"disableAllHooks": True} if scene.agent == "claude-code" else {"hooksConfig": {"enabled": False}}
    data = {name: each for name, each in json.loads(scene.settings.read_text()).items() if name not in switch}
    scene.settings.write_text(json.dumps(data | (switch if disabled else {})))


def _begin_session(scene: Scene, later: timedelta) -> None:
    """Write the log of a session of Codex that begins so much later than its hooks were installed."""
    rollout = Rollout()
    rollout.at = datetime.now(UTC) + later
    rollout.lines.clear()
    rollout.begin({})
    rollout.write(scene.folder)


def _trust_hooks(scene: Scene) -> None:
    for event, groups in json.loads(scene.settings.read_text())["hooks"].items():
        label = re.sub(r"(?<!^)(?=[A-Z])", "_", event).lower()
        trust(scene.settings.parent, f"{scene.settings}:{label}:0:0", trust_digest(label, groups[0]))
    _begin_session(scene, timedelta())
    _start_session(scene, "trusted")


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
    Breakage("client failed just now", lambda scene: _fail_client(scene, time.time()), "OSError at session-start",
             ("cycle",), by_hand=lambda scene: _start_session(scene, "third")),
    Breakage("client failed at a time to come", lambda scene: _fail_client(scene, 7e9), "OSError at session-start",
             ("cycle",), by_hand=lambda scene: _start_session(scene, "third")),
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
    Breakage("disk full", lambda scene: None, "is full. Make room there", ("status",), "full disk"),
    Breakage("home read-only", lambda scene: None, "cannot be written", ("status",), "read-only disk"),
    Breakage("home unreadable", lambda scene: scene.home.chmod(0), "can access {home}", ("doctor", "--repair"),
             by_hand=lambda scene: scene.home.chmod(0o700)),
    Breakage("lock held for hours", _hold_lock, "does not end any more", ("cycle",), "hook", _release_lock),
    Breakage("clock ahead", _set_clock_ahead, "the clock is wrong, or was", ("status",)),
    Breakage("logs moved", _move_logs, "no session is found", ("status",), by_hand=lambda scene:
             (scene.folder / "moved").rename(scene.folder / ".claude/projects"), agents=("claude-code",)),
    Breakage("logs in a new format", _change_format, "could not read", ("cycle",), agents=("claude-code",)),
    Breakage("hooks disabled", lambda scene: _set_in_settings(scene, disabled=True), "disables all hooks", ("status",),
             by_hand=lambda scene: _set_in_settings(scene, disabled=False)),
    Breakage("trust missing", lambda scene: _begin_session(scene, timedelta(minutes=2)), "before you trust them",
             ("status",), by_hand=_trust_hooks, agents=("codex",)),
    Breakage("learning stopped", lambda scene: _note(scene, "spool/stopped", '{"kind": "failed", "since": 1}'),
             "stopped learning", ("cycle",), "hook"),
)  # fmt: skip
PAIRS = sorted(
    ((breakage, agent) for breakage in BREAKAGES for agent in breakage.agents),
    key=lambda pair: pair[0].agents.index(pair[1]),
)


def break_silently(seed: int, folder: Path) -> Tally:
    """One breakage in an installation of one agent."""
    tally = Tally()
    breakage, agent = PAIRS[seed % len(PAIRS)]
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
        report = _report(scene, breakage.shown_by)
        wanted = breakage.says.format(settings=scene.settings, home=scene.home)
        tally.expect(wanted in report, f"{breakage.name} of {agent} is not said: {report[-900:]}")
        if breakage.by_hand is not None:
            breakage.by_hand(scene)
        run_in_process(*(each.format(agent=agent) for each in breakage.repair))
        run_in_process("install", agent)
        run_in_process("cycle")
        left = _bad_findings()
        tally.expect(not left, f"{breakage.name} of {agent} is not healthy after its step: {left}")
    return tally


def _report(scene: Scene, shown_by: str) -> str:
    """What is said: by the start of a session, on such a disk or not, or by a command."""
    if shown_by == "hook":
        return _start_session(scene, "second")
    if shown_by in {"full disk", "read-only disk"}:
        starts = starts_on_a_mount(scene.home, shown_by.removesuffix(" disk"))
        assert not any(code or error for code, _, error in starts), starts
        return starts[0][1]
    return _output_of(shown_by)


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
    Check("T21", "breakages", "a breakage is not said, or stays", break_silently, 2, len(PAIRS), needs=("unshare",)),
)
