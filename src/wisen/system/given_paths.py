"""Paths that somebody gave: they have to be there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


def existing_path(path: Path | None) -> Path | None:
    """Where sessions are looked for, whole; None for everywhere. Raises: UsageError where nothing is there."""
    if path is not None and not path.exists():
        raise UsageError(f"{path} does not exist. Give a transcript or a folder of them, or leave --path out.")
    return path.resolve() if path else None
