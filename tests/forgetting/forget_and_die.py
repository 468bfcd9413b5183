"""A process that forgets something and dies before the step that it is told: `forget_and_die.py WORD STEP`.

With a step that never comes it lives, and tells the name of every step.
"""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import replace
from typing import Any

import wisen
from wisen.app import on_word_of
from wisen.model.presence import Person
from wisen.model.tombstone import ALL

_WRITE = frozenset("bury finish remove veil scrub replace mined write forget publish renew change look enter".split())
"""What the ports do that can be cut off."""


class Steps:
    """Counts what is done through the ports, and dies before one of it."""

    def __init__(self, last: int) -> None:
        self._last = last
        self.done: list[str] = []

    def before(self, name: str) -> None:
        """One more step; the last one is not done."""
        if len(self.done) == self._last:
            os.kill(os.getpid(), signal.SIGKILL)
        self.done.append(name)


class Watched:
    """A port whose steps are counted."""

    def __init__(self, port: Any, name: str, steps: Steps) -> None:
        self._port, self._name, self._steps = port, name, steps

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._port, name)
        if name == "memories":
            return Watched(found, f"{self._name}.memories", self._steps)
        if name in _WRITE:
            self._steps.before(f"{self._name}.{name}")
        return found


def main() -> None:
    """Forget a word, up to a step."""
    word, last = sys.argv[1], int(sys.argv[2])
    steps = Steps(last)
    with on_word_of(Person("a test")), wisen.open_learner() as learner:
        parts = learner._parts
        ports = {name: Watched(getattr(parts, name), name, steps) for name in _PORTS}
        learner._parts = replace(parts, **ports)  # type: ignore[arg-type]
        learner.forget(word, scope=ALL)
    print("\n".join(steps.done))


_PORTS = ("ledger", "index", "files", "shelf", "backups")

if __name__ == "__main__":
    main()
