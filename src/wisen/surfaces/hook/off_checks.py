"""Checks whether wisen is off: for this session by the environment, or in this place by a marker or the settings.

A marker that the user did not create with `wisen off` may have come with the project, and does not silence us.
"""

from __future__ import annotations

import posix

from .lean_paths import absolute, link_exists, parent_of, resolved, variable

VARIABLE, MARKER = "WISEN_OFF", ".wisen-off"
OWN = "off-places"
"""Below the home: the directories in which the user turned us off by a marker, one per line."""
_ON = ("", "0", "false", "no")


def session_is_off() -> bool:
    """Whether the session was started with wisen off."""
    return variable(VARIABLE).strip().lower() not in _ON


def is_off_by_project(payload: dict[str, object]) -> bool:
    """Whether settings of a project around the event set the variable: Claude Code passes on what they set.

    Then the repository may have set it and not the user: nothing is learned, but we are not silent.
    """
    given = payload.get("cwd")
    place = resolved(given if isinstance(given, str) and given else posix.getcwd())
    while (above := parent_of(place)) != place:
        for name in ("settings.json", "settings.local.json"):
            if VARIABLE.encode() in _beginning(f"{place}/.claude/{name}"):
                return True
        place = above
    return False


def _beginning(path: str) -> bytes:
    try:
        handle = posix.open(path, posix.O_RDONLY | posix.O_NONBLOCK | posix.O_NOCTTY | posix.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return posix.read(handle, 1 << 20)
    except OSError:
        return b""
    finally:
        posix.close(handle)


def place_is_off(payload: dict[str, object], named: list[str], home: str) -> bool:
    """Whether wisen is off in the directory of an event or one above it: by a marker, or `named`."""
    given = payload.get("cwd")
    cwd = given if isinstance(given, str) and given else posix.getcwd()
    for place in {absolute(cwd), resolved(cwd)}:
        while True:
            if place in named or (link_exists(f"{place}/{MARKER}") and _is_own(place, home)):
                return True
            above = parent_of(place)
            if above == place:
                break
            place = above  # noqa: PLW2901 - it climbs
    return False


def _is_own(place: str, home: str) -> bool:
    """Whether the user created the marker; before the first cycle that is unknown, and there is nothing to deliver."""
    try:
        with open(f"{home}/{OWN}", encoding="utf-8", errors="surrogateescape") as file:
            return place in file.read().split("\n")
    except FileNotFoundError:
        return True
