"""Hooks as list items and as values under keys are added to settings files and removed again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.edits.edit_ports import make_edit_ports
from tests.hooks import are_hooks_installed
from wisen.install.hook_settings import install_hooks, parse_hook_settings, remove_hooks
from wisen.model.hook import Caller, Hook, HookSettings, RegisteredHook
from wisen.testing.hooks_contract import CALLER

MARK = "wisen is here"
WANTED = (
    Hook(event="listed", keys=("a", "list"), value=MARK),
    Hook(event="keyed", keys=("a", "map", "ours"), value={"says": MARK, "deep": {"b": 1}}, keyed=True),
    Hook(event="allowed", keys=("a", "names"), value=MARK, where_listed=True),
)


class Plain:
    """An agent that calls every command in a list, or under a key of a mapping."""

    name, trust_instructions = "plain", ""

    def file(self, project: Path | None = None) -> Path:
        raise NotImplementedError

    def files(self, project: Path | None = None) -> tuple[Path, ...]:
        raise NotImplementedError

    def required_hooks(self, caller: Caller) -> tuple[Hook, ...]:
        return WANTED

    def rejection_reason(self, path: Path, content: bytes) -> str:
        return ""

    def parse(self, settings: object) -> HookSettings:
        inside = settings.get("a") if isinstance(settings, dict) else None
        found = inside if isinstance(inside, dict) else {}
        callings = [
            RegisteredHook(event="listed", command=MARK, keys=("a", name, at), helps=True)
            for name in ("list", "names")
            for at, each in enumerate(found.get(name) or ())
            if each == MARK
        ]
        entries = found.get("map")
        entry = entries.get("ours") if isinstance(entries, dict) else None
        if isinstance(entry, dict) and entry.get("says") == MARK:
            callings.append(RegisteredHook(event="keyed", command=MARK, keys=("a", "map", "ours"), caller=CALLER))
        return HookSettings(callings=tuple(callings))

    def untrusted_events(self, path: Path, settings: object) -> tuple[str, ...]:
        return ()

    def newest_session(self, settings: Path) -> None:
        return None


VALUES = st.none() | st.integers(0, 9) | st.text(max_size=3) | st.lists(st.integers(0, 9), max_size=2)
INSIDE = st.fixed_dictionaries(
    {},
    optional={
        "list": st.lists(VALUES, max_size=3),
        "names": st.lists(st.text(max_size=3), max_size=3),
        "map": st.dictionaries(st.sampled_from(["ours", "theirs", "x"]), VALUES | st.just({"says": "no"}), max_size=3),
    },
)
SETTINGS = st.fixed_dictionaries({}, optional={"a": INSIDE, "b": VALUES})
FORMS = st.sampled_from([None, 2, "\t"])


def load(path: Path) -> Any:
    return parse_hook_settings(path.read_bytes() if path.exists() else None, str(path))


@given(SETTINGS, FORMS, FORMS, st.dictionaries(st.sampled_from(["b", "c"]), VALUES))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_items_and_values_go_in_once_and_out_exactly_or_alone(
    tmp_path: Path, held: dict[str, Any], form: Any, again: Any, more: dict[str, Any]
) -> None:
    path, agent, edit_ports = tmp_path / "s.json", Plain(), make_edit_ports()
    content = json.dumps(held, indent=form).encode()
    path.write_bytes(content)
    install_hooks(edit_ports, path, agent, WANTED)
    inside = load(path)["a"]
    assert inside["list"][-1] == MARK
    assert inside["map"]["ours"] == WANTED[1].value
    assert (MARK in inside.get("names", ())) == ("names" in held.get("a", {}))
    assert are_hooks_installed(edit_ports, path, agent, WANTED)
    written = path.read_bytes()
    assert install_hooks(edit_ports, path, agent, WANTED).holds == written
    remove_hooks(edit_ports, path, agent)
    assert path.read_bytes() == content
    install_hooks(edit_ports, path, agent, WANTED)
    path.write_text(json.dumps(dict(reversed((load(path) | more).items())), indent=again))
    remove_hooks(edit_ports, path, agent)
    assert load(path) == held | more


def test_a_value_of_ours_that_the_ledger_does_not_know_is_taken_out_and_nothing_else(tmp_path: Path) -> None:
    path, agent = tmp_path / "s.json", Plain()
    path.write_text(json.dumps({"a": {"list": [1, MARK], "map": {"theirs": 2, "ours": {"says": MARK}}}}))
    remove_hooks(make_edit_ports(), path, agent)
    assert load(path) == {"a": {"list": [1], "map": {"theirs": 2}}}


def test_a_value_of_ours_that_says_something_else_is_replaced(tmp_path: Path) -> None:
    path, agent, edit_ports = tmp_path / "s.json", Plain(), make_edit_ports()
    install_hooks(edit_ports, path, agent, WANTED)
    other = Hook(event="keyed", keys=("a", "map", "ours"), value={"says": MARK, "deep": 2}, keyed=True)
    install_hooks(edit_ports, path, agent, (WANTED[0], other))
    assert load(path) == {"a": {"list": [MARK], "map": {"ours": other.value}}}
    remove_hooks(edit_ports, path, agent)
    assert not path.exists()
