"""Hooks in Claude Code's settings: what is written, what others have there, and removal without a trace."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.edits.edit_ports import make_edit_ports
from wisen.agents.claude_code.install import EVENTS, ClaudeCodeHooks
from wisen.edits.dry_run import in_memory_ports
from wisen.edits.edit_history import edit_history
from wisen.errors import SettingsUnclear
from wisen.install.hook_settings import install_hooks, installed_hooks, parse_hook_settings, remove_hooks
from wisen.model.hook import Caller
from wisen.testing.fake_ledger import MemoryLedger

AGENT = ClaudeCodeHooks(Path("/home/ada"), {})
CALLER = Caller(home="/home/ada/w")
WANTED = AGENT.required_hooks(CALLER)
OTHERS: dict[str, Any] = {
    "model": "opus",
    "hooks": {
        "SessionStart": [{"matcher": "startup", "hooks": [{"type": "command", "command": "npx claude-mem hook"}]}],
        "PostToolUse": [{"hooks": [{"type": "http", "url": "http://127.0.0.1:1/seen"}]}],
    },
    "enabledPlugins": {"everything-claude-code@affaan": True, "pretty@shop": True, "claude-mem@x": False},
}


def ours(content: bytes | None) -> list[str]:
    read = AGENT.parse(parse_hook_settings(content, "settings.json"))
    return [each.event for each in read.callings if each.caller == CALLER]


def test_settings_stand_where_claude_code_looks_for_them() -> None:
    shop = Path("/home/ada/shop")
    assert AGENT.file() == Path("/home/ada/.claude/settings.json")
    assert AGENT.file(shop) == shop / ".claude" / "settings.local.json"
    moved = ClaudeCodeHooks(Path("/home/ada"), {"CLAUDE_CONFIG_DIR": "/etc/cc"})
    assert moved.file() == Path("/etc/cc/settings.json")
    assert set(AGENT.files(shop)) >= {AGENT.file(), AGENT.file(shop)}


def test_a_command_names_the_home_the_agent_and_the_event_and_nothing_else() -> None:
    (first, *_) = WANTED
    (hook,) = first.value["hooks"]
    assert hook["command"] == (
        "/bin/sh /home/ada/w/hook claude-code session-start 2>/dev/null || cat >/dev/null 2>&1 || :"
    )
    assert [each.event for each in WANTED] == list(EVENTS)
    assert all("matcher" not in each.value for each in WANTED), "a guard may look at any tool"


def test_who_else_is_called_is_reported_and_known_ones_by_name() -> None:
    found = [(each.event, each.command, each.name) for each in AGENT.parse(OTHERS).callings]
    assert found == [
        ("SessionStart", "npx claude-mem hook", "claude-mem"),
        ("PostToolUse", "http://127.0.0.1:1/seen", ""),
        ("", "everything-claude-code@affaan", "ECC"),
    ]
    assert not AGENT.parse(OTHERS).switched_off
    assert AGENT.parse({"disableAllHooks": True}).switched_off


@given(
    st.recursive(
        st.none() | st.booleans() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(st.sampled_from(["hooks", "Stop", "command", "enabledPlugins", "type"]), inner)
        ),
    )
)
def test_settings_of_any_shape_are_read_without_an_error(settings: object) -> None:
    assert all(each.caller is None for each in AGENT.parse(settings).callings)


@pytest.mark.parametrize(
    "held",
    [
        None,
        b"",
        b"{}",
        b'{"model": "opus"}',
        json.dumps(OTHERS).encode(),
        json.dumps(OTHERS, indent="\t").replace("\n", "\r\n").encode(),
        b'{\n  // mine\n  "hooks": {"Stop": [], "SessionEnd": [{"hooks": []}],},\n}\n',
        b'\xef\xbb\xbf{"hooks":{}}',
    ],
)
def test_hooks_are_put_in_once_and_taken_out_byte_for_byte(tmp_path: Path, held: bytes | None) -> None:
    path = tmp_path / "settings.json"
    if held is not None:
        path.write_bytes(held)
    edit_ports = make_edit_ports()
    put = install_hooks(edit_ports, path, AGENT, WANTED)
    assert (put.held, put.holds) == (held, path.read_bytes())
    assert sorted(ours(put.holds)) == sorted(EVENTS)
    changes = len(edit_ports.ledger.changes.of(machine="desk"))
    assert install_hooks(edit_ports, path, AGENT, WANTED).held == put.holds == path.read_bytes()
    assert len(edit_ports.ledger.changes.of(machine="desk")) == changes
    assert [each.path for each in installed_hooks(edit_history(edit_ports), AGENT)] == [str(path)]
    assert remove_hooks(edit_ports, path, AGENT).holds == held
    assert (path.read_bytes() if path.exists() else None) == held
    assert installed_hooks(edit_history(edit_ports), AGENT) == ()
    assert remove_hooks(edit_ports, path, AGENT).holds == held


def test_what_others_wrote_since_stays_when_ours_goes(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text(json.dumps({"model": "opus"}, indent=2))
    edit_ports = make_edit_ports()
    install_hooks(edit_ports, path, AGENT, WANTED)
    data = json.loads(path.read_text())
    data["permissions"] = {"allow": ["Bash(ls:*)"]}
    data["hooks"]["Stop"].insert(0, {"hooks": [{"type": "command", "command": "beep"}]})
    path.write_text(json.dumps(data))
    remove_hooks(edit_ports, path, AGENT)
    left = {"Stop": [{"hooks": [{"type": "command", "command": "beep"}]}]}
    assert json.loads(path.read_text()) == {"model": "opus", "permissions": {"allow": ["Bash(ls:*)"]}, "hooks": left}


def test_a_home_or_an_interpreter_that_moved_is_repaired_by_installing_again(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text(json.dumps(OTHERS, indent=2))
    held, edit_ports = path.read_bytes(), make_edit_ports()
    install_hooks(edit_ports, path, AGENT, AGENT.required_hooks(Caller(home="/old")))
    assert ours(path.read_bytes()) == []
    install_hooks(edit_ports, path, AGENT, WANTED)
    assert sorted(ours(path.read_bytes())) == sorted(EVENTS)
    assert b"/old" not in path.read_bytes()
    remove_hooks(edit_ports, path, AGENT)
    assert path.read_bytes() == held


def test_hooks_of_ours_that_no_ledger_knows_are_replaced_and_go_as_well(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text(json.dumps(OTHERS, indent=2))
    stranger = AGENT.required_hooks(Caller(home="/other"))
    install_hooks(make_edit_ports(), path, AGENT, stranger)
    edit_ports = make_edit_ports(MemoryLedger())
    install_hooks(edit_ports, path, AGENT, WANTED)
    assert sorted(ours(path.read_bytes())) == sorted(EVENTS)
    assert b"/other" not in path.read_bytes()
    remove_hooks(edit_ports, path, AGENT)
    assert AGENT.parse(json.loads(path.read_text())) == AGENT.parse(OTHERS)


def test_one_hook_that_went_missing_comes_back(tmp_path: Path) -> None:
    path, edit_ports = tmp_path / "settings.json", make_edit_ports()
    install_hooks(edit_ports, path, AGENT, WANTED)
    data = json.loads(path.read_text())
    del data["hooks"]["Stop"]
    path.write_text(json.dumps(data))
    install_hooks(edit_ports, path, AGENT, WANTED)
    assert sorted(ours(path.read_bytes())) == sorted(EVENTS)
    remove_hooks(edit_ports, path, AGENT)
    assert not path.exists() or json.loads(path.read_text() or "{}") == {}


def test_a_group_that_somebody_shares_with_us_is_left_to_him(tmp_path: Path) -> None:
    path, edit_ports = tmp_path / "settings.json", make_edit_ports()
    install_hooks(edit_ports, path, AGENT, WANTED)
    data = json.loads(path.read_text())
    data["hooks"]["Stop"][0]["hooks"].append({"type": "command", "command": "beep"})
    path.write_text(json.dumps(data))
    with pytest.raises(SettingsUnclear, match=r"hooks\.Stop\.0"):
        remove_hooks(edit_ports, path, AGENT)
    assert "beep" in path.read_text()


def test_settings_that_cannot_be_read_are_left_alone(tmp_path: Path) -> None:
    path, edit_ports = tmp_path / "settings.json", make_edit_ports()
    for broken in (b'{"hooks": ', b"\xff\xfe{}", b'{"hooks": {"Stop": "beep"}}', b"[]"):
        path.write_bytes(broken)
        with pytest.raises(SettingsUnclear, match=r"settings\.json"):
            install_hooks(edit_ports, path, AGENT, WANTED)
        assert path.read_bytes() == broken
    assert edit_ports.ledger.changes.of(machine="desk") == ()


def test_a_draft_does_what_the_real_desk_would_and_leaves_no_trace(tmp_path: Path) -> None:
    path, edit_ports = tmp_path / "settings.json", make_edit_ports()
    path.write_text(json.dumps(OTHERS, indent=2))
    held = path.read_bytes()
    tried = install_hooks(in_memory_ports(edit_ports), path, AGENT, WANTED)
    assert path.read_bytes() == held
    assert edit_ports.ledger.changes.of(machine="desk") == ()
    assert install_hooks(edit_ports, path, AGENT, WANTED) == tried
    assert remove_hooks(in_memory_ports(edit_ports), path, AGENT).holds == held
    assert path.read_bytes() == tried.holds


COMMANDS = st.sampled_from(["beep", "npx claude-mem hook", "a 'b"])
GROUP = st.fixed_dictionaries(
    {"hooks": st.lists(st.builds(lambda c: {"type": "command", "command": c}, COMMANDS), max_size=2)}
)
HELD = st.dictionaries(
    st.sampled_from(["SessionStart", "Stop", "Notification"]), st.lists(GROUP, max_size=2), max_size=3
)


@settings(max_examples=40, deadline=None)
@given(before=HELD, since=HELD, indent=st.sampled_from([None, 2, "\t"]))
def test_only_ours_goes_whatever_stood_there_and_came_since(
    tmp_path_factory: pytest.TempPathFactory, before: dict[str, Any], since: dict[str, Any], indent: int | str | None
) -> None:
    path, edit_ports = tmp_path_factory.mktemp("hooks") / "settings.json", make_edit_ports()
    path.write_text(json.dumps({"hooks": before}, indent=indent))
    held = path.read_bytes()
    install_hooks(edit_ports, path, AGENT, WANTED)
    if since:
        data = json.loads(path.read_text())
        for event, groups in since.items():
            data["hooks"].setdefault(event, []).extend(groups)
        path.write_text(json.dumps(data, indent=indent))
    remove_hooks(edit_ports, path, AGENT)
    if not since:
        assert path.read_bytes() == held
        return
    left = {event: [*before.get(event, []), *since.get(event, [])] for event in {*before, *since}}
    assert {name: groups for name, groups in json.loads(path.read_text())["hooks"].items() if groups} == {
        name: groups for name, groups in left.items() if groups
    }
