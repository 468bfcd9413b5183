"""Praise service: records reinforcements, lists praise, and scores sessions."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from wisen.errors import UsageError
from wisen.model.entry_state import fold_entry_states
from wisen.model.reinforcement import Praise, Strengthened, counted_praises, praise_levels
from wisen.model.report import Selection
from wisen.model.score import Score
from wisen.model.signal import SignalKind
from wisen.praise.session_scores import score_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import datetime
    from pathlib import Path

    from wisen.logs.projects import Projects
    from wisen.model.memory import MemoryHit
    from wisen.model.reinforcement import Reinforcement
    from wisen.store.home import Home


class PraiseService:
    """Lists praise and records what it reinforces."""

    def __init__(self, home: Home, projects: Projects, names: Callable[[], Mapping[str, str]] = dict) -> None:
        """Create the service; `names` returns the names of workflows and skills, by the subject of their praise."""
        self._home, self._projects, self._names = home, projects, names

    def record_reinforcements(self) -> int:
        """Record in the ledger what recent praise reinforced. Returns how many rows were new."""
        from wisen.praise.reinforcing import record_reinforcements

        return record_reinforcements(self._home, self._names)

    def praise_of_subjects(self, as_of: datetime) -> dict[str, int]:
        """The praise level of entries, fixes, workflows and skills at a moment, by subject."""
        return praise_levels(self._home.ledger.reinforcements.all(), as_of)

    def praise_of_memories(self, found: Iterable[MemoryHit]) -> dict[str, int]:
        """The praise level of memories that were found, by their ids."""
        from wisen.praise.reinforcing import praise_of_memories

        return praise_of_memories(self._home, found)

    def list_praises(self, *, days: float | None = None) -> tuple[Praise, ...]:
        """The praises that were found, newest first, and what each reinforced or why it did not.

        Raises:
            UsageError: `days` is not a positive number.
        """
        from wisen.praise.reinforcing import attribute_praises, find_praises

        if days is not None and days <= 0:
            raise UsageError(
                f"--days {days:g} leaves nothing to search. Give a number above 0, or leave it out for all."
            )
        home = self._home
        since = home.clock.now() - timedelta(days=days) if days is not None else None
        known = _RecordedPraise(home, self._names())
        praises = find_praises(home.index.findings.signals(Selection(since=since), SignalKind.PRAISE))
        found = []
        for each in attribute_praises(home, praises, self._names, whole=True):
            rows = known.pop_message(each.praise.agent, each.praise.native, each.praise.said.message)
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
                    why="" if rows else each.why or "the next cycle records what it strengthens",
                )
            )
        found += [each for each in known.unmatched() if since is None or each.at >= since]
        return tuple(sorted(found, key=lambda each: (each.at, each.message), reverse=True))

    def praises_of(self, subject: str) -> tuple[Reinforcement, ...]:
        """The praises that count for an entry, a fix or a workflow, by its id, or for a skill; oldest first."""
        ledger = self._home.ledger
        rows = ledger.reinforcements.all()
        own = [row for row in rows if row.subject == subject]
        every = fold_entry_states(ledger.entries.all(), (), ledger.moves.all(), rows) if rows else ()
        return next((each.praises for each in every if each.entry.id == subject), counted_praises(own))

    def strength(self, praises: Sequence[Reinforcement]) -> float:
        """The strength of the praises of one subject now, from 0 to 3."""
        from wisen.model.reinforcement import praise_strength

        return praise_strength(praises, self._home.clock.now())

    def scores(self, place: Path, *, days: int = 30) -> tuple[Score, Score]:
        """How the last days went in the project of a directory, and how the same number of days before them went.

        Raises:
            UsageError: `days` is out of range, or no session of such a project was read.
        """
        if not 0 < days <= 3650:
            raise UsageError(f"{days} days is out of range. Give a number from 1 to 3650.")
        now, long, context = self._home.clock.now(), timedelta(days=days), self._projects.context_of(place)
        places = tuple(each.path for each in self._projects.active_aliases() if context and each.context == context)
        if not places:
            raise UsageError(f"No session was read in {place} so far. Name a project's folder in which agents work.")
        late = score_of(self._home.index, now - long, now, places)
        both = score_of(self._home.index, now - 2 * long, now, places)
        fields = ("sessions", "typed_turns", "corrections", "praises", "calls", "failed", "rejected", "interrupts")
        early = {name: getattr(both, name) - getattr(late, name) for name in fields}
        return late, Score(since=both.since, until=late.since, **early)


class _RecordedPraise:
    """What the ledger knows about praises, by message."""

    def __init__(self, home: Home, names: Mapping[str, str]) -> None:
        """`names`: of workflows and skills, by the subject of their praise."""
        self._names, rows = names, home.ledger.reinforcements.all()
        self._states = {
            each.entry.id: each for each in fold_entry_states(home.ledger.entries.all(), (), home.ledger.moves.all())
        }
        self._counts = {row.id for row in counted_praises(rows)}
        self._rows: dict[tuple[str, str, str], list[Reinforcement]] = {}
        for row in rows:
            self._rows.setdefault((row.agent, row.session, row.message), []).append(row)

    def pop_message(self, agent: str, session: str, message: str) -> tuple[Strengthened, ...]:
        """What a message reinforced; it is then no longer among the unmatched."""
        return tuple(map(self._describe, self._rows.pop((agent, session, message), ())))

    def unmatched(self) -> list[Praise]:
        """What messages reinforced that are no longer in the index."""
        return [
            Praise(rows[0].at, agent, session, message, tuple(map(self._describe, rows)))
            for (agent, session, message), rows in self._rows.items()
        ]

    def _describe(self, row: Reinforcement) -> Strengthened:
        state = self._states.get(row.subject)
        name, text = (state.entry.name, state.text) if state else (row.subject, self._names.get(row.subject, ""))
        return Strengthened(row.subject, name, text, row.how, row.weight, row.id in self._counts)
