"""The ledger's statements about exposures, their outcomes and praise, written once for every database."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

from wisen.model.exposure import Arm, Channel, Exposure
from wisen.model.reinforcement import How, Reinforcement
from wisen.model.trial import Outcome
from wisen.store.escapes import from_microseconds, microseconds, pack
from wisen.store.seals import Table, add, read

if TYPE_CHECKING:
    from collections.abc import Iterable

    from wisen.store.dialect import Database, Value

EXPOSURES = Table(
    "exposures",
    (
        "id",
        "machine",
        "agent",
        "session",
        "subject",
        "version",
        "channel",
        "event",
        "arm",
        "at",
        "call",
        "mode",
        "chance",
    ),
)
OUTCOMES = Table(
    "outcomes", ("id", "machine", "agent", "session", "subject", "version", "at", "relevant", "hit", "rails")
)
REINFORCEMENTS = Table(
    "reinforcements", ("id", "machine", "agent", "session", "message", "subject", "how", "weight", "at")
)
_WHOLE = 1_000_000
"""Chances and weights are kept in millionths: a seal is made of whole numbers and texts."""


class SqlExposures:
    """What agents were shown and what came of it, in a database."""

    _db: Database

    def expose(self, rows: Iterable[Exposure]) -> None:
        """Remember what was delivered or withheld, all of it or nothing; the same again changes nothing."""
        with self._db.transaction():
            for row in rows:
                values: dict[str, Value] = {name: getattr(row, name) for name in EXPOSURES.columns}
                values |= {"channel": row.channel.value, "arm": row.arm.value, "at": microseconds(row.at)}
                values["chance"] = None if row.chance is None else round(row.chance * _WHOLE)
                add(self._db, EXPOSURES, values)

    def exposures(
        self, subject: str | None = None, *, tossed: bool = False, session: str | None = None
    ) -> tuple[Exposure, ...]:
        """What was delivered or withheld, or of one subject or session, or only what coins said, oldest first."""
        asked: dict[str, tuple[Value, ...]] = {}
        if subject is not None:
            asked["subject = ?"] = (pack(subject),)
        if tossed:
            asked["chance IS NOT NULL"] = ()
        if session is not None:
            asked["session = ?"] = (pack(session),)
        rest = f"WHERE {' AND '.join(asked)}" if asked else ""
        order = f"ORDER BY at, id COLLATE {self._db.bytewise}"
        values = tuple(value for some in asked.values() for value in some)
        return tuple(map(_exposure, read(self._db, EXPOSURES, f"{rest} {order}", values)))

    def conclude(self, rows: Iterable[Outcome]) -> None:
        """Remember what sessions showed about what is on trial, all of it or nothing; the first word stands."""
        with self._db.transaction():
            for row in rows:
                values: dict[str, Value] = {name: getattr(row, name) for name in OUTCOMES.columns}
                values |= {"at": microseconds(row.at), "relevant": int(row.relevant), "hit": int(row.hit)}
                values["rails"] = json.dumps(dict(row.rails), sort_keys=True, separators=(",", ":"))
                add(self._db, OUTCOMES, values)

    def outcomes(self) -> tuple[Outcome, ...]:
        """What sessions showed about what is on trial, oldest first."""
        order = f"ORDER BY at, id COLLATE {self._db.bytewise}"
        return tuple(map(_outcome, read(self._db, OUTCOMES, order)))

    def strengthen(self, rows: Iterable[Reinforcement]) -> None:
        """Remember what praise strengthened, all of it or nothing; the first word stands."""
        with self._db.transaction():
            for row in rows:
                values: dict[str, Value] = {name: getattr(row, name) for name in REINFORCEMENTS.columns}
                values |= {"how": row.how.value, "weight": round(row.weight * _WHOLE), "at": microseconds(row.at)}
                add(self._db, REINFORCEMENTS, values)

    def reinforcements(self) -> tuple[Reinforcement, ...]:
        """What praise strengthened, oldest first."""
        order = f"ORDER BY at, id COLLATE {self._db.bytewise}"
        return tuple(map(_reinforcement, read(self._db, REINFORCEMENTS, order)))


def _reinforcement(row: dict[str, Value]) -> Reinforcement:
    texts = {name: cast("str", row[name]) for name in ("id", "machine", "agent", "session", "message", "subject")}
    return Reinforcement(
        **texts,
        how=How(cast("str", row["how"])),
        weight=cast("int", row["weight"]) / _WHOLE,
        at=from_microseconds(cast("int", row["at"])),
    )


def _outcome(row: dict[str, Value]) -> Outcome:
    texts = {name: cast("str", row[name]) for name in ("id", "machine", "agent", "session", "subject", "version")}
    return Outcome(
        **texts,
        at=from_microseconds(cast("int", row["at"])),
        relevant=bool(row["relevant"]),
        hit=bool(row["hit"]),
        rails=json.loads(cast("str", row["rails"])),
    )


def _exposure(row: dict[str, Value]) -> Exposure:
    # The seal was made of what we wrote, so the types are as certain as the values.
    texts = {
        name: cast("str", row[name]) for name in ("id", "machine", "agent", "session", "subject", "version", "event")
    }
    return Exposure(
        **texts,
        call=cast("str | None", row["call"]),
        mode=cast("str | None", row["mode"]),
        chance=None if row["chance"] is None else cast("int", row["chance"]) / _WHOLE,
        channel=Channel(cast("str", row["channel"])),
        arm=Arm(cast("str", row["arm"])),
        at=from_microseconds(cast("int", row["at"])),
    )
