"""Creates folders whose names outlast a power cut: a folder that is not synced may lose what was made in it."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def create_folder(folder: Path) -> None:
    """Create a folder of the home, if there is none, with the folders above it. Raises: OSError."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    for each in missing:
        with suppress(OSError):  # some file systems cannot sync a folder, and some folders may not be read
            sync_folder(each.parent)


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder to disk. Raises: OSError."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
