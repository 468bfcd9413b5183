"""Whether wisen is switched off: for this session by the environment, or in this place by a marker or the settings.

A marker that the user did not make with `wisen off` may have come with the project, and does not silence us.
"""

from __future__ import annotations

import os

VARIABLE, MARKER = "WISEN_OFF", ".wisen-off"
OWN = "off-places"
"""Below the home: the directories in which the user switched us off by a marker, one a line."""
_ON = ("", "0", "false", "no")


def session_is_off() -> bool:
    """Whether the session was started with wisen switched off."""
    return os.environ.get(VARIABLE, "").strip().lower() not in _ON


def place_is_off(payload: dict[str, object], named: list[str], home: str) -> bool:
    """Whether wisen is switched off in the directory of an event or one above it: by a marker, or `named`."""
    told = payload.get("cwd")
    cwd = told if isinstance(told, str) and told else os.getcwd()
    for place in {os.path.abspath(cwd), os.path.realpath(cwd)}:
        while True:
            if place in named or (os.path.lexists(f"{place}/{MARKER}") and _is_own(place, home)):
                return True
            above = os.path.dirname(place)
            if above == place:
                break
            place = above  # noqa: PLW2901 - it climbs
    return False


def _is_own(place: str, home: str) -> bool:
    """Whether the user made the marker; before the first cycle nobody knows, and there is nothing to tell."""
    try:
        with open(f"{home}/{OWN}", encoding="utf-8", errors="surrogateescape") as file:
            return place in file.read().split("\n")
    except FileNotFoundError:
        return True
