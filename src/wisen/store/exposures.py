"""What was delivered to agents or withheld, in the ledger: the port, and its SQL for every database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, cast

from wisen.model.exposure import Arm, Channel, Exposure
from wisen.store.escapes import escape, from_microseconds, microseconds, unescape
from wisen.store.sealed_rows import MILLIONTHS, Table, add_row, read_rows

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from wisen.store.database_port import Database, Value

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


class Exposures(Protocol):
    """What was delivered to agents or withheld from them."""

    def add(self, rows: Iterable[Exposure]) -> None:
        """Record what was delivered or withheld, in one transaction; recording it again changes nothing."""
        ...

    def all(self, *, coin_only: bool = False, session: str | None = None) -> tuple[Exposure, ...]:
        """Return what was delivered or withheld, oldest first; of one session, or only trial draws (`coin_only`)."""
        ...

    def of(self, subject: str, *, coin_only: bool = False, session: str | None = None) -> tuple[Exposure, ...]:
        """Return what was delivered or withheld of one subject, narrowed as in `all`."""
        ...

    def last_given(self) -> dict[str, datetime]:
        """Return when each subject was last delivered, except as a draw of a trial; without checking every row."""
        ...


class SqlExposures:
    """Exposures in a database."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def add(self, rows: Iterable[Exposure]) -> None:
        """Record what was delivered or withheld, in one transaction; recording it again changes nothing."""
        with self._db.transaction():
            for row in rows:
                values: dict[str, Value] = {name: getattr(row, name) for name in EXPOSURES.columns}
                values |= {"channel": row.channel.value, "arm": row.arm.value, "at": microseconds(row.at)}
                values["chance"] = None if row.chance is None else round(row.chance * MILLIONTHS)
                add_row(self._db, EXPOSURES, values)

    def all(self, *, coin_only: bool = False, session: str | None = None) -> tuple[Exposure, ...]:
        """Return what was delivered or withheld, oldest first; of one session, or only trial draws (`coin_only`)."""
        return self._read(None, coin_only=coin_only, session=session)

    def of(self, subject: str, *, coin_only: bool = False, session: str | None = None) -> tuple[Exposure, ...]:
        """Return what was delivered or withheld of one subject, oldest first."""
        return self._read(subject, coin_only=coin_only, session=session)

    def last_given(self) -> dict[str, datetime]:
        """Return when each subject was last delivered. Without seals."""
        rows = self._db.run(
            "SELECT subject, max(at) FROM exposures WHERE arm = ? AND chance IS NULL GROUP BY subject",
            (Arm.GIVEN.value,),
        )
        return {unescape(str(subject)): from_microseconds(cast("int", at)) for subject, at in rows}

    def _read(self, subject: str | None, *, coin_only: bool, session: str | None) -> tuple[Exposure, ...]:
        conditions: dict[str, tuple[Value, ...]] = {}
        if subject is not None:
            conditions["subject = ?"] = (escape(subject),)
        if coin_only:
            conditions["chance IS NOT NULL"] = ()
        if session is not None:
            conditions["session = ?"] = (escape(session),)
        rest = f"WHERE {' AND '.join(conditions)}" if conditions else ""
        order = f"ORDER BY at, id COLLATE {self._db.bytewise}"
        values = tuple(value for some in conditions.values() for value in some)
        return tuple(map(_exposure, read_rows(self._db, EXPOSURES, f"{rest} {order}", values)))


def _exposure(row: dict[str, Value]) -> Exposure:
    # The seal covers what we wrote, so the types are as certain as the values.
    texts = {
        name: cast("str", row[name]) for name in ("id", "machine", "agent", "session", "subject", "version", "event")
    }
    return Exposure(
        **texts,
        call=cast("str | None", row["call"]),
        mode=cast("str | None", row["mode"]),
        chance=None if row["chance"] is None else cast("int", row["chance"]) / MILLIONTHS,
        channel=Channel(cast("str", row["channel"])),
        arm=Arm(cast("str", row["arm"])),
        at=from_microseconds(cast("int", row["at"])),
    )
