"""What a home calls the machine that it is on: another name for each user's folder that it was used from.

A home that is copied to another user or machine keeps what was learnt. What it knows of places there (projects, agents'
settings, edits of files) is known under the name of where it comes from, and touches nothing here.
"""

from __future__ import annotations

import os
from hashlib import blake2b
from typing import TYPE_CHECKING

from wisen.errors import StoreReadOnly
from wisen.system.kept_file import kept

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_NAME, _PLACE = "machine", "machine-place"


def machine_name(home: Path, user_home: Path, made: Callable[[], str]) -> str:
    """The name of this machine, which is made at the first question. Raises: StoreReadOnly.

    It holds for the user's folder that the home was first used from, of which a digest is kept; from any other folder
    there is another name, so that going back and forth changes nothing.
    """
    first, here = kept(home / _NAME, made), _digest(user_home)
    try:
        if kept(home / _PLACE, lambda: here) == here:
            return first
        return kept(home / f"{_NAME}-{here}", made)
    except StoreReadOnly:
        return first  # a home of an older version that cannot be written: nothing else can be, either


def _digest(user_home: Path) -> str:
    place = os.path.realpath(user_home).encode("utf-8", "surrogateescape")
    return blake2b(place, digest_size=8).hexdigest()
