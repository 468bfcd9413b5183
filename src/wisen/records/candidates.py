"""Finds what recurs often enough to be worth a rule, a guard or a skill, and recurring unresolved failures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wisen.model.learning import Candidate, RecordKind
from wisen.records.problems import session_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from wisen.model.failure import Signature
    from wisen.model.fix import FailureKind
    from wisen.model.learning import Record
    from wisen.records.accounts import Account


@dataclass(frozen=True, kw_only=True)
class CandidatePolicy:
    """How often is often enough."""

    sessions: int = 3
    """In how many sessions it helped, or the failure happened."""
    confidence: float = 0.7
    overcome: float = 0.5
    """Failures that agents overcame by themselves in at least this share of cases are not open questions."""


def find_candidates(
    records: Iterable[Record], kinds: Iterable[FailureKind], accounts: Sequence[Account], policy: CandidatePolicy
) -> tuple[Candidate, ...]:
    """The candidates, the one first that would save the most failed calls."""
    helped = {account.learning.signature for account in accounts if account.learning.sessions}
    unresolved = (
        each
        for each in _recurring(records, kinds, policy)
        if each.sessions >= policy.sessions and each.signature not in helped
    )
    found = [*_resolved(accounts, policy), *unresolved]
    return tuple(sorted(found, key=lambda each: (-each.failures_saved, -each.sessions, each.tool, each.signature)))


def _resolved(accounts: Iterable[Account], policy: CandidatePolicy) -> Iterator[Candidate]:
    for account in accounts:
        learning = account.learning
        often = learning.sessions >= policy.sessions and learning.confidence >= policy.confidence
        if often and learning.last_worked and learning.signature is not None:
            yield Candidate(
                tool=learning.tool or "",
                signature=learning.signature,
                sessions=learning.sessions,
                failures=account.failures,
                learning=learning,
            )


def _recurring(records: Iterable[Record], kinds: Iterable[FailureKind], policy: CandidatePolicy) -> Iterator[Candidate]:
    """Failures that programs recorded, and those in the logs of agents, grouped by signature."""
    met: dict[Signature, list[Record]] = {}
    for record in records:
        # Failures with withheld texts look the same and need not be.
        if record.kind is RecordKind.FAILURE and record.signature is not None and record.text is not None:
            met.setdefault(record.signature, []).append(record)
    mined = {kind.signature: kind for kind in kinds if kind.overcome < kind.calls * policy.overcome}
    for signature in {**met, **mined}:
        failures, kind = met.get(signature, []), mined.get(signature)
        yield Candidate(
            tool=kind.tool if kind else failures[-1].tool or "",
            signature=signature,
            sessions=len({session_of(failure) for failure in failures}) + (kind.sessions if kind else 0),
            failures=len(failures) + (kind.calls if kind else 0),
            learning=None,
        )
