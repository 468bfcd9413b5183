"""The name that a home uses for the machine it is on: a different one for each user folder it was used from.

A home that is copied to another user or machine keeps what was learned. What it knows about places there (projects,
agents' settings, file edits) is stored under the name of where it comes from, and touches nothing here.
"""

from __future__ import annotations

import os
from hashlib import blake2b
from typing import TYPE_CHECKING

from wisen.errors import StoreReadOnly
from wisen.system.create_once import read_or_create

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_NAME, _PLACE = "machine", "machine-place"


def machine_name(home: Path, user_home: Path, create_name: Callable[[], str]) -> str:
    """Return the name of this machine, creating it on first use. Raises: StoreReadOnly.

    It belongs to the user folder that the home was first used from, of which a digest is stored; any other folder gets
    another name, so that switching back and forth changes nothing.
    """
    first, folder_digest = read_or_create(home / _NAME, create_name), _digest(user_home)
    try:
        if read_or_create(home / _PLACE, lambda: folder_digest) == folder_digest:
            return first
        return read_or_create(home / f"{_NAME}-{folder_digest}", create_name)
    except StoreReadOnly:
        return first  # a home of an older version that is read-only: nothing else can be written either


def _digest(user_home: Path) -> str:
    place = os.path.realpath(user_home).encode("utf-8", "surrogateescape")
    return blake2b(place, digest_size=8).hexdigest()
