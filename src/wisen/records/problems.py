"""Groups recorded failures into problems: attempts at the same thing, and what ended them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from wisen.model.learning import Problem, Record, RecordKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wisen.model.failure import Signature

    Lane: TypeAlias = tuple[str, str | None]


def session_of(record: Record) -> str:
    """The identity of a session: the program's name for it on its machine; a record without one is its own session."""
    return f"{record.machine} {record.session}" if record.session is not None else record.failure or record.id


def group_problems(records: Iterable[Record]) -> tuple[Problem, ...]:
    """The problems in the records, by their first failure.

    A success or a resolution ends every open problem of its tool in its session, because the tool worked. Failures
    without a session are each a problem of their own.
    """
    attempts: list[tuple[Signature, list[Record]]] = []
    ends: dict[int, Record] = {}
    lanes: dict[str, Lane] = {}
    open_: dict[Lane, dict[Signature, int]] = {}
    for record in _in_order(records):
        lane = (session_of(record), record.tool)
        if record.kind is RecordKind.FAILURE and record.signature is not None:
            lanes[record.id] = lane
            number = open_.setdefault(lane, {}).setdefault(record.signature, len(attempts))
            if number == len(attempts):
                attempts.append((record.signature, []))
            attempts[number][1].append(record)
        elif record.kind in (RecordKind.RESOLUTION, RecordKind.SUCCESS):
            # A resolution may come from another machine than the failure did.
            ended = open_.pop(lanes.get(record.failure or "", lane), {})
            ends |= dict.fromkeys(ended.values(), record)
    return tuple(_problem(signature, failures, ends.get(n)) for n, (signature, failures) in enumerate(attempts))


def _in_order(records: Iterable[Record]) -> list[Record]:
    known = list(records)
    at = {record.id: record.at for record in known}

    def moment(record: Record) -> tuple[object, bool, str]:
        # Clocks differ and are set back: a resolution never comes before its failure.
        failed = at.get(record.failure or "", record.at)
        return max(record.at, failed), record.kind is RecordKind.RESOLUTION, record.id

    return sorted(known, key=moment)


def _problem(signature: Signature, failures: Sequence[Record], end: Record | None) -> Problem:
    first = failures[0]
    return Problem(
        session=first.session,
        tool=first.tool or "",
        signature=signature,
        attempts=tuple(failure.id for failure in failures),
        feedback=tuple(failure.text for failure in failures),
        trajectory="0" * len(failures) + ("1" if end else ""),
        first=first.at,
        last=end.at if end else failures[-1].at,
        ended_by=end.id if end else None,
    )
