"""The plug-in in Hermes' folder: what is written, whether it is enabled, and removal without a trace."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.agents.hermes_sessions import Talk
from tests.edits.edit_ports import make_edit_ports
from tests.health.hook_health_checks import FixedHealthCheck
from wisen.agents.codex.install import CodexHooks
from wisen.agents.hermes.install import EVENTS, HermesHooks
from wisen.errors import SettingsUnclear
from wisen.install.companions import install_companions, remove_companions, repair_companions
from wisen.install.hook_settings import install_hooks, parse_hook_settings, remove_hooks
from wisen.install.hook_status import HookInspection, hook_status
from wisen.model.hook import Caller, HookState

pytestmark = pytest.mark.requirement("X10")

CALLER = Caller(home="/home/ada/w")
AGENT = HermesHooks(Path("/home/ada"), {})
WANTED = AGENT.required_hooks(CALLER)
NAMES = ["calls", "hooks", "plugins", "enabled", "command", "pre_llm_call", "event"]
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(NAMES) | st.integers(), inner),
)


def settings_of(path: Path) -> Any:
    return parse_hook_settings(path.read_bytes(), str(path))


def enable(root: Path, says: str = "plugins:\n  enabled:\n    - other\n    - wisen\n") -> None:
    """As Hermes notes it when the user enables a plug-in."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "config.yaml").write_text(says)


def test_the_plug_in_stands_where_hermes_looks_for_it() -> None:
    shop = Path("/home/ada/shop")
    assert AGENT.file() == Path("/home/ada/.hermes/plugins/wisen/plugin.yaml")
    assert AGENT.file(shop) == shop / ".hermes/plugins/wisen/plugin.yaml"
    assert HermesHooks(Path("/home/ada"), {"HERMES_HOME": "/etc/h"}).file() == Path("/etc/h/plugins/wisen/plugin.yaml")


def test_a_command_names_the_home_the_agent_and_the_event() -> None:
    wanted = AGENT.required_hooks(CALLER)
    assert [each.event for each in wanted] == [event for event, _ in EVENTS]
    assert wanted[0].value["command"] == (
        "/bin/sh /home/ada/w/hook hermes session-start 2>/dev/null || cat >/dev/null 2>&1 || :"
    )


@given(ANYTHING)
def test_settings_of_any_shape_are_read_without_an_error(settings: object) -> None:
    assert all(each.caller is None for each in AGENT.parse(settings).callings)
    assert AGENT.untrusted_events(AGENT.file(), settings) == ()


def test_shell_hooks_and_plug_ins_of_others_are_reported() -> None:
    settings = {"hooks": {"pre_llm_call": [{"command": "beep"}, {}]}, "plugins": {"enabled": ["mem0", "pets", 7]}}
    assert [(each.event, each.command, each.name) for each in AGENT.parse(settings).callings] == [
        ("pre_llm_call", "beep", ""),
        ("", "mem0", "mem0"),
    ]


@pytest.mark.parametrize(
    "held", [None, b"", b'{"name": "wisen"}\n', b'{"calls": {"on_session_end": [{"command": "beep"}]}}\n']
)
def test_it_is_put_in_once_and_taken_out_byte_for_byte(tmp_path: Path, held: bytes | None) -> None:
    path, edit_ports = tmp_path / "plugin.yaml", make_edit_ports()
    if held is not None:
        path.write_bytes(held)
    put = install_hooks(edit_ports, path, AGENT, WANTED)
    (beside,) = install_companions(edit_ports, path, AGENT)
    found = [each.event for each in AGENT.parse(settings_of(path)).callings if each.caller == CALLER]
    assert sorted(found) == sorted(event for event, _ in EVENTS)
    assert install_hooks(edit_ports, path, AGENT, WANTED).held == put.holds == path.read_bytes()
    assert [each.held for each in install_companions(edit_ports, path, AGENT)] == [beside.holds]
    remove_hooks(edit_ports, path, AGENT)
    remove_companions(edit_ports, path, AGENT)
    assert (path.read_bytes() if path.exists() else None) == held
    assert not path.with_name("__init__.py").exists()


def test_yaml_in_another_form_is_left_alone_and_the_error_says_what_to_do(tmp_path: Path) -> None:
    path, edit_ports = tmp_path / "plugin.yaml", make_edit_ports()
    path.write_text("calls:\n  on_session_end:\n    - command: beep\n")
    with pytest.raises(SettingsUnclear, match="only YAML that is written as JSON"):
        install_hooks(edit_ports, path, AGENT, WANTED)


def test_the_plug_in_itself_takes_the_place_of_an_older_one_and_never_of_anothers(tmp_path: Path) -> None:
    class Older(HermesHooks):
        def companion_files(self, settings: Path) -> dict[Path, bytes]:
            return dict.fromkeys(super().companion_files(settings), b'"""wisen in Hermes, of old."""\n')

    path, edit_ports = tmp_path / "plugin.yaml", make_edit_ports()
    code = path.with_name("__init__.py")
    install_companions(edit_ports, path, Older(tmp_path, {}))
    install_companions(edit_ports, path, AGENT)
    assert {code: code.read_bytes()} == AGENT.companion_files(path)
    code.write_bytes(b"print('mine')\n")
    with pytest.raises(SettingsUnclear, match="Move it away"):
        install_companions(edit_ports, path, AGENT)
    remove_companions(edit_ports, path, AGENT)
    assert code.read_bytes() == b"print('mine')\n"
    assert AGENT.companion_files(tmp_path / "config.yaml") == {}
    assert install_companions(edit_ports, path, CodexHooks(tmp_path, {})) == ()


def test_what_stands_elsewhere_is_repaired_or_goes_with_what_a_person_took_out(tmp_path: Path) -> None:
    path, edit_ports = tmp_path / "plugin.yaml", make_edit_ports()
    code = path.with_name("__init__.py")
    install_hooks(edit_ports, path, AGENT, WANTED)
    repair_companions(edit_ports, path, AGENT)
    assert code.exists()
    path.write_text("- [")
    assert repair_companions(edit_ports, path, AGENT) == ()
    path.unlink()
    repair_companions(edit_ports, path, AGENT)
    assert not code.exists()


@pytest.mark.parametrize(
    ("says", "waits"),
    [
        ("plugins:\n  enabled: [wisen]\n", False),
        ("plugins:\n  enabled: [wisen]\n  disabled: [wisen]\n", True),
        ("plugins:\n  enabled: [others]\n", True),
        ("plugins: [wisen]\n", True),
        ("plugins: {enabled: [wisen\n", True),
        ("", True),
    ],
)
def test_it_waits_until_the_user_has_enabled_it(tmp_path: Path, says: str, waits: bool) -> None:
    agent, edit_ports = HermesHooks(tmp_path, {}), make_edit_ports()
    assert agent.untrusted_events(agent.file(), {}) == ()
    install_hooks(edit_ports, agent.file(), agent, WANTED)
    enable(tmp_path / ".hermes", says)
    events = dict.fromkeys(event for event, _ in EVENTS)
    assert agent.untrusted_events(agent.file(), settings_of(agent.file())) == (tuple(events) if waits else ())
    assert "hermes plugins enable wisen" in agent.trust_instructions


def test_its_state_is_reported_also_where_a_half_of_it_is_gone(tmp_path: Path) -> None:
    agent, edit_ports = HermesHooks(tmp_path, {}), make_edit_ports()

    def state() -> tuple[HookState, str]:
        watched = HookInspection(
            agents=(agent,),
            hook_health_check=FixedHealthCheck(),
            files=edit_ports.files,
            caller=CALLER,
            project=None,
            edit_ports=lambda _: edit_ports,
        )
        (found,) = hook_status(watched, edit_ports.ledger)
        return found.state, "; ".join(found.faults)

    assert state() == (HookState.NOT_INSTALLED, "")
    install_hooks(edit_ports, agent.file(), agent, WANTED)
    install_companions(edit_ports, agent.file(), agent)
    assert state() == (HookState.UNTRUSTED, "")
    enable(tmp_path / ".hermes")
    assert state() == (HookState.INSTALLED, "")
    code = agent.file().with_name("__init__.py")
    code.unlink()
    assert state() == (HookState.BROKEN, f"{code} is missing, or not from this version of wisen")


def test_the_newest_session_is_of_the_place_and_not_a_sub_agents(tmp_path: Path) -> None:
    off = Path("/home/ada/secret")
    agent = HermesHooks(tmp_path, {}, lambda place: Path(place) == off)
    for number, (at, about) in enumerate(
        (
            (1000.0, {}),
            (2000.0, {"cwd": "/home/ada/shop/inner"}),
            (3000.0, {"cwd": str(off)}),
            (4000.0, {"source": "subagent"}),
        )
    ):
        Talk(number, **{**about, "started_at": at}).save(tmp_path)
    assert agent.newest_session(agent.file()) == datetime.fromtimestamp(2000, UTC)
    assert agent.newest_session(agent.file(Path("/home/ada/orchard"))) == datetime.fromtimestamp(1000, UTC)
    assert agent.newest_session(agent.file(Path("/home/eve"))) is None
    with closing(sqlite3.connect(tmp_path / ".hermes" / "state.db")) as database, database:
        database.execute("UPDATE sessions SET started_at = 'long ago'")
    assert agent.newest_session(agent.file()) is None
    (tmp_path / ".hermes" / "state.db").write_bytes(b"no database")
    assert agent.newest_session(agent.file()) is None
