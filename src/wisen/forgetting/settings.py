"""Settings of retention: how long and how much of the logs is stored."""

from __future__ import annotations

from dataclasses import dataclass

from wisen.model.policy import MAX_DAYS, setting


@dataclass(frozen=True, kw_only=True)
class ContextLimit:
    """The limits of one project."""

    days: int = setting(
        -1,
        "After how many days its sessions are deleted; 0: never. Unset: as usual.",
        at_least=0,
        at_most=MAX_DAYS,
    )
    megabytes: int = setting(0, "How much of it is stored; 0: no limit of its own.", at_least=0)


@dataclass(frozen=True, kw_only=True)
class ArchivePolicy:
    """How long and how much is stored. What was learned stays in any case."""

    days: int = setting(
        0, "After how many days the events of a session are deleted; 0: never.", at_least=0, at_most=MAX_DAYS
    )
    megabytes: int = setting(
        1_000, "How much is stored of sessions, the oldest are deleted first; 0: no limit.", at_least=0
    )
    contexts: tuple[tuple[str, ContextLimit], ...] = setting(
        (),
        'Other limits in one project, by its key or a directory: `[archive.contexts."/home/you/shop"]`, `days = 30`.',
        tables=ContextLimit,
    )
