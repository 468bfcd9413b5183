"""Hooks in Gemini CLI's settings: what is written, where it runs, and removal without a trace."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.agents.gemini_chats import Chat
from tests.edits.edit_ports import make_edit_ports
from tests.hooks import are_hooks_installed
from wisen.agents.codex.install import CodexHooks
from wisen.agents.gemini_cli.install import EVENTS, GeminiCliHooks
from wisen.edits.edit_history import edit_history
from wisen.install.hook_settings import install_hooks, installed_hooks, parse_hook_settings, remove_hooks
from wisen.model.hook import Caller

CALLER = Caller(home="/home/ada/w")
AGENT = GeminiCliHooks(Path("/home/ada"), {})
WANTED = AGENT.required_hooks(CALLER)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.sampled_from(["hooks", "BeforeTool", "command", "hooksConfig", "disabled", "type"]), inner)
    ),
)
TRUSTED, PARENT, NOT = "TRUST_FOLDER", "TRUST_PARENT", "DO_NOT_TRUST"


def settings_of(path: Path) -> Any:
    return parse_hook_settings(path.read_bytes(), str(path))


def test_hooks_stand_where_gemini_cli_looks_for_them() -> None:
    shop = Path("/home/ada/shop")
    assert AGENT.file() == Path("/home/ada/.gemini/settings.json")
    assert AGENT.file(shop) == shop / ".gemini" / "settings.json"
    moved = GeminiCliHooks(Path("/home/ada"), {"GEMINI_CLI_HOME": "/srv/g"})
    assert moved.file() == Path("/srv/g/.gemini/settings.json")
    assert AGENT.files(Path("/home/ada")) == (AGENT.file(),)


def test_a_hook_names_the_agent_and_the_time_is_reported_in_milliseconds() -> None:
    (first, *_) = WANTED
    assert [each.event for each in WANTED] == list(EVENTS)
    (hook,) = first.value["hooks"]
    assert hook["command"] == (
        "/bin/sh /home/ada/w/hook gemini-cli session-start 2>/dev/null || cat >/dev/null 2>&1 || :"
    )
    assert (hook["name"], hook["timeout"]) == ("wisen", 10_000)


def test_before_calls_it_is_called_for_all_tools_because_a_guard_may_look_at_any() -> None:
    matchers = {each.event: each.value.get("matcher") for each in WANTED}
    assert matchers["BeforeTool"] is None
    assert matchers["AfterTool"] == "run_shell_command|replace|write_file|read_file"


@given(ANYTHING)
def test_settings_of_any_shape_are_read_without_an_error(settings: object) -> None:
    assert all(each.caller is None for each in AGENT.parse(settings).callings)
    assert AGENT.untrusted_events(AGENT.file(), settings) == ()


@pytest.mark.parametrize(
    ("about", "off"),
    [({"enabled": False}, True), ({"disabled": ["wisen"]}, True), ({"disabled": ["beep"]}, False), ([], False)],
)
def test_hooks_can_be_switched_off_all_or_by_name(about: object, *, off: bool) -> None:
    assert AGENT.parse({"hooksConfig": about}).switched_off is off


@pytest.mark.parametrize(
    "held",
    [
        None,
        b"",
        b"{}",
        b'{"hooks": {"AfterAgent": [{"hooks": [{"type": "command", "command": "beep"}]}]}}\n',
        b'{\r\n\t// mine\r\n\t"hooks" : {"AfterTool":[ ] }\r\n}',
    ],
)
def test_hooks_are_put_in_once_and_taken_out_byte_for_byte(tmp_path: Path, held: bytes | None) -> None:
    path = tmp_path / "settings.json"
    if held is not None:
        path.write_bytes(held)
    edit_ports = make_edit_ports()
    put = install_hooks(edit_ports, path, AGENT, WANTED)
    found = [each.event for each in AGENT.parse(settings_of(path)).callings if each.caller == CALLER]
    assert sorted(found) == sorted(EVENTS)
    assert install_hooks(edit_ports, path, AGENT, WANTED).held == put.holds == path.read_bytes()
    assert [each.path for each in installed_hooks(edit_history(edit_ports), AGENT)] == [str(path)]
    assert installed_hooks(edit_history(edit_ports), CodexHooks(Path("/home/ada"), {})) == (), (
        "they are another agent's"
    )
    assert are_hooks_installed(edit_ports, path, AGENT, WANTED)
    remove_hooks(edit_ports, path, AGENT)
    assert (path.read_bytes() if path.exists() else None) == held


@pytest.mark.parametrize(
    ("rules", "everywhere", "here"),
    [
        (None, False, False),
        ({}, False, False),
        ({"shop": TRUSTED}, True, True),
        ({"": TRUSTED}, True, True),
        ({"": TRUSTED, "shop": NOT}, True, False),
        ({"": NOT, "shop": TRUSTED}, True, True),
        ({"barn": PARENT}, True, True),
        ({"barn": TRUSTED}, True, False),
        ({"shop": NOT}, False, False),
        ({"shop": "PERHAPS"}, False, False),
        ({"shop": [TRUSTED]}, False, False),
    ],
)
def test_hooks_wait_for_trust_in_a_folder(
    rules: dict[str, object] | None, tmp_path: Path, *, everywhere: bool, here: bool
) -> None:
    agent, shop = GeminiCliHooks(tmp_path, {}), tmp_path / "shop"
    (tmp_path / ".gemini").mkdir()
    if rules is not None:
        listed = {str(tmp_path / name): trust for name, trust in rules.items()}
        (tmp_path / ".gemini" / "trustedFolders.json").write_text(f"// theirs\n{json.dumps(listed)}")
    ours = {"hooks": {each.event: [each.value] for each in WANTED}}
    assert agent.untrusted_events(agent.file(), ours) == (() if everywhere else tuple(EVENTS))
    assert agent.untrusted_events(agent.file(shop), ours) == (() if here else tuple(EVENTS))
    (tmp_path / ".gemini" / "settings.json").write_text('{"security": {"folderTrust": {"enabled": false}}}')
    assert agent.untrusted_events(agent.file(shop), ours) == agent.untrusted_events(agent.file(), ours) == ()


def test_the_newest_session_is_that_of_the_person_in_a_folder_where_hooks_run(tmp_path: Path) -> None:
    (tmp_path / ".gemini").mkdir()
    (tmp_path / ".gemini" / "trustedFolders.json").write_text(json.dumps({"/home/ada/orchard": TRUSTED}))
    agent = GeminiCliHooks(tmp_path, {})
    chat = Chat(1)
    chat.prompt("hello")
    chat.write(tmp_path)
    helper = Chat(2, kind="subagent")
    helper.prompt("hello")
    helper.write(tmp_path, parent=chat.session)
    began = agent.newest_session(agent.file())
    assert began is not None
    assert began.isoformat() == "2026-03-02T09:00:07+00:00"
    assert agent.newest_session(agent.file(Path("/home/ada/orchard"))) == began
    assert agent.newest_session(agent.file(Path("/home/ada/barn"))) is None
    off = GeminiCliHooks(tmp_path, {}, lambda place: place.endswith("orchard"))
    assert off.newest_session(off.file()) is None
    (tmp_path / ".gemini" / "trustedFolders.json").write_text(json.dumps({"/home/ada/orchard": NOT}))
    assert agent.newest_session(agent.file()) is None, "no hook was to be called there"
