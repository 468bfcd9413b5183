"""What models cost, in the ledger: the port, and its SQL for every database."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, Protocol, cast

from wisen.model.model_use import (
    RETENTION_DAYS,
    Cooldown,
    ModelCall,
    describe_exceeded_cap,
    total_usage,
    usage_by_purpose,
)
from wisen.store.escapes import escape, from_microseconds, microseconds
from wisen.store.sealed_rows import Table, add_row, read_rows

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from wisen.model.model_use import ModelsPolicy, ModelUsage, UsageTotal
    from wisen.store.database_port import Database, Value

MODEL_CALLS = Table(
    "model_calls",
    (
        "id",
        "call",
        "stage",
        "machine",
        "at",
        "day",
        "model",
        "purpose",
        "tokens_in",
        "tokens_out",
        "nanos",
        "priced",
    ),
)
COOLDOWNS = Table("model_coolings", ("id", "machine", "at", "model", "until", "why"))
_RESERVED, _SETTLED = "reserved", "settled"


class ModelUses(Protocol):
    """The money and tokens spent on models. Safe for several concurrent processes."""

    def reserve(self, call: ModelCall, policy: ModelsPolicy) -> str:
        """Reserve the maximum cost of a call, if the daily caps allow it; otherwise return which cap does not."""
        ...

    def settle(self, call: ModelCall) -> None:
        """Replace the reserved cost of a call by the actual one; the first settlement counts."""
        ...

    def usage_of_day(self, machine: str, day: str) -> UsageTotal:
        """Return the total of a machine's calls on a day."""
        ...

    def usage_since(self, machine: str, since: str) -> tuple[ModelUsage, ...]:
        """Return the totals of a machine's calls since a day, by purpose and model, the most expensive first."""
        ...

    def add_cooldown(self, cooldown: Cooldown) -> None:
        """Stop using a model for a while."""
        ...

    def active_cooldowns(self, machine: str, now: datetime) -> tuple[Cooldown, ...]:
        """Return the active cooldowns, one per model, by name."""
        ...


class SqlModelUses:
    """Model usage in a database."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def reserve(self, call: ModelCall, policy: ModelsPolicy) -> str:
        """Reserve the maximum cost of a call, if the daily caps allow it; otherwise return which cap does not."""
        with self._db.transaction():
            self._db.lock_for_writing()  # nobody else adds between counting and adding
            if why := describe_exceeded_cap(self.usage_of_day(call.machine, call.day), call, policy):
                return why
            self._add(call, _RESERVED)
            oldest = date.fromisoformat(call.day) - timedelta(days=RETENTION_DAYS)
            delete_old = "DELETE FROM model_calls WHERE machine = ? AND day < ?"
            self._db.run(delete_old, (escape(call.machine), oldest.isoformat()))
        return ""

    def settle(self, call: ModelCall) -> None:
        """Replace the reserved cost of a call by the actual one; the first settlement counts."""
        with self._db.transaction():
            self._add(call, _SETTLED)

    def usage_of_day(self, machine: str, day: str) -> UsageTotal:
        """Return the total of a machine's calls on a day."""
        return total_usage(self._calls("WHERE machine = ? AND day = ?", machine, day))

    def usage_since(self, machine: str, since: str) -> tuple[ModelUsage, ...]:
        """Return the totals of a machine's calls since a day, by purpose and model, the most expensive first."""
        return usage_by_purpose(self._calls("WHERE machine = ? AND day >= ?", machine, since))

    def add_cooldown(self, cooldown: Cooldown) -> None:
        """Stop using a model for a while; expired cooldowns are deleted."""
        values: dict[str, Value] = {name: getattr(cooldown, name) for name in COOLDOWNS.columns}
        values |= {"at": microseconds(cooldown.at), "until": microseconds(cooldown.until)}
        with self._db.transaction():
            delete_expired = "DELETE FROM model_coolings WHERE machine = ? AND until <= ?"
            self._db.run(delete_expired, (escape(cooldown.machine), microseconds(cooldown.at)))
            add_row(self._db, COOLDOWNS, values)

    def active_cooldowns(self, machine: str, now: datetime) -> tuple[Cooldown, ...]:
        """Return the active cooldowns, one per model, by name."""
        rest = f"WHERE machine = ? AND until > ? ORDER BY until, id COLLATE {self._db.bytewise}"
        last = {
            each.model: each
            for each in map(_cooldown, read_rows(self._db, COOLDOWNS, rest, (escape(machine), microseconds(now))))
        }
        return tuple(each for _, each in sorted(last.items()))

    def _calls(self, rest: str, machine: str, day: str) -> Iterable[ModelCall]:
        """Return the calls, each in its latest stage."""
        known: dict[str, ModelCall] = {}
        for row in read_rows(self._db, MODEL_CALLS, rest, (escape(machine), day)):
            if row["stage"] == _SETTLED or row["call"] not in known:
                known[cast("str", row["call"])] = _call(row)
        return known.values()

    def _add(self, call: ModelCall, stage: str) -> None:
        values: dict[str, Value] = {name: getattr(call, name, None) for name in MODEL_CALLS.columns}
        values |= {"id": f"{call.id}-{stage}", "call": call.id, "stage": stage}
        values |= {"at": microseconds(call.at), "priced": int(call.priced)}
        add_row(self._db, MODEL_CALLS, values)


def _call(row: dict[str, Value]) -> ModelCall:
    return ModelCall(
        id=cast("str", row["call"]),
        machine=cast("str", row["machine"]),
        at=from_microseconds(cast("int", row["at"])),
        day=cast("str", row["day"]),
        model=cast("str", row["model"]),
        purpose=cast("str", row["purpose"]),
        tokens_in=cast("int", row["tokens_in"]),
        tokens_out=cast("int", row["tokens_out"]),
        nanos=cast("int", row["nanos"]),
        priced=bool(row["priced"]),
    )


def _cooldown(row: dict[str, Value]) -> Cooldown:
    return Cooldown(
        id=cast("str", row["id"]),
        machine=cast("str", row["machine"]),
        at=from_microseconds(cast("int", row["at"])),
        model=cast("str", row["model"]),
        until=from_microseconds(cast("int", row["until"])),
        why=cast("str", row["why"]),
    )
