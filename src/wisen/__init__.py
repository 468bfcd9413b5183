"""wisen: agents that learn from their own work. The public API; importing does nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.1.0"  # a line that `health/hook_health.py` reads, also in the file of another version

__all__ = ["Learner", "WisenError", "__version__", "open_learner"]

if TYPE_CHECKING:
    from wisen.app import open_learner
    from wisen.errors import WisenError
    from wisen.learner import Learner


def __getattr__(name: str) -> object:
    """The names of the API are imported when they are first used: `import wisen` stays free."""
    if name == "Learner":
        from wisen.learner import Learner

        return Learner
    if name == "open_learner":
        from wisen.app import open_learner

        return open_learner
    if name == "WisenError":
        from wisen.errors import WisenError

        return WisenError
    raise AttributeError(f"module 'wisen' has no attribute {name!r}")
