"""The contract of every agent's hooks, as a test suite."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from wisen.errors import UsageError
from wisen.model.hook import Caller, HookSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.agents.hook_ports import Hooks
    from wisen.model.hook import Hook

CALLER = Caller(home="/home/ada/it's here")


class HooksContract:
    """Fixture: `hooks`, of an agent without sessions."""

    of_projects = True
    """Whether the agent has project settings."""
    waits_for_trust = True
    """Whether newly installed hooks wait for trust, if the agent asks for trust at all."""

    def test_our_hooks_go_into_a_file_that_is_looked_at(self, hooks: Hooks) -> None:
        shop = Path("/home/ada/shop")
        assert hooks.file() in hooks.files()
        if not self.of_projects:
            assert hooks.file() in hooks.files(shop)
            with pytest.raises(UsageError):
                hooks.file(shop)
            return
        assert {hooks.file(), hooks.file(shop)} <= set(hooks.files(shop))
        assert hooks.file() != hooks.file(shop)
        assert shop in hooks.file(shop).parents

    def test_what_is_wanted_is_recognized_as_ours_where_it_stands(self, hooks: Hooks) -> None:
        wanted = hooks.required_hooks(CALLER)
        found = hooks.parse(_settings(wanted)).callings
        assert sorted(each.event for each in found) == sorted(each.event for each in wanted)
        assert all(each.caller == CALLER or (each.helps and each.caller is None) for each in found)
        assert any(each.caller == CALLER for each in found)
        places = {each.keys[:-1] if isinstance(each.keys[-1], int) else each.keys for each in found}
        assert places == {each.keys for each in wanted}

    def test_what_is_wanted_names_nothing_but_the_home(self, hooks: Hooks) -> None:
        encoded = msgspec.json.encode([each.value for each in hooks.required_hooks(CALLER)]).decode()
        assert "s here" in encoded or "s%20here" in encoded
        assert "client.py" not in encoded
        assert "python" not in encoded
        assert str(Path(__file__).parents[1]) not in encoded, "nothing inside the package"

    def test_settings_that_the_agent_would_write_itself_are_followed(self, hooks: Hooks) -> None:
        wanted = msgspec.json.format(msgspec.json.encode(_settings(hooks.required_hooks(CALLER))), indent=2)
        for content in (b"", b"{}\n", wanted, wanted.replace(b"\n", b"\r\n")):
            assert hooks.rejection_reason(hooks.file(), content) == ""

    @pytest.mark.parametrize("settings", [None, [], "hooks", {}, {"hooks": None}, {"hooks": {"Stop": [3, {}]}}])
    def test_settings_of_another_shape_call_nobody(self, hooks: Hooks, settings: object) -> None:
        assert hooks.parse(settings) == HookSettings()

    @pytest.mark.parametrize("settings", [None, {"hooks": {"Stop": [{"hooks": [{"command": "beep"}]}]}}])
    def test_trust_is_asked_for_ours_alone(self, hooks: Hooks, settings: object) -> None:
        assert hooks.untrusted_events(hooks.file(), settings) == ()
        wanted = hooks.required_hooks(CALLER)
        events = {each.event for each in wanted}
        asked = hooks.untrusted_events(hooks.file(), _settings(wanted))
        assert set(asked) == (events if hooks.trust_instructions and self.waits_for_trust else set())

    def test_without_sessions_there_is_no_newest(self, hooks: Hooks) -> None:
        assert all(hooks.newest_session(each) is None for each in hooks.files(Path("/home/ada/shop")))


def _settings(wanted: Sequence[Hook]) -> dict[str, Any]:
    """Return settings that hold only these hooks."""
    settings: dict[str, Any] = {}
    for each in wanted:
        *around, last = each.keys
        inner = settings
        for key in around:
            inner = inner.setdefault(key, {})
        if each.keyed:
            inner[last] = each.value
        else:
            inner.setdefault(last, []).append(each.value)
    return settings
