"""How long and how much is kept of what was read in logs."""

from __future__ import annotations

from dataclasses import dataclass

from wisen.model.policy import MAX_DAYS, setting


@dataclass(frozen=True, kw_only=True)
class ContextLimit:
    """What holds in one project."""

    days: int = setting(
        -1, "After how many days its sessions go; 0: never. Else as everywhere.", at_least=0, at_most=MAX_DAYS
    )
    megabytes: int = setting(0, "How much of it is kept; 0: no limit of its own.", at_least=0)


@dataclass(frozen=True, kw_only=True)
class ArchivePolicy:
    """How long and how much is kept. What was learnt stays all the same."""

    days: int = setting(
        0, "After how many days what was read of a session goes; 0: never.", at_least=0, at_most=MAX_DAYS
    )
    megabytes: int = setting(
        0, "How much of what was read is kept, the oldest sessions go first; 0: no limit.", at_least=0
    )
    contexts: tuple[tuple[str, ContextLimit], ...] = setting(
        (),
        'Other limits in one project, by its key or a directory: `[archive.contexts."/home/you/shop"]`, `days = 30`.',
        tables=ContextLimit,
    )
