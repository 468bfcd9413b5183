"""What the hooks of every agent and every gauge promise, as suites; and a gauge that tells what a test says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from wisen.domain.hooks import Caller, HookSettings, Vitals
from wisen.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from wisen.domain.hooks import Hook
    from wisen.ports import Gauge, Hooks

CALLER = Caller(python="/a b/python3", client="/a b/wisen/surfaces/hook/client.py", home="/home/ada/it's here")


class FixedGauge:
    """A gauge that reads nothing."""

    def __init__(self, vitals: Vitals | None = None, faults: Mapping[str, str] | None = None) -> None:
        """`faults`: what is wrong with a caller, by its interpreter."""
        self._vitals, self._faults = vitals or Vitals(), faults or {}

    def vitals(self) -> Vitals:
        """What the test says."""
        return self._vitals

    def fault(self, caller: Caller) -> str:
        """What the test says."""
        return self._faults.get(caller.python, "")


class HooksContract:
    """Fixture: `hooks`, of an agent that has no sessions."""

    of_projects = True
    """Whether the agent has settings of a project."""
    follows_guards = True
    """Whether a hook comes with the first guard; else there is always one."""
    waits_for_trust = True
    """Whether hooks that were just installed wait for trust, of an agent that asks for any."""

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

    @pytest.mark.parametrize("guards", [(), ("shell",), ("edit", "mcp__shop__buy")])
    def test_what_is_wanted_is_recognised_as_ours_where_it_stands(self, hooks: Hooks, guards: tuple[str, ...]) -> None:
        wanted = hooks.wanted(CALLER, guards=guards)
        found = hooks.read(_settings(wanted)).callings
        assert sorted(each.event for each in found) == sorted(each.event for each in wanted)
        assert all(each.caller == CALLER or (each.helps and each.caller is None) for each in found)
        assert any(each.caller == CALLER for each in found)
        places = {each.keys[:-1] if isinstance(each.keys[-1], int) else each.keys for each in found}
        assert places == {each.keys for each in wanted}

    def test_guards_add_hooks_and_change_none(self, hooks: Hooks) -> None:
        always, guarded = (set(map(str, hooks.wanted(CALLER, guards=each))) for each in ((), ("shell",)))
        assert always < guarded if self.follows_guards else always == guarded

    @pytest.mark.parametrize("settings", [None, [], "hooks", {}, {"hooks": None}, {"hooks": {"Stop": [3, {}]}}])
    def test_settings_of_another_shape_call_nobody(self, hooks: Hooks, settings: object) -> None:
        assert hooks.read(settings) == HookSettings()

    @pytest.mark.parametrize("settings", [None, {"hooks": {"Stop": [{"hooks": [{"command": "beep"}]}]}}])
    def test_trust_is_asked_for_ours_alone(self, hooks: Hooks, settings: object) -> None:
        assert hooks.untrusted(hooks.file(), settings) == ()
        wanted = hooks.wanted(CALLER)
        events = {each.event for each in wanted}
        asked = hooks.untrusted(hooks.file(), _settings(wanted))
        assert set(asked) == (events if hooks.trusting and self.waits_for_trust else set())

    def test_without_sessions_there_is_no_newest(self, hooks: Hooks) -> None:
        assert all(hooks.newest_session(each) is None for each in hooks.files(Path("/home/ada/shop")))


def _settings(wanted: Sequence[Hook]) -> dict[str, Any]:
    """Settings in which these hooks stand, and nothing else."""
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


class GaugeContract:
    """Fixture: `gauge`, of a home where nothing was ever done."""

    def test_where_nothing_was_done_nothing_is_told(self, gauge: Gauge) -> None:
        vitals = gauge.vitals()
        assert (vitals.beats, vitals.failure, vitals.waiting, vitals.waiting_since) == ({}, None, 0, None)
        assert vitals.newest is None
        assert vitals.trouble == ""

    def test_looking_twice_tells_the_same(self, gauge: Gauge) -> None:
        one, other = gauge.vitals(), gauge.vitals()
        assert (one.beats, one.snapshot, one.trouble) == (other.beats, other.snapshot, other.trouble)

    def test_what_cannot_be_run_is_a_fault(self, gauge: Gauge) -> None:
        assert gauge.fault(Caller(python="/gone/python3", client=CALLER.client, home=CALLER.home))
