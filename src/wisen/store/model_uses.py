"""What models cost, in the ledger: the port, and its statements for every database."""

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
from wisen.store.escapes import from_microseconds, microseconds, pack
from wisen.store.seals import Table, add_row, read_rows

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from wisen.model.model_use import ModelsPolicy, ModelUsage, UsageTotal
    from wisen.store.dialect import Database, Value

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
    """What was spent on models. It holds against several processes at once."""

    def reserve(self, call: ModelCall, policy: ModelsPolicy) -> str:
        """Count what a call may cost at most, if the day's caps allow it; else tell which does not, in words."""
        ...

    def settle(self, call: ModelCall) -> None:
        """Count what a call with this id cost, in the place of what it might have; the first word stands."""
        ...

    def usage_of_day(self, machine: str, day: str) -> UsageTotal:
        """What a machine's calls of a day came to."""
        ...

    def usage_since(self, machine: str, since: str) -> tuple[ModelUsage, ...]:
        """What a machine's calls since a day came to, by purpose and model, the dearest first."""
        ...

    def add_cooldown(self, cooling: Cooldown) -> None:
        """Leave a model alone for a while."""
        ...

    def active_cooldowns(self, machine: str, now: datetime) -> tuple[Cooldown, ...]:
        """The models that are left alone now, by name, each with the last moment of it."""
        ...


class SqlModelUses:
    """What was spent on models, in a database."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def reserve(self, call: ModelCall, policy: ModelsPolicy) -> str:
        """Count what a call may cost at most, if the day's caps allow it; else tell which does not, in words."""
        with self._db.transaction():
            self._db.lock_for_writing()  # between counting and adding nobody else adds
            if why := describe_exceeded_cap(self.usage_of_day(call.machine, call.day), call, policy):
                return why
            self._add(call, _RESERVED)
            oldest = date.fromisoformat(call.day) - timedelta(days=RETENTION_DAYS)
            gone = "DELETE FROM model_calls WHERE machine = ? AND day < ?"
            self._db.run(gone, (pack(call.machine), oldest.isoformat()))
        return ""

    def settle(self, call: ModelCall) -> None:
        """Count what a call with this id cost, in the place of what it might have; the first word stands."""
        with self._db.transaction():
            self._add(call, _SETTLED)

    def usage_of_day(self, machine: str, day: str) -> UsageTotal:
        """What a machine's calls of a day came to."""
        return total_usage(self._calls("WHERE machine = ? AND day = ?", machine, day))

    def usage_since(self, machine: str, since: str) -> tuple[ModelUsage, ...]:
        """What a machine's calls since a day came to, by purpose and model, the dearest first."""
        return usage_by_purpose(self._calls("WHERE machine = ? AND day >= ?", machine, since))

    def add_cooldown(self, cooling: Cooldown) -> None:
        """Leave a model alone for a while; what is over goes."""
        values: dict[str, Value] = {name: getattr(cooling, name) for name in COOLDOWNS.columns}
        values |= {"at": microseconds(cooling.at), "until": microseconds(cooling.until)}
        with self._db.transaction():
            over = "DELETE FROM model_coolings WHERE machine = ? AND until <= ?"
            self._db.run(over, (pack(cooling.machine), microseconds(cooling.at)))
            add_row(self._db, COOLDOWNS, values)

    def active_cooldowns(self, machine: str, now: datetime) -> tuple[Cooldown, ...]:
        """The models that are left alone now, by name, each with the last moment of it."""
        rest = f"WHERE machine = ? AND until > ? ORDER BY until, id COLLATE {self._db.bytewise}"
        last = {
            each.model: each
            for each in map(_cooling, read_rows(self._db, COOLDOWNS, rest, (pack(machine), microseconds(now))))
        }
        return tuple(each for _, each in sorted(last.items()))

    def _calls(self, rest: str, machine: str, day: str) -> Iterable[ModelCall]:
        """The calls, each as the last that is known of it."""
        known: dict[str, ModelCall] = {}
        for row in read_rows(self._db, MODEL_CALLS, rest, (pack(machine), day)):
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


def _cooling(row: dict[str, Value]) -> Cooldown:
    return Cooldown(
        id=cast("str", row["id"]),
        machine=cast("str", row["machine"]),
        at=from_microseconds(cast("int", row["at"])),
        model=cast("str", row["model"]),
        until=from_microseconds(cast("int", row["until"])),
        why=cast("str", row["why"]),
    )
