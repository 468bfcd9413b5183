"""Checks paths that the user passed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wisen.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


def existing_path(path: Path | None) -> Path | None:
    """Return the resolved path, or None for no restriction. Raises: UsageError if it does not exist."""
    if path is not None and not path.exists():
        raise UsageError(f"{path} does not exist. Give a transcript or a folder of them, or leave --path out.")
    return path.resolve() if path else None
