"""Hooks in Codex's hooks.json: what is written, whether it is trusted, and removal without a trace."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.agents.codex_rollouts import Rollout
from tests.edits.edit_ports import make_edit_ports
from tests.hooks import direct_command
from wisen.agents.claude_code.install import ClaudeCodeHooks
from wisen.agents.codex.install import EVENTS, CodexHooks, trust_digest
from wisen.edits.edit_history import edit_history
from wisen.install.hook_settings import install_hooks, installed_hooks, parse_hook_settings, remove_hooks
from wisen.model.hook import Caller, Program, parse_caller

CALLER = Caller(home="/home/ada/w")
AGENT = CodexHooks(Path("/home/ada"), {})
WANTED = AGENT.required_hooks(CALLER)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.sampled_from(["hooks", "Stop", "command", "features", "state", "type"]), inner)
    ),
)


def settings_of(path: Path) -> Any:
    return parse_hook_settings(path.read_bytes(), str(path))


def trust(root: Path, key: str, digest: str, more: str = "") -> None:
    """As Codex notes it when the user trusts a hook."""
    with (root / "config.toml").open("a") as config:
        config.write(f"[hooks.state.{json.dumps(key)}]\ntrusted_hash = {json.dumps(digest)}\n{more}")


def test_hooks_stand_where_codex_looks_for_them() -> None:
    shop = Path("/home/ada/shop")
    assert AGENT.file() == Path("/home/ada/.codex/hooks.json")
    assert AGENT.file(shop) == shop / ".codex" / "hooks.json"
    assert CodexHooks(Path("/home/ada"), {"CODEX_HOME": "/etc/codex"}).file() == Path("/etc/codex/hooks.json")


def test_a_command_names_the_agent_and_the_end_of_a_session_gets_no_more_time_than_codex_gives() -> None:
    (first, *_) = WANTED
    (hook,) = first.value["hooks"]
    assert hook["command"] == "/bin/sh /home/ada/w/hook codex session-start 2>/dev/null || cat >/dev/null 2>&1 || :"
    seconds = {each.event: each.value["hooks"][0]["timeout"] for each in WANTED}
    assert list(seconds) == list(EVENTS)
    assert seconds["SessionEnd"] == 3


@given(
    st.text().map(lambda text: str(PurePath("/", text.strip("/").replace("\0", "")))),
    st.sampled_from(["codex", "claude-code"]),
    st.sampled_from(list(EVENTS.values())),
)
def test_a_command_of_ours_is_known_again_for_its_own_agent_only(home: str, agent: str, event: str) -> None:
    caller = Caller(home=home)
    command = caller.command(event, agent)
    assert parse_caller(command, agent) == caller
    assert parse_caller(command, "openclaw") is None
    assert parse_caller(f"{command} && true", agent) is None


def test_a_command_of_an_older_wisen_is_known_as_ours_with_what_it_runs() -> None:
    program = Program(python="/opt/wise n/bin/python", client="/opt/wise n/wisen/surfaces/hook/client.py")
    old = Caller(home="/home/ada/w", direct=program)
    assert parse_caller(direct_command("prompt"), "claude-code") == old
    assert parse_caller(direct_command("prompt", "codex"), "codex") == old
    assert parse_caller(direct_command("prompt", "codex"), "claude-code") is None
    assert parse_caller(direct_command("prompt", package="/opt/other"), "claude-code") is not None
    assert parse_caller(direct_command("prompt").replace("client.py", "server.py"), "claude-code") is None


@given(ANYTHING)
def test_settings_of_any_shape_are_read_without_an_error(settings: object) -> None:
    assert all(each.caller is None for each in AGENT.parse(settings).callings)
    assert AGENT.untrusted_events(AGENT.file(), settings) == ()


def test_the_feature_can_be_switched_off_under_both_of_its_names() -> None:
    assert AGENT.parse({"features": {"hooks": False}}).switched_off
    assert AGENT.parse({"features": {"codex_hooks": False}}).switched_off
    assert not AGENT.parse({"features": {"hooks": True}}).switched_off


@pytest.mark.parametrize(
    "held",
    [
        None,
        b"",
        b"{}",
        b'{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "beep"}]}]}}\n',
        b'{\r\n\t"hooks" : {"PostToolUse":[ ] }\r\n}',
    ],
)
def test_hooks_are_put_in_once_and_taken_out_byte_for_byte(tmp_path: Path, held: bytes | None) -> None:
    path = tmp_path / "hooks.json"
    if held is not None:
        path.write_bytes(held)
    edit_ports = make_edit_ports()
    put = install_hooks(edit_ports, path, AGENT, WANTED)
    found = [each.event for each in AGENT.parse(settings_of(path)).callings if each.caller == CALLER]
    assert sorted(found) == sorted(EVENTS)
    assert install_hooks(edit_ports, path, AGENT, WANTED).held == put.holds == path.read_bytes()
    assert [each.path for each in installed_hooks(edit_history(edit_ports), AGENT)] == [str(path)]
    assert installed_hooks(edit_history(edit_ports), ClaudeCodeHooks(Path("/home/ada"), {})) == (), (
        "they are another agent's"
    )
    remove_hooks(edit_ports, path, AGENT)
    assert (path.read_bytes() if path.exists() else None) == held


def test_the_digest_of_trust_is_that_of_codex_itself() -> None:
    # As `hooks/list` of the app server of Codex 0.166.0 told it.
    group = {"hooks": [{"type": "command", "command": "python3 /tmp/cx/hook.py PreModelRequest", "timeout": 10}]}
    known = "sha256:45832cb9cda8379abe2c2e7d27153d04ca933fe1e4b07516301ad37771551b68"
    assert trust_digest("pre_model_request", group) == known


def test_a_hook_is_trusted_as_it_is_and_no_longer_when_it_changes_or_is_switched_off(tmp_path: Path) -> None:
    root = tmp_path / ".codex"
    root.mkdir()
    agent = CodexHooks(tmp_path, {})
    path = agent.file()
    beep = {"hooks": [{"type": "command", "command": "beep"}]}
    path.write_text(json.dumps({"hooks": {"Stop": [beep]}}))
    edit_ports = make_edit_ports()
    install_hooks(edit_ports, path, agent, agent.required_hooks(CALLER))
    assert set(agent.untrusted_events(path, settings_of(path))) == set(EVENTS)
    groups = {each.event: each.value for each in agent.required_hooks(CALLER)}
    places = {
        "session_start": "SessionStart", "user_prompt_submit": "UserPromptSubmit", "post_tool_use": "PostToolUse",
        "pre_tool_use": "PreToolUse",
    }  # fmt: skip
    for label, event in places.items():
        trust(root, f"{path}:{label}:0:0", trust_digest(label, groups[event]))
    trust(root, f"{path}:stop:1:0", trust_digest("stop", groups["Stop"]))
    trust(root, f"{path}:session_end:0:0", trust_digest("session_end", groups["SessionEnd"]), "enabled = false\n")
    assert agent.untrusted_events(path, settings_of(path)) == ("SessionEnd",)
    moved = Caller(home="/home/ada/other")
    changed = {"hooks": {each.event: [each.value] for each in agent.required_hooks(moved)}}
    assert set(agent.untrusted_events(path, changed)) == set(EVENTS)
    (root / "config.toml").write_text("[broken")
    assert set(agent.untrusted_events(path, settings_of(path))) == set(EVENTS)


def test_the_newest_session_is_that_of_the_person_and_of_the_project(tmp_path: Path) -> None:
    Rollout(1, cwd="/home/ada/shop/src").write(tmp_path)
    later = Rollout(2, cwd="/home/ada/orchard")
    later.at = datetime(2026, 3, 3, 9, 0, tzinfo=UTC)
    later.lines.clear()
    later.begin({})
    later.write(tmp_path)
    helper = Rollout(3, cwd="/home/ada/orchard")
    helper.at = datetime(2026, 3, 4, 9, 0, tzinfo=UTC)
    helper.lines.clear()
    helper.begin({"parent_thread_id": later.thread, "thread_source": "subagent"})
    helper.write(tmp_path)
    agent = CodexHooks(tmp_path, {})
    days = [agent.newest_session(agent.file(each)) for each in (None, Path("/home/ada/shop"), Path("/home/ada/barn"))]
    assert [each and each.day for each in days] == [3, 2, None]
    off = CodexHooks(tmp_path, {}, lambda place: place.endswith("orchard"))
    newest = off.newest_session(off.file())
    assert newest is not None
    assert newest.day == 2
