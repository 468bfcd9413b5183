"""Whether wisen is switched off: for this session by the environment, or in this place by a marker or the settings."""

from __future__ import annotations

import os

VARIABLE, MARKER = "WISEN_OFF", ".wisen-off"
_ON = ("", "0", "false", "no")


def session_is_off() -> bool:
    """Whether the session was started with wisen switched off."""
    return os.environ.get(VARIABLE, "").strip().lower() not in _ON


def place_is_off(payload: dict[str, object], named: list[str]) -> bool:
    """Whether wisen is switched off in the directory of an event or one above it: by a marker, or `named`."""
    told = payload.get("cwd")
    cwd = told if isinstance(told, str) and told else os.getcwd()
    for place in {os.path.abspath(cwd), os.path.realpath(cwd)}:
        while True:
            if place in named or os.path.lexists(f"{place}/{MARKER}"):
                return True
            above = os.path.dirname(place)
            if above == place:
                break
            place = above  # noqa: PLW2901 - it climbs
    return False
