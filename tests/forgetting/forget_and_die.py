"""A process that forgets something and is killed before a given step.

With a step that never comes it lives, and returns the name of every step.
"""

from __future__ import annotations

import os
import signal
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

import wisen
from wisen import app
from wisen.app import on_word_of
from wisen.delivery import snapshot_store
from wisen.model.presence import Person
from wisen.model.tombstone import ALL_CONTEXTS
from wisen.store.index import Index
from wisen.store.ledger import Ledger

if TYPE_CHECKING:
    from collections.abc import Callable

_WRITE = frozenset("finish remove redact scrub replace store_findings write forget publish renew record".split())
"""What the ports do that can be cut off."""
_CHANGE = frozenset(("add", "add_check"))
"""What else those of changes do."""
_READ = frozenset(("model_answers",))
"""What of a store is left alone."""
_Store = TypeVar("_Store", Ledger, Index)


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


class CountedPort:
    """A port whose steps are counted."""

    def __init__(self, port: Any, name: str, steps: Steps) -> None:
        self._port, self._name, self._steps = port, name, steps

    def __getattr__(self, name: str) -> Any:
        if name == "add" and hasattr(self._port, "all_keys"):
            self._steps.before(f"{self._name}.add_tombstone")
        elif name in _WRITE or (name in _CHANGE and hasattr(self._port, "rewrite")):
            self._steps.before(f"{self._name}.{name}")
        return getattr(self._port, name)


def watch_store(store: _Store, kind: type[_Store], name: str, steps: Steps) -> _Store:
    """Count the steps of every part of a store."""
    for part in fields(kind):
        if part.name not in _READ:
            of = f"{name}.memories" if part.name == "memories" else name
            setattr(store, part.name, CountedPort(getattr(store, part.name), of, steps))
    return store


def watch(steps: Steps) -> None:
    """Have every Learner opened from now on work with ports whose steps are counted."""

    def watched(make: Callable[..., Any], name: str) -> Callable[..., Any]:
        return lambda *given, **named: CountedPort(make(*given, **named), name, steps)

    opening: Any = app.Wiring
    index, ledger = opening._index, opening.ledger

    def opened_index(self: app.Wiring) -> tuple[Index, str | None]:
        made, warnings = index(self)
        return watch_store(made, Index, "index", steps), warnings

    opening._index = opened_index
    opening.ledger = lambda self, **named: watch_store(ledger(self, **named), Ledger, "ledger", steps)
    opening._files = watched(opening._files, "files")
    opening.backups = watched(opening.backups, "backups")
    of_hooks: Any = snapshot_store
    of_hooks.HomeSnapshotStore = watched(snapshot_store.HomeSnapshotStore, "shelf")


def forget(word: str, last: int) -> tuple[int, list[str]]:
    """Forget a word up to a step, in a process of its own: its exit code, and the steps where it lived."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            steps = Steps(last)
            watch(steps)
            with on_word_of(Person("a test")), wisen.open_learner() as learner:
                learner.forgetting.forget(word, scope=ALL_CONTEXTS)
            os.write(writing, "\n".join(steps.done).encode())
            os._exit(0)
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading) as output:
        done = output.read().split()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), done
