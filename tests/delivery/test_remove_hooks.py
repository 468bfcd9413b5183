"""Removing wisen from agents without wisen: the script next to the launcher."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.commands import run
from tests.hooks import direct_command
from wisen.agents.claude_code.install import ClaudeCodeHooks
from wisen.delivery.remove_hooks import BACKUP, without_wisen
from wisen.model.hook import Caller

pytestmark = pytest.mark.requirement("X10")

HIS = b'{\n  "model": "opus",\n  "hooks": {\n    "Stop": [{"hooks": [{"type": "command", "command": "beep"}]}]}\n}\n'
AGENT = ClaudeCodeHooks(Path("/home/ada"), {})
GROUPS = st.sampled_from(
    [
        {"hooks": [{"type": "command", "command": "beep"}]},
        {"matcher": "Bash", "hooks": [{"type": "command", "command": "/bin/sh /x/hook other thing"}]},
        {"hooks": [{"type": "http", "url": "http://127.0.0.1/"}]},
        {"hooks": []},
        3,
    ]
)
SETTINGS = st.fixed_dictionaries(
    {"hooks": st.dictionaries(st.sampled_from(["Stop", "PreToolUse", "Ünusual"]), st.lists(GROUPS, max_size=3))},
    optional={"model": st.text(), "plugin": st.just(["x"]), "plugins": st.just({"allow": ["weather"]})},
)


@given(SETTINGS, st.sampled_from([None, 0, 2, "\t"]), st.text(st.characters(exclude_characters="/\0"), min_size=1))
def test_what_is_ours_goes_and_everything_else_stays(settings: dict[str, Any], indent: Any, home: str) -> None:
    caller = Caller(home=f"/home/{home}")
    with_ours = json.loads(json.dumps(settings))
    for number, each in enumerate(AGENT.required_hooks(caller)):
        listed = with_ours["hooks"].setdefault(each.event, [])
        listed.insert(number % (len(listed) + 1), each.value)
    left = json.loads(without_wisen(json.dumps(with_ours, indent=indent)))
    kept = {event: groups for event, groups in settings["hooks"].items() if groups}
    assert {event: groups for event, groups in left.get("hooks", {}).items() if groups} == kept
    assert {key: value for key, value in left.items() if key != "hooks"} == {
        key: value for key, value in settings.items() if key != "hooks"
    }


@given(SETTINGS, st.sampled_from([None, 0, 2, "\t"]))
def test_settings_without_us_stay_as_they_are(settings: dict[str, Any], indent: Any) -> None:
    text = json.dumps(settings, indent=indent)
    assert without_wisen(text) == text


@pytest.mark.parametrize(
    ("settings", "left"),
    [
        ({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": direct_command("stop")}]}]}}, {}),
        ({"plugin": ["x", ["file:///h/plugins/wisen-opencode/wisen.js", {"home": "/h"}]]}, {"plugin": ["x"]}),
        ({"plugin": [["file:///o/wisen/agents/opencode/plugin/wisen.js", {}]]}, {"plugin": []}),
        (
            {"plugins": {"entries": {"wisen": {"config": {"home": "/h"}}, "y": {}}, "allow": ["y", "wisen"]}},
            {"plugins": {"entries": {"y": {}}, "allow": ["y"]}},
        ),
        (
            {"plugins": {"load": {"paths": ["/h/plugins/wisen-openclaw", "/srv/y"]}}},
            {"plugins": {"load": {"paths": ["/srv/y"]}}},
        ),
    ],
)
def test_every_form_that_any_wisen_wrote_is_known(settings: object, left: object) -> None:
    assert json.loads(without_wisen(json.dumps(settings))) == left


def remover(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the script as somebody does who has no wisen any more."""
    command = [sys.executable, "-I", "-S", str(home / "wisen" / "remove-hooks.py"), *words]
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def test_one_command_takes_wisen_out_of_every_agent_and_project_without_wisen(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_bytes(HIS)
    link = home / ".claude" / "dotfiles.json"
    settings.rename(link)
    settings.symlink_to(link)
    run("install", "claude-code", "--scope", "project")
    for agent in ("codex", "gemini-cli", "opencode", "openclaw", "hermes", "claude-code"):
        run("install", agent)
    files = [path for path in (*home.rglob("*"), *tmp_path.rglob("*")) if path.is_file()]
    hooked = [path for path in files if b"wisen/hook" in path.read_bytes() and home / "wisen" not in path.parents]
    assert len(hooked) == 6, "Claude Code twice and by a link, Codex, Gemini CLI, and Hermes"
    before = {path: path.read_bytes() for path in hooked}
    assert "would be taken out" in remover(home, "--dry-run").stdout
    assert {path: path.read_bytes() for path in hooked} == before
    done = remover(home)
    assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(settings.read_text()) == json.loads(HIS)
    assert settings.read_bytes() == HIS
    assert settings.is_symlink()
    for path in (*home.rglob("*"), *tmp_path.rglob("*")):
        if path.is_file() and home / "wisen" not in path.parents and not path.name.endswith(BACKUP):
            assert b"wisen" not in path.read_bytes(), path
    assert not (home / ".hermes" / "plugins" / "wisen").exists()
    assert not (home / ".openclaw" / "extensions" / "wisen").exists()
    assert "taken out" not in remover(home).stdout


def test_what_is_not_plain_json_is_left_with_the_lines_to_delete(tmp_path: Path) -> None:
    path = tmp_path / "opencode.jsonc"
    held = b'{\n  // mine\n  "plugin": [["file:///h/plugins/wisen-opencode/wisen.js", {}]],\n}\n'
    path.write_bytes(held)
    script = Path(sys.modules[without_wisen.__module__].__file__ or "")
    done = subprocess.run([sys.executable, script, path], capture_output=True, text=True, check=False)
    assert (done.returncode, path.read_bytes()) == (1, held)
    assert "Delete what names wisen in it: line 3" in done.stdout
