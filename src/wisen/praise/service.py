"""What a Learner can be asked about praise."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from wisen.errors import UsageError
from wisen.model.entry_state import states
from wisen.model.reinforcement import Praise, Strengthened, counted
from wisen.model.report import Selection

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wisen.model.reinforcement import Reinforcement
    from wisen.parts import Parts


class Praiser:
    """What a Learner tells of praise. A part of the Learner."""

    _parts: Parts

    def praises(self, *, days: float | None = None) -> tuple[Praise, ...]:
        """The praises that were found, newest first, and what each strengthened or why it did not.

        Raises:
            UsageError: `days` is not a number that makes sense.
        """
        from wisen.praise.praising import praises_in, weigh

        if days is not None and days <= 0:
            raise UsageError(
                f"--days {days:g} leaves nothing to look in. Give a number above 0, or leave it out for all."
            )
        parts = self._parts
        since = parts.clock.now() - timedelta(days=days) if days is not None else None
        known = _Known(parts)
        praises = praises_in(parts.index.signals(Selection(since=since)))
        found = []
        for each in weigh(parts, praises, whole=True):
            rows = known.taken(each.praise.agent, each.praise.native, each.praise.said.message)
            found.append(
                Praise(
                    at=each.praise.said.at,
                    agent=each.praise.agent,
                    session=each.praise.native,
                    message=each.praise.said.message,
                    context=each.praise.context,
                    quote=each.praise.text,
                    probability=each.praise.said.signal.probability,
                    before=each.before,
                    calls=each.calls,
                    strengthened=rows,
                    why="" if rows else each.why or "the next cycle strengthens",
                )
            )
        found += [each for each in known.left() if since is None or each.at >= since]
        return tuple(sorted(found, key=lambda each: (each.at, each.message), reverse=True))

    def praises_of(self, subject: str) -> tuple[Reinforcement, ...]:
        """The praises that count for an entry or a fix, by its id, oldest first."""
        parts = self._parts
        rows = parts.ledger.reinforcements()
        of = [row for row in rows if row.subject == subject]
        every = states(parts.ledger.entries(), (), parts.ledger.moves(), rows) if rows else ()
        return next((each.praises for each in every if each.entry.id == subject), counted(of))

    def strength(self, praises: Sequence[Reinforcement]) -> float:
        """What praises of one thing come to now, from 0 to 3."""
        from wisen.model.reinforcement import strength

        return strength(praises, self._parts.clock.now())


class _Known:
    """What the ledger knows of praises, by the message."""

    def __init__(self, parts: Parts) -> None:
        rows = parts.ledger.reinforcements()
        self._states = {each.entry.id: each for each in states(parts.ledger.entries(), (), parts.ledger.moves())}
        self._counts = {row.id for row in counted(rows)}
        self._rows: dict[tuple[str, str, str], list[Reinforcement]] = {}
        for row in rows:
            self._rows.setdefault((row.agent, row.session, row.message), []).append(row)

    def taken(self, agent: str, session: str, message: str) -> tuple[Strengthened, ...]:
        """What a message strengthened; it is then no longer among those that are left."""
        return tuple(map(self._told, self._rows.pop((agent, session, message), ())))

    def left(self) -> list[Praise]:
        """What messages strengthened that the index does not hold any more."""
        return [
            Praise(rows[0].at, agent, session, message, tuple(map(self._told, rows)))
            for (agent, session, message), rows in self._rows.items()
        ]

    def _told(self, row: Reinforcement) -> Strengthened:
        state = self._states.get(row.subject)
        name, text = (state.entry.name, state.text) if state else (row.subject, "")
        return Strengthened(row.subject, name, text, row.how, row.weight, row.id in self._counts)
