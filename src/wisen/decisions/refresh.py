"""What is made anew when something was decided: the books that people read, and what hooks answer from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, kw_only=True)
class Refresh:
    """The Learner says by what; whoever decides something calls it."""

    books: Callable[[], None]
    """Write what holds into the books below the home."""
    hooks: Callable[[], None]
    """Prepare the snapshots that hooks answer from, so that it holds from the next call on."""
