"""A ledger in memory, for tests of what stands on the port."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wisen.domain.contexts import Alias, Context
    from wisen.domain.runs import Run


class MemoryLedger:
    """Keeps everything until it is garbage."""

    def __init__(self) -> None:
        self._contexts: dict[str, Context] = {}
        self._aliases: dict[tuple[str, str, str], Alias] = {}
        self._runs: dict[str, Run] = {}

    def sight(self, context: Context, alias: Alias | None) -> None:
        """Remember a context and the directory it was seen in; the first sight of each stands."""
        self._contexts.setdefault(context.key, context)
        if alias is not None:
            self._aliases.setdefault(
                (alias.path, alias.machine, alias.context), replace(alias, since=alias.since.astimezone(UTC))
            )

    def contexts(self) -> tuple[Context, ...]:
        """Every context ever seen, by key."""
        return tuple(sorted(self._contexts.values(), key=lambda context: context.key))

    def aliases(self, machine: str) -> tuple[Alias, ...]:
        """The directories of one machine, by path; one that changed its context stands there once for each."""
        here = (alias for alias in self._aliases.values() if alias.machine == machine)
        return tuple(sorted(here, key=lambda alias: (alias.path, alias.since, alias.context)))

    def record(self, run: Run) -> None:
        """Remember a run; recording the same one again changes nothing."""
        utc = replace(run, started=run.started.astimezone(UTC), finished=run.finished.astimezone(UTC))
        self._runs.setdefault(run.id, utc)

    def runs(self, limit: int) -> tuple[Run, ...]:
        """The newest runs, newest first."""
        return tuple(sorted(self._runs.values(), key=lambda run: (run.started, run.id), reverse=True)[:limit])

    def check(self) -> None:
        """Nothing can be damaged here."""

    def close(self) -> None:
        """Nothing is held."""
