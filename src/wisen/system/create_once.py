"""A small text that is created once and stored in the home: a name, a key, a token."""

from __future__ import annotations

import os
from contextlib import suppress
from threading import get_ident
from typing import TYPE_CHECKING

from wisen.errors import StoreReadOnly
from wisen.system.durable_folders import create_folder, sync_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def read_or_create(file: Path, create: Callable[[], str]) -> str:
    """Return the content of a file in the home, creating it on first use. Raises: StoreReadOnly."""
    try:
        with suppress(FileNotFoundError):
            if not file.stat().st_size:
                file.unlink()  # whoever created it was stopped before writing
        with suppress(FileExistsError):
            part = file.with_name(f"{file.name}.{os.getpid()}.{get_ident()}.new.part")
            if not file.exists():
                create_folder(file.parent)
                # Complete or not at all: a hook may read it at the same moment.
                handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
                try:
                    with os.fdopen(handle, "w", encoding="ascii") as new:
                        new.write(create() + "\n")
                        # Rows are written with it at once: a power cut must not leave them without it.
                        new.flush()
                        os.fsync(new.fileno())
                    os.link(part, file)
                    with suppress(OSError):  # some file systems cannot sync a folder
                        sync_folder(file.parent)
                finally:
                    part.unlink()
        return file.read_text(encoding="ascii").strip()
    except OSError as error:
        raise StoreReadOnly(
            f"{file} cannot be written: {error.strerror}. Set WISEN_HOME to a folder of yours."
        ) from error
