"""Creates the log reader and the hooks of an agent by its name, importing only what is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from wisen.agents.agent_ports import Agent
    from wisen.agents.hook_ports import Hooks


def create_reader(name: str, home: Path, environment: Mapping[str, str], *, program_prompts: bool) -> Agent:
    """Create the reader of an agent. `program_prompts`: whether prompts from programs count as typed by the user.

    Raises: KeyError.
    """
    return _READERS[name](home, environment, program_prompts)


def create_hooks(name: str, home: Path, environment: Mapping[str, str], is_off: Callable[[str], bool]) -> Hooks | None:
    """Create the hooks of an agent; None if the agent has no hooks."""
    from wisen.agents.claude_code.install import ClaudeCodeHooks
    from wisen.agents.codex.install import CodexHooks
    from wisen.agents.gemini_cli.install import GeminiCliHooks
    from wisen.agents.hermes.install import HermesHooks
    from wisen.agents.openclaw.install import OpenClawHooks
    from wisen.agents.opencode.install import OpenCodeHooks

    known: dict[str, Callable[[Path, Mapping[str, str], Callable[[str], bool]], Hooks]] = {
        "claude-code": ClaudeCodeHooks,
        "codex": CodexHooks,
        "openclaw": OpenClawHooks,
        "hermes": HermesHooks,
        "gemini-cli": GeminiCliHooks,
        "opencode": OpenCodeHooks,
    }
    return known[name](home, environment, is_off) if name in known else None


def _claude_code(home: Path, environment: Mapping[str, str], program_prompts: bool) -> Agent:  # noqa: FBT001 - one signature
    from wisen.agents.claude_code import ClaudeCode

    return ClaudeCode(home, environment, program_prompts=program_prompts)


def _codex(home: Path, environment: Mapping[str, str], program_prompts: bool) -> Agent:  # noqa: FBT001 - one signature
    from wisen.agents.codex import Codex

    return Codex(home, environment, program_prompts=program_prompts)


def _openclaw(home: Path, environment: Mapping[str, str], program_prompts: bool) -> Agent:  # noqa: FBT001 - one signature
    from wisen.agents.openclaw import OpenClaw

    return OpenClaw(home, environment, program_prompts=program_prompts)


def _gemini_cli(home: Path, environment: Mapping[str, str], _program_prompts: bool) -> Agent:  # noqa: FBT001 - one signature
    from wisen.agents.gemini_cli import GeminiCli

    return GeminiCli(home, environment)


def _opencode(home: Path, environment: Mapping[str, str], program_prompts: bool) -> Agent:  # noqa: FBT001 - one signature
    from wisen.agents.opencode import OpenCode

    return OpenCode(home, environment, program_prompts=program_prompts)


def _hermes(home: Path, environment: Mapping[str, str], program_prompts: bool) -> Agent:  # noqa: FBT001 - one signature
    from wisen.agents.hermes import Hermes

    return Hermes(home, environment, program_prompts=program_prompts)


def _aider(home: Path, environment: Mapping[str, str], program_prompts: bool) -> Agent:  # noqa: FBT001 - one signature
    from wisen.agents.aider import Aider

    return Aider(home, environment, program_prompts=program_prompts)


def _openhands(home: Path, environment: Mapping[str, str], _program_prompts: bool) -> Agent:  # noqa: FBT001 - one signature
    from wisen.agents.openhands import OpenHands

    return OpenHands(home, environment)


def _generic(_home: Path, _environment: Mapping[str, str], _program_prompts: bool) -> Agent:  # noqa: FBT001 - one signature
    from wisen.agents.generic import Generic

    return Generic()


_READERS: dict[str, Callable[[Path, Mapping[str, str], bool], Agent]] = {
    "claude-code": _claude_code,
    "codex": _codex,
    "openclaw": _openclaw,
    "gemini-cli": _gemini_cli,
    "opencode": _opencode,
    "hermes": _hermes,
    "aider": _aider,
    "openhands": _openhands,
    "generic": _generic,
}
