"""Locates OpenClaw's state directories and settings file, by its environment variables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

_STATE = ("OPENCLAW_STATE_DIR", "CLAWDBOT_STATE_DIR")
_SETTINGS = "OPENCLAW_CONFIG_PATH"
_FORMER_NAMES = (".clawdbot", ".moltbot", ".moldbot")
"""Names of the state directory in OpenClaw's first months."""


def state_directories(home: Path, environment: Mapping[str, str]) -> tuple[Path, ...]:
    """Return the state directory, or several after a rename or with profiles; the one in use comes first."""
    home = _home(home, environment)
    for name in _STATE:
        if configured := environment.get(name, "").strip():
            return (_expand_path(configured, home),)
    candidates = [home / name for name in _FORMER_NAMES] + sorted(home.glob(".openclaw-*"))
    states = {(home / ".openclaw").resolve(): home / ".openclaw"}
    for state in candidates:
        if (state / "agents").is_dir():
            states.setdefault(state.resolve(), state)  # OpenClaw leaves a link at its old location
    return tuple(states.values())


def settings_file(home: Path, environment: Mapping[str, str]) -> Path:
    """Return the settings file that OpenClaw reads, whether or not it exists."""
    if configured := environment.get(_SETTINGS, "").strip():
        return _expand_path(configured, _home(home, environment))
    return state_directories(home, environment)[0] / "openclaw.json"


def _home(home: Path, environment: Mapping[str, str]) -> Path:
    chosen = environment.get("OPENCLAW_HOME", "").strip()
    return _expand_path(chosen, home) if chosen and chosen not in ("undefined", "null") else home


def _expand_path(text: str, home: Path) -> Path:
    return home / text[1:].lstrip("/\\") if text == "~" or text.startswith(("~/", "~\\")) else Path(text)
