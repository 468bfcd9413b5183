"""`wisen install` and `wisen uninstall` as a user runs them, and what `agents`, `status` and `doctor` report."""

from __future__ import annotations

import json
import os
import pty
import shlex
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import AS_PERSON, run
from tests.hooks import direct_command
from wisen import app
from wisen.delivery.launcher import program_of, render_script
from wisen.model.hook import Caller, Program

pytestmark = pytest.mark.requirement("X10")

USER_SETTINGS = b"""{
  "model": "opus",
  "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "npx claude-mem stop"}]}]}
}
"""


@pytest.fixture
def settings(home: Path) -> Path:
    path = home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_bytes(USER_SETTINGS)
    return path


def commands(path: Path) -> list[str]:
    hooks = json.loads(path.read_text())["hooks"]
    return [hook["command"] for groups in hooks.values() for group in groups for hook in group["hooks"]]


def own_commands(path: Path) -> list[str]:
    """Return the commands that call us."""
    return [command for command in commands(path) if "claude-mem" not in command]


def made_old(path: Path, home: Path) -> None:
    """Write the settings of an older wisen: five events, and the interpreter of an environment that is gone."""
    for command in own_commands(path):
        old = direct_command(shlex.split(command)[3], home=str(home / "wisen"))
        path.write_text(path.read_text().replace(json.dumps(command), json.dumps(old)))
    settings = json.loads(path.read_text())
    del settings["hooks"]["PreToolUse"]
    path.write_text(json.dumps(settings, indent=2))


def test_a_dry_run_shows_the_difference_and_makes_no_files(home: Path, settings: Path) -> None:
    shown = run("install", "claude-code", "--dry-run").stdout
    assert f"/bin/sh {home / 'wisen'}/hook claude-code session-start 2>/dev/null" in " ".join(shown.split())
    assert "ms before each tool call" in " ".join(shown.split())
    assert "Nothing was written." in shown
    assert settings.read_bytes() == USER_SETTINGS
    assert not (home / "wisen").exists()


def test_installing_tells_of_others_and_twice_changes_nothing(home: Path, settings: Path) -> None:
    shown = run("install", "claude-code").stdout
    assert "Also called on Stop: claude-mem: npx claude-mem stop" in shown
    written = settings.read_bytes()
    mine = own_commands(settings)
    events = [shlex.split(command)[3] for command in mine]
    assert sorted(events) == ["before-call", "failure", "prompt", "session-end", "session-start", "stop"]
    caller = Caller(home=str(home / "wisen"))
    assert mine == [caller.command(event, "claude-code") for event in events]
    assert str(Path(app.__file__).parent) not in settings.read_text(), "nothing inside the package"
    launcher = home / "wisen" / "hook"
    assert stat.S_IMODE(launcher.stat().st_mode) == 0o700
    program = program_of(home / "wisen")
    assert program is not None
    assert Path(program.python).samefile(sys.executable)
    assert program.client == str(Path(app.__file__).parent / "surfaces" / "hook" / "client.py")
    before = json.loads(run("changes", "--json").stdout)["changes"]
    assert "Nothing to change." in run("install", "claude-code").stdout
    assert settings.read_bytes() == written
    assert json.loads(run("changes", "--json").stdout)["changes"] == before
    assert list((home / "wisen" / "backups").iterdir())


def test_uninstalling_restores_the_settings_byte_for_byte(settings: Path) -> None:
    run("install", "claude-code")
    run("install", "claude-code", "--scope", "project")
    assert "Nothing was written." in run("uninstall", "claude-code", "--dry-run").stdout
    assert settings.read_bytes() != USER_SETTINGS
    result = json.loads(run("uninstall", "claude-code", "--json").stdout)
    assert [Path(each["path"]).name for each in result["files"]] == ["settings.json", "settings.local.json"]
    assert (result["was"], result["is"]) in {("broken", "not installed"), ("installed", "not installed")}
    assert settings.read_bytes() == USER_SETTINGS
    assert not (Path.cwd() / ".claude" / "settings.local.json").exists()
    assert "Nothing to change." in run("uninstall", "claude-code").stdout


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_one_project_only_and_nothing_that_others_would_commit(home: Path, project: Path) -> None:
    run("install", "claude-code", "--scope", "project")
    assert len(commands(project / ".claude" / "settings.local.json")) == 6
    assert [path.name for path in (project / ".claude").iterdir()] == ["settings.local.json"]
    assert not (home / ".claude").exists()
    run("uninstall", "claude-code")
    assert list((project / ".claude").iterdir()) == []


def test_installing_repairs_hooks_in_every_file_and_forgets_those_that_were_taken_out(
    home: Path, settings: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    local, other = project / ".claude" / "settings.local.json", project / "other"
    other.mkdir()
    run("install", "claude-code", "--scope", "project")
    monkeypatch.chdir(other)
    run("install", "claude-code", "--scope", "project")
    (other / ".claude" / "settings.local.json").write_text("{}")
    monkeypatch.chdir(project)
    sound = local.read_bytes()
    made_old(local, home)
    run("install", "claude-code")
    assert b"client.py" not in local.read_bytes()
    assert {key: json.loads(local.read_bytes())["hooks"][key] for key in json.loads(sound)["hooks"]} == json.loads(
        sound
    )["hooks"]
    assert (other / ".claude" / "settings.local.json").read_text() == "{}"
    result = json.loads(run("uninstall", "claude-code", "--json").stdout)
    assert {each["path"] for each in result["files"]} == {str(settings), str(local)}


def test_a_deleted_project_is_no_problem(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = project / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    run("install", "claude-code", "--scope", "project")
    monkeypatch.chdir(project)
    shutil.rmtree(gone)
    run("uninstall", "claude-code")
    assert not gone.exists()
    assert "Nothing to change." in run("uninstall", "claude-code").stdout


def test_what_is_not_there_is_named(settings: Path) -> None:
    output = run("install", "emacs", expect=1).stderr
    assert "Supported agents: claude-code, codex, openclaw, gemini-cli, opencode, hermes." in " ".join(output.split())
    assert "user, project" in run("install", "claude-code", "--scope", "world", expect=1).stderr
    assert settings.read_bytes() == USER_SETTINGS


def test_settings_that_are_broken_are_reported_and_left_alone(settings: Path) -> None:
    settings.write_bytes(b'{"hooks": ')
    assert str(settings) in run("install", "claude-code", expect=1).stderr
    assert settings.read_bytes() == b'{"hooks": '


def test_agents_tells_installed_not_installed_and_broken(home: Path, settings: Path) -> None:
    def state() -> tuple[str, list[str]]:
        (found,) = (a for a in json.loads(run("agents", "--json").stdout)["agents"] if a["name"] == "claude-code")
        return found["hooks"]["state"], found["hooks"]["faults"]

    assert state() == ("not installed", [])
    assert not (home / "wisen").exists()
    run("install", "claude-code")
    made_old(settings, home)
    name, faults = state()
    assert name == "broken"
    assert "/opt/wise n/bin/python" in " ".join(faults)
    assert "/opt/wise n/bin/python" in run("agents").stdout
    added = " ".join(run("guards", "add", "deny npm").stdout.split())
    assert "claude-code may not check this guard: some hooks are missing in" in added
    assert "wisen install claude-code repairs it" in added
    run("install", "claude-code")
    assert "client.py" not in settings.read_text()
    assert "PreToolUse" in settings.read_text()
    run("uninstall", "claude-code")
    assert settings.read_bytes() == USER_SETTINGS or json.loads(settings.read_text()) == json.loads(USER_SETTINGS)


def test_without_a_terminal_nobody_is_asked_and_experiments_are_off(home: Path, settings: Path) -> None:
    result = json.loads(run("install", "claude-code", "--json").stdout)
    assert result["experiments"] is False
    assert not (home / "wisen" / "config.toml").exists()


@pytest.mark.parametrize(("flag", "kept"), [("--experiments", "true"), ("--no-experiments", "false")])
def test_the_answer_about_experiments_is_kept(home: Path, settings: Path, flag: str, kept: str) -> None:
    config = home / "wisen" / "config.toml"
    run("install", "claude-code", flag)
    run("install", "claude-code", flag)
    assert f"experiments = {kept}" in config.read_text()
    (key,) = (s for s in json.loads(run("config", "--json").stdout)["settings"] if s["key"] == "trials.experiments")
    assert (json.dumps(key["value"]), key["source"]) == (kept, str(config))


def install_at_terminal(answer: bytes, *, expect: int = 0) -> str:
    """Install at a terminal, where questions can be answered."""
    here, there = pty.openpty()
    command: list[str | Path] = [*AS_PERSON, "install", "claude-code"]
    with subprocess.Popen(command, stdin=there, stdout=there, stderr=there, env=os.environ) as running:
        os.close(there)
        os.write(here, answer)
        shown = b""
        while True:
            try:
                shown += os.read(here, 65536)
            except OSError:  # the other end has closed
                break
    os.close(here)
    assert running.returncode == expect
    return shown.decode()


def test_a_person_is_asked_once_whether_experiments_are_welcome(home: Path, settings: Path) -> None:
    question = "May wisen try hints that you did not approve"
    shown = " ".join(install_at_terminal(b"y\ny\nn\n").split())
    assert question in shown
    assert shown.index("ms before each tool call") < shown.index("Write this?"), "the cost is shown before the yes"
    assert "experiments = true" in (home / "wisen" / "config.toml").read_text()
    assert "May your agent help to classify your messages?" in shown
    assert "pointing = false" in (home / "wisen" / "config.toml").read_text()
    again = " ".join(install_at_terminal(b"").split())
    assert question not in again
    assert "May your agent help" not in again


def test_a_person_who_says_no_gets_nothing(home: Path, settings: Path) -> None:
    assert "Nothing was written." in install_at_terminal(b"n\n", expect=1)
    assert settings.read_bytes() == USER_SETTINGS
    assert not (home / "wisen" / "hook").exists()


def test_settings_that_claude_code_would_ignore_are_refused_with_the_reason(home: Path, settings: Path) -> None:
    for bad in (b"// mine\n" + USER_SETTINGS, USER_SETTINGS.replace(b'"opus",', b'"opus", "permissions": 3,')):
        settings.write_bytes(bad)
        for flags in ((), ("--dry-run",)):
            output = " ".join(run("install", "claude-code", *flags, expect=1).stderr.split())
            assert "Claude Code ignores the whole file" in output
            assert "Fix that file, then run `wisen install claude-code` again." in output
        assert settings.read_bytes() == bad
        assert not (home / "wisen" / "hook").exists()


def test_a_launcher_whose_interpreter_is_gone_is_repaired_by_a_cycle_and_goes_with_the_last_agent(
    home: Path, settings: Path
) -> None:
    run("install", "claude-code")
    run("install", "codex")
    launcher, written = home / "wisen" / "hook", settings.read_bytes()
    sound = launcher.read_bytes()
    launcher.write_text(render_script(Program(python="/gone/python", client="/gone/client.py"), ""))
    output = " ".join(run("status").stdout.split())
    assert "/gone/python is not there or cannot be run" in output
    run("cycle", "--quick")
    assert launcher.read_bytes() == sound
    other = render_script(Program(python=sys.executable, client=str(Path(app.__file__))), "")
    launcher.write_text(other)
    run("cycle", "--quick")
    assert launcher.read_text() == other, "another installation that works is not replaced unasked"
    assert settings.read_bytes() == written
    run("uninstall", "claude-code")
    assert launcher.exists()
    run("uninstall", "codex")
    assert not launcher.exists()
    assert not (home / "wisen" / "remove-hooks.py").exists()


def test_a_ledger_that_was_lost_does_not_leave_our_hooks_behind(home: Path, settings: Path) -> None:
    run("install", "claude-code")
    for file in (home / "wisen").rglob("*"):
        if file.is_file():
            file.unlink()
    run("uninstall", "claude-code")
    assert json.loads(settings.read_text()) == json.loads(USER_SETTINGS)


def test_status_and_doctor_tell_that_hooks_have_gone(settings: Path) -> None:
    run("install", "claude-code")
    settings.write_bytes(USER_SETTINGS)
    gone = f"the hooks are gone from {settings}"
    assert gone in " ".join(run("status").stdout.split())
    assert gone in [alarm["says"] for alarm in json.loads(run("status", "--json").stdout)["alarms"]]
    assert gone in [finding["says"] for finding in json.loads(run("doctor", "--json", expect=4).stdout)["findings"]]


def test_observers_of_the_project_are_reported_as_well(project: Path) -> None:
    shared = project / ".claude" / "settings.json"
    shared.parent.mkdir()
    shared.write_bytes(USER_SETTINGS)
    result = json.loads(run("install", "claude-code", "--json").stdout)["others"]
    assert result == [{"event": "Stop", "command": "npx claude-mem stop", "name": "claude-mem"}]
    assert shared.read_bytes() == USER_SETTINGS
