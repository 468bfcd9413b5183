"""A home of its own for each run: nothing of the user's is read or written."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING
from unittest.mock import patch

from wisen import app
from wisen.model.presence import Person
from wisen.testing.fakes import FixedPresence

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_PASSED_ON = ("PATH", "TMPDIR", "LANG", "LC_ALL", "SYSTEMROOT")


@contextmanager
def own_home(folder: Path) -> Iterator[None]:
    """Run as a person whose home is this folder, with nothing else of the environment."""
    kept = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    own = {"HOME": str(folder), "WISEN_HOME": str(folder / "wisen"), "GIT_CONFIG_NOSYSTEM": "1", "COLUMNS": "120"}
    own["EDITOR"] = "true"  # else the machine's editor is started, and may wait for somebody forever
    with (
        patch.dict(os.environ, kept | own, clear=True),
        patch.object(app.Wiring, "presence", lambda _: FixedPresence(Person("a test"))),
    ):
        yield
