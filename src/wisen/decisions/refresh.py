"""Callbacks that refresh context files and hook snapshots after a decision."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable


class Refresh(Struct, frozen=True, kw_only=True):
    """Set by the Learner; called by whoever records a decision."""

    context_files: Callable[[], None]
    """Writes what is in force into the context files below the home."""
    snapshots: Callable[[], None]
    """Prepares the snapshots that hooks answer from, so that the decision applies from the next call on."""
