"""Settings of mining."""

from __future__ import annotations

from dataclasses import dataclass

from wisen.model.policy import MAX_DAYS, setting


@dataclass(frozen=True, kw_only=True)
class MinePolicy:
    """How long failures count."""

    transient_days: int = setting(
        14,
        "Days after which a failure that went away by itself (network, missing install) is forgotten.",
        at_least=0,
        at_most=MAX_DAYS,
    )
