"""Our plug-in in OpenClaw's settings: what is written, which part is ours, and removal without a trace."""

from __future__ import annotations

import json
import tomllib
from datetime import UTC, datetime
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.agents.openclaw_sessions import SESSIONS, Database, Transcript
from tests.edits.edit_ports import make_edit_ports
from tests.hooks import are_hooks_installed
from wisen.agents.claude_code.install import ClaudeCodeHooks
from wisen.agents.openclaw.install import FILES, PLUGIN, OpenClawHooks
from wisen.edits.edit_history import edit_history
from wisen.install.hook_settings import install_hooks, installed_hooks, parse_hook_settings, remove_hooks, repair_hooks
from wisen.model.hook import Caller

CALLER = Caller(home="/home/ada/w")
MOVED = Caller(home="/srv/home")
AGENT = OpenClawHooks(Path("/home/ada"), {})
WANTED = AGENT.required_hooks(CALLER)
PLACE = "/home/ada/.openclaw/extensions/wisen"
JSON5 = b"""// mine
{
  gateway: { port: 18790, },
  plugins: {
    allow: ['weather'], // only these
    load: { paths: ["/srv/weather"] },
    entries: { weather: { enabled: true } },
  },
}
"""
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.text() | st.just(PLUGIN),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(
            st.sampled_from("plugins load paths entries wisen allow deny enabled config hooks".split()), inner
        )
    ),
)


def settings_of(path: Path) -> Any:
    return parse_hook_settings(path.read_bytes(), str(path))


def test_settings_stand_where_openclaw_looks_for_them() -> None:
    home = Path("/home/ada")
    assert AGENT.file() == home / ".openclaw" / "openclaw.json"
    for environment, file in (
        ({"OPENCLAW_STATE_DIR": "~/claw"}, "/home/ada/claw/openclaw.json"),
        ({"OPENCLAW_HOME": "/srv/ada"}, "/srv/ada/.openclaw/openclaw.json"),
        ({"OPENCLAW_CONFIG_PATH": "/etc/claw.json5", "OPENCLAW_STATE_DIR": "/srv/claw"}, "/etc/claw.json5"),
    ):
        assert OpenClawHooks(home, environment).file() == Path(file)


def test_the_settings_of_other_profiles_are_looked_at(tmp_path: Path) -> None:
    (tmp_path / ".openclaw-work" / "agents").mkdir(parents=True)
    found = OpenClawHooks(tmp_path, {}).files()
    assert found == (tmp_path / ".openclaw" / "openclaw.json", tmp_path / ".openclaw-work" / "openclaw.json")


def test_the_plugin_is_in_the_package_and_says_who_it_is() -> None:
    folder = resources.files("wisen").joinpath("agents", "openclaw", "plugin")
    assert sorted(each.name for each in folder.iterdir()) == sorted(FILES)
    placed = AGENT.companion_files(AGENT.file())
    assert placed == {Path(PLACE, name): folder.joinpath(name).read_bytes() for name in FILES}
    manifest = json.loads(folder.joinpath("openclaw.plugin.json").read_text())
    package = json.loads(folder.joinpath("package.json").read_text())
    assert manifest["id"] == PLUGIN
    assert manifest["configSchema"]["additionalProperties"] is True, "what it does not know must not stop OpenClaw"
    assert package["openclaw"]["extensions"] == ["./index.js"]
    assert 'id: "wisen"' in folder.joinpath("index.js").read_text()
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel == {"packages": ["src/wisen"]}, "every file of the package goes into the wheel"


@pytest.mark.requirement("X10")
@pytest.mark.parametrize(
    "held",
    [
        None,
        b"",
        b"{}",
        JSON5,
        b'{"plugins":{"load":{"paths":["/srv/weather"]}}}',
        b'{\r\n\t"plugins" : {"entries":{"wisen":{"enabled":false}} }\r\n}',
        b'{"plugins":{"allow":[]}}\n',
    ],
)
def test_the_plugin_is_put_in_once_and_taken_out_byte_for_byte(tmp_path: Path, held: bytes | None) -> None:
    path = tmp_path / "openclaw.json"
    if held is not None:
        path.write_bytes(held)
    edit_ports = make_edit_ports()
    put = install_hooks(edit_ports, path, AGENT, WANTED)
    plugins = settings_of(path)["plugins"]
    assert plugins.get("load") == (parse_hook_settings(held, str(path)).get("plugins") or {}).get("load")
    assert plugins["entries"][PLUGIN] == WANTED[0].value
    assert (PLUGIN in plugins["allow"]) if held and b"allow" in held else "allow" not in plugins
    assert install_hooks(edit_ports, path, AGENT, WANTED).held == put.holds == path.read_bytes()
    assert are_hooks_installed(edit_ports, path, AGENT, WANTED)
    assert [each.path for each in installed_hooks(edit_history(edit_ports), AGENT)] == [str(path)]
    assert installed_hooks(edit_history(edit_ports), ClaudeCodeHooks(Path("/home/ada"), {})) == (), (
        "they are another agent's"
    )
    remove_hooks(edit_ports, path, AGENT)
    assert (path.read_bytes() if path.exists() else None) == held


def rewritten(path: Path) -> None:
    """As OpenClaw writes its settings: in its own order and form, with more in them."""
    settings = settings_of(path)
    plugins = settings.pop("plugins")
    meta = {"lastTouchedVersion": "2026.9.6", "lastTouchedAt": "2026-11-16T00:00:00.000Z"}
    path.write_text(json.dumps({"meta": meta, **settings, "plugins": dict(reversed(plugins.items()))}, indent=2))


@pytest.mark.requirement("X10")
@pytest.mark.parametrize("held", [None, b'{"gateway":{"port":1}}', JSON5])
def test_after_openclaw_rewrote_its_settings_just_ours_goes(tmp_path: Path, held: bytes | None) -> None:
    path = tmp_path / "openclaw.json"
    if held is not None:
        path.write_bytes(held)
    before = parse_hook_settings(held, str(path)) or {}
    edit_ports = make_edit_ports()
    install_hooks(edit_ports, path, AGENT, WANTED)
    rewritten(path)
    assert are_hooks_installed(edit_ports, path, AGENT, WANTED)
    as_rewritten = path.read_bytes()
    assert install_hooks(edit_ports, path, AGENT, WANTED).holds == as_rewritten
    remove_hooks(edit_ports, path, AGENT)
    left = settings_of(path)
    assert left.pop("meta")["lastTouchedVersion"] == "2026.9.6"
    assert left == before


def test_what_the_person_added_to_our_entry_goes_with_it_and_is_asked_for_no_longer(tmp_path: Path) -> None:
    path = tmp_path / "openclaw.json"
    edit_ports = make_edit_ports()
    install_hooks(edit_ports, path, AGENT, WANTED)
    settings = settings_of(path)
    settings["plugins"]["entries"][PLUGIN]["hooks"]["timeoutMs"] = 900
    path.write_text(json.dumps(settings))
    assert not are_hooks_installed(edit_ports, path, AGENT, WANTED)
    remove_hooks(edit_ports, path, AGENT)
    assert PLUGIN not in path.read_text()
    assert installed_hooks(edit_history(edit_ports), AGENT) == ()


def test_what_is_of_another_installation_is_replaced_and_of_another_machine_taken_out(tmp_path: Path) -> None:
    path = tmp_path / "openclaw.json"
    path.write_bytes(JSON5)
    install_hooks(make_edit_ports(), path, AGENT, AGENT.required_hooks(MOVED))
    edit_ports = make_edit_ports()  # whose ledger knows nothing of it
    install_hooks(edit_ports, path, AGENT, WANTED)
    plugins = settings_of(path)["plugins"]
    assert plugins["load"]["paths"] == ["/srv/weather"]
    assert plugins["allow"] == ["weather", PLUGIN]
    assert plugins["entries"][PLUGIN]["config"] == {"home": CALLER.home}
    remove_hooks(make_edit_ports(), path, AGENT)
    assert settings_of(path) == parse_hook_settings(JSON5, str(path))


def test_where_the_person_took_it_out_it_is_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "openclaw.json"
    edit_ports = make_edit_ports()
    install_hooks(edit_ports, path, AGENT, WANTED)
    path.write_bytes(b'{"gateway":{"port":1}}')
    done = repair_hooks(edit_ports, path, AGENT, WANTED)
    assert done is not None
    assert path.read_bytes() == b'{"gateway":{"port":1}}'
    assert installed_hooks(edit_history(edit_ports), AGENT) == ()


@given(ANYTHING)
def test_settings_of_any_shape_are_read_without_an_error(settings: object) -> None:
    assert all(each.caller is None for each in AGENT.parse(settings).callings)
    assert AGENT.untrusted_events(AGENT.file(), settings) == ()


def installed(**more: object) -> dict[str, Any]:
    """Settings that hold our entry."""
    return {"plugins": {"entries": {PLUGIN: {**_entry(), **more}}}}


def _entry() -> dict[str, Any]:
    value = WANTED[0].value
    assert isinstance(value, dict)
    return value


@pytest.mark.parametrize(
    ("settings", "off"),
    [
        (installed(), False),
        (installed(enabled=False), True),
        ({"plugins": {**installed()["plugins"], "enabled": False}}, True),
        ({"plugins": {**installed()["plugins"], "deny": ["wisen"]}}, True),
        ({"plugins": {**installed()["plugins"], "allow": ["weather"]}}, True),
        ({"plugins": {**installed()["plugins"], "allow": ["weather", "wisen"]}}, False),
        ({"plugins": {"allow": ["weather"]}}, False),
    ],
)
def test_every_way_to_keep_it_from_being_loaded_is_reported(settings: object, off: bool) -> None:
    assert AGENT.parse(settings).switched_off is off


def test_without_access_to_conversations_the_events_that_wait_for_it_are_reported() -> None:
    assert AGENT.untrusted_events(AGENT.file(), installed()) == ()
    for hooks in ({}, {"allowConversationAccess": False}):
        assert AGENT.untrusted_events(AGENT.file(), installed(hooks=hooks)) == ("before_prompt_build", "agent_end")
    for word in ("allowConversationAccess", "prompts", "nowhere else", "Without it"):
        assert word in AGENT.permission_notice


def test_other_plugins_are_reported_and_those_that_learn_by_name() -> None:
    entries = {"memory-mem0": {"enabled": True}, "off": {"enabled": False}, "odd": 3}
    (calling,) = AGENT.parse({"plugins": {"entries": entries}}).callings
    assert (calling.command, calling.name, calling.is_ours) == ("memory-mem0", "mem0", False)


def at(day: int, number: int, version: int, cwd: str = "/home/ada/orchard") -> Transcript:
    """A session that began on a day of March."""
    transcript = Transcript(number, version=version, cwd=cwd)
    head = transcript.records[0]
    assert isinstance(head, dict)
    head["timestamp"] = f"2026-03-{day:02d}T09:00:00.000Z"
    return transcript


@pytest.mark.parametrize("version", [3, 4])
def test_the_newest_session_is_one_in_which_a_person_spoke(tmp_path: Path, version: int) -> None:
    sessions = (
        (at(2, 1, version), "agent:main:main"),
        (at(3, 2, version, "/home/ada/barn"), "agent:main:explicit:s2"),
        (at(9, 3, version), "agent:main:cron:nightly"),
    )
    keys = {}
    for transcript, key in sessions:
        keys[key] = {"sessionId": transcript.session}
        if version > 3:
            Database(tmp_path).save(transcript, key)
        else:
            transcript.write(tmp_path / SESSIONS)
    if version == 3:
        (tmp_path / SESSIONS / "sessions.json").write_text(json.dumps(keys))
    agent = OpenClawHooks(tmp_path, {})
    assert agent.newest_session(agent.file()) == datetime(2026, 3, 3, 9, tzinfo=UTC)
    off = OpenClawHooks(tmp_path, {}, lambda place: place.endswith("barn"))
    assert off.newest_session(off.file()) == datetime(2026, 3, 2, 9, tzinfo=UTC)
