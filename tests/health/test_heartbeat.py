"""Ways in which hooks fall silent, one test each: every one is reported, and a healthy installation is not."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.agents.codex_rollouts import Rollout
from tests.edits.edit_ports import make_edit_ports
from tests.hooks import direct_command
from wisen.agents.claude_code.install import EVENTS, ClaudeCodeHooks
from wisen.agents.codex.install import CodexHooks
from wisen.delivery.launcher import HomeLauncher
from wisen.edits.user_files import UserFiles
from wisen.health import heartbeat
from wisen.health.hook_health import HomeHookHealth
from wisen.install.hook_settings import install_hooks
from wisen.install.hook_status import HookInspection, hook_status
from wisen.model.hook import Caller, HookState, Program
from wisen.model.run import Run
from wisen.model.state import Health, HealthFinding
from wisen.testing.fake_ledger import MemoryLedger
from wisen.testing.log_writer import NOON

pytestmark = pytest.mark.requirement("X10")

VERSION = "3.1"


class World:
    """A home with hooks that fire, a snapshot, and one session of an hour ago."""

    def __init__(self, folder: Path) -> None:
        self.user, self.home, self.package = folder / "ada", folder / "wisen", folder / "lib" / "wisen"
        self.settings = self.user / ".claude" / "settings.json"
        self.client = self.package / "surfaces" / "hook" / "client.py"
        for each in (self.settings, self.client, self.home / "spool" / "x", self.home / "snapshots" / "x"):
            each.parent.mkdir(parents=True)
        self.settings.write_text('{"model": "opus"}')
        self.client.touch()
        (self.package / "__init__.py").write_text(f'"""wisen."""\n\n__version__ = "{VERSION}"\n')
        self.python = folder / "python"
        self.python.touch(mode=0o755)
        self.caller = Caller(home=str(self.home))
        HomeLauncher(self.home, Program(python=str(self.python), client=str(self.client))).write([])
        self.agent = ClaudeCodeHooks(self.user, {})
        self.edit_ports = make_edit_ports(MemoryLedger())
        self.watched = HookInspection(
            agents=[self.agent],
            hook_health_check=HomeHookHealth(self.home, VERSION),
            files=UserFiles(),
            caller=self.caller,
            project=None,
            edit_ports=lambda ledger: self.edit_ports._replace(ledger=ledger),
        )
        install_hooks(self.edit_ports, self.settings, self.agent, self.agent.required_hooks(self.caller))
        self.now = NOON + timedelta(hours=2)
        self.session(NOON + timedelta(hours=1), "one")
        self.beat(NOON + timedelta(hours=1))
        self.snapshot()
        self.runs = [run(problems=3, new=40)]

    def session(self, at: datetime, name: str, *, below: str = "") -> None:
        path = self.user / ".claude" / "projects" / "-ada-shop" / below / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'{{"type":"mode"}}\n{{"type":"user","timestamp":"{at.isoformat()}"}}\n')

    def beat(self, at: datetime) -> None:
        beats = self.home / "spool" / "beats"
        beats.mkdir(exist_ok=True)
        (beats / "session-start").touch()
        os.utime(beats / "session-start", (at.timestamp(), at.timestamp()))

    def snapshot(self, **more: object) -> None:
        current = {"version": 1, "made": NOON.isoformat(), "places": [], "contexts": {"shop": "d1"}, "global": "d2"}
        (self.home / "snapshots" / "current.json").write_text(json.dumps(current | more))
        for digest in ("d1", "d2"):
            (self.home / "snapshots" / f"{digest}.json").write_text("{}")

    @property
    def ledger(self) -> MemoryLedger:
        assert isinstance(self.edit_ports.ledger, MemoryLedger)
        return self.edit_ports.ledger

    def bad_findings(self, ledger: MemoryLedger | None = None) -> list[HealthFinding]:
        """Everything but what is good."""
        found = hook_status(self.watched, ledger or self.ledger)
        findings = heartbeat.findings(found, self.watched.hook_health_check.read_health(), self.runs, self.now)
        return [each for each in findings if each.health is not Health.GOOD]


def run(*, problems: int, new: int) -> Run:
    return Run(
        id="r", machine="desk", started=NOON, finished=NOON, version=VERSION, sources=1, read_bytes=100, withheld=0,
        troubles=problems, new_events=new,
    )  # fmt: skip


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def bad_finding_text(world: World, about: str) -> str:
    """Return what the only bad finding says."""
    (finding,) = world.bad_findings()
    assert (finding.about, finding.health) == (about, Health.BAD)
    assert finding.next_step
    return finding.says


HOOKS = "claude-code hooks"


def test_a_sound_installation_is_not_blamed(world: World) -> None:
    assert world.bad_findings() == []
    world.session(NOON + timedelta(hours=1, seconds=20), "two")  # the hook fired while it began
    world.session(NOON + timedelta(hours=2), "agent-1", below="one/subagents")  # these call no hook when they begin
    assert world.bad_findings() == []


def test_sessions_of_other_projects_are_not_blamed_where_hooks_are_for_one(world: World) -> None:
    shop = world.user / "shop"
    ours = world.settings.read_text()
    world.settings.write_text("{}")
    local = world.agent.file(shop)
    local.parent.mkdir(parents=True)
    local.write_text(ours)
    world.watched, world.edit_ports = replace(world.watched, project=shop), make_edit_ports(MemoryLedger())
    world.session(NOON + timedelta(hours=2), "two")
    assert world.bad_findings() == []
    here = world.user / ".claude" / "projects" / "".join(c if c.isalnum() else "-" for c in str(shop))
    here.mkdir()
    (here / "three.jsonl").write_text(f'{{"timestamp":"{(NOON + timedelta(hours=3)).isoformat()}"}}')
    assert bad_finding_text(world, HOOKS).endswith("a session began 2026-03-01 15:00 UTC without them")


def test_one_that_is_not_installed_is_left_in_peace(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.settings.write_text("{}")
    (world.home / "snapshots" / "current.json").unlink()
    assert world.bad_findings(MemoryLedger()) == []
    (found,) = hook_status(world.watched, None)
    assert (found.state, found.faults) == (HookState.NOT_INSTALLED, ())


def test_breakage_1_sessions_go_on_and_no_hook_fires(world: World) -> None:
    world.session(NOON + timedelta(hours=2), "two")
    assert bad_finding_text(world, HOOKS) == (
        "the last one fired 2026-03-01 13:00 UTC, and a session began 2026-03-01 14:00 UTC without them"
    )


def test_breakage_2_no_hook_has_fired_since_they_were_installed(world: World) -> None:
    (world.home / "spool" / "beats" / "session-start").unlink()
    assert bad_finding_text(world, HOOKS).startswith("none has fired yet, and a session began")


def test_breakage_3_our_hooks_are_gone_from_the_settings(world: World) -> None:
    world.settings.write_text('{"model": "opus"}')
    assert bad_finding_text(world, HOOKS) == f"the hooks are gone from {world.settings}"
    world.settings.unlink()
    assert bad_finding_text(world, HOOKS) == f"the hooks are gone from {world.settings}"


def test_breakage_3_one_of_them_is_gone(world: World) -> None:
    data = json.loads(world.settings.read_text())
    del data["hooks"]["Stop"]
    world.settings.write_text(json.dumps(data))
    assert bad_finding_text(world, HOOKS) == f"some hooks are missing in {world.settings}: Stop"


def test_breakage_4_the_interpreter_is_gone_or_cannot_be_run(world: World) -> None:
    world.python.chmod(0o644)
    assert str(world.python) in bad_finding_text(world, HOOKS)
    world.python.unlink()
    assert str(world.python) in bad_finding_text(world, HOOKS)


def test_breakage_5_the_client_is_gone(world: World) -> None:
    world.client.unlink()
    assert str(world.client) in bad_finding_text(world, HOOKS)


def test_breakage_5_the_launcher_is_gone_or_not_ours(world: World) -> None:
    launcher = world.home / "hook"
    for broken in (b"", b"exit 2\n", launcher.read_bytes()[:400]):
        launcher.write_bytes(broken)
        assert str(launcher) in bad_finding_text(world, HOOKS)
    launcher.unlink()
    assert str(launcher) in bad_finding_text(world, HOOKS)


def test_hooks_of_an_older_wisen_are_reported_with_the_risk_and_how_to_replace_them(world: World) -> None:
    old = {
        event: [{"hooks": [{"type": "command", "command": direct_command(own, package=str(world.package))}]}]
        for event, own in EVENTS.items()
        if event != "PreToolUse"
    }
    world.settings.write_text(json.dumps({"hooks": old}))
    findings = [each for each in world.bad_findings() if each.about == HOOKS]
    assert any("PreToolUse" in each.says for each in findings), "a guard would not be asked"
    assert any("/opt/wise n/bin/python" in each.says and "refuse to work" in each.says for each in findings)
    assert all("`wisen install claude-code`" in each.next_step for each in findings)


def test_settings_that_claude_code_stopped_to_read_are_reported(world: World) -> None:
    world.settings.write_text("// my own\n" + world.settings.read_text())
    assert "Claude Code ignores the whole file: line 1" in bad_finding_text(world, HOOKS)


def test_breakage_6_nobody_takes_what_hooks_write(world: World) -> None:
    spooled = world.home / "spool" / "claude-code-one-77.jsonl"
    spooled.write_text('{"ids":["R-1"]}\n')
    os.utime(spooled, (world.now.timestamp(), world.now.timestamp()))
    assert world.bad_findings() == []
    world.now += timedelta(days=2)
    assert "16 bytes wait, the oldest since 2026-03-01 14:00 UTC" in bad_finding_text(world, "spool")
    os.truncate(spooled, 11 << 20)
    assert "11,534,336 bytes wait" in bad_finding_text(world, "spool")


def test_breakage_7_hooks_have_nothing_to_answer_from(world: World) -> None:
    (world.home / "snapshots" / "d1.json").unlink()
    assert "1 of 2" in bad_finding_text(world, "snapshot")
    (world.home / "snapshots" / "current.json").write_text("{")
    assert "cannot be read" in bad_finding_text(world, "snapshot")
    (world.home / "snapshots" / "current.json").unlink()
    assert "there is none" in bad_finding_text(world, "snapshot")


def test_breakage_8_hooks_run_another_version(world: World) -> None:
    (world.package / "__init__.py").write_text('__version__ = "3.0"\n')
    assert bad_finding_text(world, HOOKS) == "they run version 3.0 of wisen, and this is 3.1"
    world.watched = replace(world.watched, hook_health_check=HomeHookHealth(world.home, "3.0"))
    world.snapshot(version=2)
    assert "another version" in bad_finding_text(world, "snapshot")


def test_breakage_9_the_disk_is_full(world: World) -> None:
    class Narrow(HomeHookHealth):
        def _free_bytes(self) -> int | None:
            return 3_000_000

    world.watched = replace(world.watched, hook_health_check=Narrow(world.home, VERSION))
    assert bad_finding_text(world, "disk").startswith("3 MB are left")
    assert (HomeHookHealth(world.home, VERSION).read_health().free or 0) > 0
    assert (HomeHookHealth(world.home / "not" / "there", VERSION).read_health().free or 0) > 0


def test_breakage_10_the_log_has_another_format(world: World) -> None:
    world.runs = [run(problems=400, new=5), *world.runs]
    assert bad_finding_text(world, "format").startswith(
        "the last run could not read 397 records more than before, and 5 were new"
    )
    world.runs = [run(problems=400, new=900), run(problems=3, new=40)]  # a first look at much, some of it broken
    assert world.bad_findings() == []
    world.runs = [run(problems=400, new=0), run(problems=0, new=5), run(problems=400, new=900)]  # a look at one file
    assert world.bad_findings() == []


def test_breakage_11_the_client_failed(world: World) -> None:
    failed = {"kind": "PermissionError", "event": "stop", "at": (NOON + timedelta(hours=1)).timestamp()}
    (world.home / "spool" / "beats" / "failed").write_text(json.dumps(failed))
    assert bad_finding_text(world, "hook client") == "it failed at 2026-03-01 13:00 UTC: PermissionError at stop"
    world.now = NOON + timedelta(days=4)
    world.beat(world.now)
    assert [each.health for each in world.bad_findings()] == [Health.NOTICE]


def test_a_failure_is_history_as_soon_as_the_same_event_was_answered_again(world: World) -> None:
    beats, failed_at = world.home / "spool" / "beats", (NOON + timedelta(hours=2)).timestamp()
    (beats / "failed").write_text(json.dumps({"kind": "OSError", "event": "session-start", "at": failed_at}))
    assert [each.health for each in world.bad_findings()] == [Health.BAD]
    world.beat(NOON + timedelta(hours=2, seconds=1))
    (finding,) = world.bad_findings()
    assert (finding.health, finding.next_step) == (Health.NOTICE, "")
    (beats / "stop").touch()
    os.utime(beats / "stop", (failed_at + 60, failed_at + 60))
    (beats / "failed").write_text(json.dumps({"kind": "OSError", "event": "prompt", "at": failed_at}))
    assert [each.health for each in world.bad_findings()] == [Health.BAD], "nothing shows that prompts are answered"


def test_a_failure_dated_in_the_future_ends_with_the_next_answer(world: World) -> None:
    beats, now = world.home / "spool" / "beats", datetime.now(UTC)
    (beats / "failed").write_text(json.dumps({"kind": "OSError", "event": "session-start", "at": 7e9}))
    os.utime(beats / "failed", (7e9, 7e9))
    assert "hook client" in {each.about for each in world.bad_findings() if each.health is Health.BAD}
    (beats / "failed").rename(beats / "failed-told")
    world.beat(now + timedelta(seconds=1))
    world.now = now + timedelta(seconds=2)
    assert [each.about for each in world.bad_findings() if each.health is Health.BAD] == []


def test_what_is_dated_in_the_future_hides_no_silence(world: World) -> None:
    world.beat(NOON + timedelta(days=9000))
    world.session(NOON + timedelta(hours=2), "two")
    findings = {each.about: each.says for each in world.bad_findings()}
    assert "without them" in findings[HOOKS]
    assert "the clock is wrong, or was" in findings["clock"]
    ahead = replace(world.runs[0], finished=NOON + timedelta(days=9000), error="it broke")
    assert heartbeat.past_runs([ahead, *world.runs], world.now) == world.runs


def test_breakage_12_hooks_are_switched_off(world: World) -> None:
    data = json.loads(world.settings.read_text())
    world.settings.write_text(json.dumps({**data, "disableAllHooks": True}))
    assert bad_finding_text(world, HOOKS) == f"{world.settings} disables all hooks"


def test_breakage_13_they_work_for_another_home(world: World) -> None:
    world.watched = replace(world.watched, hook_health_check=HomeHookHealth(world.home / "moved", VERSION))
    assert f"another home, {world.home}" in next(each.says for each in world.bad_findings())


def test_breakage_14_the_settings_cannot_be_read(world: World) -> None:
    world.settings.write_text('{"hooks": ')
    assert str(world.settings) in bad_finding_text(world, HOOKS)


def test_breakage_15_the_loop_stops_with_an_error(world: World) -> None:
    assert list(heartbeat.last_run_findings(world.runs)) == []
    (finding,) = heartbeat.last_run_findings([replace(world.runs[0], error="the disk is full"), *world.runs])
    assert (finding.about, finding.health, finding.says) == (
        "runs",
        Health.BAD,
        "the last one stopped: the disk is full",
    )
    assert list(heartbeat.last_run_findings(())) == []


def test_problems_in_the_settings_are_reported_without_a_ledger(world: World) -> None:
    world.python.unlink()
    (found,) = hook_status(world.watched, None)
    assert (found.state, found.since) == (HookState.BROKEN, None)


def test_a_failure_of_the_client_is_reported_also_after_a_session_was_warned(world: World) -> None:
    beats = world.home / "spool" / "beats"
    fired = (NOON + timedelta(hours=1)).timestamp()
    (beats / "failed").write_text(json.dumps({"event": "prompt", "kind": "OSError", "at": fired}))
    assert bad_finding_text(world, "hook client") == "it failed at 2026-03-01 13:00 UTC: OSError at prompt"
    (beats / "failed").rename(beats / "failed-told")
    assert bad_finding_text(world, "hook client") == "it failed at 2026-03-01 13:00 UTC: OSError at prompt"
    (beats / "failed-told").write_text("{")
    assert bad_finding_text(world, "hook client").endswith("failed-told cannot be read")
    (beats / "failed-told").unlink()
    world.session(NOON + timedelta(hours=2), "two")
    assert bad_finding_text(world, HOOKS).startswith("the last one fired 2026-03-01 13:00 UTC, and a session began")


def test_hooks_that_wait_for_trust_are_reported_with_how_and_loudly_once_a_session_missed_them(world: World) -> None:
    codex = CodexHooks(world.user, {})
    (world.user / ".codex").mkdir()
    install_hooks(world.edit_ports, codex.file(), codex, codex.required_hooks(world.caller))
    world.watched = replace(world.watched, agents=[codex])
    (state,) = hook_status(world.watched, world.ledger)
    assert (state.state, set(state.untrusted)) == (
        HookState.UNTRUSTED,
        {each.event for each in codex.required_hooks(world.caller)},
    )
    (finding,) = world.bad_findings()
    assert (finding.health, finding.next_step) == (Health.NOTICE, codex.trust_instructions)
    rollout = Rollout()
    rollout.at = NOON + timedelta(hours=1)
    rollout.lines.clear()
    rollout.begin({})
    rollout.write(world.user)
    assert "before you trust them" in bad_finding_text(world, "codex hooks")


def test_the_feature_that_codex_has_switched_off_is_reported(world: World) -> None:
    codex = CodexHooks(world.user, {})
    (world.user / ".codex").mkdir()
    install_hooks(world.edit_ports, codex.file(), codex, codex.required_hooks(world.caller))
    (world.user / ".codex" / "config.toml").write_text("[features]\nhooks = false\n")
    (state,) = hook_status(replace(world.watched, agents=[codex]), world.ledger)
    assert state.state is HookState.BROKEN
    assert state.faults == (f"{world.user / '.codex' / 'config.toml'} disables all hooks",)


def test_what_one_agent_calls_tells_nothing_of_another(world: World) -> None:
    (world.home / "spool" / "beats" / "session-start").rename(world.home / "spool" / "beats" / "session-start@codex")
    assert "without them" in bad_finding_text(world, HOOKS)
