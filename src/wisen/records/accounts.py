"""Builds learnings from records and fixes, each with an account of when it helped and when it did not."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from wisen.model.learning import Learning, LearningKind, Record, RecordKind
from wisen.records.problems import group_problems, session_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
    from datetime import datetime

    from wisen.model.failure import CallChange, Signature
    from wisen.model.fix import Fix
    from wisen.model.learning import Problem

    Difference: TypeAlias = Callable[[str, str | None, str | None], CallChange | None]

_T = TypeVar("_T")


class LearningUse(NamedTuple):
    """One use of a learning."""

    at: datetime
    session: str
    signature: Signature | None
    """Of the failure that it was used against, or that happened nevertheless; None where it is unknown."""


class Account(Struct, kw_only=True):
    """A learning, and when programs recorded that it helped or did not."""

    learning: Learning
    failures: int
    """How many calls failed before it helped."""
    helped: list[LearningUse] = field(default_factory=list)
    failed: list[LearningUse] = field(default_factory=list)


class _ResolvedFailure(NamedTuple):
    """A resolution with the failure it resolves, and the difference between their calls."""

    resolution: Record
    failure: Record
    change: CallChange | None


def build_accounts(records: Sequence[Record], fixes: Iterable[Fix], difference: Difference) -> tuple[Account, ...]:
    """The learnings from the records, oldest first, and from the mined fixes.

    Resolutions of the same failure are one learning if the same change was made, or else if their texts are the same.
    An insight that is recorded again is the same one.
    """
    met = {attempt: problem for problem in group_problems(records) for attempt in problem.attempts}
    found: list[Account] = []
    known: dict[str, Account] = {}
    for group in _group_resolutions(_resolved_failures(records, difference)):
        found.append(_account_of_resolutions(group, met))
        known |= dict.fromkeys((each.resolution.id for each in group), found[-1])
    for insights in _group_by((each for each in records if each.kind is RecordKind.INSIGHT), _text_key):
        found.append(_account_of_insights(insights))
        known |= dict.fromkeys((each.id for each in insights), found[-1])
    for fix in fixes:
        found.append(_account_of_fix(fix))
        known[fix.id] = found[-1]
    for record in records:
        tried = known.get(record.tried or "")
        if tried is not None:
            uses = tried.failed if record.kind is RecordKind.FAILURE else tried.helped
            uses.append(LearningUse(record.at, session_of(record), record.signature))
    for account in found:
        account.learning = _with_totals(account)
    return tuple(found)


def count_sessions(uses: Iterable[LearningUse]) -> int:
    """In how many sessions something was used."""
    return len({use.session for use in uses})


def _resolved_failures(records: Sequence[Record], difference: Difference) -> list[_ResolvedFailure]:
    failures = {record.id: record for record in records if record.kind is RecordKind.FAILURE}
    found = []
    for record in records:
        failure = failures.get(record.failure or "")
        if record.kind is RecordKind.RESOLUTION and failure is not None:
            both = failure.arguments is not None and record.arguments is not None
            change = difference(failure.tool or "", failure.arguments, record.arguments) if both else None
            if record.text or change is not None:
                found.append(_ResolvedFailure(record, failure, change))
    return found


def _group_resolutions(resolved: Sequence[_ResolvedFailure]) -> list[list[_ResolvedFailure]]:
    """Resolutions grouped by learning; one without a change joins the most frequent change with the same text."""
    counts = Counter((_failure_key(each), _text_key(each.resolution), each.change) for each in resolved if each.change)
    usual: dict[Hashable, CallChange | None] = {}
    for (against, saying, change), _ in counts.most_common():
        usual.setdefault((against, saying), change)

    def which(each: _ResolvedFailure) -> Hashable:
        against, saying = _failure_key(each), _text_key(each.resolution)
        return against, each.change or usual.get((against, saying)) or saying

    return _group_by(resolved, which)


def _failure_key(each: _ResolvedFailure) -> Hashable:
    return each.failure.tool, each.failure.signature


def _text_key(record: Record) -> Hashable:
    # A withheld text is never equal to another one.
    return record.tool, " ".join(record.text.casefold().split()) if record.text else record.id


def _group_by(values: Iterable[_T], key: Callable[[_T], Hashable]) -> list[list[_T]]:
    groups: dict[Hashable, list[_T]] = {}
    for value in values:
        groups.setdefault(key(value), []).append(value)
    return list(groups.values())


def _account_of_resolutions(group: Sequence[_ResolvedFailure], met: Mapping[str, Problem]) -> Account:
    ended = {met[each.failure.id].attempts: met[each.failure.id] for each in group if each.failure.id in met}
    newest = group[-1]
    learning = Learning(
        id=group[0].resolution.id,
        kind=LearningKind.RESOLUTION,
        tool=newest.failure.tool,
        signature=newest.failure.signature,
        text=next((each.resolution.text for each in reversed(group) if each.resolution.text), ""),
        change=next((each.change for each in reversed(group) if each.change), None),
        before=newest.failure.arguments,
        after=newest.resolution.arguments,
        sessions=0,
        failed=0,
        confidence=0.5,
        last_worked=True,
        last=group[0].resolution.at,
        problem=list(ended.values())[-1] if ended else None,
    )
    helped = [LearningUse(each.resolution.at, session_of(each.failure), each.failure.signature) for each in group]
    return Account(learning=learning, failures=sum(map(len, ended)), helped=helped)


def _account_of_insights(insights: Sequence[Record]) -> Account:
    learning = Learning(
        id=insights[0].id,
        kind=LearningKind.INSIGHT,
        tool=insights[0].tool,
        signature=None,
        text=insights[-1].text or "",
        sessions=0,
        failed=0,
        confidence=0.5,
        last_worked=True,
        last=insights[-1].at,
    )
    return Account(learning=learning, failures=0)


def _account_of_fix(fix: Fix) -> Account:
    learning = Learning(
        id=fix.id,
        kind=LearningKind.FIX,
        tool=fix.change.tool,
        signature=fix.signature,
        text="",
        change=fix.change,
        before=fix.before,
        after=fix.after,
        sessions=fix.sessions,
        failed=fix.failed_again,
        confidence=fix.confidence,
        last_worked=fix.last_worked,
        last=fix.last,
        danger=fix.danger,
    )
    return Account(learning=learning, failures=fix.calls)


def _with_totals(account: Account) -> Learning:
    """The learning with the counts of the records added to what was known before."""
    known, helped, failed = account.learning, count_sessions(account.helped), count_sessions(account.failed)
    before = known.sessions + known.failed + 2
    uses = [*((use.at, True) for use in account.helped), *((use.at, False) for use in account.failed)]
    last, worked = max([(known.last, known.last_worked), *uses])
    return replace(
        known,
        sessions=known.sessions + helped,
        failed=known.failed + failed,
        confidence=(known.confidence * before + helped) / (before + helped + failed),
        last_worked=worked,
        last=last,
    )
