"""Places in which wisen is disabled: by a marker in a directory or one above it, or by the settings.

Any marker stops the learning. The hook client (`surfaces/hook/off_checks.py`) is silent only where the user made it.
"""

from __future__ import annotations

import os
import posixpath
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

VARIABLE, MARKER = "WISEN_OFF", ".wisen-off"
_OFF_VALUES = ("", "0", "false", "no")


def is_switched_off(environment: Mapping[str, str]) -> bool:
    """Whether this environment says that nothing may be learned."""
    return environment.get(VARIABLE, "").strip().lower() not in _OFF_VALUES


class OffSwitches:
    """Looks up each directory once, so it is rebuilt for each cycle."""

    def __init__(self, home: Path, places: Iterable[str] = ()) -> None:
        """`home`: the user's home directory; `places`: the directories named in the settings."""
        self._home = str(home)
        normalized = [_normalize(place, self._home) for place in places]
        self.places = tuple(
            dict.fromkeys(path for each in normalized if each for path in (each, os.path.realpath(each)))
        )
        self._causes: dict[str, str] = {}

    def is_off(self, place: str) -> bool:
        """Whether nothing may be kept of what happens in a directory."""
        return bool(self.cause_of(place))

    def cause_of(self, place: str) -> str:
        """Return what disables a place: the path of a marker, or a directory from the settings; empty if nothing."""
        if place not in self._causes:
            path = _normalize(place, self._home)
            self._causes[place] = (
                "" if path is None else self._cause_at_or_above(path) or self._cause_at_or_above(os.path.realpath(path))
            )
        return self._causes[place]

    def _cause_at_or_above(self, path: str) -> str:
        for each in (Path(path), *Path(path).parents):
            if str(each) in self.places:
                return str(each)
            if os.path.lexists(each / MARKER):
                return str(each / MARKER)
        return ""


def _normalize(place: str, home: str) -> str | None:
    """Normalize a path; None if it is not absolute."""
    if place == "~" or place.startswith("~/"):
        place = home + place[1:]
    if not place.startswith("/") or "\0" in place:
        return None
    return "/" + posixpath.normpath(place).lstrip("/")
