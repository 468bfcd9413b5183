"""Hooks and health checks keep what their ports promise, the real ones and the fake."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.health.hook_health_checks import FixedHealthCheck, HealthCheckContract
from wisen.agents.claude_code.install import ClaudeCodeHooks
from wisen.agents.codex.install import CodexHooks
from wisen.agents.gemini_cli.install import GeminiCliHooks
from wisen.agents.hermes.install import HermesHooks
from wisen.agents.openclaw.install import OpenClawHooks
from wisen.agents.opencode.install import OpenCodeHooks
from wisen.health.hook_health import HomeHookHealth
from wisen.testing.hooks_contract import CALLER, HooksContract

if TYPE_CHECKING:
    from pathlib import Path

    from wisen.agents.hook_ports import HookHealthCheck, Hooks

pytestmark = pytest.mark.requirement("X10")


class TestClaudeCodeHooks(HooksContract):
    @pytest.fixture
    def hooks(self, tmp_path: Path) -> Hooks:
        return ClaudeCodeHooks(tmp_path, {})


class TestCodexHooks(HooksContract):
    @pytest.fixture
    def hooks(self, tmp_path: Path) -> Hooks:
        return CodexHooks(tmp_path, {})


class TestHermesHooks(HooksContract):
    @pytest.fixture
    def hooks(self, tmp_path: Path) -> Hooks:
        return HermesHooks(tmp_path, {})


class TestOpenClawHooks(HooksContract):
    of_projects = waits_for_trust = False

    @pytest.fixture
    def hooks(self, tmp_path: Path) -> Hooks:
        return OpenClawHooks(tmp_path, {})


class TestGeminiCliHooks(HooksContract):
    @pytest.fixture
    def hooks(self, tmp_path: Path) -> Hooks:
        return GeminiCliHooks(tmp_path, {})


class TestOpenCodeHooks(HooksContract):
    @pytest.fixture
    def hooks(self, tmp_path: Path) -> Hooks:
        return OpenCodeHooks(tmp_path, {})


class TestHomeHealthCheck(HealthCheckContract):
    @pytest.fixture
    def hook_health_check(self, tmp_path: Path) -> HookHealthCheck:
        return HomeHookHealth(tmp_path / "not" / "there", "1")


class TestFixedHealthCheck(HealthCheckContract):
    @pytest.fixture
    def hook_health_check(self) -> HookHealthCheck:
        return FixedHealthCheck(faults={CALLER.home: "it is gone"})
