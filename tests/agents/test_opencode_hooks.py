"""The plug-in in opencode's settings: what is written, what others have there, and removal without a trace."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.agents.opencode_sessions import Talk
from tests.edits.edit_ports import make_edit_ports
from tests.hooks import are_hooks_installed
from wisen.agents.claude_code.install import ClaudeCodeHooks
from wisen.agents.opencode.install import OpenCodeHooks
from wisen.edits.edit_history import edit_history
from wisen.install.hook_settings import install_hooks, installed_hooks, parse_hook_settings, remove_hooks
from wisen.model.hook import Caller

CALLER = Caller(home="/home/ada/w")
AGENT = OpenCodeHooks(Path("/home/ada"), {})
WANTED = AGENT.required_hooks(CALLER)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.text() | st.just("file:///x/agents/opencode/plugin/other.js"),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["plugin", "home", "python", "client"]), inner),
)


def settings_of(path: Path) -> Any:
    return parse_hook_settings(path.read_bytes(), str(path))


def test_settings_stand_where_opencode_looks_for_them(tmp_path: Path) -> None:
    shop = tmp_path / "shop"
    agent = OpenCodeHooks(tmp_path, {})
    assert agent.file() == tmp_path / ".config" / "opencode" / "opencode.json"
    assert agent.file(shop) == shop / ".opencode" / "opencode.json"
    assert {agent.file(), agent.file(shop), shop / "opencode.jsonc"} <= set(agent.files(shop))
    agent.file().parent.mkdir(parents=True)
    commented = agent.file().with_suffix(".jsonc")
    commented.write_text("{}")
    assert agent.file() == commented
    moved = {"XDG_CONFIG_HOME": "/etc/x", "OPENCODE_CONFIG": "/srv/one.json", "OPENCODE_CONFIG_DIR": "/srv/d"}
    assert OpenCodeHooks(tmp_path, moved).file() == Path("/etc/x/opencode/opencode.json")
    assert {Path("/srv/one.json"), Path("/srv/d/opencode.json")} <= set(OpenCodeHooks(tmp_path, moved).files())


def test_the_plugin_is_a_file_of_our_home_with_that_as_its_option() -> None:
    (hook,) = WANTED
    address, options = hook.value
    assert address == "file:///home/ada/w/plugins/wisen-opencode/wisen.js"
    ((path, content),) = AGENT.shipped_files(CALLER).items()
    assert str(path) == unquote(urlsplit(address).path)
    assert b"export default" in content
    assert options == {"home": CALLER.home}


def test_who_else_is_called_is_reported_where_they_are_known() -> None:
    settings = {"plugin": ["opencode-supermemory@latest", ["x-theme", {}], [7], [], "./mem0.js"]}
    assert [(each.command, each.name) for each in AGENT.parse(settings).callings] == [
        ("opencode-supermemory@latest", "supermemory"),
        ("./mem0.js", "mem0"),
    ]


@given(ANYTHING)
def test_settings_of_any_shape_are_read_without_an_error(settings: object) -> None:
    assert all(each.caller is None for each in AGENT.parse(settings).callings)
    assert AGENT.untrusted_events(AGENT.file(), settings) == ()


@pytest.mark.parametrize(
    "held",
    [
        None,
        b"",
        b"{}",
        b'{"plugin": ["x"], "model": "a/b"}\n',
        b'{\r\n\t// mine\r\n\t"plugin" : [ ["x", {"a": 1}], ],\r\n}',
    ],
)
@pytest.mark.parametrize("name", ["opencode.json", "opencode.jsonc"])
def test_the_plugin_is_put_in_once_and_taken_out_byte_for_byte(tmp_path: Path, held: bytes | None, name: str) -> None:
    path = tmp_path / name
    if held is not None:
        path.write_bytes(held)
    edit_ports = make_edit_ports()
    put = install_hooks(edit_ports, path, AGENT, WANTED)
    assert [each.caller for each in AGENT.parse(settings_of(path)).callings if each.caller] == [CALLER]
    assert install_hooks(edit_ports, path, AGENT, WANTED).held == put.holds == path.read_bytes()
    assert are_hooks_installed(edit_ports, path, AGENT, WANTED)
    assert [each.path for each in installed_hooks(edit_history(edit_ports), AGENT)] == [str(path)]
    assert installed_hooks(edit_history(edit_ports), ClaudeCodeHooks(Path("/home/ada"), {})) == (), (
        "it is another agent's"
    )
    remove_hooks(edit_ports, path, AGENT)
    assert (path.read_bytes() if path.exists() else None) == held


def test_what_opencode_itself_adds_stays_when_ours_goes(tmp_path: Path) -> None:
    path = tmp_path / "opencode.json"
    path.write_text('{"plugin": ["x"]}\n')
    edit_ports = make_edit_ports()
    install_hooks(edit_ports, path, AGENT, WANTED)
    path.write_text(path.read_text().replace("{", '{\n  "$schema": "https://opencode.ai/config.json",', 1))
    remove_hooks(edit_ports, path, AGENT)
    assert json.loads(path.read_text()) == {"$schema": "https://opencode.ai/config.json", "plugin": ["x"]}


def test_a_plugin_of_another_installation_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "opencode.json"
    other = ["file:///old/wisen/agents/opencode/plugin/wisen.js", {"python": "p", "client": "c", "home": "h"}]
    path.write_text(json.dumps({"plugin": ["x", other]}))
    install_hooks(make_edit_ports(), path, AGENT, WANTED)
    assert settings_of(path)["plugin"] == ["x", WANTED[0].value]


def test_the_newest_session_is_that_of_the_person_and_of_the_project(tmp_path: Path) -> None:
    agent = OpenCodeHooks(tmp_path, {})
    assert agent.newest_session(agent.file()) is None
    talk = Talk(1)
    talk.prompt("hello")
    path = talk.save(tmp_path)
    helper = Talk(2, parent=talk.session)
    helper.created = talk.created + 9_000_000
    helper.save(tmp_path)
    began = agent.newest_session(agent.file())
    assert began is not None
    assert began.timestamp() * 1000 == talk.created
    assert agent.newest_session(agent.file(Path("/home/ada/orchard"))) == began
    assert agent.newest_session(agent.file(Path("/home/ada/barn"))) is None
    off = OpenCodeHooks(tmp_path, {}, lambda place: place.endswith("orchard"))
    assert off.newest_session(off.file()) is None
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("DROP TABLE session")
    assert agent.newest_session(agent.file()) is None
