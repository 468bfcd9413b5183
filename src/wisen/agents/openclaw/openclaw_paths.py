"""Where OpenClaw keeps its state and its settings, by what the environment says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_STATE = ("OPENCLAW_STATE_DIR", "CLAWDBOT_STATE_DIR")
_SETTINGS = "OPENCLAW_CONFIG_PATH"
_FORMER = (".clawdbot", ".moltbot", ".moldbot")
"""What the state directory was called in OpenClaw's first months."""


def state_directories(home: Path, environment: Mapping[str, str]) -> tuple[Path, ...]:
    """The state directory, or several where OpenClaw was renamed or has profiles; the one in use comes first."""
    home = _home(home, environment)
    for name in _STATE:
        if told := environment.get(name, "").strip():
            return (_path(told, home),)
    found = [home / name for name in _FORMER] + sorted(home.glob(".openclaw-*"))
    states = {(home / ".openclaw").resolve(): home / ".openclaw"}
    for state in found:
        if (state / "agents").is_dir():
            states.setdefault(state.resolve(), state)  # OpenClaw leaves a link behind where it moved
    return tuple(states.values())


def settings_file(home: Path, environment: Mapping[str, str]) -> Path:
    """The settings that OpenClaw reads, there or not."""
    if told := environment.get(_SETTINGS, "").strip():
        return _path(told, _home(home, environment))
    return state_directories(home, environment)[0] / "openclaw.json"


def _home(home: Path, environment: Mapping[str, str]) -> Path:
    chosen = environment.get("OPENCLAW_HOME", "").strip()
    return _path(chosen, home) if chosen and chosen not in ("undefined", "null") else home


def _path(text: str, home: Path) -> Path:
    return home / text[1:].lstrip("/\\") if text == "~" or text.startswith(("~/", "~\\")) else Path(text)
